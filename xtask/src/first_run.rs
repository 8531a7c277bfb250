//! `cargo xtask try`: a newcomer's first answer and first guarded edit.
//!
//! On a terminal the person sees `carl` at work and answers its question. Without one the same job
//! runs by itself. Either way the result is checked against the files, the session log and the
//! audit records, not against what the model says of itself.

use crate::setup;
use crate::steps::{Steps, cargo, output, root, say, show};
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::io::{IsTerminal as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;

const QUESTION: &str = "Which port is set in settings.toml?";
const ANSWER: &str = "8472";
const EDIT: &str = "Replace \"draft\" with \"final\" in notes.md";
const BEFORE: &str = "Status: draft";
const AFTER: &str = "Status: final";

/// Sets up, builds, runs the job and checks it.
///
/// # Errors
/// When a part cannot be built, or the answer, the edit or the records are wrong.
pub fn run(steps: &mut Steps) -> Result<()> {
    let paths = steps.run(
        "setup",
        "The message above says what is missing; `cargo xtask setup` repeats this step alone.",
        || setup::run(setup::Options::default()),
    )?;
    let house = steps.run(
        "quick build of carl",
        "The compiler's messages are above.",
        || {
            let profile = setup::ENGINE_PROFILE;
            show(&mut cargo(&["build", "--profile", profile, "-p", "carl"]))?;
            // `carl` looks for the engine beside itself.
            House::prepare(paths.engine.with_file_name("carl"))
        },
    )?;
    say(&format!(
        "\nThe sample folder is now at {}",
        house.folder.display()
    ));
    let weak = "The stand-in model is very small and can be wrong; run `cargo xtask try` again. \
                If it stays wrong, `carl doctor --model` shows what the engine does.";
    let asked = steps.run("a question, answered from a file", weak, || {
        house.question()
    })?;
    let edited = steps.run("an edit, under guard", weak, || house.edit())?;
    steps.run(
        "what is on record",
        "`carl session show` and `carl audit tail` show everything there is.",
        || house.records(&asked, &edited),
    )?;
    say(&format!(
        "\nIt works. Type next:\n\
         \n  {carl}            a chat in the folder you are in\
         \n  {carl} doctor     what works here, and what to do where something does not\
         \n  {carl} models     the models that can be used\
         \n\nThis `carl` was built to be tried soon and runs slower than it can. For daily use type \
         `cargo build --release -p carl` (about ten minutes on two cores) and use {release}.\n\
         \nThe model you just saw is a small stand-in, so that a bare machine has something to run. \
         For real work install Ollama and a model (`ollama pull qwen2.5:7b-instruct`): `carl` finds \
         Ollama by itself and says so.",
        carl = house.carl.display(),
        release = target_of(&paths.engine)?.join("release/carl").display()
    ));
    Ok(())
}

/// The folder of all builds.
fn target_of(program: &Path) -> Result<&Path> {
    let target = program.parent().and_then(Path::parent);
    target.context("the program lies in no build folder")
}

struct House {
    carl: PathBuf,
    folder: PathBuf,
    attended: bool,
}

impl House {
    /// A fresh copy of the sample folder.
    fn prepare(carl: PathBuf) -> Result<Self> {
        let folder = target_of(&carl)?.join("try");
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        copy(&root().join("sample"), &folder)?;
        let attended = stdin().is_terminal() && stdout().is_terminal();
        Ok(Self {
            carl,
            folder,
            attended,
        })
    }

    fn carl(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.carl);
        command.args(args).current_dir(&self.folder);
        command
    }

    /// Runs one task as a newcomer types it, shown as it happens, and returns its session.
    fn task(&self, task: &str, flags: &[&str]) -> Result<Session> {
        let mut command = self.carl(&["run", "--provider", "embedded"]);
        command.args(flags).arg(task);
        show(&mut command)?;
        let list = output(&mut self.carl(&["session", "list", "--json", "--limit", "1"]))?;
        let list: Value = serde_json::from_str(&list).context("`carl session list --json`")?;
        let newest = list.get(0).or_else(|| list.get("sessions")?.get(0));
        let id = newest
            .and_then(|session| session.get("session_id")?.as_str())
            .context("`carl session list` shows no session")?;
        let events = output(&mut self.carl(&["session", "show", id, "--events"]))?;
        let events = events
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        Ok(Session {
            id: id.to_owned(),
            events,
        })
    }

    fn question(&self) -> Result<Session> {
        let session = self.task(QUESTION, &[])?;
        let answer = session.text("generation_finished", "answer");
        ensure!(
            answer.contains(ANSWER),
            "The answer should name {ANSWER}, which is what settings.toml says. It was: {answer}"
        );
        say(&format!("Right: settings.toml says {ANSWER}."));
        Ok(session)
    }

    fn edit(&self) -> Result<Session> {
        let notes = self.folder.join("notes.md");
        let before = fs::read_to_string(&notes)?;
        // On a terminal `carl` shows the plan with its difference and asks; without one the
        // effect is confirmed in advance.
        let flags: &[&str] = if self.attended {
            &["--allow-write", "."]
        } else {
            &["--allow-write", ".", "--yes", "write"]
        };
        let session = self.task(EDIT, flags)?;
        let after = fs::read_to_string(&notes)?;
        say("\nWhat changed in notes.md:");
        for (old, new) in before
            .lines()
            .zip(after.lines())
            .filter(|(old, new)| old != new)
        {
            say(&format!("  - {old}\n  + {new}"));
        }
        let expected = before.replace(BEFORE, AFTER);
        ensure!(
            after == expected,
            "notes.md should differ in one line, `{BEFORE}` → `{AFTER}`, and in nothing else"
        );
        Ok(session)
    }

    /// Shows and checks what the session logs and the audit log say.
    fn records(&self, asked: &Session, edited: &Session) -> Result<()> {
        for (session, tool) in [(asked, "read_file"), (edited, "edit_file")] {
            say(&format!("\nSession {}:", session.id));
            for event in session.of("broker_decision") {
                say(&format!(
                    "  decided: {} by {}",
                    word(event, "verdict"),
                    word(event, "layer")
                ));
            }
            for event in session.of("tool_result") {
                say(&format!(
                    "  {}: {}",
                    word(event, "tool"),
                    word(event, "status")
                ));
            }
            let tools: Vec<&str> = session
                .of("tool_result")
                .map(|event| word(event, "tool"))
                .collect();
            ensure!(!tools.is_empty(), "the session log shows no tool call");
            let audit = output(&mut self.carl(&[
                "audit",
                "tail",
                "--json",
                "--lines",
                "200",
                "--session",
                &session.id,
            ]))?;
            let records: Vec<Value> = audit
                .lines()
                .map(serde_json::from_str)
                .collect::<Result<_, _>>()?;
            say(&format!("  audit: {} records", records.len()));
            let mut actions = Vec::new();
            for record in &records {
                actions.push(word(record, "action"));
                let fields = ["action", "tool", "verdict", "layer", "status"];
                let words = fields.map(|field| word(record, field));
                let line: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                say(&format!("    {}", line.join(" ")));
            }
            for action in ["intent", "outcome"] {
                if !actions.contains(&action) {
                    bail!("the audit log has no {action} record for this session ({tool})");
                }
            }
        }
        Ok(())
    }
}

struct Session {
    id: String,
    events: Vec<Value>,
}

impl Session {
    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events
            .iter()
            .filter(move |event| word(event, "type") == kind)
    }

    fn text(&self, kind: &str, field: &str) -> String {
        let last = self.of(kind).last();
        last.map(|event| word(event, field).to_owned())
            .unwrap_or_default()
    }
}

fn word<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}
