//! Values of files of settings, by rules: which one is meant where several have a name, and what is asked
//! for.

use scenarios::Scene;
use serde_json::Value;
use testkit::{Finished, House};

const TOML: &str = "port = 8080\nadmin_port = 8081\n\n[database]\nport = 5432\nhost = \"db\"\n";

fn order(house: &House, says: &str) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    run.args(["--yes", "write", says]).run()
}

/// What is said of an order that is not done, in one text.
fn refused(house: &House, says: &str) -> String {
    let run = house.ask([
        "run",
        "--json",
        "--mode",
        "deterministic",
        "--allow-write",
        ".",
    ]);
    let summary: Value = run.args(["--yes", "write", says]).run().expect(4).json();
    let error = &summary["error"];
    let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    format!("{} {}", part("message"), part("hint"))
}

#[test]
fn a_value_is_set_by_its_dotted_path_or_its_section() {
    let house = House::new();
    let changed = |from: &str, to: &str| TOML.replacen(from, to, 1);
    let database = changed("port = 5432", "port = 5433");
    for (says, after) in [
        ("set database.port to 5433 in settings.toml", &database),
        ("change database.port in settings.toml to 5433", &database),
        (
            "set the port below [database] in settings.toml to 5433",
            &database,
        ),
        (
            "set the port of the database section in settings.toml to 5433",
            &database,
        ),
        ("set port to 5433 in [database] in settings.toml", &database),
        ("in settings.toml, set the database port to 5433", &database),
        (
            "change the port in settings.toml from 5432 to 5433",
            &database,
        ),
        (
            "set top-level port to 81 in settings.toml",
            &changed("port = 8080", "port = 81"),
        ),
        (
            "set admin_port to 82 in settings.toml",
            &changed("admin_port = 8081", "admin_port = 82"),
        ),
    ] {
        house.write("settings.toml", TOML);
        order(&house, says).expect(0);
        assert_eq!(&house.read("settings.toml"), after, "{says}");
    }
    for (file, text, says, after) in [
        (
            "a.yaml",
            "port: 1\ndb:\n  port: 2\n",
            "set db.port to 3 in a.yaml",
            "port: 1\ndb:\n  port: 3\n",
        ),
        (
            "a.json",
            "{\n  \"port\": 1,\n  \"db\": {\n    \"port\": 2\n  }\n}\n",
            "set db.port to 3 in a.json",
            "{\n  \"port\": 1,\n  \"db\": {\n    \"port\": 3\n  }\n}\n",
        ),
        (
            "a.ini",
            "port=1\n[db]\nport=2\n",
            "change db.port in a.ini to 3",
            "port=1\n[db]\nport=3\n",
        ),
    ] {
        house.write(file, text);
        order(&house, says).expect(0);
        assert_eq!(house.read(file), after, "{says}");
    }
}

