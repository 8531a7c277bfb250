//! What is kept of what is said, how people find it again, and what is no memory.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::{House, Reply};

fn list(house: &House) -> String {
    house.ask(["memory", "list"]).run().expect(0).stdout
}

#[test]
fn what_stands_for_an_empty_answer_is_no_answer_to_remember() {
    let scene = Scene::new((0..2).map(|_| Reply::text("(no answer)")));
    scene
        .run(&["was steht in ausgaben.csv?"])
        .finished
        .expect(0);
    assert_eq!(list(&scene.house), "");
    scene.run(&["I prefer short sentences."]).finished.expect(0);
    assert!(list(&scene.house).contains("I prefer short sentences."));
}

#[test]
fn orders_to_the_rules_do_not_crowd_out_what_was_kept_on_purpose() {
    let scene = Scene::new([Reply::text("In Genf.")]);
    let house = &scene.house;
    house.write("Roman.md", "Marie arbeitet.\n");
    for order in ["search for \"Marie arbeitet\"", "show Roman.md"] {
        house
            .ask(["run", "--mode", "deterministic", order])
            .run()
            .expect(0);
    }
    assert_eq!(list(house), "");
    let told = "Marie arbeitet in Genf.";
    house.ask(["memory", "add", told]).run().expect(0);
    let asked = scene.run(&["Wo arbeitet Marie?"]);
    let log = scene.log(&asked);
    let recalled = of_kind(&log, "memory_recalled");
    assert_eq!(recalled.len(), 1, "{log:#?}");
    assert_eq!(recalled[0]["memories"].as_array().unwrap().len(), 1);
    assert!(recalled[0]["text"].as_str().unwrap().contains(told));
}

#[test]
fn a_search_shows_what_was_said_and_no_words_of_the_index() {
    let scene = Scene::new([Reply::text("Sie heißt Hélène.")]);
    scene
        .run(&["Wie heißt die Ärztin aus dem Café Übersicht?"])
        .finished
        .expect(0);
    let search = ["memory", "search", "Ärztin"];
    let found = scene.house.ask(search).run().expect(0).stdout;
    assert!(found.contains("Hélène"), "{found}");
    assert!(
        !found.contains("cafe") && !found.contains("relevance"),
        "{found}"
    );
}

#[test]
fn a_memory_with_a_name_is_listed_with_its_text_and_shown_by_its_name() {
    let house = House::new();
    let add = |text: &str, more: &[&str]| {
        let added = house
            .ask(["memory", "add", text])
            .args(more.iter().copied());
        added.run().expect(0)
    };
    let added = add("Marie ist Chirurgin in Lyon", &["--name", "Figur:Marie"]);
    assert_eq!(added.stderr, "Kept: Figur:Marie\n");
    let id = added.stdout.trim().to_owned();
    assert!(
        list(&house).contains("Figur:Marie: Marie ist Chirurgin"),
        "{}",
        list(&house)
    );
    // A correction keeps the name, and the name means what holds.
    let corrected = add("Marie ist Chirurgin in Genf", &["--supersedes", &id]);
    assert_eq!(corrected.stderr, "Kept: Figur:Marie\n");
    let shown = house.ask(["memory", "show", "figur:marie"]).run().expect(0);
    assert!(shown.stdout.contains("Genf"), "{}", shown.stdout);
    add("Marie hat eine Schwester", &["--name", "Figur:Marie"]);
    let unclear = house.ask(["memory", "show", "Figur:Marie"]).run().expect(2);
    assert!(
        unclear.stderr.contains("2 memories are called"),
        "{unclear:#?}"
    );
    let none = house.ask(["memory", "show", "Figur:Anna"]).run().expect(2);
    assert!(none.stderr.contains("not the id or the name"), "{none:#?}");
}

#[test]
fn a_task_that_is_no_command_is_told_whole_and_a_slip_below_one_is_no_task() {
    let house = House::new();
    let slip = house.ask(["memory", "Add", "Marie"]).run().expect(2).stderr;
    assert!(slip.contains("Did you mean `carl memory add`"), "{slip}");
    assert!(!slip.contains("carl run"), "{slip}");
    let task = house
        .ask(["fasse", "Kapitel", "2", "zusammen"])
        .run()
        .expect(2);
    let told = "carl run \"fasse Kapitel 2 zusammen\"";
    assert!(task.stderr.contains(told), "{}", task.stderr);
}

