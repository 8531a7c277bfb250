//! Orders that need the text of a file, and the steps that they become.

use super::*;

const SETTINGS: &str = "[server]\nhost = \"127.0.0.1\"\nport = 8090 # as before\n";
const DAYS: &str = "Mon 09:00 standup\nTue 14:30 bank\nFri 11:00 dentist";

fn planned(request: &str, text: &str) -> Result<Vec<Action>, String> {
    let asked = read(request).ok_or_else(|| format!("{request} is no such order"))?;
    let plan = asked.plan(text).map_err(|refusal| refusal.to_string())?;
    Ok(plan.actions)
}

fn edited(request: &str, text: &str) -> String {
    let mut text = text.to_owned();
    for action in planned(request, &text).unwrap() {
        let Action::ReplaceText { old, new, .. } = action else {
            panic!("{request}: {action:?}");
        };
        assert!(lines::stands_once(&text, &old), "{request}: {old:?}");
        text = text.replace(&old, &new);
    }
    text
}

fn written(request: &str, text: &str) -> (String, String) {
    match planned(request, text).unwrap().remove(0) {
        Action::CreateFile { path, content } => (path, content),
        other => panic!("{request}: {other:?}"),
    }
}

#[test]
fn a_value_is_set_where_it_stands() {
    for says in [
        "Change the port in settings.toml to 9000.",
        "in settings.toml set the port to 9000",
        "set port to 9000 in settings.toml",
        "please update the port of settings.toml from 8090 to 9000",
    ] {
        let text = edited(says, SETTINGS);
        assert!(
            text.contains("\nport = 9000 # as before\n"),
            "{says}: {text}"
        );
    }
    let text = edited("set the host in settings.toml to 0.0.0.0", SETTINGS);
    assert!(text.starts_with("[server]\nhost = \"0.0.0.0\"\n"), "{text}");
    let list = "# Launch\n- **Status:** draft\n- Owner: Ravi\n";
    let text = edited("In notes.md set the status to done.", list);
    assert_eq!(text, "# Launch\n- **Status:** done\n- Owner: Ravi\n");
    let page = "<head><title>Draft</title></head><p>Draft</p>\n";
    let text = edited("Change the title of page.html from Draft to Home.", page);
    assert_eq!(text, "<head><title>Home</title></head><p>Draft</p>\n");
    let json = "{\n  \"name\": null,\n  \"size\": 3\n}\n";
    let text = edited("set the name in a.json to Ann Lee", json);
    assert_eq!(text, "{\n  \"name\": \"Ann Lee\",\n  \"size\": 3\n}\n");
    let path = "{\n  \"dir\": \"/x\"\n}\n";
    let text = edited("set the dir in a.json to \"C:\\new\\dir\"", path);
    assert_eq!(text, "{\n  \"dir\": \"C:\\\\new\\\\dir\"\n}\n");
    let fee = "- Beitrag: 42 Euro im Jahr\n";
    let text = edited("set the Beitrag to 48 Euro in verein.md", fee);
    assert_eq!(text, "- Beitrag: 48 Euro im Jahr\n");
    let twice = "[a]\nport = 80\n[b]\nname = x\nport-max = 80\n";
    assert!(edited("set the port in a.ini to 81", twice).starts_with("[a]\nport = 81\n"));
}

#[test]
fn a_text_that_stays_one_where_a_number_takes_its_place_is_told() {
    let said = |says: &str, text: &str| {
        let note = read(says).unwrap().stays(text);
        note.map(|note| {
            let forms = note.offer.map(|offer| offer.forms.join(" | "));
            format!("{} {}", note.message, forms.unwrap_or_default())
        })
    };
    let json = "{\n  \"debug\": \"off\",\n  \"port\": \"80\",\n  \"ssl\": false\n}\n";
    let told = said("set debug to true in a.json", json).unwrap();
    assert!(
        told.contains("stays a text")
            && told.contains("line 2 of a.json with '  \"debug\": true,'"),
        "{told}"
    );
    for says in [
        // A number in quotes is how this file writes numbers.
        "set port to 81 in a.json",
        "set ssl to true in a.json",
        "set debug to on in a.json",
        "set debug to \"true\" in a.json",
    ] {
        assert_eq!(said(says, json), None, "{says}");
    }
}

#[test]
fn a_value_in_env_and_yaml_is_put_in_quotes_where_it_needs_them() {
    for (says, text, after) in [
        ("set A to \"x # y\" in app.env", "A=1\n", "A=\"x # y\"\n"),
        (
            "set A to 'a \"b\"' in .env.example",
            "A=1\n",
            "A='a \"b\"'\n",
        ),
        ("set A to \"x\" in app.env", "A=1\n", "A=x\n"),
        ("set A to x in app.env", "A=\n", "A=x\n"),
        (
            "set a to \"x: y # z\" in b.yaml",
            "a: 1\n",
            "a: \"x: y # z\"\n",
        ),
    ] {
        assert_eq!(edited(says, text), after, "{says}");
    }
}