#[test]
fn of_two_values_with_one_name_both_are_told_with_the_orders_that_mean_them() {
    let house = House::new();
    house.write("settings.toml", TOML);
    let told = refused(&house, "change the port in settings.toml to 9100");
    for part in [
        "line 1 (`port = 8080`)",
        "line 5 (`port = 5432`, which is `database.port`)",
        "set top-level port to 9100 in settings.toml | set database.port to 9100 in settings.toml",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = refused(&house, "set cache.port to 1 in settings.toml");
    assert!(
        told.contains("no line that sets `cache.port`") && told.contains("line 5"),
        "{told}"
    );
    assert_eq!(house.read("settings.toml"), TOML);
    // What the refusal offers does what it says.
    order(&house, "set top-level port to 9100 in settings.toml").expect(0);
    assert!(house.read("settings.toml").starts_with("port = 9100\n"));
    // Where no path tells them apart, the offers are of what their lines say, and of the number of a line where
    // another says the same.
    house.write("list.toml", "[[s]]\nport = 1\n[[s]]\nport = 2\n");
    let told = refused(&house, "set s.port to 3 in list.toml");
    let offer = "replace \"port = 2\" with \"port = 3\" in list.toml";
    assert!(told.contains(offer), "{told}");
    order(&house, offer).expect(0);
    assert!(house.read("list.toml").ends_with("port = 3\n"));
    house.write("list.toml", "[[s]]\nport = 1\n[[s]]\nport = 1\n");
    let told = refused(&house, "set s.port to 3 in list.toml");
    let offer = "replace line 4 of list.toml with \"port = 3\"";
    assert!(told.contains(offer), "{told}");
    // What stands within a line counts as well.
    house.write("in.toml", "port = 1\ndb = { port = 2 }\n");
    let told = refused(&house, "set port to 3 in in.toml");
    assert!(
        told.contains("set top-level port to 3 in in.toml | set db.port to 3 in in.toml"),
        "{told}"
    );
    assert!(house.read("in.toml").starts_with("port = 1\n"));
}

#[test]
fn a_question_for_a_value_is_answered_from_its_line_without_a_model() {
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    house.write("settings.toml", TOML);
    for (says, told) in [
        (
            "which port does settings.toml set for the database?",
            "`database.port` is 5432 (by rules, no model).\n\nFrom settings.toml:\n  5: port = 5432",
        ),
        (
            "which port does settings.toml set?",
            "`port` is 8080, and `database.port` is 5432 (by rules, no model).",
        ),
        (
            "what is the admin port in settings.toml?",
            "`admin_port` is 8081 (by rules, no model).",
        ),
    ] {
        let modes = [&["--mode", "deterministic"][..], &["--mode", "plan"], &[]];
        for mode in modes {
            let run = house.ask(["run"]).args(mode.iter().copied());
            let answer = run.args([says]).run().expect(0).stdout;
            assert!(answer.contains(told), "{mode:?} {says}: {answer}");
        }
    }
    assert!(scene.server.chats().is_empty());
    let asked = [
        "run",
        "--mode",
        "deterministic",
        "what is the colour in settings.toml?",
    ];
    let none = house.ask(asked).run().expect(4);
    assert!(none.stderr.contains("without a model"), "{none:?}");
}

#[test]
fn a_text_with_a_colon_in_a_list_of_yaml_is_no_value() {
    let house = House::new();
    for (line, says, after) in [
        ("- \"8080:80\"", "change 8080 to 8081", "- \"8081:80\""),
        ("- 127.0.0.1:9001:9001", "change 9001 to 9002", ""),
        ("- 'key: v' # note", "set key to w", ""),
        ("- http://localhost:3000", "set http to https", ""),
        ("- 5432:5433", "change 5432 to 5434", "- 5434:5433"),
        // What is a value stays one.
        ("port: 8080 # x", "change port to 8081", "port: 8081 # x"),
        ("- port: \"80\"", "set port to 81", "- port: \"81\""),
        ("- PORT=80", "set PORT to 81", "- PORT=81"),
        ("\"port\": 80", "set port to 81", "\"port\": 81"),
    ] {
        house.write("c.yaml", format!("ports:\n  {line}\n"));
        let said = order(&house, &format!("{says} in c.yaml"));
        let now = house.read("c.yaml");
        let expected = if after.is_empty() { line } else { after };
        let allowed = [expected, line].map(|line| format!("ports:\n  {line}\n"));
        // A text that has a number twice may be changed in both places, and never in a part of one.
        let both = line.replace("9001", "9002");
        let is_whole = allowed.contains(&now) || now == format!("ports:\n  {both}\n");
        assert!(is_whole, "{says}: {now}\n{said:#?}");
        assert!(
            after.is_empty() || now == allowed[0],
            "{says}: {now}\n{said:#?}"
        );
    }
}

#[test]
fn a_value_keeps_the_quotes_that_its_file_needs() {
    let house = House::new();
    for (file, text, says, after) in [
        (
            "app.env",
            "A=1\n",
            "set A to \"x # y\" in app.env",
            "A=\"x # y\"\n",
        ),
        ("app.env", "A=1\n", "set A to \"x\" in app.env", "A=x\n"),
        (
            "app.env",
            "A=\nB=2\n",
            "set A to x in app.env",
            "A=x\nB=2\n",
        ),
        (
            "a.yaml",
            "a: 1\n",
            "set a to \"x: y\" in a.yaml",
            "a: \"x: y\"\n",
        ),
    ] {
        house.write(file, text);
        order(&house, says).expect(0);
        assert_eq!(house.read(file), after, "{says}");
    }
}

#[test]
fn a_text_that_stays_one_in_json_is_told_with_the_line_that_changes_it() {
    let house = House::new();
    house.write("a.json", "{\n  \"debug\": \"off\",\n  \"x\": 1\n}\n");
    let said = order(&house, "set debug to true in a.json").expect(0);
    assert_eq!(
        house.read("a.json"),
        "{\n  \"debug\": \"true\",\n  \"x\": 1\n}\n"
    );
    let offer = "replace line 2 of a.json with '  \"debug\": true,'";
    let told = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = offer.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("stays a text") && told.contains(&plain),
        "{told}"
    );
    // Said again, it names the order that changes it.
    let again = refused(&house, "set debug to true in a.json");
    let offer = "replace '\"debug\": \"true\",' with '\"debug\": true,' in a.json";
    assert!(
        again.contains("already (line 2)") && again.contains(offer),
        "{again}"
    );
    order(&house, offer).expect(0);
    assert_eq!(
        house.read("a.json"),
        "{\n  \"debug\": true,\n  \"x\": 1\n}\n"
    );
}

