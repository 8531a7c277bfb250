//! Text and names as people have them on disk: accents in either form, spaces, long lines.

use scenarios::Scene;
use serde_json::json;
use testkit::flags::{CHANGES, WRITES};
use testkit::{Finished, House, Reply};

/// What macOS stores for `é` (NFD), and what people and models write (NFC).
const APART: &str = "e\u{301}";
const WHOLE: &str = "\u{e9}";

fn by_rules(house: &House, task: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    house.ask(args.iter().copied()).args(WRITES).arg(task).run()
}

#[test]
fn text_is_found_and_replaced_in_whichever_form_it_is_stored() {
    for (stored, written) in [(APART, WHOLE), (WHOLE, APART)] {
        let house = House::new();
        house.write(
            "a.txt",
            format!("Un re{stored}sume{stored}\nLe Caf{stored} ferme.\n"),
        );
        let search = format!("search for \"Caf{written}\" in .");
        let found = by_rules(&house, &search).expect(0);
        assert!(found.stdout.contains("a.txt:2: "), "{found:#?}");
        let replace = format!("replace Caf{written} with Bistro in a.txt");
        let _replaced = by_rules(&house, &replace).expect(0);
        let kept = format!("Un re{stored}sume{stored}\nLe Bistro ferme.\n");
        assert_eq!(house.read("a.txt"), kept);
    }
}

#[test]
fn an_edit_writes_in_the_form_that_stands_there() {
    let edit = |old: &str, new: &str| {
        Reply::call(
            "edit_file",
            json!({"path": "a.txt", "old": old, "new": new}),
        )
    };
    let scene = Scene::new([
        edit(
            &format!("Caf{WHOLE} ferme"),
            &format!("Caf{WHOLE} est ferm{WHOLE}"),
        ),
        Reply::text("Done."),
    ]);
    scene
        .house
        .write("a.txt", format!("Le Caf{APART} ferme.\n"));
    let outcome = scene.run(&[&WRITES[..], &["mend it"]].concat());
    outcome.assert_ends(0, "success");
    let wanted = format!("Le Caf{APART} est ferm{APART}.\n");
    assert_eq!(scene.house.read("a.txt"), wanted);
}

#[test]
fn what_is_typeset_is_edited_as_it_is_typed() {
    let edit = json!({"path": "a.md", "old": "don't - not twice", "new": "don't - not once"});
    let scene = Scene::new([Reply::call("edit_file", edit), Reply::text("Done.")]);
    let typeset = "\u{201c}I don\u{2019}t \u{2013} not\u{a0}twice,\u{201d} she said.\n";
    scene.house.write("a.md", typeset);
    let outcome = scene.run(&[&WRITES[..], &["mend it"]].concat());
    outcome.assert_ends(0, "success");
    assert_eq!(scene.house.read("a.md"), typeset.replace("twice", "once"));
}

#[test]
fn a_text_in_an_old_encoding_is_edited_in_it() {
    let edit = |new: &str| {
        let edit = json!({"path": "old.txt", "old": "K\u{f6}ln", "new": new});
        Reply::call("edit_file", edit)
    };
    let scene = Scene::new([
        edit("M\u{fc}nchen \u{2192} Bonn"),
        edit("M\u{fc}nchen"),
        Reply::text("Done."),
    ]);
    let stored = |town: &[u8]| [&b"Gr\xfc\xdfe aus "[..], town, b"\n"].concat();
    scene.house.write("old.txt", stored(b"K\xf6ln"));
    let outcome = scene.run(&[&WRITES[..], &["mend it"]].concat());
    outcome.assert_ends(0, "success");
    let path = scene.house.work().join("old.txt");
    assert_eq!(std::fs::read(&path).unwrap(), stored(b"M\xfcnchen"));
    // The first one would have needed a letter that the encoding does not have.
    assert!(scene.told().contains("which has no `\u{2192}`"));
    let _back = scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(std::fs::read(&path).unwrap(), stored(b"K\xf6ln"));
}

