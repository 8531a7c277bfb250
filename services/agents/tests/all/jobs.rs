//! The ends of background jobs: on record in every mode, acted on in auto mode, lost in none.

use crate::driving::{Auto, pass, seconds, until};
use crate::support;
use api::sessions::Sessions;
use contracts::Reply;
use domain::drive::Signal;
use domain::event::EventBody;
use domain::id::SessionId;
use domain::label::Integrity;
use domain::settings::Mode;
use serde_json::json;

fn ended(name: &str) -> Signal {
    Signal::JobFinished {
        name: name.to_owned(),
        succeeded: true,
        summary: "exit code 0 after 3 s".to_owned(),
    }
}

/// A model that begins jobs of these names and then says so.
fn begins(names: &[&str]) -> Vec<Reply> {
    let calls = names.iter().map(|name| {
        let arguments = json!({"name": name, "argv": ["make"]});
        Reply::calls("start_job", arguments)
    });
    calls.chain([Reply::says("It runs.")]).collect()
}

/// The ends that are on record: name and summary.
async fn ends(auto: &Auto, session_id: SessionId) -> Vec<(String, String)> {
    let events = auto.events(session_id).await.into_iter();
    let ends = events.filter_map(|event| match event.body {
        EventBody::SignalReceived {
            signal: Signal::JobFinished { name, summary, .. },
        } => Some((name, summary)),
        _ => None,
    });
    ends.collect()
}

#[tokio::test(start_paused = true)]
async fn an_end_in_loop_mode_is_on_record_and_acted_on_once_the_drive_is_on() {
    let yields = Reply::calls("yield_to_user", json!({"reason": "read"}));
    let auto = Auto::new([yields, Reply::says("The build is done.")]);
    let (id, holder) = auto.held(Mode::Loop).await;
    auto.ends.put(ended("build"));
    pass(seconds(3_600)).await;
    assert_eq!(ends(&auto, id).await.len(), 1);
    assert!(auto.models.requests().is_empty());
    let mut profile = support::profile(auto.folder.path());
    profile.mode = Mode::Auto;
    auto.service.configure(id, holder, profile).await.unwrap();
    until(&auto, id, |body| {
        matches!(body, EventBody::QueryFinished { .. })
    })
    .await;
    let turns = auto.turns(id).await;
    assert!(turns[0].contains("UNTRUSTED signals"), "{}", turns[0]);
    assert!(turns[0].contains("the job build is done: exit code 0"));
    let labels = auto.control.recalled.lock().unwrap().clone();
    let label = labels.last().unwrap();
    assert_eq!(label.integrity, Integrity::Untrusted);
    assert!(label.origins.contains("job:build"), "{label:?}");
    pass(seconds(600)).await;
    assert_eq!(auto.turns(id).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_end_that_comes_with_the_sessions_own_is_on_record() {
    let auto = Auto::new(begins(&["build"]));
    let (id, holder) = auto.held(Mode::Loop).await;
    auto.user(id, "build it").await;
    *auto.control.ends_at_close.lock().unwrap() = Some(ended("build"));
    auto.service.close(id, holder).await.unwrap();
    auto.resume(id).await;
    pass(seconds(1)).await;
    let known = ends(&auto, id).await;
    assert_eq!(known.len(), 1, "{known:?}");
    assert!(known[0].1.starts_with("exit code 0"), "{known:?}");
}

#[tokio::test(start_paused = true)]
async fn a_job_of_a_process_that_died_is_told_as_cut_off_once() {
    let mut replies = begins(&["build", "serve", "test"]);
    replies.insert(3, Reply::calls("stop_job", json!({"job": "serve"})));
    let auto = Auto::new(replies);
    let id = auto.open(Mode::Loop).await;
    auto.user(id, "build it").await;
    auto.ends.put(ended("test"));
    pass(seconds(1)).await;
    let auto = auto.reborn([]).await;
    auto.resume(id).await;
    pass(seconds(1)).await;
    let known = ends(&auto, id).await;
    let cut_off: Vec<&str> = known
        .iter()
        .filter(|(_, summary)| summary.contains("cut off"))
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(cut_off, ["build"], "{known:?}");
    let auto = auto.reborn([]).await;
    auto.resume(id).await;
    pass(seconds(1)).await;
    assert_eq!(ends(&auto, id).await.len(), 2);
}
