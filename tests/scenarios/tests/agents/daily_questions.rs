//! Everyday questions in deterministic mode, answered by rules from the files that they are about.

use testkit::{Finished, House};

fn ask(house: &House, say: &str) -> Finished {
    let run = ["run", "--json", "--mode", "deterministic"];
    house.ask(run).arg(say).run()
}

fn answer(house: &House, say: &str) -> String {
    let done = ask(house, say).expect(0).json();
    done["answer"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn lists_and_tables_of_settings_are_told_with_their_lines() {
    let house = House::new();
    let compose = "services:\n  web:\n    ports:\n      - \"8080:80\"\n      - \"443:443\"\n";
    house.write("docker-compose.yml", compose);
    let told = answer(&house, "which ports does docker-compose.yml publish?");
    assert!(
        told.starts_with("`services.web.ports` has 2 items: 8080:80, 443:443 (by rules"),
        "{told}"
    );
    assert!(
        told.ends_with("3: ports:\n  4:   - \"8080:80\"\n  5:   - \"443:443\""),
        "{told}"
    );
}

#[test]
fn the_version_of_a_package_is_told_by_the_line_that_names_it() {
    let house = House::new();
    house.write("CHANGES.md", "tokio was slow in the version before.\n");
    house.write(
        "app/Cargo.toml",
        "[dependencies]\ntokio = { version = \"1.32\" }\n",
    );
    let told = answer(&house, "which version of tokio do we use?");
    let line = "From app/Cargo.toml:\n  2: tokio = { version = \"1.32\" }";
    assert!(
        told.contains("is 1.32 (by rules") && told.ends_with(line),
        "{told}"
    );
}

#[test]
fn errors_and_lines_with_a_number_are_counted() {
    let house = House::new();
    house.write("logs/app.log", "ERROR one\nok\nerror two\n");
    house.write("access.log", "GET / 200\nGET /a 500\nGET /b 1500\n");
    let told = answer(&house, "how many errors are in logs/app.log?");
    assert!(
        told.starts_with("2 lines in 1 file contain \"error\""),
        "{told}"
    );
    let told = answer(&house, "how many requests returned 500 in access.log?");
    assert!(
        told.starts_with("1 line of access.log has `500` as a whole number"),
        "{told}"
    );
}

#[test]
fn an_order_to_forget_names_the_entry_and_the_command() {
    let house = House::new();
    for fact in ["my deadline is on Monday", "my cat is called Minka"] {
        ask(&house, &format!("remember that {fact}")).expect(0);
    }
    let told = ask(&house, "forget my deadline");
    let error = told.json()["error"].clone();
    let message = error["message"].as_str().unwrap_or_default().to_owned();
    assert!(
        message.contains("\"my deadline is on Monday\" (id "),
        "{told:#?}"
    );
    assert!(!message.contains("Minka"), "{message}");
    let id = message
        .split_once("(id ")
        .and_then(|(_, rest)| rest.split_once(')'));
    let (id, _) = id.unwrap_or_default();
    let command = format!("In a shell: carl memory forget {id}");
    assert_eq!(error["hint"].as_str(), Some(command.as_str()));
    house.ask(["memory", "forget", id, "--yes"]).run().expect(0);
    let told = ask(&house, "forget my deadline").json();
    let message = told["error"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        message.contains("Memory has nothing about `deadline`"),
        "{message}"
    );
}

#[test]
fn rows_are_told_by_what_their_columns_say() {
    let house = House::new();
    house.write(
        "people.csv",
        "name,role,city\nAnna,Lead,Bern\nTom,Dev,Bern\n",
    );
    let told = answer(&house, "who lives in Bern in people.csv?");
    assert!(
        told.starts_with("`city` is Bern in 2 rows: Anna, Tom (by rules"),
        "{told}"
    );
    let told = answer(&house, "welche role hat Anna in people.csv?");
    assert!(
        told.starts_with("`role` of Anna is Lead (by rules"),
        "{told}"
    );
    let other = ask(
        &house,
        "who lives in Bern and is older than 30 in people.csv?",
    );
    assert_eq!(other.json()["error"]["code"], "plan.question", "{other:#?}");
}

#[test]
fn the_longest_and_the_most_are_found_by_counting() {
    let house = House::new();
    house.write("ch1.md", "# One\na b c\n");
    house.write("ch2.md", "# Two\na b c d e\n");
    house.write("notes.md", "a b c d e f g h i\n");
    let told = answer(&house, "which chapter is the longest?");
    assert!(
        told.starts_with("`ch2.md` is the longest of 2 chapter files, by their words (by rules"),
        "{told}"
    );
    house.write("hosts.csv", "host,memory\nweb,16 GB\ndb,64 GB\n");
    let told = answer(&house, "which host has the most memory in hosts.csv?");
    assert!(
        told.starts_with("`memory` of db is 64 GB, the most of 2 rows (by rules"),
        "{told}"
    );
}

#[test]
fn what_a_source_file_defines_is_outlined() {
    let house = House::new();
    house.write("a.py", "LIMIT = 3\n\ndef greet(name):\n    return name\n\nclass Shop:\n    def sell(self):\n        pass\n");
    house.write("t.rs", "#[test]\nfn one_is_one() {}\n\nfn help() {}\n");
    let told = answer(&house, "which functions does a.py define?");
    let says = "a.py defines 2 functions (by rules, no model).\n  3: def greet(name)\n    7: def sell(self)";
    assert_eq!(told, says);
    let told = answer(&house, "list the tests in t.rs");
    assert_eq!(
        told,
        "t.rs defines 1 test (by rules, no model).\n  2: fn one_is_one()"
    );
    let none = ask(&house, "which functions does none.py define?")
        .expect(4)
        .json();
    assert_eq!(none["error"]["code"], "plan.step_failed", "{none:#}");
}

#[test]
fn lines_of_the_only_log_are_counted_and_a_file_is_compared_with_no_other() {
    let house = House::new();
    house.write(
        "logs/app.log",
        "ERROR one\nok\nINFO error page\nERROR two\n",
    );
    house.write("CHANGELOG.md", "# Log\n");
    let told = answer(&house, "how many ERROR lines are in the log?");
    assert!(
        told.starts_with("2 lines of logs/app.log have `ERROR`"),
        "{told}"
    );
    for says in [
        "show the diff of CHANGELOG.md",
        "compare CHANGELOG.md with CHANGELOG.md",
    ] {
        let told = ask(&house, says).json().to_string();
        assert!(
            told.contains("carl diff") && !told.contains("are the same"),
            "{says}: {told}"
        );
    }
    house.write("src/store.py", "def a():\n    pass\n\ndef b():\n    pass\n");
    let told = answer(&house, "how many functions are in src/store.py?");
    assert!(
        told.starts_with("src/store.py defines 2 functions"),
        "{told}"
    );
    let other = ask(&house, "which functions does store.py define?").json();
    assert_eq!(
        other["error"]["hint"], "Try: which functions does src/store.py define?",
        "{other:#}"
    );
}

#[test]
fn a_request_that_rules_do_says_so_where_no_model_is() {
    let house = House::new();
    house.configure("[models.discovery]\nenabled = false\nembedded = false\n");
    house.write("a.txt", "one\n");
    let told = house.ask(["run", "--json", "show a.txt"]).run().json();
    assert_eq!(told["error"]["code"], "models.not_configured", "{told:#}");
    let hint = told["error"]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("`--mode deterministic`"), "{told:#}");
    let told = house.ask(["run", "--json", "write a poem"]).run().json();
    let hint = told["error"]["hint"].as_str().unwrap_or_default();
    assert!(!hint.contains("deterministic"), "{told:#}");
}