#[test]
fn values_behind_a_space_are_set_and_names_without_one_are_told() {
    let nginx = "server {\n    listen 80 default_server;\n    server_name a.com;\n}\n";
    let text = edited("set listen to 8080 in nginx.conf", nginx);
    assert!(text.contains("    listen 8080 default_server;\n"), "{text}");
    let text = edited("change server_name to b.com in nginx.conf", nginx);
    assert!(text.contains("    server_name b.com;\n"), "{text}");
    let ssh = "#Port 22\nPermitRootLogin no # as before\n";
    let text = edited("set PermitRootLogin to yes in \"sshd_config\"", ssh);
    assert!(
        text.ends_with("PermitRootLogin yes # as before\n"),
        "{text}"
    );
    let told = |says: &str, text: &str| {
        let refused = read(says).unwrap().plan(text).unwrap_err();
        let forms = refused.offers.iter().flat_map(|offer| &offer.forms);
        let forms: Vec<&str> = refused
            .nearest
            .iter()
            .chain(forms)
            .map(String::as_str)
            .collect();
        format!("{refused} {}", forms.join(" | "))
    };
    let comment = told("set Port to 23 in \"sshd_config\"", ssh);
    assert!(
        comment.contains("a comment in line 1 (`#Port 22`)")
            && comment.contains("replace line 1 of sshd_config with \"Port 23\""),
        "{comment}"
    );
    let yaml = told("set name to x in a.yaml", "a:\n  name:\n  b: 1\n");
    assert!(
        yaml.contains("a line without a value, line 2 (`name:`)")
            && yaml.contains("replace line 2 of a.yaml with \"  name: x\""),
        "{yaml}"
    );
    // A sign sets what a space would not.
    assert!(planned("set log to x in a.conf", "log level = info\n").is_err());
}

#[test]
fn what_is_not_there_or_twice_is_refused_with_what_was_found() {
    let refused = |says: &str, text: &str| planned(says, text).unwrap_err();
    let absent = refused("set the colour in settings.toml to red", SETTINGS);
    assert!(absent.contains("`colour`"), "{absent}");
    let twice = refused("set port in a.ini to 9", "port = 1\nport = 2\n");
    assert!(
        twice.contains("line 1") && twice.contains("line 2"),
        "{twice}"
    );
    let other = refused("change the port in settings.toml from 1 to 9000", SETTINGS);
    assert!(other.contains("8090"), "{other}");
    let many = refused("remove the line about bank from days.txt", "bank\nBank\n");
    assert!(many.contains("line 1"), "{many}");
}

#[test]
fn lines_are_removed_by_what_they_say() {
    let text = edited("Remove the line about the dentist from calendar.txt.", DAYS);
    assert_eq!(text, "Mon 09:00 standup\nTue 14:30 bank");
    let text = edited("delete the entry for standup in calendar.txt", DAYS);
    assert_eq!(text, "Tue 14:30 bank\nFri 11:00 dentist");
    let text = edited("remove the line \"bank\" from calendar.txt", DAYS);
    assert_eq!(text, "Mon 09:00 standup\nFri 11:00 dentist");
    let log = "a DEBUG x\nb\nc DEBUG y\n";
    let text = edited("remove all lines that contain DEBUG from app.log", log);
    assert_eq!(text, "b\n");
    let text = edited(
        "remove the eggs from list.txt",
        "- Milk\n- [ ] eggs\nmilk rice\n",
    );
    assert_eq!(text, "- Milk\nmilk rice\n");
    let text = edited(
        "remove the line call Bob from list.txt",
        "call Bob\ncall Bobby\n",
    );
    assert_eq!(text, "call Bobby\n");
    let text = edited("remove the duplicates from list.txt", "a\nb\na\n");
    assert_eq!(text, "a\nb\n");
    for (says, text) in [
        ("remove milk from list.txt", "milk rice\n"),
        ("remove milk from list.txt", "milk\n- milk\n"),
    ] {
        assert!(planned(says, text).is_err(), "{says}");
    }
    for says in [
        "remove the first two from list.txt",
        "remove milk and eggs from list.txt",
    ] {
        assert_eq!(read(says), None, "{says}");
    }
}

