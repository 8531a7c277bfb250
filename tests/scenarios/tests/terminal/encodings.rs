//! Texts as other programs store and set them: old encodings, Windows line ends, typeset marks.

use scenarios::Scene;
use serde_json::{Value, json};
use testkit::flags::WRITES;
use testkit::{Finished, House, Reply};

/// A table as a spreadsheet stores it: in windows-1252, with `\r\n` behind each line.
const TABLE: &[u8] = b"Monat;Titel\r\nM\xe4rz;M\xf6wen\r\n";

fn by_rules(house: &House, task: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    house.ask(args).args(WRITES).arg(task).run()
}

fn bytes(house: &House, name: &str) -> Vec<u8> {
    std::fs::read(house.work().join(name)).unwrap()
}

#[test]
fn text_is_added_in_the_encoding_and_line_ends_of_its_file() {
    let house = House::new();
    house.write("table.csv", TABLE);
    let _added = by_rules(&house, "append \"Mai;Caf\u{e9}\" to table.csv").expect(0);
    let added = [TABLE, b"Mai;Caf\xe9\r\n"].concat();
    assert_eq!(bytes(&house, "table.csv"), added);
    let refused = by_rules(&house, "append \"a \u{2192};b\" to table.csv");
    assert!(refused.stderr.contains("has no `\u{2192}`"), "{refused:#?}");
    assert!(refused.stderr.contains("iconv -f"), "{refused:#?}");
    assert_eq!(bytes(&house, "table.csv"), added);
}

#[test]
fn a_text_is_overwritten_in_its_encoding_or_says_that_it_is_not() {
    let write = |content: &str| {
        let write = json!({"path": "table.csv", "content": content, "mode": "overwrite"});
        Reply::call("write_file", write)
    };
    let scene = Scene::new([
        write("Monat;Titel\nM\u{e4}rz;D\u{fc}nen\n"),
        write("Monat;Titel\nM\u{e4}rz \u{2192} Mai\n"),
        Reply::text("Done."),
    ]);
    scene.house.write("table.csv", TABLE);
    let run = scene.house.ask(["run", "--allow-write", ".", "mend it"]);
    let asked = run.at_terminal(|_, _| "y".to_owned());
    let [kept, converted] = asked.questions.as_slice() else {
        panic!("{asked:#?}");
    };
    let is_said = |question: &str| question.contains("ATTENTION: the file was windows-1252");
    assert!(!is_said(kept) && is_said(converted), "{asked:#?}");
    let last = bytes(&scene.house, "table.csv");
    assert_eq!(last, "Monat;Titel\r\nM\u{e4}rz \u{2192} Mai\r\n".as_bytes());
    let told = scene.told();
    assert_eq!(
        told.matches("the file was windows-1252").count(),
        1,
        "{asked:#?}"
    );
    let _back = scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    let first = bytes(&scene.house, "table.csv");
    assert_eq!(first, b"Monat;Titel\r\nM\xe4rz;M\xf6wen\r\n");
}

#[test]
fn a_search_reads_what_is_shown_and_edited() {
    let house = House::new();
    house.write("table.csv", TABLE);
    let set = "Leucht\u{ad}turm, S.\u{a0}12 \u{2013} Johannes\u{2019} Boot\n";
    house.write("set.md", set);
    for (wanted, line) in [
        ("M\u{f6}wen", "table.csv:2: M\u{e4}rz;M\u{f6}wen"),
        ("m\u{c4}rz", "table.csv:2: M\u{e4}rz;M\u{f6}wen"),
        ("Johannes' Boot", "set.md:1: "),
        ("S. 12 - j", "set.md:1: "),
        ("Leuchtturm", "set.md:1: "),
    ] {
        let found = by_rules(&house, &format!("search for \"{wanted}\" in .")).expect(0);
        assert!(found.stdout.contains(line), "{wanted}: {found:#?}");
    }
    let _edited = by_rules(&house, "replace Leuchtturm with Turm in set.md").expect(0);
    assert_eq!(house.read("set.md"), set.replace("Leucht\u{ad}t", "T"));
}