#[test]
fn a_moved_or_deleted_file_is_listed_once_in_whichever_form_its_name_is_stored() {
    let house = House::new();
    house.write(&format!("Caf{APART}.txt"), "text\n");
    let moved = by_rules(&house, &format!("move Caf{WHOLE}.txt to bistro.txt")).expect(0);
    assert_eq!(moved.stderr.matches("· moved ").count(), 1, "{moved:#?}");
    assert!(!moved.stderr.contains("· changed "), "{moved:#?}");
    house.write(&format!("Th{APART}.txt"), "text\n");
    let run = ["run", "--mode", "deterministic"];
    let gone = house
        .ask(run)
        .args(CHANGES)
        .arg(format!("delete Th{WHOLE}.txt"));
    let gone = gone.run().expect(0);
    assert_eq!(gone.stderr.matches("· deleted ").count(), 1, "{gone:#?}");
}

#[test]
fn a_folder_to_open_that_is_not_there_is_said() {
    let scene = Scene::new([Reply::text("Hello."), Reply::text("Hello.")]);
    for (folder, notes) in [("gone", 1), (".", 0)] {
        let run = scene.house.ask(["run", "--allow-write", folder, "hello"]);
        let told = run.run().expect(0).stderr;
        let note = "note: --allow-write: there is no gone yet";
        assert_eq!(told.matches(note).count(), notes, "{told}");
    }
}

#[test]
fn a_folder_open_for_reading_is_read_and_not_changed() {
    let read = || Reply::call("read_file", json!({"path": "../other/a.txt"}));
    let write = json!({"path": "../other/a.txt", "content": "mine"});
    let scene = Scene::new([
        read(),
        Reply::text("I cannot."),
        read(),
        Reply::call("write_file", write),
        Reply::text("I read it."),
    ]);
    scene.house.write("../other/a.txt", "the port is 8112\n");
    let closed = scene.house.ask(["run", "which port?"]).run();
    assert!(!scene.told().contains("8112"), "{closed:#?}");
    assert!(closed.stderr.contains("--allow-read "), "{closed:#?}");
    let open = [
        "run",
        "--yes",
        "write",
        "--allow-read",
        "../other",
        "which port?",
    ];
    let open = scene.house.ask(open).run();
    assert!(scene.told().contains("8112"), "{open:#?}");
    assert_eq!(scene.house.read("../other/a.txt"), "the port is 8112\n");
    assert!(
        open.stderr.contains("is outside what `coder` may write"),
        "{open:#?}"
    );
}

#[test]
fn a_path_with_a_space_is_quoted_where_it_is_to_be_copied() {
    let house = House::new();
    house.write("two words.txt", "draft\n");
    let _changed = by_rules(&house, "replace draft with final in \"two words.txt\"").expect(0);
    house.write("two words.txt", "my own words\n");
    let refused = house.ask(["undo", "--yes", "write"]).run().expect(4);
    let hint = "/work/two words.txt'` to leave";
    assert!(refused.stderr.contains(hint), "{refused:#?}");
}

#[test]
fn places_in_one_line_are_counted() {
    let edit = json!({"path": "a.txt", "old": "der", "new": "die"});
    let scene = Scene::new([Reply::call("edit_file", edit), Reply::text("Done.")]);
    scene.house.write("a.txt", "eins\nder der der\n");
    let _ended = scene.run(&[&WRITES[..], &["mend it"]].concat());
    let told = scene.told();
    assert!(
        told.contains("3 times in line 2. Give more of the words around"),
        "{told}"
    );
}

#[test]
fn a_document_that_is_not_read_is_named_as_one() {
    let house = House::new();
    let archive = |part: &str| [b"PK\x03\x04", part.as_bytes()].concat();
    for (name, content, said) in [
        (
            "a.xlsx",
            archive("xl/workbook.xml"),
            "no reader for XLSX files",
        ),
        (
            "a.pptx",
            archive("ppt/presentation.xml"),
            "no reader for PPTX files",
        ),
        (
            "a.epub",
            archive("mimetypeapplication/epub+zip"),
            "no reader for EPUB files",
        ),
    ] {
        house.write(name, content);
        let args = ["run", "--mode", "deterministic"];
        let shown = house
            .ask(args.iter().copied())
            .arg(format!("show {name}"))
            .run();
        let told = format!("{}{}", shown.stdout, shown.stderr);
        assert!(told.contains(said), "{name}: {told}");
        assert!(!told.contains("damaged"), "{name}: {told}");
    }
    let read = Reply::call("read_file", json!({"path": "a.rtf"}));
    let scene = Scene::new([read, Reply::text("Read.")]);
    scene.house.write("a.rtf", "{\\rtf1 Hallo}");
    scene.run(&["what is in it?"]).assert_ends(0, "success");
    assert!(
        scene
            .told()
            .contains("(rich text, RTF: shown with its marks")
    );
}

