//! Each order of docs/orders.md, driven as it stands there, with the bytes that it leaves.

use std::collections::BTreeSet;
use testkit::{Finished, House};

const DOCUMENT: &str = include_str!("../../../../docs/orders.md");

/// Files with what they say.
type Files = &'static [(&'static str, &'static str)];

/// Orders that only look: the files that are there, and what is told.
const LOOKS: &[(&str, Files, &str)] = &[
    (
        "show the first paragraph of novel.md",
        &[("novel.md", "# One\n\nTom left.\n\nHe came.\n")],
        "Tom left.",
    ),
    ("show notes.txt", &[("notes.txt", "call Ann\n")], "call Ann"),
    (
        "the first 5 lines of a.log",
        &[("a.log", "one\ntwo\n")],
        "one",
    ),
    (
        "show lines 2 to 4 of a.md",
        &[("a.md", "1\n2\n3\nfour\n5\n")],
        "four",
    ),
    (
        "print line 3 of a.md",
        &[("a.md", "1\n2\nthree\n")],
        "three",
    ),
    ("list the files in docs", &[("docs/a.md", "x\n")], "a.md"),
    ("find files named *.md", &[("b.md", "x\n")], "b.md"),
    (
        "search for \"budget\" in docs",
        &[("docs/a.md", "the budget\n")],
        "the budget",
    ),
    (
        "count the words in a.md",
        &[("a.md", "one two three\n")],
        "3 words",
    ),
    (
        "compare a.txt with b.txt",
        &[("a.txt", "one\n"), ("b.txt", "two\n")],
        "two",
    ),
    (
        "how often does Tom occur in novel.md?",
        &[("novel.md", "Tom met Tommy. Tom left.\n")],
        "`Tom` stands twice",
    ),
    (
        "count the word Tom in novel.md",
        &[("novel.md", "Tom met Tommy.\n")],
        "`Tom` stands once",
    ),
    (
        "list the headings of novel.md",
        &[("novel.md", "# One\ntext\n## Two\n")],
        "3: ## Two",
    ),
];