/// What an edit of a file leaves, and what the model and the user are told.
fn edited(content: &str, old: &str, new: &str) -> (String, String) {
    let edit: Value = json!({"path": "a.md", "old": old, "new": new});
    let scene = Scene::new([Reply::call("edit_file", edit), Reply::text("I am at it.")]);
    scene.house.write("a.md", content);
    let outcome = scene.run(&[&WRITES[..], &["mend it"]].concat());
    (scene.house.read("a.md"), format!("{outcome:?}"))
}

#[test]
fn an_edit_begins_and_ends_within_lines_of_either_end() {
    let lines = "Zeile eins\r\nZeile zwei mit Entwurf\r\n";
    let (left, _) = edited(lines, "Zeile eins\nZeile zwei", "Zeile A\nZeile B");
    assert_eq!(left, "Zeile A\r\nZeile B mit Entwurf\r\n");
    let (left, told) = edited(lines, "Zeile ein", "x");
    assert_eq!(left, "xs\r\nZeile zwei mit Entwurf\r\n", "{told}");
    let (left, told) = edited(lines, "Zeile zwei mit Entwurff", "x");
    assert_eq!(left, lines);
    let whole = "most like its first one is line 2: Zeile zwei mit Entwurf";
    assert!(told.contains(whole), "{told}");
}

#[test]
fn an_edit_keeps_each_mark_between_the_words_it_changes() {
    let set = "\u{201e}Johannes\u{2019} Boot\u{201c}. Und dann\nging er \u{2013} z.\u{a0}B. heim\n";
    let (left, _) = edited(
        set,
        "Boot\". Und dann\nging er - z. B. heim",
        "Schiff\". Und dann\nlief er - z. B. weg",
    );
    let kept = set.replace("Boot", "Schiff").replace("ging", "lief");
    assert_eq!(left, kept.replace("heim", "weg"));
}

#[test]
fn everywhere_is_in_all_settings_and_the_note_says_so() {
    let house = House::new();
    house.write(
        "a.md",
        "Johannes' Boot. Johannes\u{2019} Boot. S. 12, S.\u{a0}12\n",
    );
    let told = by_rules(
        &house,
        "replace \"Johannes' Boot\" with \"das Boot\" in a.md",
    )
    .expect(0);
    let note = "In 1 place quotation marks, dashes or spaces were written otherwise.";
    assert!(told.stdout.contains(note), "{told:#?}");
    let _all = by_rules(&house, "replace \"S. 12\" with \"S. 13\" in a.md").expect(0);
    assert_eq!(
        house.read("a.md"),
        "das Boot. das Boot. S. 13, S.\u{a0}13\n"
    );
}

#[test]
fn a_text_in_utf_16_is_named_as_one_with_what_to_do() {
    let house = House::new();
    let text: Vec<u8> = "\u{feff}Johannes\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    house.write("u16.txt", &text);
    let found = by_rules(&house, "search for johannes in u16.txt").expect(0);
    assert!(found.stdout.contains("u16.txt:1: "), "{found:#?}");
    for task in [
        "show u16.txt",
        "replace Johannes with Jonathan in u16.txt",
        "append \"more\" to u16.txt",
    ] {
        let told = by_rules(&house, task).stderr;
        assert!(told.contains("iconv -f UTF-16 -t UTF-8"), "{task}: {told}");
        assert!(!told.contains("grep"), "{task}: {told}");
    }
    assert_eq!(bytes(&house, "u16.txt"), text);
    let told = by_rules(&house, "show the diff");
    let told = format!("{}{}", told.stdout, told.stderr);
    assert!(!told.contains("Call list_files"), "{told}");
}

#[test]
fn lines_of_windows_end_where_they_end() {
    let text = "one\r\ntwo\r\na\rb\r\n";
    let scene = Scene::new([Reply::text(text)]);
    let house = &scene.house;
    house.write("crlf.txt", text);
    let shown = "one\ntwo\na\\u{d}b\n";
    let piped = by_rules(house, "show crlf.txt").expect(0).stdout;
    assert!(piped.contains(shown), "{piped}");
    let mut seat = house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    seat.types("what is in it?\n");
    seat.until("a\\u{d}b");
    seat.until("> ");
    let told = seat.leaves();
    assert_eq!(told.matches("\\u{d}").count(), 1, "{told}");
    let exported = house.ask(["session", "export"]).run().expect(0).stdout;
    assert!(exported.contains("one\ntwo\n"), "{exported}");
}

