//! A hundred tools, fifty tasks: whether the right tool is offered, and what the offer takes.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly and says its figures"
)]

use discovery::{MOST_FOUND, OFFER_TOKENS, Offer, Presence, offer, room_for, search, tokens};
use domain::model::ModelClass;
use domain::tool::{ToolDefinition, ToolName};
use serde_json::Value;

/// Tasks whose tool is among those offered, of a hundred, all in all: at least.
const FOUND_PERCENT: usize = 95;
/// The same for tasks that were written after the words were chosen, and to which none was fitted.
const HELD_OUT_PERCENT: usize = 90;

fn tools() -> Vec<Offer> {
    let text = include_str!("data/tools.json");
    let records: Vec<Value> = serde_json::from_str(text).unwrap();
    let tool = |record: Value| Offer {
        definition: ToolDefinition {
            name: ToolName::new(record["name"].as_str().unwrap()).unwrap(),
            description: record["description"].as_str().unwrap().to_owned(),
            parameters: record["parameters"].clone(),
        },
        presence: Presence::Ranked,
    };
    records.into_iter().map(tool).collect()
}

/// The same for tasks that were written before anything was looked at: the first try, and with a
/// second one in an agent's plain words.
const UNSEEN_PERCENT: usize = 68;
const SECOND_TRY_PERCENT: usize = 95;

/// Tasks and how many of them had their tool offered; the others are printed.
fn measure(name: &str, text: &str) -> (usize, usize) {
    let tasks: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut found = 0;
    for task in &tasks {
        let (words, tool) = (
            task["task"].as_str().unwrap(),
            task["tool"].as_str().unwrap(),
        );
        let offered = offer(tools(), words, OFFER_TOKENS);
        assert!(offered.len() <= MOST_FOUND);
        assert!(offered.iter().map(tokens).sum::<u64>() <= OFFER_TOKENS);
        let names: Vec<&str> = offered.iter().map(|t| t.name.as_str()).collect();
        if names.contains(&tool) {
            found += 1;
        } else {
            println!("{name}: {words:?} wants {tool}, offered {names:?}");
        }
    }
    println!("{name}: {found} of {}", tasks.len());
    (found, tasks.len())
}

#[test]
fn the_right_tool_is_among_those_offered() {
    let fitted = measure("fitted", include_str!("data/tasks_fitted.json"));
    let held = measure("held out", include_str!("data/tasks_held_out.json"));
    // Written before anything was looked at, and nothing was fitted to it.
    let unseen = measure("unseen", include_str!("data/tasks_unseen.json"));
    assert!(unseen.0 * 100 >= unseen.1 * UNSEEN_PERCENT, "{unseen:?}");
    let (found, all) = (fitted.0 + held.0, fitted.1 + held.1);
    assert!(all >= 50);
    assert!(found * 100 >= all * FOUND_PERCENT, "{found} of {all}");
    assert!(
        held.0 * 100 >= held.1 * HELD_OUT_PERCENT,
        "held out: {} of {}",
        held.0,
        held.1
    );
}

#[test]
fn what_is_always_there_stays_and_the_bound_holds_whatever_the_definitions() {
    let mut many = tools();
    many[40].presence = Presence::Always;
    many[0].definition.description = "mail ".repeat(4_000);
    let offered = offer(many.clone(), "send a mail", OFFER_TOKENS);
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    assert!(
        names.contains(&many[40].definition.name.as_str()),
        "{names:?}"
    );
    assert!(
        !names.contains(&"mail.search_messages"),
        "too large for the bound"
    );
    assert_eq!(offered.len(), MOST_FOUND + 1);
    assert!(offered.iter().map(tokens).sum::<u64>() <= OFFER_TOKENS);
}