#[test]
fn an_overwrite_that_loses_much_says_how_much() {
    let write = json!({"path": "a.txt", "content": "[unchanged]", "mode": "overwrite"});
    let scene = Scene::new([Reply::call("write_file", write), Reply::text("Done.")]);
    scene
        .house
        .write("a.txt", "A line of a chapter.\n".repeat(20));
    let carl = scene.house.ask(["run", "--allow-write", ".", "mend it"]);
    let asked = carl.at_terminal(|_, _| "n".to_owned());
    let question = &asked.questions[0];
    assert!(question.contains("420 bytes become 11"), "{question}");
}

#[test]
fn an_export_takes_quotes_and_the_home_as_names_elsewhere_do() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let lines = [
        "hello",
        "/EXPORT \"two words.md\"",
        "/export ~/home.md",
        "/export events.JSON",
        "/export letter.docx",
        "/quit",
    ];
    let mut lines = lines.into_iter();
    let chat = scene.house.ask(["chat"]).env("TERM", "dumb");
    let shown = chat.talking(&["\n> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
    assert!(scene.house.has("two words.md"), "{shown:#?}");
    assert!(scene.house.home().join("home.md").exists(), "{shown:#?}");
    assert!(scene.house.read("events.JSON").starts_with('['));
    // Markdown under the name of another format would be a damaged document.
    assert!(!scene.house.has("letter.docx"), "{shown:#?}");
    let told = &shown.finished.stderr;
    assert!(told.contains("not as docx"), "{told}");
}

#[test]
fn french_spaces_are_shown_and_exported_as_they_are() {
    let house = House::new();
    let line = "«\u{a0}Bonjour\u{a0}», dit-il\u{202f}: co\u{ad}opération, 14\u{2009}h.";
    house.write("a.md", format!("{line}\nRien.\n"));
    let shown = by_rules(&house, "show a.md").expect(0);
    assert!(shown.stdout.contains(line), "{shown:#?}");
    let task = "replace Rien with Tout in a.md";
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", ".", task]);
    let asked = run.at_terminal(|_, _| "y".to_owned());
    let spaced = line.replace('\u{ad}', "\\u{ad}");
    assert!(asked.questions[0].contains(&spaced), "{asked:#?}");

    let scene = Scene::new([Reply::text(format!("Vous dites {line}"))]);
    let outcome = scene.run(&[&format!("Corrige {line}")]);
    let id = outcome.text("session_id");
    let told = scene.house.ask(["session", "show", id]).run().expect(0);
    assert!(
        told.stdout.contains(&format!("Corrige {line}")),
        "{told:#?}"
    );
    let export = ["session", "export", id, "-o", "kept.md"];
    let _kept = scene.house.ask(export).run().expect(0);
    let kept = scene.house.read("kept.md");
    assert_eq!(kept.matches(line).count(), 2, "{kept}");
}

#[test]
fn what_hides_in_a_text_is_spelled_out_where_it_is_shown() {
    let house = House::new();
    house.write("a.md", "pay\u{200b}pal \u{202e}txt\u{ad} \u{1b}[2J\n");
    let shown = by_rules(&house, "show a.md").expect(0);
    let spelled = "pay\\u{200b}pal \\u{202e}txt\\u{ad} \\u{1b}[2J";
    assert!(shown.stdout.contains(spelled), "{shown:#?}");
}

#[test]
fn names_that_are_typed_are_found_in_whichever_form_they_are_stored() {
    let replies = || Reply::text("Read.");
    let scene = Scene::new([replies(), replies(), replies()]);
    let file = format!("Entw{APART}/R{APART}.md");
    scene.house.write(&file, "stored apart\n");
    let typed = format!("Entw{WHOLE}/R{WHOLE}.md");
    let folder = format!("Entw{WHOLE}");
    scene
        .run(&["-C", &folder, "hello"])
        .assert_ends(0, "success");
    scene
        .run(&["sum it up", "--input", &typed])
        .assert_ends(0, "success");
    assert!(scene.told().contains("stored apart"), "{}", scene.told());
    scene.house.write(&format!("F{APART}.png"), "no picture");
    let run = scene
        .house
        .ask(["run", &format!("look at @F{WHOLE}.png")])
        .run()
        .expect(2);
    assert!(run.stderr.contains("cannot be shown"), "{run:#?}");
}

#[test]
fn a_folder_in_two_unicode_forms_is_named_once() {
    let house = House::new();
    house.write(&format!("R{WHOLE}/a.md"), "one\n");
    house.write("b.md", "two\n");
    let folder = format!("R{APART}");
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", &folder]);
    let refused = run.arg("append \"x\" to b.md").run().expect(5);
    let told = refused.stderr.replace(APART, WHOLE);
    let named = format!("/work/R{WHOLE}");
    assert_eq!(told.matches(&named).count(), 1, "{told}");
    assert!(!told.contains(" yet"), "{told}");
}

#[test]
fn a_long_paragraph_beside_a_change_takes_one_line_of_its_question() {
    let edit = json!({"path": "a.md", "old": "kurz", "new": "knapp"});
    let scene = Scene::new([Reply::call("edit_file", edit), Reply::text("Done.")]);
    let long = "Ein Satz. ".repeat(500);
    scene.house.write("a.md", format!("{long}\nkurz\n{long}\n"));
    let carl = scene.house.ask(["run", "--allow-write", ".", "mend it"]);
    let asked = carl.at_terminal(|_, _| "n".to_owned());
    let question = &asked.questions[0];
    assert_eq!(
        question.matches(" … 5001 characters").count(),
        2,
        "{question}"
    );
    assert!(
        question.contains("-kurz") && question.contains("+knapp"),
        "{question}"
    );
    assert!(question.contains("[v]iew all"), "{question}");
    assert!(question.lines().count() < 30, "{question}");
}

#[test]
fn a_document_is_no_plain_text_under_its_name_and_searches_say_that_they_pass_over_it() {
    let write = |path: &str| Reply::call("write_file", json!({"path": path, "content": "Hello"}));
    let search = Reply::call("grep", json!({"path": ".", "pattern": "Hello"}));
    let calls = [
        write("Letter.docx"),
        write("Letter.md"),
        search,
        Reply::text("Done."),
    ];
    let scene = Scene::new(calls);
    scene.house.write("Contract.pdf", "%PDF-1.4");
    let outcome = scene.run(&[&WRITES[..], &["write it"]].concat());
    let statuses = outcome
        .calls()
        .iter()
        .map(|call| call["status"].as_str().unwrap());
    assert_eq!(statuses.collect::<Vec<_>>(), ["failed", "ok", "ok"]);
    assert!(!scene.house.has("Letter.docx"));
    let shown = scene.server.chats().last().unwrap().body.to_string();
    assert!(shown.contains("would be no document"), "{shown}");
    assert!(shown.contains("Letter.md:1: Hello"), "{shown}");
    assert!(
        shown.contains("1 document (PDF, docx, odt) was not searched"),
        "{shown}"
    );
}

#[test]
fn the_end_tells_what_became_of_each_file() {
    let house = House::new();
    house.write("old.txt", "text\n");
    house.write("gone.txt", "text\n");
    let path = |name: &str| house.work().join(name).display().to_string();
    let by_rules = |task: &str| {
        let run = house.ask(["run", "--mode", "deterministic", "--yes", "write"]);
        let run = run.args(["--yes", "destructive", "--allow-write", "."]);
        run.arg(task).run().expect(0).stderr
    };
    for (task, expected) in [
        (
            "create new.txt with the content text",
            format!("created {}", path("new.txt")),
        ),
        (
            "replace text with words in new.txt",
            format!("changed {}", path("new.txt")),
        ),
        ("delete gone.txt", format!("deleted {}", path("gone.txt"))),
        (
            "move old.txt to moved.txt",
            format!("moved {} to {}", path("old.txt"), path("moved.txt")),
        ),
        ("undo", format!("as it was before: {}", path("old.txt"))),
    ] {
        let told = by_rules(task);
        assert_eq!(
            told.matches(&format!("· {expected}\n")).count(),
            1,
            "{told}"
        );
        assert_eq!(told.matches("\n· ").count(), 2, "{told}");
    }
}

#[test]
fn narrow_terminals_break_no_word() {
    let house = House::new();
    house.configure("");
    for command in ["doctor", "models", "agents"] {
        let wide = house.ask([command]).run().stdout;
        // Numbers may differ from one look to the next, and paths are longer than a line.
        let is_word = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '/');
        let words: Vec<&str> = wide.split_whitespace().filter(is_word).collect();
        for columns in ["36", "48", "80"] {
            let seat = house.ask([command]).env("COLUMNS", columns);
            let narrow = seat.env("TERM", "dumb").seated().finish().stderr;
            let width: usize = columns.parse().unwrap();
            for line in narrow.lines() {
                assert!(line.chars().count() <= width, "{line}\n{narrow}");
            }
            let shown: Vec<&str> = narrow.split_whitespace().collect();
            for word in &words {
                let parts: Vec<&str> = word.split_inclusive(',').collect();
                let is_whole = |part: &&str| shown.iter().any(|one| one.contains(*part));
                // What stands for no terminal is not said at one.
                let is_there = parts.iter().all(is_whole) || NO_TERMINAL.contains(word);
                assert!(is_there, "{command} {columns}: {word}\n{narrow}");
            }
        }
    }
}