#[test]
fn settings_of_nginx_and_ssh_are_set_and_told_and_comments_are_named() {
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    let nginx = "server {\n    listen 80 default_server;\n    server_name a.com;\n}\n";
    house.write("nginx.conf", nginx);
    house.write("sshd_config", "#Port 22\nPermitRootLogin no\n");
    house.write("app.ini", "[web]\n; port = 80\nhost = x\n");
    house.write("app.env", "EMPTY=\nA=1\n");
    for (says, told) in [
        (
            "which listen does nginx.conf have?",
            "`listen` is 80 default_server (by rules, no model).\n\nFrom nginx.conf:\n  2: listen 80",
        ),
        (
            "which port does app.ini set?",
            "No line of app.ini sets `port`: only a comment has it (by rules, no model).\n\nFrom app.ini:\n  2: ; port = 80",
        ),
        (
            "what is EMPTY in app.env?",
            "`EMPTY` is empty (by rules, no model).\n\nFrom app.env:\n  1: EMPTY=",
        ),
    ] {
        let run = house.ask(["run", "--mode", "deterministic", says]).run();
        let answer = run.expect(0).stdout;
        assert!(answer.contains(told), "{says}: {answer}");
    }
    order(house, "set listen to 8080 in nginx.conf").expect(0);
    assert!(
        house
            .read("nginx.conf")
            .contains("    listen 8080 default_server;\n")
    );
    order(house, "set PermitRootLogin to yes in sshd_config").expect(0);
    assert!(house.read("sshd_config").ends_with("PermitRootLogin yes\n"));
    house.write("b.conf", "listen 80;\nlisten [::]:80;\n");
    let told = refused(house, "set listen to 81 in b.conf");
    assert!(
        told.contains("line 2 (`listen [::]:80;`)")
            && told.contains("replace \"listen 80;\" with \"listen 81;\" in b.conf"),
        "{told}"
    );
    house.write("app.service", "[Service]\nEnvironment=PORT=3000\n");
    let told = refused(house, "set PORT to 4000 in app.service");
    let offer = "replace \"PORT=3000\" with \"PORT=4000\" in app.service";
    assert!(told.contains(offer), "{told}");
    order(house, offer).expect(0);
    let told = refused(house, "set port to 81 in app.ini");
    let offer = "replace \"; port = 80\" with \"port = 81\" in app.ini";
    assert!(
        told.contains("a comment in line 2 (`; port = 80`)") && told.contains(offer),
        "{told}"
    );
    order(house, offer).expect(0);
    assert_eq!(house.read("app.ini"), "[web]\nport = 81\nhost = x\n");
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_cell_of_a_table_is_set_by_its_row_and_its_column() {
    let house = House::new();
    let table = "title,magazine,status\nThe Lamp,Granta,sent\nFog,Granta,rejected\n";
    house.write("s.csv", table);
    let told = refused(&house, "set the status of Granta to sent in s.csv");
    assert!(told.contains("in 2 rows: line 2"), "{told}");
    order(&house, "set the status of Fog to \"sent, again\" in s.csv").expect(0);
    let after = table.replace("rejected", "\"sent, again\"");
    assert_eq!(house.read("s.csv"), after);
}

#[test]
fn a_line_becomes_a_comment_and_a_setting_again() {
    let house = House::new();
    house.write("site.conf", "server {\n    gzip on;\n    # cache off;\n}\n");
    order(&house, "comment out gzip in site.conf").expect(0);
    order(&house, "uncomment cache in site.conf").expect(0);
    assert_eq!(
        house.read("site.conf"),
        "server {\n    # gzip on;\n    cache off;\n}\n"
    );
    house.write("sshd_config", "#Port 22\nPermitRootLogin yes\n");
    order(&house, "uncomment Port in sshd_config").expect(0);
    order(
        &house,
        "change PermitRootLogin from yes to no in sshd_config",
    )
    .expect(0);
    assert_eq!(house.read("sshd_config"), "Port 22\nPermitRootLogin no\n");
}

#[test]
fn a_block_becomes_a_comment_as_a_whole() {
    let house = House::new();
    for (path, before, says, after) in [
        (
            "n.conf",
            "http {\n  gzip on;\n}\nuser x;\n",
            "comment out http in n.conf",
            "# http {\n#   gzip on;\n# }\nuser x;\n",
        ),
        (
            "a.yaml",
            "server:\n  port: 1\nname: x\n",
            "comment out server in a.yaml",
            "# server:\n#   port: 1\nname: x\n",
        ),
        (
            "a.ini",
            "; x\nport=1\n",
            "comment out port in a.ini",
            "; x\n; port=1\n",
        ),
        (
            "a.env",
            "# export DEBUG=1\n",
            "uncomment DEBUG in a.env",
            "export DEBUG=1\n",
        ),
        ("a.js", "// run(1);\n", "uncomment run in a.js", "run(1);\n"),
    ] {
        house.write(path, before);
        order(&house, says).expect(0);
        assert_eq!(house.read(path), after, "{says}");
    }
    // What stands in a value alone is no name.
    house.write("a.ini", "one=port\n");
    let told = refused(&house, "comment out port in a.ini");
    assert!(told.contains("no line that begins with `port`"), "{told}");
}

#[test]
fn values_in_other_forms_are_set() {
    let house = House::new();
    for (path, before, says, after) in [
        (
            "a.toml",
            "db = { host = \"a\", port = 1 }\n",
            "set db.port to 2 in a.toml",
            "db = { host = \"a\", port = 2 }\n",
        ),
        (
            "a.json",
            "{\"a\":1,\"b\":{\"c\":\"d\"}}\n",
            "set c to e in a.json",
            "{\"a\":1,\"b\":{\"c\":\"e\"}}\n",
        ),
        (
            "a.rs",
            "    let mut n: u32 = 3;\n",
            "set n to 4 in a.rs",
            "    let mut n: u32 = 4;\n",
        ),
        (
            "a.go",
            "var port int = 80\n",
            "set port to 81 in a.go",
            "var port int = 81\n",
        ),
        (
            "app.properties",
            "server.port=80\n",
            "set server.port to 81 in app.properties",
            "server.port=81\n",
        ),
        (
            "requirements.txt",
            "flask==2.3.2\n",
            "set flask to 2.3.3 in requirements.txt",
            "flask==2.3.3\n",
        ),
        (
            "a.yaml",
            "env:\n  - KEY=1\n",
            "set KEY to \"a: b\" in a.yaml",
            "env:\n  - \"KEY=a: b\"\n",
        ),
        (
            "b.toml",
            "a = 1\n\n[b]\nc = 2\n",
            "add the key d = 3 to b.toml",
            "a = 1\nd = 3\n\n[b]\nc = 2\n",
        ),
        ("r.txt", "x\n", "add the line a>=4 to r.txt", "x\na>=4\n"),
    ] {
        house.write(path, before);
        order(&house, says).expect(0);
        assert_eq!(house.read(path), after, "{says}");
    }
}

#[test]
fn what_is_counted_is_told_exactly_and_an_owner_without_a_value_too() {
    let house = House::new();
    house.write("novel.md", "# One\nTom met Tommy.\nTom left.\n");
    house.write("a.toml", "[server]\nport = 80\n[db]\nhost = \"a\"\n");
    for (says, told) in [
        (
            "how often does Tom occur in novel.md?",
            "`Tom` stands twice",
        ),
        (
            "count the word Tom in novel.md",
            "and once within longer words",
        ),
        ("list the headings of novel.md", "1: # One"),
        (
            "what is the port of the server in a.toml?",
            "`server.port` is 80 (by",
        ),
        (
            "what is the port of db in a.toml?",
            "sets nothing of that name for `db`",
        ),
    ] {
        let run = house.ask(["run", "--mode", "deterministic", says]);
        let said = run.run().expect(0).stdout;
        assert!(said.contains(told), "{says}: {said}");
    }
    for says in ["which file defines main?", "who calls main?"] {
        let told = refused(&house, says);
        assert!(told.contains("search for \"main\""), "{says}: {told}");
    }
}

#[test]
fn a_misspelt_name_is_told_with_the_one_that_is_there() {
    let house = House::new();
    house.write("notes.md", "x\n");
    house.write("a.toml", "port = 80\n");
    for (says, offer) in [
        ("show ntoes.md", "show notes.md"),
        ("delete line 1 from notse.md", "delete line 1 from notes.md"),
        (
            "set prot to 81 in a.toml",
            "set top-level port to 81 in a.toml",
        ),
    ] {
        let told = refused(&house, says);
        assert!(
            told.contains("Did you mean") && told.contains(offer),
            "{says}: {told}"
        );
        order(&house, offer);
    }
    assert_eq!(house.read("a.toml"), "port = 81\n");
    let told = refused(&house, "show quite-another.md");
    assert!(!told.contains("Did you mean"), "{told}");
    // The folder is listed through the broker like any other, and what is outside of it is not.
    let lists = |says: &str| order(&house, says).stderr.contains("→ list_files");
    assert!(lists("show ntoes.md"));
    assert!(!lists("show notes.md") && !lists("show ../ntoes.md"));
}