#[test]
fn an_answer_that_is_neither_yes_nor_no_is_asked_again() {
    let house = House::new();
    let added = house
        .ask(["memory", "add", "Marie lebt in Genf"])
        .run()
        .expect(0);
    let id = added.stdout.trim().to_owned();
    let forget = |answers: &'static [&'static str]| {
        let asked = house.ask(["memory", "forget", &id]);
        asked.talking(&["[y/N] "], |_, number| answers[number].to_owned())
    };
    let kept = forget(&["ja", "N"]).finished;
    assert!(kept.stderr.contains("Please answer y or n."), "{kept:#?}");
    assert!(list(&house).contains("Genf"));
    forget(&["ja", "Yes"]);
    assert_eq!(list(&house), "");
}

#[test]
fn an_export_calls_a_conversation_one_and_an_older_one_is_read() {
    let scene = Scene::new([Reply::text("In Lyon.")]);
    let _asked = scene.run(&["Where does Marie live?"]);
    let export = |file: &str| {
        let export = ["memory", "export", file];
        scene.house.ask(export).run().expect(0);
        scene.house.read(file)
    };
    let exported = export("a.jsonl");
    assert!(exported.contains("\"kind\":\"conversation\""), "{exported}");
    let search = ["memory", "search", "--json", "Marie"];
    let found = scene.house.ask(search).run().expect(0).json();
    assert_eq!(found["results"][0]["kind"], "conversation", "{found:#}");
    let older = exported.replace("\"conversation\"", "\"engram\"");
    let other = House::new();
    other.write("b.jsonl", older);
    let import = ["memory", "import", "b.jsonl"];
    let told = other.ask(import).run().expect(0).stdout;
    assert!(told.contains("1 added"), "{told}");
}

#[test]
fn what_the_rules_say_of_themselves_is_not_remembered() {
    let house = House::new();
    let help = ["run", "--mode", "deterministic", "help"];
    house.ask(help).run().expect(0);
    let kept = house.ask(["memory", "export"]).run().expect(0).stdout;
    assert_eq!(kept, "");
}

#[test]
fn a_memory_is_found_by_its_name_in_either_unicode_form() {
    let house = House::new();
    for (kept, typed) in [
        ("Caf\u{e9}", "cafe\u{301}"),
        ("Re\u{301}sume\u{301}", "r\u{e9}sum\u{e9}"),
    ] {
        let add = [
            "memory",
            "add",
            "It is closed on Mondays",
            kept,
            "--name",
            kept,
        ];
        house.ask(add).run().expect(0);
        let shown = house.ask(["memory", "show", typed]).run().expect(0);
        assert!(shown.stdout.contains("closed on Mondays"), "{shown:#?}");
    }
}

#[test]
fn a_list_of_memories_fits_the_terminal() {
    let house = House::new();
    let text = "The museum opens at nine on weekdays and at ten on Sundays";
    house.ask(["memory", "add", text]).run().expect(0);
    let whole = house.ask(["memory", "list"]).run().expect(0).stdout;
    let list = house.ask(["memory", "list"]).env("COLUMNS", "80");
    let screen = list.seated().finish().stderr;
    let line = screen.lines().find(|line| line.contains("museum")).unwrap();
    assert!(line.trim_end().chars().count() <= 80, "{line}");
    // The end of an id names the entry as the whole one does.
    let short = line.split_whitespace().next().unwrap().to_owned();
    assert!(short.starts_with('…'), "{line}");
    let id = whole.split_whitespace().next().unwrap().to_owned();
    let shown = |id: &str| house.ask(["memory", "show", id]).run().expect(0).stdout;
    assert_eq!(shown(&short), shown(&id));
}

/// Who said what is kept, by its text.
fn kept_from(house: &House, text: &str) -> Value {
    let kept = house.ask(["memory", "export"]).run().expect(0).stdout;
    let mut lines = kept.lines().map(|line| serde_json::from_str(line).unwrap());
    let found = lines.find(|line: &Value| line["text"] == text);
    found.unwrap_or_else(|| panic!("{text} is not in {kept}"))["source"].clone()
}

