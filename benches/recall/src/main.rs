//! `cargo xtask bench memory`: how well memory finds the evidence of LoCoMo's questions, and those of
//! the generated conversations.

use anyhow::{Context as _, Result, bail};
use api::models::Models;
use clap::Parser;
use generated::dialogue::{self, Conversation};
use memory::Config;
use recall::ask::{Among, ask};
use recall::conversation::{Text, sessions, turns};
use recall::embedder::{self, Kept};
use recall::kept::Filled;
use recall::ratings::Ratings;
use recall::report::{Mark, Run};
use recall::{grid, locomo, ratings};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Measures what memory finds of the conversations in the file that HOUSE_LOCOMO names
#[derive(Debug, Parser)]
struct Options {
    /// The generated conversations instead of the file's
    #[arg(long)]
    generated: bool,
    /// Words alone: no embedding model
    #[arg(long)]
    words: bool,
    /// Measure weights around the usual ones instead, and what is chosen on all conversations but
    /// one is worth on that one
    #[arg(long)]
    grid: bool,
    /// Measure what ratings of answers are worth instead
    #[arg(long)]
    ratings: bool,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Where embeddings are kept between runs
    #[arg(long, value_name = "FOLDER", default_value = "target/recall")]
    embeddings: PathBuf,
}

/// Conversations of the generated set, and their seed.
const GENERATED: (usize, u64) = (6, 20);

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let conversations = if options.generated {
        dialogue::conversations(GENERATED.0, GENERATED.1)
    } else {
        let file = std::env::var_os("HOUSE_LOCOMO").context(locomo::HOW_TO_GET_IT)?;
        locomo::read(Path::new(&file))?
    };
    let folder = tempfile::tempdir()?;
    let models = embedding(&options, folder.path()).await?;
    if options.grid {
        return weights(&conversations, &models, folder.path()).await;
    }
    if options.ratings {
        return rated(&conversations, &models, folder.path()).await;
    }
    let runs = measured(&conversations, &models, folder.path()).await?;
    if let Some(path) = &options.json {
        let runs: Vec<_> = runs.iter().map(Run::json).collect();
        std::fs::write(path, serde_json::to_string_pretty(&runs)?)?;
    }
    Ok(())
}

/// What each setting of the grid is worth.
async fn weights(
    conversations: &[Conversation],
    models: &Arc<dyn Models>,
    folder: &Path,
) -> Result<()> {
    let by_turn = turns(conversations);
    let mut filled = fill(&folder.join("turns"), models, conversations, by_turn).await?;
    let mut measured = Vec::new();
    for weights in grid::settings() {
        let mut config = Config::default();
        config.finding.weights = weights;
        filled = filled.again(&config, Arc::clone(models)).await?;
        let found = ask(&filled, conversations, Among::Own).await?;
        measured.push(grid::Measured::new(weights, &found));
    }
    let table = grid::table(&measured, conversations.len());
    Ok(write!(std::io::stdout().lock(), "{table}")?)
}

/// What ratings are worth that are mostly true, and what those cost that know nothing.
async fn rated(
    conversations: &[Conversation],
    models: &Arc<dyn Models>,
    folder: &Path,
) -> Result<()> {
    embed_questions(models.as_ref(), conversations).await?;
    for (name, texts, ratings) in [
        (
            "a good and a bad answer each",
            ratings::good_and_bad(conversations),
            Ratings::Informed,
        ),
        (
            "turns, rated at random",
            ratings::turns_in_pairs(conversations),
            Ratings::Random,
        ),
    ] {
        let folder = folder.join(name);
        let compared = ratings::compare(&folder, models, conversations, (texts, ratings)).await?;
        write!(std::io::stdout().lock(), "{}", compared.line(name))?;
    }
    Ok(())
}

