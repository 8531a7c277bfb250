//! Lines that refusals offer, typed: each does what the order said, and where none could, none is offered.

use testkit::{Finished, House};

fn order(house: &House, say: &str) -> Finished {
    let run = house.ask([
        "run",
        "--json",
        "--mode",
        "deterministic",
        "--allow-write",
        ".",
    ]);
    run.args(["--yes", "write", "--yes", "destructive", say])
        .run()
}

/// What a refusal says, and the lines that it offers.
fn refused(house: &House, say: &str) -> (String, Vec<String>) {
    let error = order(house, say).json()["error"].clone();
    let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    let (message, hint) = (part("message"), part("hint"));
    let offered = hint.split_once("Try: ").map_or("", |(_, offered)| offered);
    let offered = offered.split(" | ").filter(|line| !line.is_empty());
    (
        format!("{message} {hint}"),
        offered.map(str::to_owned).collect(),
    )
}

#[test]
fn an_offered_line_does_what_the_order_said() {
    for (path, before, say, offered, after) in [
        (
            ".gitignore",
            "*.log\n",
            "add node_modules/ and dist/ to .gitignore",
            "add \"node_modules/\" to .gitignore then add \"dist/\" to .gitignore",
            "*.log\nnode_modules/\ndist/\n",
        ),
        (
            "Caddyfile",
            "{\n    email admin@example.org\n}\n",
            "change the email in Caddyfile to ann@example.org",
            "replace \"admin@example.org\" with \"ann@example.org\" in Caddyfile",
            "{\n    email ann@example.org\n}\n",
        ),
        (
            "cloud.conf",
            "server {\n    ssl_protocols       TLSv1.2 TLSv1.3;\n}\n",
            "remove TLSv1.2 from ssl_protocols in cloud.conf",
            "change ssl_protocols to TLSv1.3 in cloud.conf",
            "server {\n    ssl_protocols       TLSv1.3;\n}\n",
        ),
        (
            "people.csv",
            "name,team\nTom Berg,Sales\nEva,Dev\n",
            "remove Sales from people.csv",
            "delete line 2 of people.csv",
            "name,team\nEva,Dev\n",
        ),
        (
            "todo.md",
            "# Todo\n\n## Later\n- [x] mow\n\nEnd.\n",
            "add \"call Bob\" to LATER in todo.md",
            "insert \"- [ ] call Bob\" after line 4 of todo.md",
            "# Todo\n\n## Later\n- [x] mow\n- [ ] call Bob\n\nEnd.\n",
        ),
        (
            "spices.md",
            "# Spices\n\n- salt\n\nBuy more.\n",
            "add sugar to the list in spices.md",
            "insert \"- sugar\" after line 3 of spices.md",
            "# Spices\n\n- salt\n- sugar\n\nBuy more.\n",
        ),
    ] {
        let house = House::new();
        house.write(path, before);
        let (told, lines) = refused(&house, say);
        assert_eq!(
            lines.first().map(String::as_str),
            Some(offered),
            "{say}: {told}"
        );
        assert_eq!(house.read(path), before, "{say}");
        order(&house, offered).expect(0);
        assert_eq!(house.read(path), after, "{say}");
    }
}

#[test]
fn an_update_without_a_file_is_offered_where_a_version_stands() {
    let house = House::new();
    let conf = "upstream nextcloud {\n    server 127.0.0.1:8080;\n}\n";
    house.write("nginx.conf", conf);
    let say = "update nextcloud to 29-apache";
    let (told, lines) = refused(&house, say);
    assert!(lines.is_empty() && told.contains("names no file"), "{told}");
    // Nor is the name replaced where its file is named.
    order(&house, "update nextcloud to 29-apache in nginx.conf").expect(4);
    assert_eq!(house.read("nginx.conf"), conf);
    let compose = "services:\n  nextcloud:\n    image: nextcloud:28-apache\n";
    house.write("compose.yml", compose);
    let (told, lines) = refused(&house, say);
    let offered = "upgrade nextcloud to 29-apache in compose.yml";
    assert_eq!(lines, [offered], "{told}");
    order(&house, offered).expect(0);
    let after = compose.replace("28-apache", "29-apache");
    assert_eq!(house.read("compose.yml"), after);
    assert_eq!(house.read("nginx.conf"), conf);
}

#[test]
fn no_word_is_taken_out_of_a_row_or_a_header() {
    let house = House::new();
    let text = "title,count\nTea,3\nGreen tea,3\n";
    house.write("stock.csv", text);
    for say in [
        "remove \"count\" from stock.csv",
        "remove count from stock.csv",
        "remove the column count from stock.csv",
    ] {
        let (told, lines) = refused(&house, say);
        let says = "`count` is the name of a column of stock.csv, and I remove rows and no columns";
        assert!(told.contains(says) && lines.is_empty(), "{say}: {told}");
    }
    let (told, lines) = refused(&house, "remove \"Green\" from stock.csv");
    assert!(told.contains("line 3 (`Green tea,3`)"), "{told}");
    assert_eq!(lines, ["delete line 3 of stock.csv"], "{told}");
    assert_eq!(house.read("stock.csv"), text);
}

