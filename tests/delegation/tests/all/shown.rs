//! What people are shown of a context before anything was asked is what a model then gets.

use api::sessions::{Sessions, Whose};
use contracts::Reply;
use delegation::{House, Kind, Speaker, all, tasks};
use domain::context::ContextView;
use domain::id::SessionId;
use domain::settings::{Mode, SessionProfile};
use domain::tool::ToolName;

fn house() -> House {
    House::new(Speaker::new(|asked| match asked.kind {
        Kind::Tasks => tasks(&[]),
        _ => Reply::says("Four."),
    }))
}

async fn view(house: &House, session_id: SessionId) -> ContextView {
    let view = house.sessions.context(session_id, Whose::Root).await;
    view.unwrap()
}

fn part<'v>(view: &'v ContextView, name: &str) -> &'v str {
    let found = view.parts.iter().find(|part| part.name == name);
    found.map_or("", |part| part.text.as_str())
}

#[tokio::test]
async fn the_tools_are_shown_before_the_first_request_as_they_are_then_sent() {
    for agent_type in ["orchestrator", "assistant", "coder", "sysadmin"] {
        for mode in [Mode::Loop, Mode::Auto] {
            let house = house();
            let mut profile = house.profile(agent_type);
            profile.mode = mode;
            let hidden = ToolName::new("read_file").unwrap();
            profile.settings.disabled_tools.insert(hidden);
            let session_id = house.open_as(profile).await;
            let before = view(&house, session_id).await;
            let on_disk = house.killed(Speaker::new(|_| Reply::says("Four.")));
            assert_eq!(view(&on_disk, session_id).await, before, "{agent_type}");
            all(house.send(session_id, "What is two and two?").await).await;
            let after = view(&house, session_id).await;
            let (before, after) = (part(&before, "tools"), part(&after, "tools"));
            assert!(before.contains("journal"), "{agent_type}: {before}");
            assert!(!before.contains("read_file"), "{agent_type}");
            assert_eq!(before, after, "{agent_type} {mode:?}");
        }
    }
}

#[tokio::test]
async fn what_an_orchestrating_agent_is_asked_first_is_shown_as_it_is_then_sent() {
    for mode in [Mode::Loop, Mode::Plan] {
        let house = house();
        let profile = SessionProfile {
            mode,
            ..house.profile("orchestrator")
        };
        let session_id = house.open_as(profile).await;
        let before = view(&house, session_id).await;
        let last = before.parts.last().unwrap();
        assert_eq!(last.name, "taking_apart");
        assert!(last.tokens > 0);
        assert_eq!(part(&before, "tools").is_empty(), mode == Mode::Plan);
        all(house.send(session_id, "What is two and two?").await).await;
        let asked = house.models.asked();
        assert_eq!(asked[0].kind, Kind::Tasks);
        assert!(asked[0].text.ends_with(&last.text), "{}", asked[0].text);
    }
    let house = house();
    let session_id = house.open("assistant").await;
    assert_eq!(part(&view(&house, session_id).await, "taking_apart"), "");
}
