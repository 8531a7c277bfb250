//! `carl quality`: how good answers are, as the judge and the user say, and how good the judge is.

use super::Setting;
use crate::wiring::{House, routing, rubrics};
use ::quality::{
    AttackMeasure, Measured, Report, attacked_cases, known_pairs, last_attacks, last_of_each,
};
use anyhow::{Context as _, Result};
use command_line::{QualityArgs, QualityCommand, SessionFlags};
use domain::Timestamp;
use domain::fault::Fault;
use domain::quality::{JudgeMeasure, Observation, TaskKind};
use observers::observations::{self, Listed};
use observers::{Clock, Rebuilt, measure};
use rendering::memory::counted;
use rendering::quality::{COLUMNS, attacked, columns, measured, report};
use rendering::routes::{Shared, routes_json};
use rendering::{Paint, print, print_error};
use settings::By;
use std::path::Path;
use std::sync::Arc;
use terminal::exit::{Exit, Failure};

/// What helps where a grade or a rating cannot be read.
const REBUILD: &str = "; `carl quality rebuild` adds what the session logs have of it";
/// After how many pairs it is told how far a measurement is.
const TOLD_EVERY: usize = 10;

/// Prints what grades and ratings come to, or all of them, or measures the judge.
///
/// # Errors
/// When what was observed cannot be read, or no judge answers.
pub async fn quality(args: QualityArgs) -> Result<Exit> {
    let setting = Setting::read(&SessionFlags::default())?;
    let folder = setting.paths.quality();
    match args.command {
        Some(QualityCommand::Routes { reset, json }) => return routes(&setting, (reset, json)),
        Some(QualityCommand::Rebuild) => return rebuild(&setting).await,
        None => {}
    }
    if args.attacks {
        let kept = measure_attacks(&setting).await?;
        observations::add_attacks(&folder, &kept)
            .with_context(|| format!("{} cannot be written", folder.display()))?;
        print(&attacked(&kept))?;
        return Ok(Exit::Success);
    }
    if args.measure_judge {
        let kept = measure_judge(&setting, args.pairs.into()).await?;
        observations::add_measure(&folder, &kept)
            .with_context(|| format!("{} cannot be written", folder.display()))?;
        print(&measured(&kept))?;
        return Ok(Exit::Success);
    }
    let all = readable(observations::read(&folder), &folder, REBUILD)?;
    if args.json {
        for one in &all {
            print(&format!("{}\n", serde_json::to_string(one)?))?;
        }
    } else if args.csv {
        print(&table(&all)?)?;
    } else {
        let measures = readable(observations::read_measures(&folder), &folder, "")?;
        let attacks = readable(observations::read_attacks(&folder), &folder, "")?;
        print(&told(&all, (measures, attacks)))?;
    }
    Ok(Exit::Success)
}

/// Lists what the session logs have and the list does not. It may be done beside a server.
async fn rebuild(setting: &Setting) -> Result<Exit> {
    let house = House::look(setting).await?;
    let folder = setting.paths.quality();
    let rebuilt = observers::rebuild(house.sessions.as_ref(), &folder).await;
    let Rebuilt {
        sessions,
        added,
        unread,
    } = rebuilt.with_context(|| format!("what is in {} cannot be made anew", folder.display()))?;
    for (session, why) in &unread {
        print_error(&format!(
            "note: the log of session {session} cannot be read to its end: {why}\n"
        ))?;
    }
    let sessions = counted(sessions as u64, "session was", "sessions were");
    let added = counted(added as u64, "grade or rating", "grades and ratings");
    print(&format!(
        "{sessions} read, and {added} added to the list.\n"
    ))?;
    Ok(match unread.is_empty() {
        true => Exit::Success,
        false => Exit::Failed,
    })
}