#[test]
fn messages_break_at_words_and_what_is_copied_stays_whole() {
    let house = House::new();
    house.configure("[models]\nair_gap = true\n");
    let nowhere = "/nowhere/at/all/in/a/path/that/is/longer/than/a/narrow/terminal";
    for args in [
        &["run", "--model", "nowhere/at-all", "hello"][..],
        &["run", "--fast", "hello"],
        &["run", "-C", nowhere, "hello"],
        &["memory", "forget", "xx"],
        &["config", "show", "--origin"],
    ] {
        let piped = house.ask(args.iter().copied()).run();
        let words = |text: &str| {
            let mut words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        for columns in [40, 80] {
            let seat = house
                .ask(args.iter().copied())
                .env("COLUMNS", columns.to_string());
            let shown = seat.env("TERM", "dumb").seated().finish().stderr;
            // A value to be set is one line, however long it is.
            for line in shown.lines().filter(|line| !line.contains(" = ")) {
                assert!(!is_broken_within_a_word(line, columns), "{line}\n{shown}");
            }
            let all = format!("{}{}", piped.stdout, piped.stderr);
            assert_eq!(words(&shown), words(&all), "{args:?} {columns}");
        }
    }
    let shown = house.ask(["memory", "forget", "xx"]).env("COLUMNS", "40");
    let shown = shown.env("TERM", "dumb").seated().finish().stderr;
    assert!(shown.contains("`carl memory search`"), "{shown}");
}

/// Whether a terminal breaks a line within a word that has room in a line of its own.
fn is_broken_within_a_word(line: &str, columns: usize) -> bool {
    let mut at = 0;
    line.split(' ').any(|word| {
        let (begin, size) = (at, word.chars().count());
        at += size + 1;
        size <= columns - 4 && begin % columns + size > columns
    })
}

#[test]
fn no_colour_is_cut_at_the_edge_of_a_narrow_terminal() {
    let house = House::new();
    let name = format!("{}.txt", "A".repeat(38));
    house.write(&name, "x\n");
    let delete = format!("delete {name}");
    let run = house.ask(["run", "--mode", "deterministic", &delete]);
    let run = run.env("COLUMNS", "20").env("TERM", "xterm");
    // What the prompt for an answer ends with there.
    let shown = run.talking(&["the agent: "], |_, _| "n".to_owned());
    let shown = shown.finished.stderr;
    assert!(shown.contains("\u{1b}[33m"), "{shown}");
    assert!(!shown.contains("\\u{1b}"), "{shown}");
}

/// What `carl doctor` says of a missing terminal.
const NO_TERMINAL: &str =
    "note terminal none here: confirmations are refused unless --yes covers them";

#[test]
fn files_are_found_in_any_case_and_a_link_to_nothing_is_named() {
    let house = House::new();
    house.write("Kapitel/kapitel-01.md", "text\n");
    let found = by_rules(&house, "find files named KAPITEL*").expect(0);
    assert!(found.stdout.contains("Kapitel/kapitel-01.md"), "{found:#?}");
    house.write("Kapitel/KAPITEL-2.md", "text\n");
    let found = by_rules(&house, "find files named KAPITEL*").expect(0);
    assert!(!found.stdout.contains("kapitel-01"), "{found:#?}");
    std::os::unix::fs::symlink("../README.md", house.work().join("Kapitel/link.md")).unwrap();
    let told = by_rules(&house, "show Kapitel/link.md").stderr;
    let wanted = "is a link to `../README.md`, which is not there";
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn a_change_through_a_link_names_the_real_file_once() {
    let house = House::new();
    house.write("real.md", "draft\n");
    std::os::unix::fs::symlink("real.md", house.work().join("link.md")).unwrap();
    let task = "replace draft with final in link.md";
    let run = ["run", "--json", "--mode", "deterministic"];
    let changed = house.ask(run).args(WRITES).arg(task).run().expect(0).json();
    let real = house.work().join("real.md").to_string_lossy().into_owned();
    assert_eq!(changed["artifacts"], json!([real]), "{changed:#}");
    let moved = by_rules(&house, "rename real.md to other.md").expect(0);
    assert!(moved.stderr.contains("moved "), "{moved:#?}");
    assert_eq!(house.read("other.md"), "final\n");
}

#[test]
fn a_file_opened_for_writing_is_found_in_either_unicode_form() {
    for (stored, typed, written) in [
        (Some(WHOLE), APART, WHOLE),
        (Some(WHOLE), APART, APART),
        (Some(APART), APART, WHOLE),
        (Some(APART), WHOLE, WHOLE),
        (None, APART, WHOLE),
        (None, APART, APART),
        (None, WHOLE, WHOLE),
    ] {
        let name = |form: &str| format!("R{form}sum{form}.md");
        let write = json!({"path": name(written), "content": "new\n", "mode": "overwrite"});
        let scene = Scene::new([Reply::call("write_file", write), Reply::text("Written.")]);
        if let Some(stored) = stored {
            scene.house.write(&name(stored), "old\n");
        }
        let open = ["--allow-write", &name(typed), "--yes", "write", "write it"];
        let outcome = scene.run(&open);
        let case = format!("{stored:?} {typed:?} {written:?}");
        assert_eq!(outcome.finished.code, Some(0), "{case}: {outcome:#?}");
        assert_eq!(
            scene.house.read(&name(stored.unwrap_or(written))),
            "new\n",
            "{case}"
        );
        let is_said_to_be_missing = outcome.finished.stderr.contains("there is no ");
        assert_eq!(
            is_said_to_be_missing,
            stored.is_none(),
            "{case}: {outcome:#?}"
        );
    }
}

#[test]
fn an_error_of_a_long_paragraph_tells_where_it_differs() {
    let house = House::new();
    let long = "Ein Satz mit Worten. ".repeat(40);
    house.write("a.md", format!("{long}Das ist falsch. {long}\n"));
    let task = format!("replace \"{long}Das ist fehl\" with \"neu\" in a.md");
    let told = by_rules(&house, &task).expect(4).stderr;
    assert!(told.contains("is line 1: … "), "{told}");
    assert!(told.contains("Das ist falsch. Ein Satz"), "{told}");
}
