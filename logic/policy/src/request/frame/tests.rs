//! Orders that say a call, and orders that do not.

use super::CallParts;

fn call(name: &str, kinds: &[&str]) -> CallParts {
    CallParts {
        name: name.split('_').map(str::to_owned).collect(),
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        ..CallParts::default()
    }
}

fn of(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

#[test]
fn an_order_that_says_each_part_in_its_role_says_the_call() {
    let mut share = call("share_file", &["file"]);
    share.targets = vec![of("bob@corp.example")];
    share.objects = vec![vec!["f2".to_owned(), "Payroll.xlsx".to_owned()]];
    for order in [
        "share Payroll.xlsx with bob@corp.example",
        "share the file 'Payroll.xlsx' with bob@corp.example",
        "share file f2 to bob@corp.example.",
    ] {
        assert!(share.are_said_by(order), "{order}");
    }
    for order in [
        "share the notes on Payroll.xlsx with bob@corp.example",
        "share Payroll.xlsx with bob@corp.example tomorrow",
        "share Payroll.xlsx from eve@evil.example with bob@corp.example",
        "share Payroll.xlsx from bob@corp.example",
        "share Payroll.xlsx and Q3.docx with bob@corp.example",
        "share Payroll.xlsx with bob@corp.example and ann@corp.example",
        "share Payroll.xlsx with bob@corp.example with a password",
        "share a summary of Payroll.xlsx with bob@corp.example",
        "share the Payroll.xlsx file list with bob@corp.example",
        "share with bob@corp.example",
        "share Payroll.xlsx",
        "unshare Payroll.xlsx with bob@corp.example",
    ] {
        assert!(!share.are_said_by(order), "{order}");
    }
}

#[test]
fn a_text_is_said_in_marks_or_up_to_the_end() {
    let mut message = call("send_direct_message", &["message", "direct"]);
    message.targets = vec![of("Bob")];
    message.texts = vec![of("I am late")];
    for order in [
        "message Bob 'I am late'",
        "send a direct message to Bob saying \"I am late\"",
        "tell Bob that I am late.",
        "send Bob a message with the text 'I am late'",
    ] {
        assert!(message.are_said_by(order), "{order}");
    }
    for order in [
        "message Bob 'I am late' tomorrow",
        "message the boss of Bob 'I am late'",
        "tell Bob that I am late tomorrow",
        "tell Bob I am late",
        "message Bob",
    ] {
        assert!(!message.are_said_by(order), "{order}");
    }
}

#[test]
fn a_moment_is_said_whole_and_alone() {
    let mut event = call("create_calendar_event", &["event", "calendar", "meeting"]);
    event.targets = vec![of("sarah@corp.example")];
    event.texts = vec![of("Lunch")];
    event.moments = vec!["2026-12-05T12:00:00".to_owned()];
    let order = "create a meeting 'Lunch' with sarah@corp.example on 2026-12-05 at 12:00";
    assert!(event.are_said_by(order));
    for order in [
        "create a meeting 'Lunch' with sarah@corp.example at 12:00",
        "create a meeting 'Lunch' with sarah@corp.example on 2026-12-05 at 13:00",
        "cancel a meeting 'Lunch' with sarah@corp.example on 2026-12-05 at 12:00",
    ] {
        assert!(!event.are_said_by(order), "{order}");
    }
    event.moments.push("2026-12-05T13:00:00".to_owned());
    assert!(!event.are_said_by(order));
}

#[test]
fn the_contrary_of_a_deed_is_not_ordered() {
    let mut merge = call("merge_pull_request", &["pull", "request"]);
    merge.targets = vec![of("229")];
    assert!(merge.are_said_by("merge pull request 229"));
    assert!(!merge.are_said_by("close pull request 229"));
    let mut reply = call("reply_all_mail", &["mail"]);
    reply.targets = vec![of("Lunch")];
    assert!(!reply.are_said_by("reply to the mail 'Lunch'"));
}
