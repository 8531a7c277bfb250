//! The form of a story: what is given, what is done, and what has to come of it.

use crate::error::Error;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// One story, as its file has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// What it is called on the command line.
    pub name: String,
    /// What it tells, in a sentence.
    pub title: String,
    /// What holds before.
    #[serde(default)]
    pub given: Given,
    /// What is done, in order.
    pub(crate) when: Vec<Spanned<Step>>,
    /// What has to be true after it.
    pub(crate) then: Vec<Spanned<Check>>,
}

/// What holds before.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Given {
    /// Files in the folder that is worked in, by their names.
    pub files: BTreeMap<String, String>,
    /// The agent type of its sessions.
    pub agent: Option<String>,
    /// The mode of its sessions.
    pub mode: Option<String>,
    /// Keys of the configuration, such as `observers.critic`, with their values.
    pub settings: BTreeMap<String, String>,
    /// What the web has: a search finds all of it.
    pub pages: Vec<Page>,
    /// What the stack has to have beyond models.
    needs: Vec<Need>,
    /// The replies of a scripted model. A model that is really there is not told of them.
    pub model: Vec<Said>,
    /// The replies of a scripted judge.
    pub judge: Vec<Said>,
}

/// A page of the web.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What a search says of it.
    pub snippet: String,
    /// Its text, a paragraph a line; empty: nobody opens it.
    #[serde(default)]
    pub text: String,
}

/// What a stack may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Need {
    /// That the addresses of its pages lead to this machine, and answer.
    Pages,
}

/// One reply of a scripted model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Said {
    /// A word of the schema under which the reply is asked for; without one it is for requests without
    /// a schema.
    pub schema: Option<String>,
    /// Texts that the conversation has to have, all of them.
    pub when: Vec<String>,
    /// Texts that it must not have.
    pub unless: Vec<String>,
    /// Whether it is given again and again.
    pub again: bool,
    /// What is thought first.
    pub thinking: Option<String>,
    /// What is said.
    pub text: Option<String>,
    /// What is said, as JSON.
    pub json: Option<Value>,
    /// The tool that is called.
    pub call: Option<String>,
    /// With what.
    pub arguments: Value,
    /// Whether the reply does not end: the connection stays open.
    pub holds: bool,
}

/// One step, as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// The name of the session; another name is another session.
    session: Option<String>,
    say: Option<String>,
    answer: Option<Answer>,
    kill: Option<String>,
    grade: bool,
    second: Option<f32>,
    rate: Option<i8>,
    undo: bool,
    wait_for_memory: Option<String>,
}

/// How the questions of a step are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// Yes, this once.
    Once,
    /// Yes, for the session.
    Session,
    /// No.
    Deny,
}

impl Answer {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Deny => "deny",
        }
    }
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Sends a message, and waits until it is answered.
    Say(String),
    /// Sends a message, and kills the server at the first event of this name; then starts it again.
    SayAndKill {
        /// The message.
        text: String,
        /// The event.
        at: String,
    },
    /// Has the last answer graded.
    Grade,
    /// Has the last request answered again, at this temperature.
    Second(f32),
    /// Rates the last answer.
    Rate(i8),
    /// Takes the last change back.
    Undo,
    /// Waits until memory finds this text.
    WaitForMemory(String),
}

impl Step {
    /// The session it is about.
    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or(MAIN)
    }

    pub(crate) const fn answer(&self) -> Option<Answer> {
        self.answer
    }

    /// What it does, if that is one thing.
    pub(crate) fn action(&self) -> Result<Action, String> {
        let say = self.say.clone().map(|text| match &self.kill {
            None => Action::Say(text),
            Some(at) => Action::SayAndKill {
                text,
                at: at.clone(),
            },
        });
        let memory = self.wait_for_memory.clone();
        let named = [
            say,
            self.grade.then_some(Action::Grade),
            self.second.map(Action::Second),
            self.rate.map(Action::Rate),
            self.undo.then_some(Action::Undo),
            memory.map(Action::WaitForMemory),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (Some(action), None) => Ok(action),
            _ => Err(
                "a step does one thing: `say`, `grade`, `second`, `rate`, `undo` or \
                 `wait_for_memory`"
                    .to_owned(),
            ),
        }
    }

    fn fault(&self) -> Option<String> {
        if self.kill.is_some() && self.say.is_none() {
            return Some("`kill` names the event of a `say` at which the server is killed".into());
        }
        if self.answer.is_some() && self.say.is_none() && !self.undo {
            return Some("`answer` is for the questions of a `say` or an `undo`".into());
        }
        self.action().err()
    }
}

