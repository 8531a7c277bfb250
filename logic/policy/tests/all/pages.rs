//! Which pages may be fetched, and what a question put together from the user's words tells.

use crate::support::mail::{FREE, expect, label, policy_and, session, show, with};
use crate::support::{Case, tool};
use domain::decision::{Layer, Verdict};
use domain::label::{Integrity, Readers};
use domain::tool::{ArgumentRole, Audience, EffectClass, TargetKind, ToolSpec};
use policy::Policy;
use serde_json::json;

/// A search that names pages, and a tool that reads them.
fn policy() -> Policy {
    let url = ("url", ArgumentRole::Target, Some(TargetKind::Url));
    policy_and(with(
        tool("read_page", "self", EffectClass::Read, &[url]),
        Audience::Public,
    ))
}

fn find(mut named: ToolSpec) -> ToolSpec {
    named.result_label = label(Integrity::Untrusted, Readers::Public);
    named.names_pages = vec!["/results/*/source_url".to_owned()];
    named
}

#[track_caller]
fn reads(case: &Case, policy: &Policy, url: &str) -> Verdict {
    let judgement = case.judge(policy, "read_page", &json!({ "url": url }));
    let found = judgement.findings.iter().find(|f| f.layer == Layer::Egress);
    found.expect("the layer spoke").verdict
}

#[test]
fn a_page_is_read_when_the_user_or_a_search_named_it() {
    let policy = policy();
    let mut case = session(
        "compare https://a.example/Docs/v1?x=1, b.example/page and (https://c.example). Then \
         <https://d.example/end>.",
    );
    for url in [
        "https://a.example/Docs/v1?x=1",
        "https://b.example/page",
        "http://b.example/page",
        "https://c.example/",
        "https://c.example",
        "https://d.example/end",
        "https://d.example/end#part",
    ] {
        assert_eq!(reads(&case, &policy, url), Verdict::Allow, "{url}");
    }
    let results = json!({"results": [
        {"source_url": "https://found.example/1", "claim": "see https://lure.example/1"},
    ]});
    let spec = find(tool("find", "self", EffectClass::Read, &[]));
    let id = domain::id::ValueId::from_uuid(uuid::Uuid::now_v7());
    let shown = case.provenance.show(id, &spec, "web", results);
    case.context = case.context.join(&shown);
    assert_eq!(
        reads(&case, &policy, "https://found.example/1"),
        Verdict::Allow
    );
    for url in [
        // Not named, or something more than was named.
        "https://lure.example/1",
        "https://found.example/1?leak=1",
        "https://found.example/",
        "https://a.example/Docs/v1?x=12",
        "https://a.example/",
        "https://b.example/page/more",
        "https://b.example.evil.example/page",
        "https://evil.example/https://a.example/Docs/v1?x=1",
        "https://a.example@evil.example/Docs/v1?x=1",
        "file:///etc/passwd",
    ] {
        assert_eq!(reads(&case, &policy, url), Verdict::Deny, "{url}");
    }
}

#[test]
fn a_name_of_a_file_names_no_page() {
    let policy = policy();
    let case =
        session("fix main.rs, unpack backup.zip, see www.docs.rs and https://a.rs, b.example");
    for (url, verdict) in [
        ("https://main.rs/", Verdict::Deny),
        ("http://backup.zip", Verdict::Deny),
        ("https://www.docs.rs", Verdict::Allow),
        ("https://a.rs", Verdict::Allow),
        ("https://b.example", Verdict::Allow),
    ] {
        assert_eq!(reads(&case, &policy, url), verdict, "{url}");
    }
}

#[test]
fn another_tools_result_names_no_page() {
    let policy = policy();
    let mut case = session("look around");
    let mut page = tool("page", "self", EffectClass::Read, &[]);
    page.result_label = label(Integrity::Untrusted, Readers::Public);
    let id = domain::id::ValueId::from_uuid(uuid::Uuid::now_v7());
    let data = json!({"results": [{"source_url": "https://lure.example/1"}]});
    let shown = case.provenance.show(id, &page, "web", data);
    case.context = case.context.join(&shown);
    assert_eq!(
        reads(&case, &policy, "https://lure.example/1"),
        Verdict::Deny
    );
}

#[test]
fn a_question_of_the_users_own_words_tells_no_more_than_they_said() {
    let query = ("query", ArgumentRole::Payload, None);
    let policy = policy_and(with(
        tool("look_up", "self", EffectClass::Read, &[query]),
        Audience::Public,
    ));
    let mut case = session("What will the weather in Oslo be like tomorrow?");
    show(
        &mut case,
        &policy,
        "read_file",
        json!("the merger is secret"),
    );
    let search = |query: &str| ("look_up", json!({ "query": query }));
    for free in [
        "weather in Oslo",
        "the weather in Oslo",
        "weather Oslo",
        "weather oslo",
    ] {
        expect(&case, &policy, search(free), FREE);
    }
    for asked in [
        "Oslo weather merger",
        "Oslo w",
        "weather in Bergen",
        // Order, number and spacing of words can carry a message.
        "Oslo weather tomorrow",
        "weather weather Oslo",
        "weather\tOslo",
        "weather\u{2003}Oslo",
        "WEATHER in Oslo",
    ] {
        expect(
            &case,
            &policy,
            search(asked),
            (Verdict::Confirm, "audience"),
        );
    }
}