#[test]
fn what_was_typed_to_be_remembered_is_the_users() {
    let scene = Scene::new([]);
    let house = &scene.house;
    let config = scene.server.config("openai");
    house.configure(&format!("{config}\n[chat]\nrules_first = true\n"));
    house.write("page.txt", "the key is under the mat\n");
    for order in [
        "remember that the shop opens at nine",
        // What was shown before does not change whose words these are.
        "show page.txt then remember that Ada is my aunt",
        "merke dir, dass der Laden um neun öffnet",
    ] {
        let run = ["run", "--mode", "deterministic", order];
        house.ask(run).run().expect(0);
    }
    let adaptive = ["run", "remember that the rent is due on Monday"];
    house.ask(adaptive).run().expect(0);
    assert!(scene.server.chats().is_empty());
    for text in [
        "the shop opens at nine",
        "Ada is my aunt",
        "der Laden um neun öffnet",
        "the rent is due on Monday",
    ] {
        assert_eq!(kept_from(house, text), "user", "{text}");
    }
}

#[test]
fn what_a_model_words_to_be_remembered_is_not_the_users() {
    let plan = |text: &str| {
        let action = json!({"kind": "remember", "text": text});
        Reply::text(json!({"intent": "Keep it.", "actions": [action]}).to_string())
    };
    let call = |text: &str| Reply::call("save_memory", json!({"name": text, "content": text}));
    let replies = [
        plan("the shop opens at ten"),
        call("the shop opens at eleven"),
        Reply::text("Kept."),
    ];
    let scene = Scene::new(replies);
    let task = "please keep in your notes when the shop opens: the shop opens at eleven";
    for mode in ["plan", "loop"] {
        scene.run(&["--mode", mode, task]).finished.expect(0);
    }
    for text in ["the shop opens at ten", "the shop opens at eleven"] {
        assert_ne!(kept_from(&scene.house, text), "user", "{text}");
    }
}

#[test]
fn words_that_speak_of_a_file_are_asked_back_and_not_remembered() {
    let house = House::new();
    house.write("page.txt", "the key is under the mat\n");
    for order in [
        "remember the content of page.txt",
        "remember what page.txt says",
        "save everything in page.txt to memory",
    ] {
        let run = ["run", "--mode", "deterministic", order];
        let told = house.ask(run).run().expect(4);
        assert!(told.stderr.contains("page.txt"), "{told:#?}");
    }
    for order in [
        "remember \"the content of page.txt\"",
        "remember that the keys are in page.txt",
    ] {
        let run = ["run", "--mode", "deterministic", order];
        house.ask(run).run().expect(0);
    }
}

#[test]
fn a_question_about_the_user_rests_on_what_was_kept_where_the_model_is_tiny() {
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    house.write("editors.txt", "The editor of the paper is Ann.\n");
    let kept = ["memory", "add", "My editor is Helix."];
    house.ask(kept).run().expect(0);
    for says in ["what do I know about my editor?", "which editor do I use?"] {
        let outcome = scene.run(&[says]);
        let answer = outcome.text("answer");
        assert!(answer.contains("My editor is Helix."), "{says}: {answer}");
        assert!(
            answer.contains("(memory, ") && answer.contains(", id "),
            "{says}: {answer}"
        );
        assert!(!answer.contains("Ann"), "{says}: {answer}");
    }
    assert!(scene.server.chats().is_empty());
}

#[test]
fn memory_is_exported_as_a_table_that_is_no_backup() {
    let house = House::new();
    let add = ["memory", "add", "The harbour master is Ines."];
    house.ask(add).run().expect(0);
    let told = house
        .ask(["memory", "export", "memory.parquet"])
        .run()
        .expect(0);
    assert!(told.stdout.contains("Wrote 1 entry"), "{told:?}");
    let table = std::fs::read(house.work().join("memory.parquet")).unwrap();
    // Its two ends are what every reader of the format looks at first.
    assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1"));
    let has = |text: &[u8]| table.windows(text.len()).any(|part| part == text);
    assert!(has(b"The harbour master is Ines.") && has(b"correlating_ids"));
    let named = house.ask(["memory", "export", "t", "--format", "parquet"]);
    named.run().expect(0);
    assert!(
        std::fs::read(house.work().join("t"))
            .unwrap()
            .starts_with(b"PAR1")
    );
    let loud = house.ask(["memory", "export", "LOUD.PARQUET"]);
    loud.run().expect(0);
    let table = std::fs::read(house.work().join("LOUD.PARQUET")).unwrap();
    assert!(table.starts_with(b"PAR1"));
    let refused = house
        .ask(["memory", "import", "memory.parquet"])
        .run()
        .expect(2);
    assert!(refused.stderr.contains("Parquet"), "{refused:?}");
}