/// The name of a session that has none.
pub(crate) const MAIN: &str = "main";

/// An event that is looked for: by its name, or by what it says as well.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Wanted {
    /// By its name alone.
    Named(String),
    /// By its name and what it says.
    Saying(Event),
}

/// An event by its name and what it says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    event: String,
    #[serde(default, rename = "where")]
    fields: BTreeMap<String, Field>,
}

impl Wanted {
    /// The name, which may end in `*`.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Saying(event) => &event.event,
        }
    }

    /// What its fields have to say.
    pub(crate) fn fields(&self) -> Option<&BTreeMap<String, Field>> {
        match self {
            Self::Named(_) => None,
            Self::Saying(event) => Some(&event.fields),
        }
    }
}

/// What a field has to say.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Field {
    /// A whole number in a range.
    Range(Range),
    /// A text that has another one.
    Has(Has),
    /// This value.
    Is(Value),
}

/// A whole number, ends included.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// A text that has another one, or that has anything.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Has {
    pub(crate) has: String,
}

/// One thing that has to be true.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Check {
    /// The session it is about.
    session: Option<String>,
    /// It counts only where this event is there.
    #[serde(rename = "if")]
    pub(crate) only_if: Option<Wanted>,
    /// What the stack lacks where this alone is not true: the story is left out then.
    pub(crate) or_left_out: Option<String>,
    /// Events in this order; others may be in between.
    pub(crate) in_order: Option<Vec<Wanted>>,
    /// An event, once or more often unless a number is named.
    pub(crate) event: Option<Wanted>,
    pub(crate) count: Option<usize>,
    pub(crate) at_least: Option<usize>,
    pub(crate) at_most: Option<usize>,
    /// So many agents or more are at work at the same time.
    pub(crate) at_once: Option<usize>,
    /// The answer to the last request.
    pub(crate) answer: Option<Words>,
    /// A file in the folder.
    pub(crate) file: Option<String>,
    /// What is in it, whole.
    pub(crate) is: Option<String>,
    pub(crate) has: Option<String>,
    pub(crate) has_not: Option<String>,
    /// Whether it is there at all.
    pub(crate) there: Option<bool>,
    /// What of the folder: `unchanged`.
    pub(crate) folder: Option<Unchanged>,
    /// What memory finds.
    pub(crate) memory: Option<Remembered>,
    /// What the page shows of the session.
    pub(crate) page: Option<Wanted>,
}

/// That nothing was changed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unchanged {
    /// The files that were given, with what was in them, and no others.
    Unchanged,
}

/// What an answer has to say; large and small letters are the same.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Words {
    /// All of these.
    pub(crate) has: Vec<String>,
    /// One of these.
    pub(crate) has_one_of: Vec<String>,
    /// None of these.
    pub(crate) has_not: Vec<String>,
}

/// What memory has to find.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remembered {
    /// The question that it is searched for.
    pub(crate) about: String,
    /// What the fields of an entry say.
    #[serde(default, rename = "where")]
    pub(crate) fields: BTreeMap<String, Field>,
}

impl Check {
    /// The session it is about.
    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or(MAIN)
    }

    fn fault(&self) -> Option<String> {
        let subjects = [
            self.in_order.is_some(),
            self.event.is_some(),
            self.at_once.is_some(),
            self.answer.is_some(),
            self.file.is_some(),
            self.folder.is_some(),
            self.memory.is_some(),
            self.page.is_some(),
        ];
        if subjects.iter().filter(|named| **named).count() != 1 {
            return Some(
                "a check is about one thing: `in_order`, `event`, `at_once`, `answer`, `file`, \
                 `folder`, `memory` or `page`"
                    .to_owned(),
            );
        }
        let counts = self.count.or(self.at_least).or(self.at_most).is_some();
        if counts && self.event.is_none() && self.memory.is_none() {
            return Some("`count`, `at_least` and `at_most` are for `event` and `memory`".into());
        }
        let texts = [&self.is, &self.has, &self.has_not];
        let of_file = texts.iter().any(|text| text.is_some()) || self.there.is_some();
        match (self.file.is_some(), of_file) {
            (true, false) => Some("`file` needs `is`, `has`, `has_not` or `there`".to_owned()),
            (false, true) => Some("`is`, `has`, `has_not` and `there` are for `file`".to_owned()),
            _ => None,
        }
    }
}

