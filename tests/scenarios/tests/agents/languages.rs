//! What is asked in German and Spanish, and what is refused in words that say why.

use scenarios::Scene;
use testkit::{Finished, House, Reply};

fn order(house: &House, say: &str) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic", say]);
    run.run()
}

fn chapter(house: &House) {
    house.write("kapitel1.md", "Marie wohnt in Genf.\nSie malt.\n");
}

#[test]
fn words_and_characters_are_counted_in_german_and_spanish() {
    let house = House::new();
    chapter(&house);
    for (says, count) in [
        ("Wie viele Wörter hat kapitel1.md?", "6 words"),
        ("Wie viele Zeichen hat die Datei kapitel1.md?", "31 bytes"),
        ("¿Cuántas palabras tiene kapitel1.md?", "6 words"),
        ("zähle die Wörter in kapitel1.md", "6 words"),
    ] {
        let told = order(&house, says).expect(0).stdout;
        assert!(told.contains(count), "{says}: {told}");
    }
}

#[test]
fn memory_is_asked_in_german_and_spanish() {
    let house = House::new();
    let kept = "Merke dir, dass Anna den Dienstag frei hat";
    order(&house, kept).expect(0);
    for says in [
        "Woran erinnerst du dich zu Anna?",
        "Was weißt du über Anna?",
        "¿Qué sabes de Anna?",
    ] {
        let told = order(&house, says).expect(0).stdout;
        assert!(
            told.contains("Anna den Dienstag frei hat"),
            "{says}: {told}"
        );
    }
}

#[test]
fn a_summary_is_planned_in_german_and_spanish_as_in_english() {
    for says in [
        "Summarize kapitel1.md",
        "Fasse kapitel1.md kurz zusammen",
        "Resume el archivo kapitel1.md",
    ] {
        let scene = Scene::of_class("tiny", []);
        chapter(&scene.house);
        let outcome = scene.run(&["--mode", "plan", says]);
        outcome.assert_ends(0, "success");
        let answer = outcome.text("answer");
        assert!(
            answer.contains("By rules, in the words of the text")
                && answer
                    .contains("From kapitel1.md (2 lines, 6 words):\n  1: Marie wohnt in Genf."),
            "{says}: {answer}"
        );
        assert!(scene.server.chats().is_empty(), "{says}");
    }
}

#[test]
fn what_is_of_no_single_file_is_refused_and_left_to_no_guess() {
    for (says, why) in [
        (
            "list the functions in notes.txt",
            "is no source file whose definitions",
        ),
        (
            "which functions does this project have?",
            "one file that is named",
        ),
        ("show the diff", "`carl diff`"),
        ("show me the last commit", "needs a program"),
        ("what were the latest commits?", "needs a program"),
        (
            "how many lines of Python are there?",
            "one file that is named",
        ),
        (
            "how many lines of code does this project have?",
            "one file that is named",
        ),
    ] {
        let scene = Scene::of_class("tiny", [Reply::text("Twelve.")]);
        scene.house.write("calc.py", "def mean(a):\n    return a\n");
        let outcome = scene.run(&[says]);
        let told = outcome.summary["error"]["message"].to_string();
        assert!(told.contains(why), "{says}: {told}");
        assert!(scene.server.chats().is_empty(), "{says}");
    }
    let scene = Scene::of_class("tiny", [Reply::text("Twelve.")]);
    scene.house.write("calc.py", "def mean(a):\n    return a\n");
    let outcome = scene.run(&["list the functions in calc.py"]);
    let told = outcome.summary["answer"].to_string();
    assert!(told.contains("1: def mean(a)"), "{told}");
    assert!(scene.server.chats().is_empty(), "{told}");
    // A file of that name, and its lines, are looked at.
    let house = House::new();
    house.write("commits.md", "one\ntwo\n");
    let shown = order(&house, "show me the last line of commits.md").expect(0);
    assert!(shown.stdout.contains("two"), "{shown:#?}");
}

#[test]
fn occurrences_are_shown_and_an_order_in_passing_is_one() {
    let house = House::new();
    house.write(
        "ch.md",
        "Tim met Anna.\nAnna left.\n\nTim wept. Über Tim.\n# TODO end\n",
    );
    house.write("s.toml", "debug = true\n");
    for (says, shown) in [
        (
            "how many times does the word Tim occur in ch.md?",
            "Tim wept",
        ),
        ("how often does Anna appear in ch.md?", "Anna left"),
        ("count Tim in ch.md", "Tim met"),
        ("list TODOs", "TODO end"),
        ("how many characters does ch.md have?", "characters"),
    ] {
        let told = order(&house, says).expect(0).stdout;
        assert!(told.contains(shown), "{says}: {told}");
    }
    let says = "set debug to false in s.toml, and also show s.toml";
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    let told = run.args(["--yes", "write", says]).run().expect(0).stdout;
    assert!(told.contains("debug = false"), "{told}");
}

#[test]
fn who_runs_programs_is_said_where_the_rules_do_not() {
    let refused = order(&House::new(), "run the tests");
    let told = format!("{}{}", refused.stdout, refused.stderr);
    assert!(
        told.contains("An agent with a larger model runs programs"),
        "{told}"
    );
    assert!(told.contains("carl models"), "{told}");
}
