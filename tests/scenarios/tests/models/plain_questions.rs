//! Questions and orders in daily words to the model that comes along, in its own mode.
#![allow(clippy::print_stderr, reason = "a test is allowed to fail loudly")]

use scenarios::documents::docx;
use testkit::{Finished, House};

/// A house with the model that comes along; `None` where that is not built.
fn house() -> Option<House> {
    let house = House::new();
    if house.use_engine() {
        return Some(house);
    }
    eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
    None
}

fn tell(house: &House, says: &str) -> Finished {
    let open = ["run", "--allow-write", ".", "--yes", "write"];
    house.ask(open).arg(says).run()
}

fn memories(house: &House) -> String {
    house.ask(["memory", "list"]).run().expect(0).stdout
}

#[test]
fn an_order_to_judge_or_to_count_is_not_answered_with_a_file() {
    let Some(house) = house() else { return };
    house.write("conf/nginx.conf", "server {\n  listen 80;\n}\n");
    house.write("ch3-old.md", "The harbour stood still.\n");
    for says in [
        "count the mistakes",
        "count the errors",
        "check the spelling",
        "check the config",
        "review ch3-old.md",
    ] {
        let done = tell(&house, says);
        assert_eq!(done.code, Some(5), "{says}: {done:#?}");
        assert!(done.stderr.contains("Nothing was done"), "{done:#?}");
        let is_shown = done.stdout.contains("listen") || done.stdout.contains("harbour");
        assert!(!is_shown, "{says}: {done:#?}");
    }
    assert_eq!(memories(&house), "");
}

#[test]
fn lines_with_a_word_are_counted_in_data_that_came_along() {
    let Some(house) = house() else { return };
    let counted = house.ask(["run", "count the errors", "--input", "-"]);
    let counted = counted.stdin("ok\nerror one\nerror two\n").run().expect(0);
    let told = "2 lines of the data that was given have `error` (by rules, no model).";
    assert!(counted.stdout.starts_with(told), "{counted:#?}");
}

#[test]
fn documents_are_read_for_a_question_that_no_line_has() {
    let Some(house) = house() else { return };
    docx(&house, "prize.docx", &["Rules", "The jury meets on 4 May."]);
    house.write("notes.md", "The harbour stood still.\n");
    let done = tell(&house, "when does the jury meet?").expect(0);
    assert!(done.stdout.contains("The jury meets on 4 May"), "{done:#?}");
    // More than a few are not read, and that is said.
    for name in ["b", "c", "d"] {
        docx(
            &house,
            &format!("{name}.docx"),
            &["The regatta is in Kiel."],
        );
    }
    let done = tell(&house, "where is the regatta held?").expect(0);
    assert!(
        done.stdout
            .contains("4 documents (PDF, docx, odt) were not searched: `show b.docx` reads one."),
        "{done:#?}"
    );
}

#[test]
fn words_of_all_files_that_a_question_names_are_counted() {
    let Some(house) = house() else { return };
    house.write("novel.md", "one two three\n");
    house.write("ch3-old.md", "four five\n");
    let asked = "how many words do novel.md and ch3-old.md have together?";
    let told = tell(&house, asked).expect(0).stdout;
    for says in [
        "novel.md: 1 line, 3 words",
        "ch3-old.md: 1 line, 2 words",
        "Together: 2 lines, 5 words",
    ] {
        assert!(told.contains(says), "{told}");
    }
}

#[test]
fn what_was_remembered_answers_a_question_that_no_file_does() {
    let Some(house) = house() else { return };
    house.write("pets.txt", "The dog is called Bruno.\n");
    tell(&house, "remember that the printer is in room 12").expect(0);
    tell(&house, "remember that the cat is called Mia").expect(0);
    for (asked, told) in [
        (
            "where is the printer?",
            "You told me: the printer is in room 12\n(memory, ",
        ),
        (
            "what is the cat called?",
            "You told me: the cat is called Mia\n(memory, ",
        ),
    ] {
        let done = tell(&house, asked).expect(0);
        assert!(done.stdout.starts_with(told), "{done:#?}");
    }
    // A file that has it is the answer.
    let done = tell(&house, "what is the dog called?").expect(0);
    assert!(
        done.stdout.contains("Bruno") && !done.stdout.contains("You told me"),
        "{done:#?}"
    );
}

#[test]
fn help_is_no_answer_to_remember() {
    let Some(house) = house() else { return };
    for says in ["help", "what can you do?"] {
        let done = tell(&house, says).expect(0);
        assert!(done.stdout.contains("undo"), "{done:#?}");
    }
    assert_eq!(memories(&house), "");
}

#[test]
fn a_question_with_we_is_not_answered_by_a_memory_beside_it() {
    let Some(house) = house() else { return };
    house.write(
        "pyproject.toml",
        "[project]\nname = \"shelf\"\nversion = \"0.4.2\"\n",
    );
    tell(&house, "remember that we release on Fridays").expect(0);
    let told = tell(&house, "what version are we on?").expect(0).stdout;
    assert!(
        told.contains("0.4.2") && !told.contains("Fridays"),
        "{told}"
    );
    // The control: what memory has whole is told.
    let told = tell(&house, "when do we release?").expect(0).stdout;
    assert!(told.contains("we release on Fridays"), "{told}");
    let told = tell(&house, "what is my name?").expect(0).stdout;
    assert!(!told.contains("shelf"), "{told}");
}

#[test]
fn a_memory_answers_a_question_in_german_and_spanish() {
    let Some(house) = house() else { return };
    house.write("notas.md", "Elias sube al faro.\nElias und der Turm.\n");
    for (fact, asked) in [
        (
            "Elias hat am 3. Mai Geburtstag",
            "Wann hat Elias Geburtstag?",
        ),
        (
            "el faro tiene 212 escalones",
            "¿Cuántos escalones tiene el faro?",
        ),
    ] {
        house.ask(["memory", "add", fact]).run().expect(0);
        let told = tell(&house, asked).expect(0).stdout;
        assert!(told.contains(fact), "{asked}: {told}");
    }
}

#[test]
fn files_named_in_words_are_those_that_are_called_so() {
    let Some(house) = house() else { return };
    house.write("chapter2.md", "# Two\n\nPiet rows.\n");
    house.write("chapter4.md", "# Four\n\n## Storm\n\nJonas waits.\n");
    let told = tell(&house, "show me chapter 2 and chapter 4").expect(0);
    assert!(
        told.stdout.contains("Piet rows.") && told.stdout.contains("Jonas waits."),
        "{told:#?}"
    );
    let told = tell(&house, "which headings does chapter 4 have?").expect(0);
    assert!(told.stdout.contains("2 headings"), "{told:#?}");
    let asked = "how many words do chapter 2 and chapter 4 have?";
    let told = tell(&house, asked).expect(0);
    assert!(told.stdout.contains("Together: "), "{told:#?}");
}