#[test]
fn who_gets_more_tools_keeps_those_of_the_type() {
    let mut all = tools();
    all.iter_mut()
        .skip(12)
        .for_each(|tool| tool.presence = Presence::Opened);
    let own: Vec<ToolDefinition> = all[..12].iter().map(|t| t.definition.clone()).collect();
    for task in [
        "",
        "open the pod bay door",
        "turn on the lamp in the kitchen",
    ] {
        let offered = offer(all.clone(), task, OFFER_TOKENS);
        assert_eq!(offered[..12], own, "{task}");
        assert!(offered.len() > 12, "{task}");
        assert!(offered.iter().map(tokens).sum::<u64>() <= OFFER_TOKENS);
    }
}

#[test]
fn a_small_set_stays_whole_and_in_order_whatever_the_task() {
    let few: Vec<Offer> = tools().into_iter().take(12).collect();
    let given: Vec<ToolDefinition> = few.iter().map(|tool| tool.definition.clone()).collect();
    for task in ["", "open the pod bay door", "reply to that mail"] {
        assert_eq!(offer(few.clone(), task, OFFER_TOKENS), given);
    }
    assert!(offer(Vec::new(), "anything", OFFER_TOKENS).is_empty());
}

#[test]
fn a_second_try_in_plain_words_finds_what_an_idiom_did_not() {
    let text = include_str!("data/tasks_unseen.json");
    let tasks: Vec<Value> = serde_json::from_str(text).unwrap();
    let is_offered = |words: &Value, tool: &Value| {
        let offered = offer(tools(), words.as_str().unwrap_or_default(), OFFER_TOKENS);
        offered
            .iter()
            .any(|t| Some(t.name.as_str()) == tool.as_str())
    };
    let found = tasks.iter().filter(|task| {
        is_offered(&task["task"], &task["tool"]) || is_offered(&task["again"], &task["tool"])
    });
    let found = found.count();
    println!("with a second try: {found} of {}", tasks.len());
    assert!(found * 100 >= tasks.len() * SECOND_TRY_PERCENT);
}

/// An agent's own tools over files and programs, by name.
fn few() -> Vec<Offer> {
    let names = [
        "list_files",
        "read_file",
        "grep",
        "write_file",
        "edit_file",
        "delete_file",
        "undo",
        "run_command",
        "list_jobs",
        "web_search",
    ];
    let tool = |name: &str, presence| Offer {
        definition: ToolDefinition {
            name: ToolName::new(name).unwrap(),
            description: format!(
                "{} what is there. {}",
                name.replace('_', " "),
                "x".repeat(280)
            ),
            parameters: serde_json::json!({"type": "object"}),
        },
        presence,
    };
    let own = names.into_iter().map(|name| tool(name, Presence::Ranked));
    let at_hand = ["journal", "recall_event"].map(|name| tool(name, Presence::Always));
    own.chain(at_hand)
        .chain([tool("find_tools", Presence::Finder)])
        .collect()
}

#[test]
fn small_models_are_offered_what_most_work_needs_and_a_way_to_the_rest() {
    let offered = |task: &str, class| {
        let tools = offer(few(), task, room_for(Some(class)));
        let size: u64 = tools.iter().map(tokens).sum();
        assert!(size <= room_for(Some(class)), "{size}");
        let names = tools.into_iter().map(|tool| tool.name.to_string());
        names.collect::<Vec<_>>()
    };
    let order = "put things right in the project";
    let tiny = offered(order, ModelClass::Tiny);
    assert_eq!(tiny, ["read_file", "edit_file", "journal", "find_tools"]);
    let small = offered(order, ModelClass::Small);
    for name in ["read_file", "edit_file", "write_file", "find_tools"] {
        assert!(small.iter().any(|one| one == name), "{small:?}");
    }
    let looking = offered("which of these is mine?", ModelClass::Tiny);
    assert_eq!(looking[..2], ["read_file", "grep"]);
    let deletes =
        |tools: Vec<ToolDefinition>| tools.iter().any(|tool| tool.name.as_str() == "delete_file");
    let room = room_for(Some(ModelClass::Tiny));
    assert!(!deletes(offer(few(), "delete a file", room)));
    assert!(deletes(search(few(), "delete a file", room)));
    assert_eq!(room_for(None), OFFER_TOKENS);
}