#[test]
fn a_quoted_text_is_removed_where_it_stands_once() {
    let text = "Anna cried. Tom went.\nThe end\nTomorrow Anna\n";
    let is = |says: &str| edited(says, text);
    let without = text.replace("Anna cried.", "");
    assert_eq!(is("remove \"Anna cried.\" from novel.md"), without);
    assert_eq!(is("in novel.md, delete 'Anna cried.'"), without);
    let without = text.replace("The end\n", "");
    assert_eq!(is("delete \"The end\" in the file novel.md"), without);
    for (says, why) in [
        ("remove \"Anna\" from novel.md", "line 1 (`Anna cried."),
        ("remove \"Eve\" from novel.md", "no `Eve`"),
        ("remove \"\" from novel.md", "no ``"),
        ("remove \"orrow\" from novel.md", "part of `Tomorrow`"),
    ] {
        let refused = planned(says, text).unwrap_err();
        assert!(refused.contains(why), "{says}: {refused}");
    }
    assert_eq!(read("remove \"a.txt\" from docs/"), None);
    let refused = read("remove Tom from novel.md")
        .unwrap()
        .plan(text)
        .unwrap_err();
    assert_eq!(
        refused.nearest,
        [
            "remove \"Tom\" from novel.md",
            "remove the line about \"Tom\" from novel.md"
        ]
    );
}

#[test]
fn values_tables_and_letters_are_written_elsewhere() {
    let says = "Read the port in settings.toml and write it into a new file port.txt.";
    assert_eq!(written(says, SETTINGS).1, "8090");
    let csv = "name,price\ntea,3\n\"milk, fresh\",2.50\n";
    let says = "Convert prices.csv to JSON and save it as prices.json: a list of objects.";
    let (path, content) = written(says, csv);
    assert_eq!(path, "prices.json");
    let parsed: serde_json::Value = serde_json::from_str(&content).unwrap();
    assert_eq!(parsed[1]["name"], "milk, fresh");
    assert_eq!(parsed[0]["price"], 3);
    assert_eq!(written("convert prices.csv to json", csv).0, "prices.json");
    let (_, content) = written("Turn prices.csv into a Markdown table in prices.md.", csv);
    assert_eq!(
        content,
        "| name | price |\n| --- | --- |\n| tea | 3 |\n| milk, fresh | 2.50 |\n"
    );
    let json = "[{\"a\": 1, \"b\": \"x, y\"}, {\"a\": 2}]";
    let (_, content) = written("convert a.json to a.csv", json);
    assert_eq!(content, "a,b\n1,\"x, y\"\n2,\n");
    let says = "Write the content of word.txt in capital letters to loud.txt.";
    assert_eq!(written(says, "quiet\n").1, "QUIET\n");
    assert!(planned("convert a.csv to a.json", "a\n1,2\n").is_err());
}

#[test]
fn a_word_of_a_text_is_no_value() {
    let days = "Tuesday: write 500 words\nMood: calm\n";
    let refusal = |says: &str| read(says).unwrap().plan(days).unwrap_err();
    // Not there as a value: the plan that replaces the word counts.
    assert!(refusal("change Tuesday to Monday in days.txt").is_absent);
    assert!(refusal("change 500 to 600 in days.txt").is_absent);
    let both = refusal("change Mood to gloomy in days.txt");
    assert!(!both.is_absent && both.nearest.len() == 2, "{both}");
    for says in [
        "set Mood to gloomy in days.txt",
        "change the value of Mood to gloomy in days.txt",
        "change the Mood in days.txt from calm to gloomy",
    ] {
        assert!(edited(says, days).ends_with("Mood: gloomy\n"), "{says}");
    }
    assert_eq!(
        edited("change port to 81 in a.ini", "port = 80\n"),
        "port = 81\n"
    );
    assert_eq!(read("change port to x everywhere in a.ini"), None);
}