#[test]
fn data_in_an_older_encoding_is_given_as_it_reads() {
    let answers = (0..3).map(|_| Reply::text("Read."));
    let scene = Scene::new(answers);
    let utf_16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>()
    };
    scene.house.write("old.txt", b"gr\xfcne Fl\xe4che");
    scene.house.write("wide.txt", utf_16("breite Stra\u{df}e"));
    let old = ["run", "what is it?", "--input", "old.txt"];
    let run = scene.house.ask(old).run().expect(0);
    assert!(run.stderr.contains("read as windows-1252"), "{run:#?}");
    let wide = ["run", "what is it?", "--input", "wide.txt"];
    scene.house.ask(wide).run().expect(0);
    let piped = ["run", "what is it?", "--input", "-"];
    let piped = scene.house.ask(piped).stdin(b"pass\xe9".to_vec());
    piped.run().expect(0);
    let told = scene.told();
    for text in ["gr\u{fc}ne Fl\u{e4}che", "breite Stra\u{df}e", "pass\u{e9}"] {
        assert!(told.contains(text), "{text}: {told}");
    }
}

#[test]
fn data_that_is_no_text_is_refused_with_what_reads_it() {
    let scene = Scene::new([]);
    scene.house.write("plain.pdf", "%PDF-1.4\nplain bytes\n");
    scene.house.write("data.bin", b"a\0b");
    for (file, said) in [
        ("plain.pdf", "is a document (pdf)"),
        ("data.bin", "is not text"),
    ] {
        let run = ["run", "what is it?", "--input", file];
        let refused = scene.house.ask(run).run().expect(2).stderr;
        assert!(refused.contains(said), "{refused}");
        let way = format!("carl run \"summarise {file}\"");
        assert!(refused.contains(&way), "{refused}");
    }
}

#[test]
fn input_that_cannot_be_read_is_told_what_would_do() {
    let scene = Scene::new([]);
    scene.house.write("broken.png", "no picture");
    for (file, hint) in [
        ("/dev/null", "Give --input a readable text file"),
        (".", "Give --input a readable text file"),
        (
            "broken.png",
            "Give --input a readable PNG, JPEG, GIF or WebP file",
        ),
    ] {
        let run = ["run", "what is it?", "--input", file];
        let refused = scene.house.ask(run).run().expect(2).stderr;
        assert!(refused.contains(hint), "{refused}");
        assert!(
            !refused.contains("summarise") && !refused.contains('@'),
            "{refused}"
        );
    }
}

#[test]
fn a_session_is_written_under_no_name_of_another_format() {
    let scene = Scene::new([Reply::text("Hello.")]);
    scene.run(&["hello there"]).assert_ends(0, "success");
    let export = |more: &[&'static str]| {
        let export = ["session", "export"];
        scene.house.ask(export).args(more.iter().copied()).run()
    };
    for name in ["a.docx", "a.pdf"] {
        let refused = export(&["-o", name]).expect(2).stderr;
        assert!(
            refused.contains("would be written as Markdown"),
            "{refused}"
        );
        assert!(refused.contains("-o NAME.md"), "{refused}");
        assert!(!scene.house.has(name), "{name}");
    }
    let refused = export(&["--format", "json", "-o", "a.md"]).expect(2).stderr;
    assert!(refused.contains("would be written as JSON"), "{refused}");
    export(&["-o", "a.md"]).expect(0);
    export(&["--format", "json", "-o", "b.json"]).expect(0);
    export(&["-o", "c.json"]).expect(0);
    assert_eq!(scene.house.read("c.json"), scene.house.read("b.json"));
    let refused = export(&["--format", "markdown", "-o", "d.json"]).expect(2);
    assert!(!scene.house.has("d.json"), "{refused:#?}");
}