impl Story {
    /// Reads one.
    ///
    /// # Errors
    /// [`Error::Form`], with the line.
    pub fn read(file: &str, text: &str) -> Result<Self, Error> {
        let story: Self = serde_saphyr::from_str(text).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            let said = error.without_snippet().to_string();
            Error::form(file, line, text::escape::visible_line(&said))
        })?;
        match story.fault() {
            Some((line, problem)) => Err(Error::form(file, line, problem)),
            None => Ok(story),
        }
    }

    fn fault(&self) -> Option<(u64, String)> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(is_plain) {
            return Some((1, "`name` has letters, digits, `-` and `_`".to_owned()));
        }
        if let Some(name) = self.given.files.keys().find(|name| !is_below(name)) {
            let said = format!("`{name}` is no file below the folder that is worked in");
            return Some((1, said));
        }
        if self.when.is_empty() || self.then.is_empty() {
            return Some((
                1,
                "a story has steps (`when`) and checks (`then`)".to_owned(),
            ));
        }
        let mut known = Vec::new();
        for step in &self.when {
            if let Some(problem) = step.value.fault() {
                return Some((step.referenced.line(), problem));
            }
            known.push(step.value.session());
        }
        self.then.iter().find_map(|check| {
            let unknown = || {
                let session = check.value.session();
                let said = format!("no step is in a session called `{session}`");
                (!known.contains(&session)).then_some(said)
            };
            let named = check.value.file.as_deref().filter(|name| !is_below(name));
            let outside = named.map(|name| format!("`{name}` is no file below the folder"));
            let problem = check.value.fault().or_else(unknown).or(outside)?;
            Some((check.referenced.line(), problem))
        })
    }

    /// Whether somebody answers questions in it.
    pub(crate) fn is_attended(&self) -> bool {
        self.when.iter().any(|step| step.value.answer.is_some())
    }

    /// Whether its server is killed.
    pub(crate) fn kills(&self) -> bool {
        self.when.iter().any(|step| step.value.kill.is_some())
    }

    /// Whether its sessions need a folder of their own: it has files, or something is said of them.
    pub(crate) fn needs_folder(&self) -> bool {
        let is_about = |check: &Spanned<Check>| {
            let check = &check.value;
            check.file.is_some() || check.folder.is_some()
        };
        !self.given.files.is_empty() || self.then.iter().any(is_about)
    }

    /// Whether pages have to be opened.
    pub(crate) fn needs_pages(&self) -> bool {
        self.given.needs.contains(&Need::Pages)
    }
}

/// Whether a name leads to no place but one below the folder.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str =
        "name: x\ntitle: y\nwhen:\n  - say: hello\nthen:\n  - event: query.finished\n";

    fn refused(text: &str) -> String {
        Story::read("x.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_story_is_read() {
        let story = Story::read("x.yaml", STORY).unwrap();
        let action = story.when[0].value.action().unwrap();
        assert_eq!(action, Action::Say("hello".to_owned()));
    }

    #[test]
    fn what_is_no_story_is_told_with_file_and_line() {
        for (text, said) in [
            (
                STORY.replace("say: hello", "sing: hello"),
                "x.yaml, line 4: ",
            ),
            (
                STORY.replace("say: hello", "say: hello\n    grade: true"),
                "x.yaml, line 4: a step does one thing",
            ),
            (
                STORY.replace("event: query.finished", "count: 2"),
                "x.yaml, line 6: a check is about one thing",
            ),
            (
                STORY.replace("event: query.finished", "file: ../a\n    there: true"),
                "x.yaml, line 6: `../a` is no file below",
            ),
            (
                STORY.replace("event: query", "session: other\n    event: query"),
                "x.yaml, line 6: no step is in a session called `other`",
            ),
            (STORY.replace("title: y", "title: [y"), "x.yaml, line "),
        ] {
            let told = refused(&text);
            assert!(told.starts_with(said), "{told}");
        }
    }
}
