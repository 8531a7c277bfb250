//! Drafting and checking tool tables, as a person does it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TOOLS: &str = r#"{"tools": [
    {"name": "send_email", "description": "Sends an e-mail.", "inputSchema": {"type": "object",
     "properties": {"to": {"type": "string"}, "body": {"type": "string"}}, "required": ["to"]}},
    {"name": "list_folders", "description": "List the folders.", "inputSchema": {"type": "object"}}
]}"#;

fn carl(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carl"))
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn told(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_draft_is_read_approved_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str], input: &str| carl(folder.path(), arguments, input);
    let drafted = at(&["tools", "classify", "-", "--output", "mail.yaml"], TOOLS);
    assert_eq!(drafted.status.code(), Some(0), "{}", told(&drafted));
    let file = folder.path().join("mail.yaml");
    let draft = std::fs::read_to_string(&file).unwrap();
    assert!(draft.contains("effect: egress") && draft.contains("audience: targets"));

    let unread = at(&["tools", "check", "mail.yaml", "--tools", "-"], TOOLS);
    assert_eq!(unread.status.code(), Some(3), "{}", told(&unread));
    assert!(told(&unread).contains("`send_email` is not approved yet"));

    std::fs::write(&file, draft.replace("approved: false", "approved: true")).unwrap();
    let good = at(&["tools", "check", "mail.yaml", "--tools", "-"], TOOLS);
    assert_eq!(good.status.code(), Some(0), "{}", told(&good));
    let changed = TOOLS.replace("List the folders.", "List the folders, all of them.");
    let other = at(&["tools", "check", "mail.yaml", "--tools", "-"], &changed);
    assert_eq!(other.status.code(), Some(3), "{}", told(&other));
    assert!(told(&other).contains("`list_folders` is defined differently"));
}

#[test]
fn a_table_that_is_there_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, "version: 1\n").unwrap();
    let refused = carl(
        folder.path(),
        &["tools", "classify", "-", "-o", "mine.yaml"],
        TOOLS,
    );
    assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "version: 1\n");
}

#[test]
fn a_draft_on_standard_output_is_nothing_but_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let drafted = carl(folder.path(), &["tools", "classify", "-"], TOOLS);
    assert_eq!(drafted.status.code(), Some(0));
    assert!(drafted.stderr.is_empty(), "{}", told(&drafted));
    std::fs::write(folder.path().join("out.yaml"), &drafted.stdout).unwrap();
    let checked = carl(folder.path(), &["tools", "check", "out.yaml"], "");
    assert_eq!(checked.status.code(), Some(3), "{}", told(&checked));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else was written");
}

#[test]
fn a_mistake_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let table = "version: 1\ntools:\n  t:\n    effect: reed\n";
    std::fs::write(folder.path().join("bad.yaml"), table).unwrap();
    let refused = carl(folder.path(), &["tools", "check", "bad.yaml"], "");
    assert_eq!(refused.status.code(), Some(2));
    let text = told(&refused);
    assert!(
        text.contains("bad.yaml, line 4, key `tools.t.effect`"),
        "{text}"
    );
    for (arguments, word) in [
        (&["tools", "check", "none.yaml"][..], "no tool table"),
        (&["tools", "classify", "none.json"], "no file"),
        (&["tools", "classify", "-"], "not JSON"),
    ] {
        let refused = carl(folder.path(), arguments, "nothing");
        assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
        assert!(told(&refused).contains(word), "{}", told(&refused));
    }
}