/// Orders that change something: the files before, and those after.
const CHANGES: &[(&str, Files, Files)] = &[
    (
        "add a note under Style in ideas.md: no semicolons",
        &[("ideas.md", "## Style\n\nShort.\n\n## Ideas\n\nBees.\n")],
        &[(
            "ideas.md",
            "## Style\n\nShort.\n\nno semicolons\n\n## Ideas\n\nBees.\n",
        )],
    ),
    (
        "add a task \"call Bob\" to todo.md",
        &[("todo.md", "- [x] call Ann\n")],
        &[("todo.md", "- [x] call Ann\n- [ ] call Bob\n")],
    ),
    (
        "note in todo.md that the ink is red",
        &[("todo.md", "tea\n")],
        &[("todo.md", "tea\nthe ink is red\n")],
    ),
    (
        "remove the FIXME comment in cli.py",
        &[("cli.py", "# FIXME: rude\nprint(1)\n")],
        &[("cli.py", "print(1)\n")],
    ),
    (
        "remove the TODO line from a.txt",
        &[("a.txt", "one\nTODO two\n")],
        &[("a.txt", "one\n")],
    ),
    (
        "set port = 3001 under [server] in a.toml",
        &[("a.toml", "port = 1\n[server]\nport = 2\n")],
        &[("a.toml", "port = 1\n[server]\nport = 3001\n")],
    ),
    (
        "set proxy_read_timeout 60s in site.conf",
        &[("site.conf", "proxy_read_timeout 300s;\n")],
        &[("site.conf", "proxy_read_timeout 60s;\n")],
    ),
    (
        "start a.md with \"Hello\"",
        &[("a.md", "Bees.\n")],
        &[("a.md", "Hello\nBees.\n")],
    ),
    (
        "sort hosts.csv by name",
        &[("hosts.csv", "name,ram\nweb,8\nnas,32\n")],
        &[("hosts.csv", "name,ram\nnas,32\nweb,8\n")],
    ),
    (
        "swap lines 3 and 4 in a.txt",
        &[("a.txt", "1\n2\n3\n4\n")],
        &[("a.txt", "1\n2\n4\n3\n")],
    ),
    (
        "untick all in todo.md",
        &[("todo.md", "- [x] tea\n- [X] milk\n- [ ] rent\n")],
        &[("todo.md", "- [ ] tea\n- [ ] milk\n- [ ] rent\n")],
    ),
    (
        "add the script \"lint\": \"eslint .\" to package.json",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"dev\": \"vite\"\n  }\n}\n",
        )],
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"dev\": \"vite\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
        )],
    ),
    (
        "add \"net\" to the features of tokio in Cargo.toml",
        &[(
            "Cargo.toml",
            "[dependencies]\ntokio = { version = \"1\", features = [\"rt\"] }\n",
        )],
        &[(
            "Cargo.toml",
            "[dependencies]\ntokio = { version = \"1\", features = [\"rt\", \"net\"] }\n",
        )],
    ),
    (
        "remove DEBUG from app.env",
        &[("app.env", "A=1\nDEBUG=true\n")],
        &[("app.env", "A=1\n")],
    ),
    (
        "rename the script dev to start in package.json",
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"dev\": \"vite\"\n  }\n}\n",
        )],
        &[(
            "package.json",
            "{\n  \"scripts\": {\n    \"start\": \"vite\"\n  }\n}\n",
        )],
    ),
    (
        "change port 8080 to 9090 in compose.yml",
        &[("compose.yml", "ports:\n  - \"8080:80\"\n")],
        &[("compose.yml", "ports:\n  - \"9090:80\"\n")],
    ),
    (
        "enable DEBUG in app.env",
        &[("app.env", "DEBUG=no\n")],
        &[("app.env", "DEBUG=yes\n")],
    ),
    (
        "rename hello to greet in main.rs",
        &[("main.rs", "fn hello() {}\n// hello\n")],
        &[("main.rs", "fn greet() {}\n// hello\n")],
    ),
    (
        "change the heading \"Plan\" to \"Plans\" in a.md",
        &[("a.md", "## Plan\nThe Plan.\n")],
        &[("a.md", "## Plans\nThe Plan.\n")],
    ),
    (
        "check off \"call Ann\" in todo.md",
        &[("todo.md", "- [ ] call Ann\n")],
        &[("todo.md", "- [x] call Ann\n")],
    ),
    (
        "add a row for delta, 4, yes to table.md",
        &[("table.md", "| a | b | c |\n|---|---|---|\n| x | 1 | no |\n")],
        &[(
            "table.md",
            "| a | b | c |\n|---|---|---|\n| x | 1 | no |\n| delta | 4 | yes |\n",
        )],
    ),
    (
        "convert table.md to CSV",
        &[("table.md", "| a | b |\n|---|---|\n| x | 1 |\n")],
        &[
            ("table.md", "| a | b |\n|---|---|\n| x | 1 |\n"),
            ("table.csv", "a,b\nx,1\n"),
        ],
    ),
    (
        "create a.txt with \"two words\"",
        &[],
        &[("a.txt", "two words\n")],
    ),
    (
        "append \"call Ann\" to todo.txt",
        &[("todo.txt", "tea\n")],
        &[("todo.txt", "tea\ncall Ann\n")],
    ),
    (
        "add to todo.txt: call Ann, she is back",
        &[("todo.txt", "")],
        &[("todo.txt", "call Ann, she is back\n")],
    ),
    (
        "add the line Fri 16:00 review to calendar.txt",
        &[("calendar.txt", "Mon\n")],
        &[("calendar.txt", "Mon\nFri 16:00 review\n")],
    ),
    (
        "append ch1.md to novel.md",
        &[("ch1.md", "One.\n"), ("novel.md", "Zero.\n")],
        &[("ch1.md", "One.\n"), ("novel.md", "Zero.\nOne.\n")],
    ),
    (
        "create list.txt with tent, stove and torch, one per line",
        &[],
        &[("list.txt", "tent\nstove\ntorch\n")],
    ),
    (
        "replace Tom with Tim in novel.md",
        &[("novel.md", "Tom, Tommy\n")],
        &[("novel.md", "Tim, Tommy\n")],
    ),
    (
        "change the port in settings.toml to 9000",
        &[("settings.toml", "port = 80\n")],
        &[("settings.toml", "port = 9000\n")],
    ),
    (
        "set the status of Fog to sent in submissions.csv",
        &[("submissions.csv", "title,status\nFog,new\n")],
        &[("submissions.csv", "title,status\nFog,sent\n")],
    ),
    (
        "set database.port to 5433 in settings.toml",
        &[("settings.toml", "port = 1\n[database]\nport = 2\n")],
        &[("settings.toml", "port = 1\n[database]\nport = 5433\n")],
    ),
    (
        "comment out gzip in site.conf",
        &[("site.conf", "gzip on;\n")],
        &[("site.conf", "# gzip on;\n")],
    ),
    (
        "uncomment DEBUG in app.env",
        &[("app.env", "# DEBUG=1\n")],
        &[("app.env", "DEBUG=1\n")],
    ),
    (
        "check off \"draw the map\" in todo.md",
        &[("todo.md", "- [ ] call Ann\n- [ ] draw the map\n")],
        &[("todo.md", "- [ ] call Ann\n- [x] draw the map\n")],
    ),
    (
        "mark call Ann as done in todo.md",
        &[("todo.md", "- [ ] call Ann\n- [ ] draw the map\n")],
        &[("todo.md", "- [x] call Ann\n- [ ] draw the map\n")],
    ),
    (
        "remove the line about \"dentist\" from days.txt",
        &[("days.txt", "Mon\nTue dentist\n")],
        &[("days.txt", "Mon\n")],
    ),
    (
        "remove \"Anna cried.\" from novel.md",
        &[("novel.md", "Anna cried. Tom left.\n")],
        &[("novel.md", " Tom left.\n")],
    ),
    (
        "insert \"Shopping\" at the top of list.txt",
        &[("list.txt", "tea\n")],
        &[("list.txt", "Shopping\ntea\n")],
    ),
    (
        "insert \"tea\" after the line about bread in list.txt",
        &[("list.txt", "bread\nmilk\n")],
        &[("list.txt", "bread\ntea\nmilk\n")],
    ),
    (
        "insert \"milk\" after the heading \"Plan\" in a.md",
        &[("a.md", "# Plan\nthe Plan\n")],
        &[("a.md", "# Plan\nmilk\nthe Plan\n")],
    ),
    (
        "delete line 3 of a.txt",
        &[("a.txt", "1\n2\n3\n4\n")],
        &[("a.txt", "1\n2\n4\n")],
    ),
    (
        "remove the last two lines of a.txt",
        &[("a.txt", "1\n2\n3\n")],
        &[("a.txt", "1\n")],
    ),
    (
        "replace line 2 of a.txt with \"new\"",
        &[("a.txt", "1\n2\n3\n")],
        &[("a.txt", "1\nnew\n3\n")],
    ),
    (
        "remove milk from list.txt",
        &[("list.txt", "tea\n- milk\nmilk rice\n")],
        &[("list.txt", "tea\nmilk rice\n")],
    ),
    ("clear a.txt", &[("a.txt", "1\n2\n")], &[("a.txt", "")]),
    (
        "overwrite a.txt with \"new\"",
        &[("a.txt", "1\n2\n")],
        &[("a.txt", "new\n")],
    ),
    (
        "move a.txt and b.txt to a new folder called lists",
        &[("a.txt", "a\n"), ("b.txt", "b\n")],
        &[("lists/a.txt", "a\n"), ("lists/b.txt", "b\n")],
    ),
    (
        "rename draft.md to final.md",
        &[("draft.md", "one\n")],
        &[("final.md", "one\n")],
    ),
    (
        "copy novel.md to novel-backup.md",
        &[("novel.md", "one\n")],
        &[("novel.md", "one\n"), ("novel-backup.md", "one\n")],
    ),
    (
        "make a backup of novel.md",
        &[("novel.md", "one\n")],
        &[("novel.md", "one\n"), ("novel.md.bak", "one\n")],
    ),
    ("delete old.txt", &[("old.txt", "x\n")], &[]),
    (
        "turn team.csv into a Markdown table in team.md",
        &[("team.csv", "name,age\nAnn,3\n")],
        &[
            ("team.csv", "name,age\nAnn,3\n"),
            ("team.md", "| name | age |\n| --- | --- |\n| Ann | 3 |\n"),
        ],
    ),
    (
        "convert prices.csv to JSON and save it as prices.json",
        &[("prices.csv", "name,price\ntea,3\n")],
        &[
            ("prices.csv", "name,price\ntea,3\n"),
            (
                "prices.json",
                "[\n  {\n    \"name\": \"tea\",\n    \"price\": 3\n  }\n]\n",
            ),
        ],
    ),
    (
        "change the port in s.toml to 9000 and show s.toml",
        &[("s.toml", "port = 1\n")],
        &[("s.toml", "port = 9000\n")],
    ),
    (
        "append to a.md: Where was Jonas?",
        &[("a.md", "x\n")],
        &[("a.md", "x\nWhere was Jonas?\n")],
    ),
    (
        "append to a.md: \"Come in,\" she said.",
        &[("a.md", "x\n")],
        &[("a.md", "x\n\"Come in,\" she said.\n")],
    ),
    (
        "append to b.csv: 3,\"Smith, J\",ok",
        &[("b.csv", "id,name,state\n")],
        &[("b.csv", "id,name,state\n3,\"Smith, J\",ok\n")],
    ),
    (
        "add olive oil to list.txt",
        &[("list.txt", "tea\n")],
        &[("list.txt", "tea\nolive oil\n")],
    ),
    (
        "replace Tom with nothing in a.txt",
        &[("a.txt", "Tom left\n")],
        &[("a.txt", " left\n")],
    ),
    (
        "add the key port = 80 to [server] in a.toml",
        &[("a.toml", "[server]\nhost = \"x\"\n")],
        &[("a.toml", "[server]\nport = 80\nhost = \"x\"\n")],
    ),
    (
        "add 443:443 to the ports of web in compose.yml",
        &[("compose.yml", "web:\n  ports:\n    - \"80:80\"\n")],
        &[(
            "compose.yml",
            "web:\n  ports:\n    - \"80:80\"\n    - \"443:443\"\n",
        )],
    ),
    (
        "remove db from the depends_on of web in compose.yml",
        &[(
            "compose.yml",
            "web:\n  depends_on:\n    - db\n    - app # x\n",
        )],
        &[("compose.yml", "web:\n  depends_on:\n    - app # x\n")],
    ),
    (
        "sort list.txt",
        &[("list.txt", "pear\nApple\nbread\n")],
        &[("list.txt", "Apple\nbread\npear\n")],
    ),
    (
        "sort list.txt numerically in reverse",
        &[("list.txt", "2 a\n10 b\n1 c\n")],
        &[("list.txt", "10 b\n2 a\n1 c\n")],
    ),
    (
        "remove duplicate lines from list.txt",
        &[("list.txt", "a\nb\na\n")],
        &[("list.txt", "a\nb\n")],
    ),
    (
        "unset DEBUG in app.env",
        &[("app.env", "A=1\nDEBUG=true\n")],
        &[("app.env", "A=1\n")],
    ),
    (
        "add a column status to people.csv with the value open",
        &[("people.csv", "name\nAnna\n")],
        &[("people.csv", "name,status\nAnna,open\n")],
    ),
    (
        "lösche Zeile 3 aus a.txt",
        &[("a.txt", "1\n2\n3\n")],
        &[("a.txt", "1\n2\n")],
    ),
    (
        "erstelle a.txt mit „zwei Worte“",
        &[],
        &[("a.txt", "zwei Worte\n")],
    ),
    (
        "kopiere a.txt nach b.txt",
        &[("a.txt", "one\n")],
        &[("a.txt", "one\n"), ("b.txt", "one\n")],
    ),
    (
        "hänge an a.txt an: Wo war Jonas?",
        &[("a.txt", "x\n")],
        &[("a.txt", "x\nWo war Jonas?\n")],
    ),
    (
        "change MAX to 5 in lib.rs",
        &[("lib.rs", "pub(crate) const MAX: u32 = 3;\n")],
        &[("lib.rs", "pub(crate) const MAX: u32 = 5;\n")],
    ),
];

