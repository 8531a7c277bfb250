//! Orders in plain English, without a model: titles as names, documents, folders, and what is said
//! where it does not work.

use scenarios::Scene;
use scenarios::documents::docx;
use serde_json::json;
use testkit::ollama::OllamaState;
use testkit::{Finished, House, Reply, Server};

fn order(house: &House, say: &str) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    run.args(["--yes", "write", "--yes", "destructive", say])
        .run()
}

fn told(finished: &Finished) -> String {
    format!("{}{}", finished.stdout, finished.stderr)
}

#[test]
fn a_quoted_title_is_a_name_whatever_marks_it_has() {
    let house = House::new();
    house.write("[Entwurf] Kap.md", "Marie kam an.\n");
    house.write("Was nun?.md", "Nichts.\n");
    house.write("Kapitel/eins.md", "Der Anfang.\n");
    let shown = order(&house, "show \"[Entwurf] Kap.md\"").expect(0).stdout;
    assert!(shown.contains("Marie kam an."), "{shown}");
    let found = order(&house, "find files named \"[Entwurf] Kap.md\"").expect(0);
    assert!(found.stdout.contains("1 file"), "{}", found.stdout);
    order(
        &house,
        "replace \"Marie\" with \"Anna\" in \"[Entwurf] Kap.md\"",
    )
    .expect(0);
    assert_eq!(house.read("[Entwurf] Kap.md"), "Anna kam an.\n");
    let title = "Kapitel/Kapitel 1: Der Anfang?.md";
    order(
        &house,
        &format!("rename \"Kapitel/eins.md\" to \"{title}\""),
    )
    .expect(0);
    assert_eq!(house.read(title), "Der Anfang.\n");
    order(&house, "delete \"Was nun?.md\"").expect(0);
    assert!(!house.has("Was nun?.md"));
    let refused = told(&order(&house, "delete \"*.md\""));
    assert!(refused.contains("may mean many files"), "{refused}");
    let refused = told(&order(&house, "rename Kapitel/eins?.md to zwei.md"));
    assert!(
        refused.contains("In quotes `?` and `[` are part of a name"),
        "{refused}"
    );
}

