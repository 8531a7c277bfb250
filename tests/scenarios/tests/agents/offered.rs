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