fn order(house: &House, says: &str) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    run.args(["--yes", "write", "--yes", "destructive", says])
        .run()
}

fn with(files: Files) -> House {
    let house = House::new();
    for (path, text) in files {
        house.write(path, text);
    }
    house
}

/// The orders of the table in the document.
fn of_the_table() -> BTreeSet<&'static str> {
    let rows = DOCUMENT.lines().filter(|line| line.starts_with("| "));
    let orders = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let words = ["then", "and", "undo", "carl undo"];
    orders.filter(|order| !words.contains(order)).collect()
}

#[test]
fn each_order_of_the_document_does_what_it_says() {
    for &(says, before, told) in LOOKS {
        let house = with(before);
        let said = order(&house, says).expect(0).stdout;
        assert!(said.contains(told), "{says}: {said}");
    }
    for &(says, before, after) in CHANGES {
        let house = with(before);
        order(&house, says).expect(0);
        for (path, text) in after {
            assert_eq!(house.read(path), *text, "{says}: {path}");
        }
        let gone = before
            .iter()
            .filter(|(path, _)| after.iter().all(|(left, _)| left != path));
        for (path, _) in gone {
            assert!(!house.has(path), "{says}: {path}");
        }
    }
}

#[test]
fn each_order_of_the_documents_table_is_driven() {
    let driven: Vec<&str> = LOOKS
        .iter()
        .map(|(says, ..)| *says)
        .chain(CHANGES.iter().map(|(says, ..)| *says))
        .collect();
    let table = of_the_table();
    let missing: Vec<&&str> = table.iter().filter(|says| !driven.contains(says)).collect();
    assert!(
        missing.is_empty() && table.len() > 35,
        "{missing:?} of {}",
        table.len()
    );
}