#[test]
fn an_addition_to_a_file_that_was_not_there_is_said_to_have_created_it() {
    let house = House::new();
    let told = order(&house, "append tea to list.txt").expect(0);
    assert!(told.stderr.contains("· created "), "{}", told.stderr);
    let told = order(&house, "append milk to list.txt").expect(0);
    assert!(told.stderr.contains("· changed "), "{}", told.stderr);
    let refused = order(&house, "create list.txt with \"x\"");
    assert!(
        refused.stderr.contains("exists already. Edit a part"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("edit_file"), "{}", refused.stderr);
}

#[test]
fn an_answer_that_nobody_waits_for_does_nothing() {
    let house = House::new();
    house.write("a.txt", "hello\n");
    for word in ["y", "ok", "No.", "yes"] {
        let said = order(&house, word).expect(0).stdout;
        assert!(said.contains("none is open here"), "{said}");
        assert!(!said.contains("hello"), "{said}");
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_not_copied_to_other_bytes() {
    let house = House::new();
    let old = b"Caf\xe9 und B\xfccher\n";
    std::fs::write(house.work().join("old.txt"), old).unwrap();
    for says in ["make a backup of old.txt", "copy old.txt to x.txt"] {
        let refused = told(&order(&house, says).expect(4));
        assert!(refused.contains("not plain UTF-8"), "{refused}");
    }
    house.write("open.txt", "no end");
    let refused = told(&order(&house, "copy open.txt to x.txt").expect(4));
    assert!(
        refused.contains("with an end to its last line"),
        "{refused}"
    );
    assert!(!house.has("x.txt") && !house.has("old.txt.bak"));
    house.write("new.txt", "Caf\u{e9}\r\n");
    order(&house, "copy new.txt to x.txt").expect(0);
    assert_eq!(house.read("x.txt"), "Caf\u{e9}\r\n");
}

#[test]
fn a_file_behind_an_at_sign_is_that_file() {
    let house = House::new();
    house.write("list.txt", "milk\n");
    let shown = order(&house, "show @list.txt").expect(0).stdout;
    assert!(shown.contains("milk"), "{shown}");
    order(&house, "append tea to @list.txt").expect(0);
    assert_eq!(house.read("list.txt"), "milk\ntea\n");
    assert!(!house.has("@list.txt"));
    // In quotes it is a name like any other.
    order(&house, "create \"@notes.txt\" with \"hello\"").expect(0);
    assert_eq!(house.read("@notes.txt"), "hello\n");
}

#[test]
fn a_document_is_searched_by_its_text_and_a_pdf_never_by_its_bytes() {
    let house = House::new();
    let long = "Sie schwieg. ".repeat(60);
    let second = format!("{long}Die Ärztin hieß Marie. {long}");
    docx(&house, "Exposé.docx", &["Zweiter Teil", &second]);
    house.write("Vertrag.pdf", "%PDF-1.4\nBT (Honorar: 2027) Tj\n");
    house.write("Vertrag", "%PDF-1.4\nBT (Honorar: 2027) Tj\n");
    house.write("Notiz.txt", "Honorar: 2027\n");
    let found = order(&house, "search for \"ärztin hieß\" in Exposé.docx")
        .expect(0)
        .stdout;
    assert!(found.contains("1 line in 1 file"), "{found}");
    assert!(found.contains("Exposé.docx:2: … "), "{found}");
    assert!(found.contains("Die Ärztin hieß Marie."), "{found}");
    let none = order(&house, "search for Hamburg in Exposé.docx")
        .expect(0)
        .stdout;
    assert!(none.contains("No line in Exposé.docx contains"), "{none}");
    assert!(!none.contains("not searched"), "{none}");
    let all = order(&house, "search for Honorar").expect(0).stdout;
    assert!(
        all.contains("1 line in 1 file") && all.contains("Notiz.txt:1"),
        "{all}"
    );
    assert!(!told(&order(&house, "search for Honorar in Vertrag.pdf")).contains("Tj"));
}

#[test]
fn a_model_that_searches_a_document_is_told_what_reads_it() {
    let search = json!({"path": "Vertrag.pdf", "pattern": "Honorar"});
    let scene = Scene::new([Reply::call("grep", search), Reply::text("It is a PDF.")]);
    scene
        .house
        .write("Vertrag.pdf", "%PDF-1.4\nBT (Honorar: 2027) Tj\n");
    scene.run(&["look"]).assert_ends(0, "success");
    let shown = scene.told();
    assert!(shown.contains("read_document reads it"), "{shown}");
    assert!(!shown.contains("Tj"), "{shown}");
}

#[test]
fn what_is_not_done_with_a_folder_is_said_before_and_after() {
    let house = House::new();
    house.write("Kapitel/eins.md", "Marie\n");
    for folder in ["Kapitel", "\"Kapitel\""] {
        let replaced = order(
            &house,
            &format!("replace \"Marie\" with \"Anna\" in {folder}"),
        );
        let said = told(&replaced);
        assert!(
            said.contains("ame each file") || said.contains("Name one file in it"),
            "{said}"
        );
        let said = told(&order(&house, &format!("delete {folder}")));
        assert!(
            said.contains("only when it is empty") || said.contains("Delete what is in it first"),
            "{said}"
        );
    }
    assert_eq!(house.read("Kapitel/eins.md"), "Marie\n");
}

#[test]
fn a_person_is_told_of_files_and_not_of_tools() {
    let house = House::new();
    house.write("Ausgaben.csv", "Miete;700\n");
    let said = told(&order(
        &house,
        "replace \"Strom\" with \"Gas\" in Ausgaben.csv",
    ));
    assert!(said.contains("The text is not in `Ausgaben.csv`"), "{said}");
    assert!(!said.contains("copy the text from it"), "{said}");
    let said = told(&order(&house, "show Ideen.md"));
    assert!(said.contains("There is no `Ideen.md`"), "{said}");
    // That the folder was looked at for a name like it is shown as any call is.
    let calls = |line: &&str| !line.starts_with('→');
    let said: Vec<&str> = said.lines().filter(calls).collect();
    let said = said.join("\n");
    assert!(
        !said.contains("list_files") && !said.contains("glob"),
        "{said}"
    );
}

#[test]
fn a_count_of_a_file_is_told_and_no_small_model_asked() {
    let question = "how many words has Absatz.txt";
    let small = OllamaState {
        model_bytes: 100 << 20,
        ..OllamaState::default()
    };
    let scene = Scene::with(Server::script([]).ollama(small), "ollama");
    scene.house.write("Absatz.txt", "eins zwei drei\nvier\n");
    let outcome = scene.run(&["--mode", "plan", question]);
    outcome.assert_ends(0, "success");
    let answer = outcome.text("answer");
    assert!(
        answer.starts_with("Absatz.txt: 2 lines, 4 words"),
        "{answer}"
    );
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_tiny_model_that_a_server_has_gives_way_to_the_lines() {
    let question = "which port does s.txt set?";
    let replies = [Reply::text("The port is 9999.")];
    let small = OllamaState {
        model_bytes: 100 << 20,
        ..OllamaState::default()
    };
    let scene = Scene::with(Server::script(replies).ollama(small), "ollama");
    scene.house.write("s.txt", "name = \"x\"\nport = 8080\n");
    let outcome = scene.run(&["--mode", "plan", question]);
    let answer = outcome.text("answer");
    assert!(answer.starts_with("These lines may say it"), "{answer}");
    assert!(answer.contains("From s.txt:\n  2: port = 8080"), "{answer}");
    assert!(
        !answer.contains("9999") && !answer.contains("found nothing"),
        "{answer}"
    );
}

#[test]
fn what_is_left_out_of_a_single_line_is_no_line_to_ask_for() {
    let house = House::new();
    house.write("Roman.txt", "Die Türen schwiegen. ".repeat(4_000));
    let shown = order(&house, "show the first 1 lines of Roman.txt")
        .expect(0)
        .stdout;
    assert!(shown.contains("A search shows the words around what it finds."));
    assert!(!shown.contains("Ask for the last lines"));
}

#[test]
fn an_undo_by_rules_says_whose_last_change_it_was() {
    let house = House::new();
    house.write("eins.md", "Marie\n");
    for name in ["Anna", "Ines"] {
        let old = house.read("eins.md").trim().to_owned();
        order(
            &house,
            &format!("replace \"{old}\" with \"{name}\" in eins.md"),
        )
        .expect(0);
    }
    for left in ["Anna\n", "Marie\n"] {
        let undone = order(&house, "undo").expect(0).stdout;
        assert!(
            undone.contains("No other change of this session is left to take back."),
            "{undone}"
        );
        assert_eq!(house.read("eins.md"), left);
    }
}

#[test]
fn what_is_kept_by_an_order_is_not_said_to_be_only_read() {
    let kept = order(&House::new(), "remember that Marie lives in Genf").expect(0);
    let said = told(&kept);
    assert!(
        said.contains("plan approved (nothing in it needs a yes)"),
        "{said}"
    );
}

#[test]
fn a_model_of_the_only_provider_is_named_by_its_own_name() {
    let scene = Scene::new([Reply::text("Guten Tag.")]);
    scene
        .run(&["--model", "klein-8b", "Hallo, wer bist du?"])
        .assert_ends(0, "success");
    assert_eq!(scene.server.chats()[0].body["model"], "klein-8b");
}

#[test]
fn a_flag_before_a_command_is_told_where_it_goes() {
    let refused = House::new()
        .ask(["-C", "Kapitel", "models"])
        .run()
        .expect(2);
    let told = "flags belong after a command that takes them: carl run -C FOLDER";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

#[test]
fn lines_are_shown_by_their_numbers() {
    let house = House::new();
    house.write("n.txt", "one\ntwo\nthree\nfour\nfive\n");
    for (says, shown) in [
        (
            "show lines 2 to 4 of n.txt",
            "n.txt, lines 2 to 4 of 5:\ntwo\nthree\nfour\n",
        ),
        (
            "show lines 2-4 of n.txt",
            "n.txt, lines 2 to 4 of 5:\ntwo\nthree\nfour\n",
        ),
        (
            "print line 3 of n.txt",
            "n.txt, lines 3 to 3 of 5:\nthree\n",
        ),
        (
            "show lines 4 to 9 of n.txt",
            "n.txt, lines 4 to 5 of 5:\nfour\nfive\n",
        ),
        (
            "Zeige mir die Zeilen 2 bis 3 von n.txt",
            "lines 2 to 3 of 5:\ntwo\nthree\n",
        ),
        ("muestra la línea 5 de n.txt", "lines 5 to 5 of 5:\nfive\n"),
    ] {
        let told = order(&house, says).expect(0).stdout;
        assert!(told.contains(shown), "{says}: {told}");
    }
    let none = told(&order(&house, "show line 9 of n.txt").expect(4));
    assert!(none.contains("`n.txt` has only 5 lines."), "{none}");
    let refused = told(&order(&house, "show lines 4 to 2 of n.txt").expect(4));
    assert!(refused.contains("`lines 2 to 4` go up"), "{refused}");
}

#[test]
fn what_a_file_says_is_appended_and_its_name_only_in_quotes() {
    let house = House::new();
    house.write("notes.txt", "tea\nmilk\n");
    house.write("chapter.md", "Once\n");
    order(&house, "append notes.txt to chapter.md").expect(0);
    assert_eq!(house.read("chapter.md"), "Once\ntea\nmilk\n");
    order(&house, "append \"notes.txt\" to chapter.md").expect(0);
    assert_eq!(house.read("chapter.md"), "Once\ntea\nmilk\nnotes.txt\n");
    let before = house.read("chapter.md");
    let refused = told(&order(&house, "append none.txt to chapter.md").expect(4));
    for part in [
        "There is no `none.txt`",
        "append \"none.txt\" to chapter.md",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    // What is added to a list may be the name.
    let refused = told(&order(&house, "add notes.txt to chapter.md").expect(4));
    for part in [
        "append the contents of notes.txt to chapter.md",
        "add \"notes.txt\" to chapter.md",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert_eq!(house.read("chapter.md"), before);
    order(&house, "append the contents of notes.txt to chapter.md").expect(0);
    assert_eq!(house.read("chapter.md"), format!("{before}tea\nmilk\n"));
}

#[test]
fn of_several_files_none_is_changed_where_one_lacks_the_text() {
    let house = House::new();
    house.write("a.txt", "alpha\n");
    house.write("b.txt", "beta\n");
    // Of a file that lacks the text it is said before any is changed.
    let refused = order(&house, "replace \"alpha\" with \"one\" in a.txt and b.txt").expect(4);
    let said = told(&refused);
    let why = "b.txt does not have `alpha`, so that no file was changed.";
    let offer = "replace \"alpha\" with \"one\" in a.txt";
    assert!(said.contains(why) && said.contains(offer), "{said}");
    assert_eq!(house.read("a.txt"), "alpha\n");
    order(&house, offer).expect(0);
    assert_eq!(house.read("a.txt"), "one\n");
    assert_eq!(house.read("b.txt"), "beta\n");
    // A list of files is refused with the orders for these files.
    house.write("a.toml", "port = 1\n");
    house.write("b.toml", "port = 1\n");
    let refused = told(&order(&house, "change the port in a.toml and b.toml to 2").expect(4));
    let offer = "change the port in a.toml to 2 then change the port in b.toml to 2";
    assert!(refused.contains(offer), "{refused}");
    order(&house, offer).expect(0);
    assert_eq!(house.read("b.toml"), "port = 2\n");
    let refused = told(&order(&house, "merge a.txt and b.txt into c.txt").expect(4));
    let offer = "append the contents of a.txt to c.txt then append the contents of b.txt to c.txt";
    assert!(refused.contains(offer), "{refused}");
    order(&house, offer).expect(0);
    assert_eq!(house.read("c.txt"), "one\nbeta\n");
}

#[test]
fn lines_are_found_by_whole_words_and_that_is_said() {
    let house = House::new();
    house.write("l.txt", "a cat\ncat\ndog\n");
    let done = order(&house, "remove the line with \"a\" from l.txt").expect(0);
    assert_eq!(house.read("l.txt"), "cat\ndog\n");
    let said = told(&done);
    assert!(
        said.contains("as a whole word: 1 more line has it within"),
        "{said}"
    );
    let refused = told(&order(&house, "remove the line with \"a\" from l.txt").expect(4));
    assert!(
        refused.contains("no line with `a` as a whole word, and one with it within"),
        "{refused}"
    );
}

#[test]
fn a_question_about_all_of_a_file_is_told_how_it_begins() {
    let scene = Scene::of_class("tiny", [Reply::text("It is about tea.")]);
    scene
        .house
        .write("n.md", "one\ntwo\n\nthree\nfour\nfive\nsix\n");
    let outcome = scene.run(&["--mode", "plan", "explain n.md"]);
    let answer = outcome.text("answer");
    assert!(
        answer.starts_with("The question is about all of this"),
        "{answer}"
    );
    let begins = "From n.md:\n  1: one\n  2: two\n  4: three\n  5: four\n  6: five\n  …";
    assert!(answer.ends_with(begins), "{answer}");
    assert!(scene.server.chats().is_empty());
}

#[test]
fn an_order_in_passing_that_is_not_clear_is_named_and_no_half_of_it_is_done() {
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    house.write("a.txt", "tea\n");
    for mode in [&["--mode", "deterministic"][..], &[]] {
        let run = house.ask(["run"]).args(mode.iter().copied());
        let said = told(
            &run.args(["show a.txt and by the way fix it"])
                .run()
                .expect(4),
        );
        assert!(said.contains("I did not understand `fix a.txt`"), "{said}");
        assert!(!said.contains("tea"), "{said}");
    }
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_plan_is_shown_in_a_transcript_as_it_was_proposed() {
    let house = House::new();
    house.write("a.txt", "tea\n");
    order(&house, "replace tea with milk in a.txt").expect(0);
    let shown = house.ask(["session", "show", "last"]).run().expect(0);
    let step = "1. `replace_text path=a.txt old=tea new=milk`";
    assert!(shown.stdout.contains(step), "{}", shown.stdout);
    assert!(!shown.stdout.contains("\"kind\""), "{}", shown.stdout);
}

#[test]
fn a_name_in_several_files_is_renamed_in_their_code_alone() {
    let house = House::new();
    house.write("a.py", "fee = 1\nprint(fee, \"fee\")  # fee\n");
    house.write("b.py", "from a import fee\nrow = {\"fee\": fee}\n");
    let done = order(&house, "rename variable fee to cost in a.py and b.py").expect(0);
    assert_eq!(
        house.read("a.py"),
        "cost = 1\nprint(cost, \"fee\")  # fee\n"
    );
    assert_eq!(
        house.read("b.py"),
        "from a import cost\nrow = {\"fee\": cost}\n"
    );
    let said = told(&done);
    for stays in ["code of a.py: 2 more places", "code of b.py: 1 more place"] {
        assert!(said.contains(stays), "{said}");
    }
}

#[test]
fn what_is_added_and_removed_leaves_no_scraps() {
    let house = House::new();
    house.write("todo.md", "# Tasks\n\n- [ ] one\n");
    order(&house, "add a TODO \"- [ ] two\" to todo.md").expect(0);
    order(&house, "add 'three' to the task list in todo.md").expect(0);
    let tasks = "# Tasks\n\n- [ ] one\n- [ ] two\n- [ ] three\n";
    assert_eq!(house.read("todo.md"), tasks);
    let project = "[project]\ndependencies = [\n    \"requests>=2.31\",\n    \"click\",\n]\n";
    house.write("pyproject.toml", project);
    house.write("requirements.txt", "requests==2.31.0\nclick\n");
    let says = "remove requests from pyproject.toml and requirements.txt";
    order(&house, says).expect(0);
    let left = "[project]\ndependencies = [\n    \"click\",\n]\n";
    assert_eq!(house.read("pyproject.toml"), left);
    assert_eq!(house.read("requirements.txt"), "click\n");
    house.write("c.py", "class A:\n    def b(self):\n        pass\n");
    order(&house, "insert \"# c\" before the line about b in c.py").expect(0);
    let code = "class A:\n    # c\n    def b(self):\n        pass\n";
    assert_eq!(house.read("c.py"), code);
    house.write(
        "s.yaml",
        "services:\n  a:\n    image: a\n\n  b:\n    image: b\n",
    );
    order(&house, "remove the b service from s.yaml").expect(0);
    assert_eq!(house.read("s.yaml"), "services:\n  a:\n    image: a\n");
    house.write("ch.md", "# One\n\nThe end.\n");
    order(&house, "append to ch.md:\nNew.\n\nNewer.").expect(0);
    assert_eq!(house.read("ch.md"), "# One\n\nThe end.\n\nNew.\n\nNewer.\n");
}

#[test]
fn a_name_with_a_blank_and_an_unknown_place_are_asked_back() {
    let house = House::new();
    house.write("line.md", "- 2009: a\n- 2012: b\n");
    house.write("pg.conf", "#work_mem = 4MB\t\t# min 64kB\nport = 1\n");
    for (says, offers) in [
        (
            "rename line.md to Time Line.md",
            "rename line.md to \"Time Line.md\"",
        ),
        (
            "add \"2010: c\" to line.md in the right place",
            "insert \"2010: c\" after line 3 of line.md",
        ),
        (
            "set work_mem to 16MB in pg.conf",
            "uncomment work_mem in pg.conf then set work_mem to 16MB in pg.conf",
        ),
    ] {
        let refused = told(&order(&house, says));
        assert!(refused.contains(offers), "{says}: {refused}");
    }
    assert!(house.has("line.md") && !house.has("Line.md"));
    assert_eq!(house.read("line.md"), "- 2009: a\n- 2012: b\n");
    let works = "uncomment work_mem in pg.conf then set work_mem to 16MB in pg.conf";
    order(&house, works).expect(0);
    assert_eq!(
        house.read("pg.conf"),
        "work_mem = 16MB\t\t# min 64kB\nport = 1\n"
    );
}
