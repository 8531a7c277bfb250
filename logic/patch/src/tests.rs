//! What is read of patches as models write them.

use crate::{Change, Error, FilePatch, Hunk, parse};

fn hunk(old: &str, new: &str) -> Hunk {
    Hunk {
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

fn edit(path: &str, hunks: impl IntoIterator<Item = Hunk>) -> FilePatch<'_> {
    FilePatch {
        path,
        change: Change::Edit(hunks.into_iter().collect()),
    }
}

fn new<'a>(path: &'a str, content: &str) -> FilePatch<'a> {
    FilePatch {
        path,
        change: Change::New(content.to_owned()),
    }
}

#[test]
fn what_stands_behind_the_end_of_a_patch_is_refused_and_not_left_out() {
    let envelope = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
    let unified = "```diff\n--- a/a\n+++ b/a\n@@\n-x\n+y\n```\n";
    let block = "a.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    let bare = "--- a/b\n+++ b/b\n@@\n-x\n+y\n";
    for text in [
        format!("{envelope}{envelope}"),
        format!("{envelope}*** Delete File: b\n"),
        format!("{block}{bare}"),
        format!("{unified}{block}"),
        format!("{unified}```diff\n@@\n-p\n+q\n```\n"),
        format!("{unified}```\ndiff --git a/p b/q\nrename from p\nrename to q\n```\n"),
        "--- a/a.md\n+++ b/a.md\n@@\n-code\n+CODE\n```\n-end\n+END\n".to_owned(),
        format!("diff --git a/em b/em\nnew file mode 100644\ndiff --git a/b b/b\n{bare}"),
    ] {
        assert!(parse(&text).is_err(), "{text}");
    }
    for text in [
        format!("Here it is:\n\n{envelope}\nThat is all.\n"),
        format!("{unified}\nThat is all.\n"),
        format!("{unified}\nAnd the other:\n\n```diff\ndiff --git a/b b/b\n{bare}```\n"),
        format!("{block}\nThat is all.\n"),
    ] {
        assert!(parse(&text).is_ok(), "{text}: {:?}", parse(&text));
    }
}

#[test]
fn a_backslash_is_a_sign_of_no_line_end_only_where_it_says_so() {
    let added = "*** Begin Patch\n*** Add File: n.tex\n+A\n\\section{x}\n+B\n*** End Patch\n";
    assert!(parse(added).is_err());
    let context = "--- a/n.tex\n+++ b/n.tex\n@@\n-x\n+y\n\\newline\n";
    assert!(parse(context).is_err());
    let no_end = "--- a/n\n+++ b/n\n@@\n-x\n+y\n\\ No newline at end of file\n";
    assert!(parse(no_end).is_ok());
    assert!(parse("--- /dev/null\n+++ \"b/n.txt\"\n@@\n+x\n").is_err());
}

#[test]
fn a_unified_diff_is_read_whatever_it_counts() {
    let text = "Here it is:\n```diff\ndiff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- \
                a/src/a.rs\n+++ b/src/a.rs\n@@ -900,1 +3,77 @@ fn a() {\n one\n-two\n+2\n\n three\n@@\n \
                x\n+y\n--- /dev/null\n+++ b/new.txt\t2026-01-01\n@@ -0,0 +1 @@\n+hello\n```\n";
    let wanted = [
        edit(
            "src/a.rs",
            [
                hunk("one\ntwo\n\nthree\n", "one\n2\n\nthree\n"),
                hunk("x\n", "x\ny\n"),
            ],
        ),
        new("new.txt", "hello\n"),
    ];
    assert_eq!(parse(text).unwrap(), wanted);
}

#[test]
fn a_removed_line_of_dashes_is_no_header() {
    let text =
        "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n select 1;\n--- old note\n+++ new note\n";
    let wanted = [edit(
        "q.sql",
        [hunk("select 1;\n-- old note\n", "select 1;\n++ new note\n")],
    )];
    assert_eq!(parse(text).unwrap(), wanted);
}

#[test]
fn blocks_are_read_under_their_files_names() {
    let text = "`src/a.rs`\n```rust\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n<<<<<<< \
                SEARCH\ntwo\n=======\n>>>>>>> REPLACE\n```\n### notes/b.md:\n<<<<<<< \
                SEARCH\n=======\n# B\n=====\n>>>>>>> REPLACE\n";
    let wanted = [
        edit("src/a.rs", [hunk("one\n", "1\n"), hunk("two\n", "")]),
        new("notes/b.md", "# B\n=====\n"),
    ];
    assert_eq!(parse(text).unwrap(), wanted);
}

#[test]
fn the_envelope_is_read() {
    let text = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n*** \
                Add File: b.py\n+x = 1\n+\n+y = 2\n*** End Patch\n";
    let wanted = [
        edit("a.py", [hunk("    return 1\n", "    return 2\n")]),
        new("b.py", "x = 1\n\ny = 2\n"),
    ];
    assert_eq!(parse(text).unwrap(), wanted);
}