#[test]
fn a_text_is_copied_in_as_many_steps_as_it_needs() {
    let actions = planned("copy a.md to b.md", "x\n").unwrap();
    assert_eq!(actions, [create("b.md", "x\n".to_owned())]);
    for (says, path) in [
        ("make a backup of a.md", "a.md.bak"),
        ("back up a.md", "a.md.bak"),
        ("back up a.md to old/a.md", "old/a.md"),
        ("copy a.md into the folder drafts", "drafts/a.md"),
        ("duplicate a.md and call it b.md", "b.md"),
        ("create a copy of a.md as b.md", "b.md"),
    ] {
        assert_eq!(written(says, "x\n").0, path, "{says}");
    }
    let long = "word word word\n".repeat(1_000);
    let actions = planned("copy a.md to b.md", &long).unwrap();
    let text = actions.iter().map(|action| match action {
        Action::CreateFile { content, .. } | Action::AppendText { content, .. } => {
            assert!(content.chars().count() <= CONTENT_CHARS && content.ends_with('\n'));
            content.as_str()
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(text.collect::<String>(), long);
    assert!(planned("copy a.md to b.md", &long.repeat(10)).is_err());
    assert!(planned("copy a.md to b.md", &"x".repeat(CONTENT_CHARS + 1)).is_err());
    for says in ["copy a.md", "copy a.md to a.md", "copy everything to b.md"] {
        assert_eq!(read(says), None, "{says}");
    }
}

#[test]
fn what_may_be_more_than_a_value_or_spoil_the_file_is_refused() {
    for (says, text) in [
        ("set the port in a.toml to 9000 if it is 8001", "port = 1\n"),
        (
            "set the port in a.toml to 9000 and the host to x",
            "port = 1\n",
        ),
        (
            "set the port in a.toml to 9000 tomorrow morning",
            "port = 1\n",
        ),
        (
            "set the server port in i.toml to 9000",
            "[client]\nport = 1\n[server]\nhost = 1\n",
        ),
        ("change the port in d.toml from 80 to 90", "port = 8080\n"),
        ("set the ports in e.toml to 9", "ports = [\n80,\n81\n]\n"),
        ("set the text in e.yaml to hello", "text: |\n  a\n"),
        ("set the port in e.txt to 9", "port = 1\rname = x\r"),
        ("set the port in e.toml to null", "port = 1\n"),
        ("set the name in e.py to \"it's\"", "name = 'x'\n"),
        (
            "remove the row about Ann from n.csv",
            "name,age\nJoanna,3\n",
        ),
        ("remove all lines that contain \"\" from r.txt", "a\nb\n"),
        (
            "remove the row about second from n.csv",
            "name,x\nAnn,\"first\nsecond\"\n",
        ),
        (
            "remove the line about b in e.json",
            "{\n\"a\": 1,\n\"b\": 2\n}\n",
        ),
        ("turn q.toml into q.json", "a = 1\n"),
        ("turn q.csv into q.json", "name,name\na,b\n"),
        ("turn q.json into q.csv", "[]"),
    ] {
        assert!(
            planned(says, text).is_err(),
            "{says}: {:?}",
            planned(says, text)
        );
    }
    let phone = edited("set the phone in a.txt to 777", "phone: 555 1234\n");
    assert_eq!(phone, "phone: 777\n");
    let same = edited(
        "remove all lines that contain X from a.txt",
        "X\nk\nX\nX\nk\n",
    );
    assert_eq!(same, "k\nk\n");
}

#[test]
fn a_question_or_a_negation_is_no_order() {
    for says in [
        "set the port in settings.toml to 9000?",
        "do not set the port in settings.toml to 9000",
        "change the port in settings.toml to 9000 then delete a.txt",
    ] {
        assert_eq!(read(says), None, "{says}");
    }
}

/// Dependencies as Cargo has them.
const MANIFEST: &str = "[package]\nname = \"x\"\nversion = \"0.4.2\"\n\n[dependencies]\nclap = \
                        \"4.4\"\nserde = { version = \"1.0.190\", features = [\"derive\"] }\n\n\
                        [profile.release]\nopt-level = 3\n";

#[test]
fn a_value_from_before_is_held_to_what_the_file_takes() {
    let order = "change opt-level from 3 to s in Cargo.toml";
    assert!(edited(order, MANIFEST).contains("opt-level = \"s\"\n"));
    let code = "const MAX: u32 = 3;\n";
    let refused = planned("change MAX in src/main.rs from 3 to five", code).unwrap_err();
    assert!(refused.contains("would be a name there"), "{refused}");
    let env = "KEY=old\n";
    let order = "change KEY from old to \"x y\" in app.env";
    assert_eq!(edited(order, env), "KEY=\"x y\"\n");
}

#[test]
fn of_an_owner_that_is_there_no_other_ones_value_is_meant() {
    for order in [
        "change the clap version in Cargo.toml to 4.5",
        "set the version of clap to 4.5 in Cargo.toml",
    ] {
        let text = edited(order, MANIFEST);
        assert!(text.contains("clap = \"4.5\"\n"), "{order}: {text}");
        assert!(text.contains("version = \"0.4.2\""), "{order}: {text}");
    }
    let compose = "services:\n  web:\n    image: a\n    restart: always\n  db:\n    image: b\n";
    let asked = read("set services.db.restart to always in compose.yml").unwrap();
    let refusal = asked.plan(compose).unwrap_err();
    assert_eq!(refusal.offers.len(), 0, "{:?}", refusal.offers);
}

#[test]
fn a_line_beside_a_recipe_begins_as_the_recipe_does() {
    let make = "test:\n\tcargo test\n\nclean:\n\trm -r target\n";
    let order = "insert \"cargo clippy\" after the line about \"cargo test\" in Makefile";
    let text = edited(order, make);
    assert!(text.contains("\tcargo test\n\tcargo clippy\n"), "{text}");
    let order = "insert \"lint:\" after line 3 of Makefile";
    assert!(edited(order, make).contains("\n\nlint:\nclean:"));
}
