//! Orders in deterministic mode that are a plan only once a file was read: what they leave in it.

use scenarios::Scene;
use serde_json::Value;
use testkit::House;

/// Tells it to do something and agrees to every change; the summary.
fn tell(house: &House, says: &str, code: i32) -> Value {
    let allowed = ["--allow-write", ".", "--yes", "write"];
    let run = house.ask(["run", "--json", "--mode", "deterministic"]);
    run.args(allowed).arg(says).run().expect(code).json()
}

const SETTINGS: &str = "[server]\nhost = \"127.0.0.1\"\nport = 8090\n";

#[test]
fn a_value_is_set_and_a_line_removed_where_it_stands_and_undo_takes_it_back() {
    let house = House::new();
    house.write("settings.toml", SETTINGS);
    tell(&house, "change the port in settings.toml to 9000", 0);
    let changed = "[server]\nhost = \"127.0.0.1\"\nport = 9000\n";
    assert_eq!(house.read("settings.toml"), changed);
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(house.read("settings.toml"), SETTINGS);
    // Other line ends stay what they are.
    house.write("days.txt", "Mon bank\r\nTue dentist\r\nWed bank\r\n");
    tell(&house, "remove the line about the dentist from days.txt", 0);
    assert_eq!(house.read("days.txt"), "Mon bank\r\nWed bank\r\n");
}

#[test]
fn the_words_of_a_request_are_replaced_where_no_setting_has_that_name() {
    let house = House::new();
    house.write("notes.md", "The draft is a draft.\n");
    tell(&house, "change draft to final in notes.md", 0);
    assert_eq!(house.read("notes.md"), "The final is a final.\n");
}

