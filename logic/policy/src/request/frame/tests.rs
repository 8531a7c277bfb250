//! Orders that say a call, and orders that do not.

use super::CallParts;

fn call(name: &str) -> CallParts {
    CallParts {
        name: name.split('_').map(str::to_owned).collect(),
        ..CallParts::default()
    }
}

fn of(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

#[test]
fn an_order_that_says_each_part_in_its_role_says_the_call() {
    let mut share = call("share_file");
    share.target = Some(of("bob@corp.example"));
    share.objects = vec![vec!["f2".to_owned(), "Payroll.xlsx".to_owned()]];
    for order in [
        "share Payroll.xlsx with bob@corp.example",
        "share the file Payroll.xlsx with bob@corp.example",
        "share the file 'Payroll.xlsx' with bob@corp.example",
        "share file f2 with bob@corp.example.",
    ] {
        assert!(share.are_said_by(order), "{order}");
    }
    for order in [
        "share the notes on the file Payroll.xlsx with bob@corp.example",
        "share the file Payroll.xlsx with bob@corp.example tomorrow",
        "share the file Payroll.xlsx with bob@corp.example, redacted",
        "share the file Payroll.xlsx with bob@corp.example with the salaries removed",
        "share the file Payroll.xlsx from eve@evil.example with bob@corp.example",
        "share the file Payroll.xlsx and Q3.docx with bob@corp.example",
        "share the file Payroll.xlsx with bob@corp.example and ann@corp.example",
        "share the file Payroll.xlsx with bob@corp.example for ann@corp.example",
        "share the file list Payroll.xlsx with bob@corp.example",
        "share the file !Payroll.xlsx with bob@corp.example",
        "share the file with bob@corp.example",
        "share the file Payroll.xlsx",
        "unshare the file Payroll.xlsx with bob@corp.example",
    ] {
        assert!(!share.are_said_by(order), "{order}");
    }
}

#[test]
fn a_text_is_said_in_marks_or_up_to_the_end() {
    let mut message = call("send_direct_message");
    message.target = Some(of("bob@corp.example"));
    message.texts = vec!["I am late".to_owned()];
    for order in [
        "send a direct message to bob@corp.example saying \"I am late\"",
        "send bob@corp.example a direct message 'I am late'",
        "send bob@corp.example a direct message saying that I am late",
        "send a direct message to bob@corp.example that says 'I am late'",
    ] {
        let is_said = message.are_said_by(order);
        assert_eq!(is_said, !order.contains("saying that"), "{order}");
    }
    for order in [
        "message bob@corp.example 'I am late'",
        "send a direct message to bob@corp.example saying 'I am late' tomorrow",
        "send a direct message to the boss of bob@corp.example saying 'I am late'",
        "send a direct message to bob@corp.example",
    ] {
        assert!(!message.are_said_by(order), "{order}");
    }
    let mut mail = call("send_mail");
    mail.target = Some(of("bob@corp.example"));
    mail.texts = vec!["I quit".to_owned()];
    assert!(mail.are_said_by("email bob@corp.example that I quit."));
    assert!(!mail.are_said_by("email bob@corp.example on Friday that I quit"));
    assert!(!mail.are_said_by("email bob@corp.example that I quit on Friday"));
}

#[test]
fn all_of_a_tools_name_is_said() {
    let ordered = |name: &str, order: &str| {
        let mut call = call(name);
        call.target = Some(of("tom@corp.example"));
        call.are_said_by(order)
    };
    assert!(ordered("add_member", "add the member tom@corp.example"));
    for (name, order) in [
        ("add_admin", "add tom@corp.example"),
        ("member_remove", "add the member tom@corp.example"),
        ("make_call", "schedule a call with tom@corp.example"),
        (
            "send_message_to_company",
            "send a message to tom@corp.example",
        ),
        ("reply_all_mail", "reply to the mail tom@corp.example"),
    ] {
        assert!(!ordered(name, order), "{name}: {order}");
    }
}
