//! Edits whose search would take as long as somebody likes.

use attacks::script::{Call, play, results, statuses};
use serde_json::json;
use testkit::House;

fn edit<'a>(old: &str, new: &str, all: bool) -> Call<'a> {
    let arguments = json!({"path": "big.txt", "old": old, "new": new, "all": all});
    ("edit_file", arguments)
}

/// An edit of a file with this content of which this is told, and what the session changes after it.
fn assert_others_go_on(content: &str, call: Call<'_>, wanted: &str) {
    let furnish = |house: &House| {
        house.write("big.txt", content);
    };
    let note = json!({"path": "note.txt", "content": "mine\n"});
    let status = match wanted {
        "Edited" => "ok",
        _ => "failed",
    };
    let calls = [call, ("write_file", note), ("undo", json!({}))];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), [status, "ok", "ok"], "{told:#?}");
    assert!(told[0].contains(wanted), "{told:#?}");
    assert!(!scene.house.has("note.txt"), "{told:#?}");
}

#[test]
fn no_edit_holds_up_the_changes_after_it() {
    // Places that overlap.
    let letters = "a".repeat(4 << 20);
    let old = "a".repeat(400_000);
    assert_others_go_on(&letters, edit(&old, "x", false), "more than once");
    // The same in letters that are stored in two forms.
    let letters = "\u{e9}".repeat(1 << 20);
    let old = "\u{e9}".repeat(100_000);
    assert_others_go_on(&letters, edit(&old, "x", false), "more than once");
    // Marks that belong to one letter, so that none of them is a place.
    let letters = format!("a{}", "\u{301}".repeat(1 << 18));
    let old = "\u{301}".repeat(100_000);
    assert_others_go_on(&letters, edit(&old, "x", false), "not in");
    // Lines that are alike up to the last one.
    let lines = " a\n".repeat(200_000);
    let old = format!("{}b", "a\n".repeat(50_000));
    assert_others_go_on(&lines, edit(&old, "x", false), "not in");
    // Many lines of one indentation, and as many new ones.
    let lines = "  a\n".repeat(50_000);
    let new = "b\n".repeat(50_000);
    let old = "a\n".repeat(50_000);
    assert_others_go_on(&lines, edit(&old, &new, false), "Edited");
    // Text that grows with every place.
    let letters = "a".repeat(1 << 20);
    let new = "x".repeat(1 << 19);
    assert_others_go_on(&letters, edit("a", &new, true), "the limit is");
}

#[test]
fn a_large_honest_edit_is_made() {
    let furnish = |house: &House| {
        let lines = (0..100_000).map(|n| format!("    line {n}\n"));
        house.write("big.txt", lines.collect::<String>());
    };
    let calls = [
        edit("line 99999\n", "the end\n", false),
        edit("line 500\nline 501", "line 500\nand\nline 501", false),
        edit("line", "row", true),
    ];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["ok"; 3], "{told:#?}");
    let content = scene.house.read("big.txt");
    let wanted = ["    row 500\n    and\n    row 501\n", "    the end\n"];
    assert!(wanted.iter().all(|text| content.contains(text)));
    assert!(!content.contains("line"));
}
