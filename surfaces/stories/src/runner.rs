//! Runs one story: does its steps over HTTP, and has what came of them checked.

use crate::checks::{self, Ground};
use crate::client::{Events, Seen};
use crate::error::Error;
use crate::record::{Action, Answer, Step, Story};
use crate::report::{Outcome, Ran};
use crate::stack::{Chosen, Reached, Stack};
use crate::timeline;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// How often memory is looked at while a step waits for it.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Why an answer cannot be judged by this stack at all.
const NO_JUDGE: [&str; 2] = ["quality.no_judge", "quality.off"];

/// How stories are run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which model answers.
    pub chosen: Chosen,
    /// Longest that one step may take.
    pub patience: Duration,
}

/// Why a story goes no further.
enum Stop {
    /// The stack lacks something.
    LeftOut(String),
    /// A step could not be done.
    Failed(String),
    /// Nothing can be run at all.
    Broken(Error),
}

impl From<String> for Stop {
    fn from(said: String) -> Self {
        Self::Failed(said)
    }
}

/// A session of a story.
struct Session {
    name: String,
    id: String,
    /// The last request.
    query: Option<String>,
    /// The last event.
    last: u64,
}

/// A story at work.
struct Scene<'a> {
    story: &'a Story,
    options: &'a Options,
    stack: Stack,
    sessions: Vec<Session>,
    /// What was seen before the server was killed, which has to be there after it.
    seen: Vec<(String, Seen)>,
}

/// Runs a story.
///
/// # Errors
/// When the server does not begin, or the one that is there cannot be asked.
pub async fn run(story: &Story, reached: &Reached, options: &Options) -> Result<Ran, Error> {
    let begun = Instant::now();
    let ran = |outcome, timeline| Ran {
        name: story.name.clone(),
        title: story.title.clone(),
        outcome,
        took: begun.elapsed(),
        timeline,
    };
    if let Some(why) = lacking(story, reached) {
        return Ok(ran(Outcome::LeftOut(why), Vec::new()));
    }
    let stack = Stack::begin(story, reached, &options.chosen).await?;
    let mut scene = Scene {
        story,
        options,
        stack,
        sessions: Vec::new(),
        seen: Vec::new(),
    };
    let played = scene.play().await;
    let logs = scene.logs().await;
    let outcome = match played {
        Err(Stop::Broken(error)) => return Err(error),
        Err(Stop::LeftOut(why)) => Outcome::LeftOut(why),
        Err(Stop::Failed(why)) => Outcome::Failed(vec![why]),
        Ok(()) => match lost(&scene.seen, &scene.by_id(&logs)) {
            lost if lost.is_empty() => checks::outcome(story, &scene.ground(), &logs).await,
            lost => Outcome::Failed(lost),
        },
    };
    scene.stack.end().await;
    Ok(ran(outcome, timeline::lines(&logs)))
}

/// What a server that is there cannot give a story.
fn lacking(story: &Story, reached: &Reached) -> Option<String> {
    let Reached::Served { .. } = reached else {
        return None;
    };
    let why = if story.kills() {
        "it kills its server, and this one is not its own"
    } else if !story.given.settings.is_empty() {
        "it needs settings that only a server of its own has"
    } else if story.needs_pages() {
        "its pages are found by a server of its own alone"
    } else {
        return None;
    };
    Some(why.to_owned())
}