#[test]
fn an_order_for_all_files_of_a_kind_is_offered_with_those_alone() {
    let house = House::new();
    for file in ["chapter1.md", "chapter2.md", "people.csv"] {
        house.write(file, "name,Tom\n");
    }
    let (told, lines) = refused(&house, "replace Tom with Tim in all chapters");
    assert_eq!(
        lines,
        ["replace Tom with Tim in chapter1.md and chapter2.md"],
        "{told}"
    );
    order(&house, "replace Tom with Tim in chapters 1 to 2").expect(0);
    assert_eq!(house.read("chapter2.md"), "name,Tim\n");
    assert_eq!(house.read("people.csv"), "name,Tom\n");
    let (told, lines) = refused(&house, "count the lines of all python files");
    assert_eq!(lines, ["find files named *.py"], "{told}");
}

/// A file and its text, an order that is refused, the orders that are offered, and the text behind the first of them.
type Offered = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

/// Tells the orders that are offered, and does the first.
fn does_what_it_offers((path, before, say, offered, after): Offered) {
    let house = House::new();
    house.write(path, before);
    let (told, lines) = refused(&house, say);
    assert_eq!(lines, offered, "{say}: {told}");
    assert_eq!(house.read(path), before, "{say}");
    order(&house, offered[0]).expect(0);
    assert_eq!(house.read(path), after, "{say}");
}

#[test]
fn no_offered_line_spoils_a_name_or_a_heading() {
    let rows: [Offered; 5] = [
        (
            "api.ts",
            "export const DEFAULT_PAGE_SIZE = 20;\n",
            "change PAGE_SIZE to 50 in api.ts",
            &["set DEFAULT_PAGE_SIZE to 50 in api.ts"],
            "export const DEFAULT_PAGE_SIZE = 50;\n",
        ),
        (
            "c/chapter3.md",
            "# Chapter 3\n",
            "change the title of chapter 3 to The House in c/chapter3.md",
            &["change the heading \"Chapter 3\" to \"The House\" in c/chapter3.md"],
            "# The House\n",
        ),
        (
            "compose.yml",
            "services:\n  web:\n    ports:\n      - \"80:80\"\n",
            "change the host port of the web service from 80 to 8080 in compose.yml",
            &["replace '- \"80:80\"' with '- \"8080:80\"' in compose.yml"],
            "services:\n  web:\n    ports:\n      - \"8080:80\"\n",
        ),
        (
            "settings.yaml",
            "logging:\n  level: info\n",
            "change the log level to debug in settings.yaml",
            &["set logging.level to debug in settings.yaml"],
            "logging:\n  level: debug\n",
        ),
        (
            ".env.example",
            "LOG_LEVEL=info\n",
            "add LOG_LEVEL=warning to .env.example",
            &["set LOG_LEVEL to warning in .env.example"],
            "LOG_LEVEL=warning\n",
        ),
    ];
    rows.into_iter().for_each(does_what_it_offers);
}

#[test]
fn no_offered_line_spoils_a_list_or_a_table() {
    let rows: [Offered; 4] = [
        (
            "ideas.md",
            "## Open questions\n\n- Who is Oskar?\n",
            "add \"* Who sings?\" to Open questions in ideas.md",
            &["insert \"- Who sings?\" after line 3 of ideas.md"],
            "## Open questions\n\n- Who is Oskar?\n- Who sings?\n",
        ),
        (
            "people.csv",
            "name,role,age\nAnna,editor,34\n",
            "add Ruth Adler, translator, 44 to people.csv",
            &["add a row for Ruth Adler, translator, 44 to people.csv"],
            "name,role,age\nAnna,editor,34\nRuth Adler,translator,44\n",
        ),
        (
            "shopping.txt",
            "milk\n",
            "add eggs and bread to shopping.txt",
            &[
                "add \"eggs\" to shopping.txt then add \"bread\" to shopping.txt",
                "add \"eggs and bread\" to shopping.txt",
            ],
            "milk\neggs\nbread\n",
        ),
        (
            "todo.md",
            "## Later\n\n* [x] mow\n",
            "add a task \"Book a table\" under Later in todo.md",
            &["insert \"* [ ] Book a table\" after line 3 of todo.md"],
            "## Later\n\n* [x] mow\n* [ ] Book a table\n",
        ),
    ];
    rows.into_iter().for_each(does_what_it_offers);
}

#[test]
fn a_key_in_a_text_is_set_and_a_section_renamed() {
    let house = House::new();
    for (path, before, say, after) in [
        (
            "crontab.txt",
            "MAILTO=admin@example.org\n0 3 * * * backup\n",
            "change MAILTO to ops@example.org in crontab.txt",
            "MAILTO=ops@example.org\n0 3 * * * backup\n",
        ),
        (
            "synopsis.md",
            "---\nwords: 80000\n---\n\n# Synopsis\n",
            "change words to 82000 in synopsis.md",
            "---\nwords: 82000\n---\n\n# Synopsis\n",
        ),
        (
            "README.md",
            "# Tools\n\n## Usage\n",
            "rename the Usage section to Quickstart in README.md",
            "# Tools\n\n## Quickstart\n",
        ),
        (
            "todo.md",
            "- [ ] mow\n- [x] Book the hotel\n",
            "mark the hotel task as not done in todo.md",
            "- [ ] mow\n- [ ] Book the hotel\n",
        ),
        (
            "package.json",
            "{\"devDependencies\": {\"vite\": \"5.2.0\"}}\n",
            "upgrade vite to 5.4 in package.json",
            "{\"devDependencies\": {\"vite\": \"5.4\"}}\n",
        ),
    ] {
        house.write(path, before);
        let done = order(&house, say).expect(0).json();
        assert_eq!(house.read(path), after, "{say}");
        let notices = done["notices"].as_array().map_or(0, Vec::len);
        assert_eq!(notices, 0, "{done:#}");
    }
}