#[test]
fn what_is_not_clear_in_the_file_is_told_and_changes_nothing() {
    let house = House::new();
    let days = "Mon bank\nTue dentist\nWed bank\n";
    house.write("days.txt", days);
    let twice = tell(&house, "remove the line about the bank from days.txt", 4);
    let told = twice["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("line 1 (`Mon bank`), line 3"), "{twice:#}");
    let absent = tell(&house, "set the colour in days.txt to red", 4);
    let told = absent["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("no line that sets `colour`"), "{absent:#}");
    let gone = tell(&house, "set the colour in gone.txt to red", 4);
    let told = gone["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("gone.txt was not read"), "{gone:#}");
    assert_eq!(house.read("days.txt"), days);
}

#[test]
fn a_file_that_may_not_be_read_is_not_edited_either() {
    let house = House::new();
    house.write(".ssh/config", "Port = 22\n");
    let refused = tell(&house, "set the port in .ssh/config to 2222", 5);
    assert_eq!(refused["status"], "denied", "{refused:#}");
    assert_eq!(house.read(".ssh/config"), "Port = 22\n");
}

#[test]
fn a_table_is_written_in_another_form_and_nothing_is_written_over() {
    let house = House::new();
    house.write("team.csv", "name,age\nAnn,41\n\"Lee, Bo\",7\n");
    tell(&house, "turn team.csv into a Markdown table in team.md", 0);
    let table = "| name | age |\n| --- | --- |\n| Ann | 41 |\n| Lee, Bo | 7 |\n";
    assert_eq!(house.read("team.md"), table);
    tell(
        &house,
        "convert team.csv to JSON and save it as team.json",
        0,
    );
    let made: Value = serde_json::from_str(&house.read("team.json")).unwrap_or_default();
    assert_eq!(made[1]["name"], "Lee, Bo");
    assert_eq!(made[1]["age"], 7);
    tell(&house, "convert team.csv to JSON and save it as team.md", 4);
    assert_eq!(house.read("team.md"), table);
}

/// What is said to an order that was refused.
fn refused(house: &House, says: &str) -> String {
    let summary = tell(house, says, 4);
    let said = |part: &str| {
        summary["error"][part]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    format!("{} {}", said("message"), said("hint"))
}

#[test]
fn what_stands_in_a_comment_or_a_long_text_is_no_setting() {
    let house = House::new();
    for (name, text) in [
        ("a.toml", "help = \"\"\"\nport = 80\n\"\"\"\n"),
        ("b.py", "HELP = '''\nport = 80\n'''\n"),
        ("c.yaml", "help: |\n  port: 80\nname: x\n"),
        ("d.js", "/*\n * port = 80\n */\n"),
        ("e.html", "<!-- <port>80</port> -->\n"),
    ] {
        house.write(name, text);
        let refused = tell(&house, &format!("set the port in {name} to 90"), 4);
        let told = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(told.contains("in a comment or in a text"), "{refused:#}");
        assert_eq!(house.read(name), text);
    }
    for (name, text) in [
        ("f.toml", "# port = 80\nport = 80\n"),
        ("g.py", "# port = 80\nport = 80\n"),
        ("h.ini", "; port = 80\nport = 80\n"),
        ("i.js", "// port = 80\nport = 80\n"),
    ] {
        house.write(name, text);
        tell(&house, &format!("set the port in {name} to 90"), 0);
        let edited = text.replace("\nport = 80", "\nport = 90");
        assert_eq!(house.read(name), edited);
    }
}

#[test]
fn a_file_whose_name_ends_in_capitals_is_edited_as_well() {
    let house = House::new();
    for (name, text) in [
        ("S.TOML", "port = 80\n"),
        ("S.YAML", "port: 80\n"),
        ("S.JSON", "{\n  \"port\": 80\n}\n"),
    ] {
        house.write(name, text);
        tell(&house, &format!("set the port in {name} to 90"), 0);
        assert_eq!(house.read(name), text.replace("80", "90"));
    }
    tell(&house, "set the port in S.JSON to ninety", 0);
    assert_eq!(house.read("S.JSON"), "{\n  \"port\": \"ninety\"\n}\n");
}

#[test]
fn how_often_is_no_part_of_the_new_text() {
    for often in [
        "replace colour with color everywhere in novel.md",
        "replace colour with color in novel.md everywhere",
        "replace colour with color throughout novel.md",
        "change colour to color in all places in novel.md",
        "in novel.md, replace colour with color each time",
        "use color instead of colour throughout in novel.md",
    ] {
        let house = House::new();
        house.write("novel.md", "A colour.\nNo colour.\n");
        tell(&house, often, 0);
        assert_eq!(house.read("novel.md"), "A color.\nNo color.\n", "{often}");
    }
}

#[test]
fn a_word_of_a_text_is_replaced_and_nothing_behind_it_is_lost() {
    let house = House::new();
    let days = "Monday: rest\nTuesday: write 500 words\nMood: calm\nFriday: 1500 steps\n";
    house.write("days.txt", days);
    tell(&house, "change Tuesday to Wednesday in days.txt", 0);
    let days = days.replace("Tuesday", "Wednesday");
    assert_eq!(house.read("days.txt"), days);
    tell(&house, "change 500 to 600 in days.txt", 0);
    let days = days.replace(" 500 ", " 600 ");
    assert_eq!(house.read("days.txt"), days);
    // Either may be meant, and nothing says which.
    let told = refused(&house, "change Mood to gloomy in days.txt");
    assert!(
        told.contains("set Mood to") && told.contains("replace"),
        "{told}"
    );
    let told = refused(&house, "change Wednesday in days.txt to Sunday");
    assert!(
        told.contains("write 500 words") || told.contains("write 600 words"),
        "{told}"
    );
    assert_eq!(house.read("days.txt"), days);
    tell(&house, "set Mood to gloomy in days.txt", 0);
    assert_eq!(house.read("days.txt"), days.replace("calm", "gloomy"));
}

#[test]
fn whole_words_are_replaced_and_parts_of_words_stay() {
    let house = House::new();
    house.write("c.txt", "The category of cats. A cat, the cat.\n");
    let done = tell(&house, "replace cat with dog in c.txt", 0);
    assert_eq!(
        house.read("c.txt"),
        "The category of cats. A dog, the dog.\n"
    );
    let log = house.session_log(done["session_id"].as_str().unwrap_or_default());
    let told = serde_json::to_string(&log).unwrap_or_default();
    assert!(
        told.contains("plan.whole_words") && told.contains("`category`"),
        "{told}"
    );
    house.write("main.rs", "fn greet() {}\nfn greets() { greet(); }\n");
    tell(&house, "rename greet to hello in main.rs", 0);
    let main = "fn hello() {}\nfn greets() { hello(); }\n";
    assert_eq!(house.read("main.rs"), main);
    let told = refused(&house, "replace gree with x in main.rs");
    assert!(told.contains("`greets`"), "{told}");
    assert_eq!(house.read("main.rs"), main);
    // In quotes it is that text, wherever it stands.
    tell(&house, "replace \"gree\" with \"fee\" in main.rs", 0);
    assert!(house.read("main.rs").contains("fn feets()"));
}

#[test]
fn a_text_that_is_spoken_of_is_not_written() {
    let house = House::new();
    house.write("novel.md", "Once.\n");
    for says in [
        "create src/lib.rs with a function add",
        "create list.md with three ideas for a title",
        "create outline.md with an outline of the novel",
        "append a summary to novel.md",
        "insert 'Sunday: church' before Once in novel.md",
    ] {
        let told = refused(&house, says);
        let shown = [
            "may be the text itself",
            "describes a text that I would have to write",
            "before the line about \"Once\" in",
        ];
        assert!(shown.iter().any(|one| told.contains(one)), "{told}");
    }
    assert!(!house.has("src/lib.rs") && !house.has("list.md") && !house.has("outline.md"));
    assert_eq!(house.read("novel.md"), "Once.\n");
    tell(&house, "create list.md with \"three ideas for a title\"", 0);
    assert_eq!(house.read("list.md"), "three ideas for a title\n");
    tell(&house, "append olive oil to list.md", 0);
    assert!(house.read("list.md").ends_with("olive oil\n"));
}

#[test]
fn a_text_is_copied_whole_and_nothing_is_written_over() {
    let house = House::new();
    let novel = "A line of the novel, with no end to it.\n".repeat(300);
    house.write("novel.md", &novel);
    tell(&house, "copy novel.md to novel-backup.md", 0);
    assert_eq!(house.read("novel-backup.md"), novel);
    tell(&house, "make a backup of novel.md", 0);
    assert_eq!(house.read("novel.md.bak"), novel);
    house.write("other.md", "x\n");
    tell(&house, "copy novel.md to other.md", 4);
    assert_eq!(house.read("other.md"), "x\n");
    let told = refused(&house, "make a copy of novel.md");
    assert!(told.contains("copy FILE to OTHER"), "{told}");
    house.write("long.md", novel.repeat(20));
    let told = refused(&house, "copy long.md to long2.md");
    assert!(
        told.contains("too long") && !house.has("long2.md"),
        "{told}"
    );
}

#[test]
fn a_question_for_the_number_of_files_of_a_language_counts_them() {
    let house = House::new();
    for path in ["src/main.rs", "src/lib.rs", "tool.py", "a.md"] {
        house.write(path, "x\n");
    }
    for (says, count) in [
        ("how many rust files are there?", "2 files"),
        ("count the python files", "1 file"),
        ("how many markdown files are in this folder?", "1 file"),
        ("how many .rs files are in src?", "2 files"),
    ] {
        let answer = tell(&house, says, 0)["answer"].clone();
        let answer = answer.as_str().unwrap_or_default();
        assert!(answer.contains(count), "{says}: {answer}");
    }
}

/// A house with a tiny model, which adaptive mode asks only for what the rules do not refuse.
fn with_a_tiny_model() -> Scene {
    let scene = Scene::new([]);
    let config = scene.server.config("openai");
    let table = "[models.providers.scripted]\n";
    let config = config.replace(table, &format!("{table}class = \"tiny\"\n"));
    scene.house.configure(&config);
    scene
}

/// Tells it without a mode, agrees to everything, and expects that it is asked back: no model plans it,
/// and the file is as it was.
fn asked_back(scene: &Scene, path: &str, orders: &[(&str, &str)]) {
    let text = scene.house.read(path);
    for (says, hint) in orders {
        let run = scene.house.ask(["run", "--allow-write", "."]);
        let run = run.args(["--yes", "write", "--yes", "destructive", says]);
        let told = run.run().expect(4).stderr;
        assert!(told.contains(hint), "{says}: {told}");
        assert!(
            scene.house.has(path) && scene.house.read(path) == text,
            "{says}"
        );
    }
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_part_of_a_text_or_a_condition_never_deletes_the_file() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    let novel = "Anna cried. Tom went.\nIt was the winter\nTom slept.\n";
    house.write("novel.md", novel);
    asked_back(
        &scene,
        "novel.md",
        &[
            (
                "remove winter from novel.md",
                "remove \"winter\" from novel.md",
            ),
            ("remove Tom from novel.md", "line 3 (`Tom slept.`)"),
            ("delete chapter 2 of novel.md", "No line of novel.md says"),
            (
                "remove winter and Anna from novel.md",
                "remove the line about \"winter\" from novel.md then remove the line about",
            ),
            ("delete novel.md if it is empty", "Look first"),
            ("remove \"Tom\" from novel.md", "line 1 (`Anna cried. Tom"),
        ],
    );
    tell(house, "remove \"Anna cried. \" from novel.md", 0);
    tell(house, "delete \"It was the winter\" from novel.md", 0);
    assert_eq!(house.read("novel.md"), "Tom went.\nTom slept.\n");
}

#[test]
fn lines_are_changed_by_where_they_stand() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    house.write("list.txt", "- milk\n- bread\n- milk rice\n");
    for (says, text) in [
        (
            "insert \"Shopping\" at the top of list.txt",
            "Shopping\n- milk\n- bread\n- milk rice\n",
        ),
        (
            "remove milk from list.txt",
            "Shopping\n- bread\n- milk rice\n",
        ),
        (
            "insert \"- tea\" after the line about bread in list.txt",
            "Shopping\n- bread\n- tea\n- milk rice\n",
        ),
        ("delete line 4 of list.txt", "Shopping\n- bread\n- tea\n"),
        (
            "replace the first line of list.txt with \"To buy\"",
            "To buy\n- bread\n- tea\n",
        ),
        (
            "substitute cake for tea in list.txt",
            "To buy\n- bread\n- cake\n",
        ),
        (
            "add the line call Bob to list.txt and show it",
            "To buy\n- bread\n- cake\ncall Bob\n",
        ),
        ("clear list.txt", ""),
    ] {
        tell(house, says, 0);
        assert_eq!(house.read("list.txt"), text, "{says}");
    }
    house.write("list.txt", "a\nb\nc\nd\n");
    tell(house, "delete lines 1 and 3 of list.txt", 0);
    assert_eq!(house.read("list.txt"), "b\nd\n");
    house.write("list.txt", "a\nb\n");
    house.write("milk", "a file\n");
    asked_back(
        &scene,
        "list.txt",
        &[
            ("delete line 3 of list.txt", "list.txt has 2 lines"),
            (
                "delete line 1 of list.txt and delete line 2 of list.txt",
                "delete lines 1 and 3 of list.txt",
            ),
            (
                "remove \"milk\" and add \"oat\" to list.txt",
                "Nothing was done",
            ),
            ("put c into list.txt", "append \"c\" to list.txt"),
            (
                "insert c and d at the top of list.txt",
                "insert \"c and d\" at the top of list.txt",
            ),
            (
                "remove c from list.txt",
                "No line of list.txt says `c` alone",
            ),
        ],
    );
    assert!(house.has("milk"));
    house.write("ssh.conf", "#Port 22\n");
    let named = ("change Port to 2222 in ssh.conf", "a comment in line 1");
    asked_back(&scene, "ssh.conf", &[named]);
}

#[test]
fn a_restriction_is_not_dropped_by_a_small_model() {
    let scene = with_a_tiny_model();
    let novel = "Chapter 1\nTom went.\nChapter 2\nTom slept.\n";
    scene.house.write("novel.md", novel);
    let longer = "a longer text that stands only there";
    let says = |rest: &str| format!("replace Tom with Tim {rest}");
    for (rest, hint) in [
        ("in novel.md but only in chapter 2", "Look first"),
        ("in novel.md except in chapter 1", "Look first"),
        ("in novel.md only once", "Look first"),
        ("in novel.md unless a dot follows", "Look first"),
        ("once in novel.md", "with \"Tim once\" in novel.md"),
        ("in line 2 of novel.md", longer),
        ("in the second chapter of novel.md", longer),
    ] {
        asked_back(&scene, "novel.md", &[(&says(rest), hint)]);
    }
    // Nobody is offered to swap a name that is not there.
    for (says, told) in [
        (
            "swap Chapter and Tom in novel.md",
            "with \"Chapter\" in novel.md then",
        ),
        (
            "swap Anna and Tom in novel.md",
            "put its exact text in quotes",
        ),
    ] {
        asked_back(&scene, "novel.md", &[(says, told)]);
    }
}

#[test]
fn a_description_of_a_text_is_not_written_as_one() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    house.write("novel.md", "Tom went. Tom slept.\n");
    for (says, hint) in [
        (
            "add a row Eve, poet to novel.md",
            "append \"Eve, poet\" to novel.md",
        ),
        ("add my name to novel.md", "add \"TEXT\" to novel.md"),
        (
            "append the number 5 to novel.md",
            "append \"TEXT\" to novel.md",
        ),
        (
            "create todo.md with three tasks",
            "create todo.md with \"TEXT\"",
        ),
        (
            "create a file hello.py that prints hello world",
            "text itself in quotes",
        ),
    ] {
        asked_back(&scene, "novel.md", &[(says, hint)]);
    }
    assert!(!house.has("todo.md") && !house.has("hello.py"));
    tell(house, "insert a blank line at the end of novel.md", 0);
    tell(house, "replace Tom with nothing in novel.md", 0);
    assert_eq!(house.read("novel.md"), " went.  slept.\n\n");
}

#[test]
fn what_goes_to_two_files_goes_to_both_or_to_none() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    house.write("notes.txt", "a\n");
    house.write("list.txt", "b\n");
    tell(house, "add milk to notes.txt and eggs to list.txt", 0);
    tell(house, "add salt to notes.txt and to list.txt", 0);
    assert_eq!(house.read("notes.txt"), "a\nmilk\nsalt\n");
    assert_eq!(house.read("list.txt"), "b\neggs\nsalt\n");
    let moves = "add milk to notes.txt and move eggs to list.txt";
    asked_back(&scene, "list.txt", &[(moves, "give one step for each")]);
}

#[test]
fn what_is_ordered_of_two_files_is_done_to_both_or_asked_back() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    for path in ["a.txt", "b.txt", "c.txt"] {
        house.write(path, "x and y\n");
    }
    let shown = tell(house, "show a.txt and b.txt", 0)["answer"].to_string();
    assert_eq!(shown.matches("x and y").count(), 2, "{shown}");
    tell(house, "replace x with z in a.txt and b.txt", 0);
    tell(
        house,
        "move a.txt and b.txt to a new folder called lists",
        0,
    );
    tell(house, "make a folder more and move c.txt into it", 0);
    assert_eq!(house.read("lists/a.txt"), "z and y\n");
    assert_eq!(house.read("lists/b.txt"), "z and y\n");
    assert_eq!(house.read("more/c.txt"), "x and y\n");
    for (says, hint) in [
        ("count the words in all md files", "find files named *.md"),
        ("list all files modified today", "list the files"),
        ("merge more/c.txt and d.txt into e.txt", "no file d.txt"),
    ] {
        asked_back(&scene, "more/c.txt", &[(says, hint)]);
    }
}

#[test]
fn the_name_of_a_file_is_not_written_for_its_text() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    house.write("novel.md", "Once.\n");
    house.write("drafts/ch1.md", "Then.\n");
    let quoted = "add \"drafts/ch1.md\" to novel.md";
    let whole = "append the contents of drafts/ch1.md to novel.md";
    let says = "add drafts/ch1.md to novel.md";
    asked_back(&scene, "novel.md", &[(says, quoted), (says, whole)]);
    tell(house, "append \"drafts/ch1.md\" to novel.md", 0);
    assert_eq!(house.read("novel.md"), "Once.\ndrafts/ch1.md\n");
}

#[test]
fn a_bare_word_is_searched_for_in_texts_and_in_no_names() {
    let scene = with_a_tiny_model();
    let house = &scene.house;
    house.write("novel.md", "Don't go, Anna.\nDie Straße.\n");
    for (says, line) in [("find Anna", "go, Anna."), ("find straße", "Die Stra")] {
        let run = house.ask(["run", says]).run().expect(0).stdout;
        assert!(run.contains(line), "{says}: {run}");
    }
    let quoted = "look for go in quotes";
    asked_back(&scene, "novel.md", &[("find Don't go in novel.md", quoted)]);
}

#[test]
fn what_was_typed_and_is_clear_is_done_as_it_was_typed() {
    let house = House::new();
    house.write("notes.txt", "Call the printer\nBuy tea\n");
    tell(
        &house,
        "remove the line \"Call the printer\" from notes.txt",
        0,
    );
    assert_eq!(house.read("notes.txt"), "Buy tea\n");
    house.write("team.csv", "name\nAnn\n");
    tell(&house, "convert team.csv to a table in team.md", 0);
    assert_eq!(house.read("team.md"), "| name |\n| --- |\n| Ann |\n");
    house.write("app.py", "def greet():\n    pass\n");
    tell(&house, "rename function greet to welcome in app.py", 0);
    assert_eq!(house.read("app.py"), "def welcome():\n    pass\n");
}

#[test]
fn orders_in_a_row_do_what_each_does_alone() {
    let house = House::new();
    house.write("settings.toml", SETTINGS);
    let summary = tell(
        &house,
        "change port to 9000 in settings.toml and show settings.toml",
        0,
    );
    let changed = "[server]\nhost = \"127.0.0.1\"\nport = 9000\n";
    assert_eq!(house.read("settings.toml"), changed);
    let answer = summary["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("port = 9000"), "{summary:#}");
    // The second finds what the first left.
    let says =
        "change the port in settings.toml to 9001 then change the port in settings.toml to 9002";
    tell(&house, says, 0);
    assert!(house.read("settings.toml").contains("port = 9002"));
    tell(&house, "copy settings.toml to b.toml and show it", 0);
    assert_eq!(house.read("b.toml"), house.read("settings.toml"));
    // One of them is not clear: none is done.
    let before = house.read("settings.toml");
    let says = "change the port in settings.toml to 1 and set the colour in settings.toml to red";
    tell(&house, says, 4);
    assert_eq!(house.read("settings.toml"), before);
    // `it` is never a value, nor one of two files.
    house.write("c.txt", "c\n");
    for says in [
        "set the host in settings.toml to \"c.txt\" and delete it",
        "copy settings.toml to c.toml and delete it",
        "move c.txt and b.toml to new and delete it",
    ] {
        tell(&house, says, 4);
        assert_eq!(house.read("settings.toml"), before, "{says}");
        assert!(house.has("c.txt") && house.has("b.toml"), "{says}");
    }
    // What only an earlier order makes is looked for in what it makes.
    house.write("days.txt", "Mon\n");
    let says = "add \"Tue bank\" to days.txt and remove the line about bank from days.txt";
    tell(&house, says, 0);
    assert_eq!(house.read("days.txt"), "Mon\n");
}

#[test]
fn types_headers_and_articles_are_no_values() {
    let house = House::new();
    house.write("app.rs", "const PORT: u16 = 8080;\n");
    tell(&house, "set PORT to 9000 in app.rs", 0);
    assert_eq!(house.read("app.rs"), "const PORT: u16 = 9000;\n");
    tell(&house, "set PORT to abc in app.rs", 4);
    assert_eq!(house.read("app.rs"), "const PORT: u16 = 9000;\n");
    house.write("books.csv", "title,status\nBlue,draft\n");
    tell(&house, "change status to final in books.csv", 4);
    assert_eq!(house.read("books.csv"), "title,status\nBlue,draft\n");
    tell(&house, "change draft to final in books.csv", 0);
    assert_eq!(house.read("books.csv"), "title,status\nBlue,final\n");
    house.write("n.md", "Status: draft\n");
    tell(&house, "replace draft with The End in n.md", 4);
    assert_eq!(house.read("n.md"), "Status: draft\n");
    tell(&house, "replace draft with \"The End\" in n.md", 0);
    assert_eq!(house.read("n.md"), "Status: The End\n");
    tell(&house, "add to n.md: one; two", 4);
    tell(&house, "add to n.md: one, two", 0);
    assert_eq!(house.read("n.md"), "Status: The End\none, two\n");
}