/// Prints how requests are shared among models, or begins that anew.
fn routes(setting: &Setting, (reset, json): (bool, bool)) -> Result<Exit> {
    let config = routing(setting);
    let folder = config.folder.display();
    if reset {
        let done = observers::reset(&config.folder, Timestamp::now());
        done.with_context(|| format!("{folder}/routes-since cannot be written"))?;
        print("Routes begin anew: what was found up to now counts for them no more.\n")?;
        return Ok(Exit::Success);
    }
    let found = observers::findings(&config);
    let found = found.with_context(|| format!("what is in {folder} cannot be used"))?;
    let pairs = config.routes.iter();
    let pairs = pairs.flat_map(|(role, models)| TaskKind::ALL.map(|kind| (role, models, kind)));
    let shared: Vec<Shared> = pairs
        .map(|(role, models, kind)| Shared::of(*role, kind, found.arms(models, kind)))
        .collect();
    if json {
        let text = serde_json::to_string_pretty(&routes_json(&shared, &found))?;
        print(&format!("{text}\n"))?;
    } else if shared.is_empty() {
        print(
            "No role has several models to choose from. Name them in the configuration:\n\n\
             [observers.routes]\ncode = [\"ollama/qwen3:8b\", \"ollama/llama3.1:8b\"]\n",
        )?;
    } else {
        let paint = Paint::for_stream(&std::io::stdout());
        let told = rendering::routes::routes(&shared, &found, config.agreement, paint);
        print(&told)?;
    }
    Ok(Exit::Success)
}

fn told(
    all: &[Observation],
    (measures, attacks): (Vec<JudgeMeasure>, Vec<AttackMeasure>),
) -> String {
    let mut told: String = last_of_each(measures).map(|one| measured(&one)).collect();
    told.extend(last_attacks(&attacks).map(attacked));
    if !told.is_empty() {
        told.push('\n');
    }
    if all.is_empty() {
        told.push_str(
            "No answer was graded or rated yet. In a chat, /rate rates the last answer and\n\
             /grade has the judge grade it; critic = \"every\" under [observers] grades all\n\
             that models give.\n",
        );
    } else {
        let paint = Paint::for_stream(&std::io::stdout());
        told.push_str(&report(&Report::of(all), paint));
    }
    told
}

/// What can be read of a list; what cannot is told.
fn readable<T>(read: std::io::Result<Listed<T>>, folder: &Path, hint: &str) -> Result<Vec<T>> {
    let Listed { all, unreadable } =
        read.with_context(|| format!("what is in {} cannot be read", folder.display()))?;
    if unreadable > 0 {
        print_error(&format!(
            "note: {} in {} cannot be read{hint}\n",
            counted(unreadable as u64, "line", "lines"),
            folder.display()
        ))?;
    }
    Ok(all)
}

async fn measure_attacks(setting: &Setting) -> Result<AttackMeasure> {
    let house = House::open(setting, &SessionFlags::default(), By::Command).await?;
    let clock: Clock = Arc::new(Timestamp::now);
    let rubrics = rubrics(&setting.paths.rubrics())?;
    let cases = attacked_cases();
    let count = cases.len();
    let progress = |done: usize| {
        if done.is_multiple_of(TOLD_EVERY) && done < count {
            // Who cannot be told of the progress is told of the end.
            let _ = print_error(&format!("{done} of {count} attacks\n"));
        }
    };
    let services = (house.gateway.as_ref(), house.audit.as_ref(), &clock);
    let kept = observers::measure_attacks(services, (&cases, &rubrics), progress).await;
    let kept = kept.map_err(|fault| not_measured(fault).into());
    house.close(kept).await
}

async fn measure_judge(setting: &Setting, pairs: usize) -> Result<JudgeMeasure> {
    let house = House::open(setting, &SessionFlags::default(), By::Command).await?;
    let clock: Clock = Arc::new(Timestamp::now);
    let all = known_pairs();
    let asked = all.get(..pairs).unwrap_or(&all);
    let count = asked.len();
    let progress = |so_far: &Measured| {
        let done = so_far.pairs + so_far.unread;
        if done.is_multiple_of(TOLD_EVERY) && done < count {
            // Who cannot be told of the progress is told of the end.
            let _ = print_error(&format!("{done} of {count} pairs\n"));
        }
    };
    let services = (house.gateway.as_ref(), house.audit.as_ref(), &clock);
    let kept = measure(services, asked, progress).await;
    let kept = kept.map_err(|fault| not_measured(fault).into());
    house.close(kept).await
}

/// The judge did not answer, or nothing that can be read.
const fn not_measured(fault: Fault) -> Failure {
    let exit = Exit::Failed;
    Failure { exit, fault }
}

/// The observations as CSV, with the names of the columns.
fn table(observations: &[Observation]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for one in observations {
        writer.write_record(columns(one))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