/// Texts that are refused, the line that is told, and a part of why.
const REFUSED: &[(&str, usize, &str)] = &[
    (
        "*** Begin Patch\n*** Delete File: a\n*** End Patch",
        2,
        "delete_file",
    ),
    ("*** Update File: a\n*** Move to: b\n-x\n+y", 2, "move_file"),
    (
        "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
        1,
        "delete_file",
    ),
    (
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+only added",
        3,
        "none says where",
    ),
    (
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\nwithout a sign",
        5,
        "begins with",
    ),
    ("a\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE", 2, "======="),
    ("a\n<<<<<<< SEARCH\nx\n=======\ny", 2, "REPLACE"),
    ("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", 1, "name"),
    ("*** Update File:\n-x\n+y", 1, "name"),
    ("*** Add File: a\nno plus", 2, "`+`"),
    (
        "*** Add File: a\n+x\n*** Update File: a\n-x\n+y",
        3,
        "made and changed",
    ),
    ("*** Begin Patch\n*** End Patch", 1, "no file"),
    (
        "diff --git a/x b/y\nrename from x\nrename to y\n",
        2,
        "move_file",
    ),
    (
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
        2,
        "delete_file",
    ),
    (
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/q b/r\nrename from q\nrename to r",
        7,
        "move_file",
    ),
    (
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        2,
        "mode",
    ),
    (
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc",
        2,
        "mode",
    ),
    (
        "a.md\n<<<<<<< SEARCH\nA\n=======\nb\n=======\nB\n>>>>>>> REPLACE",
        6,
        "second line",
    ),
];

#[test]
fn what_a_patch_cannot_say_is_told_with_its_line() {
    for (text, line, part) in REFUSED {
        match parse(text) {
            Err(Error::Line { line: at, what }) => {
                assert_eq!(at, *line, "{text}: {what}");
                assert!(what.contains(part), "{text}: {what}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let same = "*** Update File: a\n x\n";
    let path = "a".to_owned();
    assert_eq!(parse(same), Err(Error::NoChange { path }));
    for text in ["replace a with b", "", "diff --git a/x b/x\n"] {
        assert_eq!(parse(text), Err(Error::Unknown), "{text}");
    }
}

#[test]
fn what_a_patch_changes_may_hold_the_marks_of_others() {
    let block = "doc.md\n<<<<<<< SEARCH\n*** Begin Patch\n*** Update File: x\n=======\n--- a/y\n+++ \
                 b/y\n@@ -1 +1 @@\n>>>>>>> REPLACE\n";
    let wanted = [edit(
        "doc.md",
        [hunk(
            "*** Begin Patch\n*** Update File: x\n",
            "--- a/y\n+++ b/y\n@@ -1 +1 @@\n",
        )],
    )];
    assert_eq!(parse(block).unwrap(), wanted);
    let diff = "--- a/doc.md\n+++ b/doc.md\n@@ -1 +1,2 @@\n <<<<<<< SEARCH\n+*** Begin Patch\n";
    let wanted = [edit(
        "doc.md",
        [hunk(
            "<<<<<<< SEARCH\n",
            "<<<<<<< SEARCH\n*** Begin Patch\n",
        )],
    )];
    assert_eq!(parse(diff).unwrap(), wanted);
}

#[test]
fn marks_of_a_block_have_as_many_signs_as_its_first() {
    let text = "<<<<<<<<< SEARCH\nTitle\n=======\n=========\nNew\n=======\n>>>>>>> \
                REPLACE\n>>>>>>>>> REPLACE\n";
    let text = format!("**`notes/a.md`:**\n{text}");
    let wanted = [edit(
        "notes/a.md",
        [hunk("Title\n=======\n", "New\n=======\n>>>>>>> REPLACE\n")],
    )];
    assert_eq!(parse(&text).unwrap(), wanted);
}

#[test]
fn names_are_taken_as_they_are_written() {
    for (old, new, wanted) in [
        ("a/x.rs", "b/x.rs", "x.rs"),
        ("x.rs", "b/x.rs", "b/x.rs"),
        ("a/x.rs\t2026-01-01", "b/x.rs\t2026-01-02", "x.rs"),
        ("a/../x", "b/../x", "../x"),
        ("/etc/x", "/etc/x", "/etc/x"),
        ("a/my file", "b/my file", "my file"),
    ] {
        let text = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n");
        assert_eq!(parse(&text).unwrap()[0].path, wanted);
    }
}

#[test]
fn line_ends_of_windows_are_line_ends_and_a_new_file_may_lack_the_last() {
    let text = "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n";
    assert_eq!(parse(text).unwrap(), [edit("x", [hunk("a\n", "b\n")])]);
    let text = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n";
    assert_eq!(parse(text).unwrap(), [new("x", "a")]);
}

#[test]
fn no_text_makes_the_reading_of_a_patch_panic() {
    let marks = [
        "--- a/x",
        "+++ b/x",
        "@@",
        "@@ -1 +1 @@",
        " x",
        "-x",
        "+x",
        "",
        "\\",
        "```",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "*** Begin Patch",
        "*** Update File: a",
        "*** Add File: b",
        "*** End Patch",
        "+++ /dev/null",
        "diff --git a/x b/x",
        "\u{e9}",
    ];
    let mut seed: u64 = 7;
    for _ in 0..20_000 {
        let mut lines = Vec::new();
        for _ in 0..8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            lines.push(marks[(seed >> 33) as usize % marks.len()]);
        }
        let text = lines.join("\n");
        if let Ok(files) = parse(&text) {
            assert!(files.iter().all(|file| !file.path.is_empty()), "{text}");
        }
    }
}
