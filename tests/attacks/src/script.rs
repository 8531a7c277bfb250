//! A model that makes the calls it is told to, and what came of them.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::Value;
use testkit::{Attended, House, Reply, Server};

pub use testkit::flags::OPEN;

/// A tool call: the tool and its arguments.
pub type Call<'a> = (&'a str, Value);

/// Most calls that are made one by one; more come several in a reply, for a turn has only so many.
const ONE_BY_ONE: usize = 12;

/// The replies of a model that makes these calls, and then ends.
#[must_use]
pub fn replies(calls: &[Call<'_>]) -> Vec<Reply> {
    let in_reply = if calls.len() > ONE_BY_ONE { 8 } else { 1 };
    let said = |some: &[Call<'_>]| {
        some.iter()
            .fold(Reply::default(), |reply, (tool, arguments)| {
                reply.and_call(tool, arguments.clone())
            })
    };
    let mut replies: Vec<Reply> = calls.chunks(in_reply).map(said).collect();
    replies.push(Reply::text("That is all."));
    replies
}

/// A house whose model will make these calls.
#[must_use]
pub fn scene(calls: &[Call<'_>]) -> Scene {
    Scene::new(replies(calls))
}

/// The same house with another model, which makes these calls.
#[must_use]
pub fn recast(house: House, calls: &[Call<'_>]) -> Scene {
    Scene {
        server: Server::openai(replies(calls)),
        house,
    }
    .ready()
}

/// What a scene still needs when its parts were put together by hand.
trait Ready {
    fn ready(self) -> Self;
}

impl Ready for Scene {
    fn ready(self) -> Self {
        self.house.configure(&self.server.config("openai"));
        self
    }
}

/// Has the model do what it is there for, with these flags.
///
/// # Panics
/// When `carl` prints no JSON object.
#[must_use]
pub fn do_it(scene: &Scene, flags: &[&str]) -> Outcome {
    scene.run(&[flags, &["do it"]].concat())
}

/// Plays calls in a house that `furnish` prepares, with everything open.
///
/// # Panics
/// When `carl` prints no JSON object.
pub fn play(furnish: impl FnOnce(&House), calls: &[Call<'_>]) -> (Scene, Outcome) {
    let scene = scene(calls);
    furnish(&scene.house);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(outcome.calls().len(), calls.len(), "{:#}", outcome.summary);
    (scene, outcome)
}

/// The status of every call, in order.
#[must_use]
pub fn statuses(outcome: &Outcome) -> Vec<&str> {
    let calls = outcome.calls().iter();
    calls
        .map(|call| call["status"].as_str().unwrap_or("?"))
        .collect()
}

/// The texts of the results, in order, as the model was shown them.
#[must_use]
pub fn results(scene: &Scene, outcome: &Outcome) -> Vec<String> {
    let log = scene.log(outcome);
    of_kind(&log, "tool_result")
        .into_iter()
        .map(|event| event["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// A run at a terminal with its session's events.
#[derive(Debug)]
pub struct Sitting {
    /// What was on the screen.
    pub seen: Attended,
    /// The session log.
    pub log: Vec<Value>,
}

impl Sitting {
    /// The events of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Vec<&Value> {
        of_kind(&self.log, kind)
    }

    /// The status of every call that ended, in order.
    #[must_use]
    pub fn statuses(&self) -> Vec<String> {
        let results = self.of_kind("tool_result").into_iter();
        results
            .map(|event| event["status"].as_str().unwrap_or("?").to_owned())
            .collect()
    }
}

/// Runs `carl` at a terminal. `answer` sees each question and its number, and says what is typed.
///
/// # Panics
/// When there is no session afterwards.
pub fn sit(scene: &Scene, args: &[&str], answer: impl FnMut(&str, usize) -> String) -> Sitting {
    let before = scene.house.session_logs();
    let run = scene.house.ask(["run"]).args(args.iter().copied());
    let seen = run.at_terminal(answer);
    let after = scene.house.session_logs();
    let fresh = after.iter().find(|log| !before.contains(log));
    let Some(log) = fresh.or(after.last()) else {
        panic!("{seen:#?}");
    };
    Sitting {
        log: testkit::house::json_lines(log),
        seen,
    }
}