/// Every run, each shown when it is done.
async fn measured(
    conversations: &[Conversation],
    models: &Arc<dyn Models>,
    folder: &Path,
) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let by_turn = turns(conversations);
    let filled = fill(&folder.join("turns"), models, conversations, by_turn).await?;
    for (among, name, marks) in [
        (Among::Own, "turns, a namespace a conversation", TURN_MARKS),
        (Among::All, "turns, all conversations together", &[]),
    ] {
        let found = ask(&filled, conversations, among).await?;
        show(
            &mut runs,
            Run {
                name,
                found,
                marks: marks.to_vec(),
            },
        )?;
    }
    let mut without_facts = Config::default();
    without_facts.finding.weights.facts = 0.0;
    let filled = filled.again(&without_facts, Arc::clone(models)).await?;
    let found = ask(&filled, conversations, Among::Own).await?;
    let name = "turns, a namespace a conversation, without facts";
    show(
        &mut runs,
        Run {
            name,
            found,
            marks: PLAIN_MARKS.to_vec(),
        },
    )?;
    drop(filled);
    let by_session = sessions(conversations);
    let filled = fill(&folder.join("sessions"), models, conversations, by_session).await?;
    let found = ask(&filled, conversations, Among::All).await?;
    let name = "sessions, all conversations together";
    show(
        &mut runs,
        Run {
            name,
            found,
            marks: SESSION_MARKS.to_vec(),
        },
    )?;
    Ok(runs)
}

const TURN_MARKS: &[Mark] = &[
    Mark {
        category: "",
        recall_10: 0.79,
    },
    Mark {
        category: "multi-hop",
        recall_10: 0.50,
    },
];
const PLAIN_MARKS: &[Mark] = &[Mark {
    category: "",
    recall_10: 0.74,
}];
const SESSION_MARKS: &[Mark] = &[Mark {
    category: "",
    recall_10: 0.93,
}];

/// The embedding model, unless words alone are wanted.
async fn embedding(options: &Options, folder: &Path) -> Result<Arc<dyn Models>> {
    if options.words {
        return Ok(Arc::new(embedder::none(folder)?));
    }
    let (Some(program), Some(models)) = (
        std::env::var_os("HOUSE_ENGINE"),
        std::env::var_os("HOUSE_MODELS"),
    ) else {
        bail!("no embedding model: run it by `cargo xtask bench memory`, or with --words");
    };
    let engine = embedder::engine(program.into(), models.into(), folder.join("run"))?;
    Ok(Arc::new(
        Kept::open(Arc::new(engine), &options.embeddings).await?,
    ))
}

async fn fill(
    folder: &Path,
    models: &Arc<dyn Models>,
    conversations: &[Conversation],
    texts: Vec<Text>,
) -> Result<Filled> {
    let count = texts.len();
    let config = Config::default();
    let filled = Filled::new(folder, &config, Arc::clone(models), conversations, texts).await?;
    embed_questions(models.as_ref(), conversations).await?;
    let stats = filled.stats().await?;
    let mut out = std::io::stdout().lock();
    let refused = filled.ids.iter().filter(|id| id.is_none()).count();
    writeln!(
        out,
        "\n{count} texts, {refused} kept out; vectors: {}",
        stats.embedder
    )?;
    for refusal in &filled.refusals {
        writeln!(out, "  kept out: {refusal}")?;
    }
    for index in stats.indexes {
        let note = index.note;
        writeln!(
            out,
            "  {}: {} of {} {note}",
            index.name, index.entries, index.of
        )?;
    }
    Ok(filled)
}

/// Embeds every question once, so that no query has to wait for the model and goes on without it.
async fn embed_questions(models: &dyn Models, conversations: &[Conversation]) -> Result<()> {
    use api::models::{EmbedPurpose, EmbedRequest};
    use domain::model::{ModelChoice, ModelRole};
    for conversation in conversations {
        for questions in conversation.questions.chunks(32) {
            let request = EmbedRequest {
                model: ModelChoice::Role(ModelRole::Embed),
                purpose: EmbedPurpose::Query,
                texts: questions
                    .iter()
                    .map(|question| question.text.clone())
                    .collect(),
            };
            // Without a model this fails each time, and words alone are measured.
            let _no_model = models.embed(request).await;
        }
    }
    Ok(())
}

fn show(runs: &mut Vec<Run>, run: Run) -> Result<()> {
    write!(std::io::stdout().lock(), "{}", run.table())?;
    runs.push(run);
    Ok(())
}