impl Scene<'_> {
    fn ground(&self) -> Ground<'_> {
        let ids = self.sessions.iter();
        Ground {
            stack: &self.stack,
            ids: ids
                .map(|one| (one.name.as_str(), one.id.as_str()))
                .collect(),
        }
    }

    /// Logs by the ids of their sessions.
    fn by_id<'l>(&'l self, logs: &'l [(String, Vec<Seen>)]) -> BTreeMap<&'l str, &'l [Seen]> {
        let logs = logs.iter().map(|(_, log)| log.as_slice());
        let ids = self.sessions.iter().map(|one| one.id.as_str());
        ids.zip(logs).collect()
    }

    async fn play(&mut self) -> Result<(), Stop> {
        if self.story.needs_pages() {
            for page in self
                .story
                .given
                .pages
                .iter()
                .filter(|page| !page.text.is_empty())
            {
                if !page.is_here() || !self.stack.client.opens(&page.url).await {
                    let said = format!("{} is not served on this machine", page.url);
                    return Err(Stop::LeftOut(said));
                }
            }
        }
        for step in &self.story.when {
            let (line, step) = (step.referenced.line(), &step.value);
            let patience = self.options.patience;
            match timeout(patience, self.step(step)).await {
                Ok(Ok(())) => {}
                Ok(Err(Stop::Failed(why))) => {
                    return Err(Stop::Failed(format!("the step in line {line}: {why}")));
                }
                Ok(Err(stop)) => return Err(stop),
                Err(_) => {
                    let seconds = patience.as_secs();
                    let said = format!("the step in line {line} is not done after {seconds} s");
                    return Err(Stop::Failed(said));
                }
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stop> {
        let at = self.session(step.session()).await?;
        match step.action()? {
            Action::Say(text) => {
                self.send(at, "messages", &json!({ "text": text }), step)
                    .await
            }
            Action::Undo => self.send(at, "undo", &json!({}), step).await,
            Action::SayAndKill { text, at: event } => self.say_and_kill(at, &text, &event).await,
            Action::Grade => {
                let body = json!({"query_id": self.query(at)?});
                self.ask(at, "grade", &body).await?;
                self.until(at, ["critique.result", "critique.missed"]).await
            }
            Action::Second(temperature) => {
                let body = json!({"query_id": self.query(at)?, "temperature": temperature});
                self.ask(at, "second", &body).await?;
                self.until(at, ["pairwise.result", "second.missed"]).await
            }
            Action::Rate(score) => {
                let session = self.id(at)?;
                let body = json!({
                    "session_id": session, "query_id": self.query(at)?, "score": score,
                });
                self.stack.client.post("/feedback", &body).await?;
                Ok(())
            }
            Action::WaitForMemory(text) => self.wait_for_memory(&text).await,
        }
    }

    /// The session of a name, opened where it is not there yet.
    async fn session(&mut self, name: &str) -> Result<usize, Stop> {
        let mut known = self.sessions.iter();
        if let Some(at) = known.position(|one| one.name == name) {
            return Ok(at);
        }
        let given = &self.story.given;
        let mut body = json!({ "attended": self.story.is_attended() });
        if self.stack.is_own() || self.story.needs_folder() {
            body["workspace"] = json!(self.stack.work());
        }
        let wanted = [
            ("agent", &given.agent),
            ("mode", &given.mode),
            ("model", &self.options.chosen.model),
        ];
        for (key, value) in wanted {
            if let Some(value) = value {
                body[key] = json!(value);
            }
        }
        let opened = self.stack.client.post("/api/v1/sessions", &body).await?;
        let Some(id) = opened["session_id"].as_str() else {
            return Err("the session that was opened has no id".to_owned().into());
        };
        self.sessions.push(Session {
            name: name.to_owned(),
            id: id.to_owned(),
            query: None,
            last: 0,
        });
        Ok(self.sessions.len() - 1)
    }

    fn id(&self, at: usize) -> Result<String, String> {
        let found = self.sessions.get(at).map(|one| one.id.clone());
        found.ok_or_else(|| "there is no such session".to_owned())
    }

    fn query(&self, at: usize) -> Result<String, String> {
        let found = self.sessions.get(at).and_then(|one| one.query.clone());
        found.ok_or_else(|| "nothing was said in this session yet".to_owned())
    }

    async fn ask(&self, at: usize, what: &str, body: &Value) -> Result<Value, Stop> {
        let path = format!("/api/v1/sessions/{}/{what}", self.id(at)?);
        Ok(self.stack.client.post(&path, body).await?)
    }

    /// Sends something that is worked on, answers its questions, and waits until it is over.
    async fn send(&mut self, at: usize, what: &str, body: &Value, step: &Step) -> Result<(), Stop> {
        let path = format!("/api/v1/sessions/{}/{what}", self.id(at)?);
        let mut events = self.stack.client.post_for_events(&path, body).await?;
        while let Some(seen) = events.next().await? {
            self.notes(at, &seen);
            if seen.name == "confirmation.asked" {
                let answer = step.answer().unwrap_or(Answer::Deny);
                self.answer(at, &seen, answer).await?;
            }
            if seen.name == "query.finished" {
                return Ok(());
            }
        }
        Err("the events ended before the request did".to_owned().into())
    }

    fn notes(&mut self, at: usize, seen: &Seen) {
        let Some(session) = self.sessions.get_mut(at) else {
            return;
        };
        session.last = session.last.max(seen.seq());
        if seen.name == "query.received" || session.query.is_none() {
            session.query = seen.query().map(str::to_owned);
        }
    }

    async fn answer(&self, at: usize, seen: &Seen, answer: Answer) -> Result<(), Stop> {
        let Some(question) = seen.value["confirmation_id"].as_str() else {
            return Err("a question has no id".to_owned().into());
        };
        let body = json!({"binding": seen.value["binding"], "answer": answer.as_str()});
        let what = format!("confirmations/{question}");
        self.ask(at, &what, &body).await.map(drop)
    }

    async fn say_and_kill(&mut self, at: usize, text: &str, event: &str) -> Result<(), Stop> {
        let id = self.id(at)?;
        let path = format!("/api/v1/sessions/{id}/messages");
        let body = json!({ "text": text });
        let mut events: Events = self.stack.client.post_for_events(&path, &body).await?;
        loop {
            let Some(seen) = events.next().await? else {
                let said = format!("the request was over before there was a `{event}`");
                return Err(said.into());
            };
            self.notes(at, &seen);
            let is_it = seen.name == event;
            if !seen.is_passing() {
                self.seen.push((id.clone(), seen));
            }
            if is_it {
                break;
            }
        }
        let started = self.stack.kill_and_start().await;
        started.map_err(Stop::Broken)
    }

    /// Waits for one of two events about the last request: that it is done, or why it is not.
    async fn until(&mut self, at: usize, [done, missed]: [&str; 2]) -> Result<(), Stop> {
        let (id, query) = (self.id(at)?, self.query(at)?);
        let mut events = self.stack.client.events(&id, true).await?;
        while let Some(seen) = events.next().await? {
            let is_about = seen.query() == Some(query.as_str());
            if is_about && seen.name == done {
                return Ok(());
            }
            if is_about && seen.name == missed {
                let code = seen.value["code"].as_str().unwrap_or_default();
                let said = seen.value["message"]
                    .as_str()
                    .unwrap_or("it does not say why");
                return match NO_JUDGE.contains(&code) {
                    true => Err(Stop::LeftOut(text::escape::visible_line(said))),
                    // What is missing is for the checks to say.
                    false => Ok(()),
                };
            }
        }
        Err(format!("the events ended without `{done}`").into())
    }

    async fn wait_for_memory(&self, text: &str) -> Result<(), Stop> {
        let body = json!({ "query": text });
        loop {
            let found = self
                .stack
                .client
                .post("/api/v1/memory/search", &body)
                .await?;
            if found["results"]
                .as_array()
                .is_some_and(|all| !all.is_empty())
            {
                return Ok(());
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// The events of each session as they stand in its log; those of one that cannot be read are none.
    async fn logs(&self) -> Vec<(String, Vec<Seen>)> {
        let mut all = Vec::new();
        for session in &self.sessions {
            let mut log = Vec::new();
            if let Ok(mut events) = self.stack.client.events(&session.id, false).await {
                while let Ok(Some(seen)) = events.next().await {
                    log.push(seen);
                }
            }
            all.push((session.name.clone(), log));
        }
        all
    }
}

/// What was seen of sessions, by their ids, before the server was killed and is not in the log as it was.
fn lost(seen: &[(String, Seen)], logs: &BTreeMap<&str, &[Seen]>) -> Vec<String> {
    let is_lost = |(id, seen): &&(String, Seen)| {
        let log = logs.get(id.as_str()).copied().unwrap_or_default();
        !log.iter().any(|kept| kept.value == seen.value)
    };
    let lost = seen.iter().filter(is_lost);
    lost.map(|(_, seen)| {
        let (seq, name) = (seen.seq(), &seen.name);
        format!("event {seq}, `{name}`, was seen before the server was killed, and is lost")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_gone_or_another_is_lost() {
        let event = |seq: u64, text: &str| Seen {
            name: "response.delta".to_owned(),
            value: json!({"seq": seq, "text": text}),
        };
        let seen: Vec<(String, Seen)> = [event(1, "a"), event(2, "b"), event(3, "c")]
            .map(|seen| ("one".to_owned(), seen))
            .into();
        let log = [event(1, "a"), event(2, "x"), event(4, "d")];
        let told = lost(&seen, &BTreeMap::from([("one", &log[..])]));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("event 2, `response.delta`"), "{told:?}");
        assert_eq!(
            lost(&seen[..1], &BTreeMap::from([("one", &log[..])])),
            [""; 0]
        );
        assert_eq!(lost(&seen, &BTreeMap::new()).len(), 3);
    }
}
