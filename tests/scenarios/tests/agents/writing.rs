//! What a writer does with texts and documents: searches long paragraphs, replaces words in many
//! chapters, takes changes back.

use scenarios::Scene;
use serde_json::json;
use testkit::{House, Reply};

/// A paragraph, which is one line, in which "Hamburg" stands twice, far from either end.
fn paragraph() -> String {
    let filler = "Die Türen schwiegen, während der Regen fiel. ".repeat(60);
    format!(
        "{filler}Der Zug hielt in Hamburg, und sie stieg aus. {filler}Von Hamburg kam nichts. {filler}\n"
    )
}

#[test]
fn a_search_shows_the_place_in_a_long_paragraph() {
    let search = json!({"path": ".", "pattern": "Hamburg"});
    let scene = Scene::new([Reply::call("grep", search), Reply::text("Found.")]);
    scene.house.write("Kapitel eins.txt", paragraph());
    let by_rules = ["run", "--mode", "deterministic"];
    let run = scene.house.ask(by_rules).arg("find Hamburg in .");
    let told_person = run.run().expect(0).stdout;
    scene.run(&["look"]).assert_ends(0, "success");
    for told in [told_person, scene.told()] {
        assert!(told.contains("Zug hielt in Hamburg, und sie"), "{told}");
        assert!(told.contains("Von Hamburg kam nichts."), "{told}");
        assert!(told.contains(" … "), "{told}");
    }
}

#[test]
fn a_search_says_how_many_documents_it_passed_over() {
    let house = House::new();
    house.write("Kapitel.txt", "Hamburg\n");
    house.write("Brief.docx", "PK");
    house.write("Vertrag.pdf", "%PDF-1.4");
    let find = |what: &str| {
        let by_rules = ["run", "--mode", "deterministic"];
        house.ask(by_rules).arg(what).run().expect(0).stdout
    };
    let passed_over = "(2 documents (PDF, docx, odt) were not searched.)";
    for what in ["find Hamburg in .", "find Bremen in ."] {
        let told = find(what);
        assert!(told.contains(passed_over), "{told}");
    }
    let told = find("find Bremen in Kapitel.txt");
    assert!(!told.contains("not searched"), "{told}");
}

#[test]
fn a_question_names_its_sources_in_words() {
    let list = Reply::call("list_files", json!({"path": "."}));
    let read = Reply::call("read_file", json!({"path": "Kapitel.txt"}));
    let delete = Reply::call("delete_file", json!({"path": "Kapitel.txt"}));
    let scene = Scene::new([list, read, delete, Reply::text("Done.")]);
    scene.house.write("Kapitel.txt", "Hamburg war gestern.\n");
    let run = scene.house.ask(["run", "--allow-write", ".", "go on"]);
    let asked = run.at_terminal(|_, _| "n".to_owned());
    let question = asked.questions[0]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let told = "after reading file:Kapitel.txt, this folder";
    let told_too = "after reading this folder, file:Kapitel.txt";
    assert!(
        question.contains(told) || question.contains(told_too),
        "{question}"
    );
    assert!(!question.contains("file:. "), "{question}");
    assert!(!question.contains(", files"), "{question}");
}

#[test]
fn an_edit_says_in_how_many_places_it_changed_its_file() {
    let edit = |file: &str| {
        let edit = json!({"path": file, "old": "Marie", "new": "Rosa", "all": true});
        Reply::call("edit_file", edit)
    };
    let scene = Scene::new([edit("a.txt"), edit("b.txt"), Reply::text("Done.")]);
    scene.house.write("a.txt", "Marie und Marie\n\nMarie\n");
    scene.house.write("b.txt", "\nMarie\n");
    let run = scene.house.ask(["run", "--allow-write", ".", "mend it"]);
    let told = run.at_terminal(|_, _| "y".to_owned()).finished.stderr;
    assert!(told.contains("3 places, lines 1–3, "), "{told}");
    assert!(told.contains("1 place, line 2, "), "{told}");
}

#[test]
fn an_undo_names_its_files_and_asks_for_no_word_to_an_agent() {
    let house = House::new();
    // Windows-1252 and UTF-8 with a byte order mark.
    house.write("alt.txt", b"Lieber J\xfcrgen,\nMarie\n");
    house.write("neu.txt", "\u{feff}Marie kommt\n");
    let chat = ["chat", "--mode", "deterministic", "--allow-write", "."];
    let mut seat = house.ask(chat).env("TERM", "xterm").seated();
    seat.until("/help");
    seat.types("replace Marie with Rosa in alt.txt; replace Marie with Rosa in neu.txt\n");
    seat.until("a message to the agent: ");
    seat.types("y\n");
    seat.until("changed ");
    seat.types("/undo\n");
    let asked = seat.until("[y]es, [n]o: ");
    assert!(
        asked.contains("take back the last 2 file changes"),
        "{asked}"
    );
    assert!(!asked.contains("undo; undo"), "{asked}");
    let undone = |name: &str| {
        let path = house.work().join(name).display().to_string();
        format!("undo (effect: write)\r\n    take back what edit_file did to {path}")
    };
    for name in ["alt.txt", "neu.txt"] {
        assert!(asked.contains(&undone(name)), "{asked}");
    }
    assert!(asked.contains("│Lieber Jürgen,"), "{asked}");
    assert!(asked.contains("+Marie kommt"), "{asked}");
    seat.types("y\n");
    seat.until("taken back: ");
    seat.leaves();
    assert_eq!(house.read("neu.txt"), "\u{feff}Marie kommt\n");
}

#[test]
fn calls_beyond_what_a_reply_may_have_are_told_to_the_model() {
    let many = (0..40).fold(Reply::default(), |reply, n| {
        reply.and_call(
            "write_file",
            json!({"path": format!("f{n}.txt"), "content": "x"}),
        )
    });
    let rest = (32..40).fold(Reply::default(), |reply, n| {
        reply.and_call(
            "write_file",
            json!({"path": format!("f{n}.txt"), "content": "x"}),
        )
    });
    let scene = Scene::new([many, rest, Reply::text("Forty files are written.")]);
    let outcome = scene.run(&["--allow-write", ".", "--yes", "write", "write 40 files"]);
    outcome.assert_ends(0, "success");
    assert!(scene.house.has("f39.txt"));
    let second = scene.server.chats()[1].body["messages"].to_string();
    let left_out = second.matches("only the first 32 calls").count();
    assert_eq!(left_out, 8, "{second}");
}
