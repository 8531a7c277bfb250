//! Every order by rules, and every order that a refusal offers instead, on files of all formats: it is done,
//! changes one place and leaves the file sound.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails loudly, in its helpers too"
)]

use domain::plan::Action;
use plan::by_rules::{self, ByRules, FileState, Files, Unplanned};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [(&str, &str); 16] = [
    (
        "settings.toml",
        "port = 8080\nname = \"my \\\"app\\\"\"\n# level = \"info\"\ndb = { host = \"a\", tries = 3 }\ntext = \"\"\"\nsize = 1\n\"\"\"\n\n[server]\nport = 80\nsize = 2\nwhen = 2026-01-01\n",
    ),
    (
        "a.json",
        "{\n  \"port\": 80,\n  \"db\": {\"host\": \"a\", \"tries\": 3},\n  \"log\": {\n    \"level\": \"info\",\n    \"port\": 1\n  },\n  \"tags\": [\"x\", \"y\"]\n}\n",
    ),
    ("flat.json", "{\"a\":1,\"b\":{\"c\":\"d\"}}\n"),
    (
        "a.yaml",
        "name: app\nport: 80\nserver:\n  port: 81\n  hosts: [a, b]\n# level: info\nempty:\nnote: |\n  size: 3\n  more text\nenv:\n  - KEY=1\n  - OTHER=two\n  - name: x\n    value: 'it'\n",
    ),
    (".env.example", "export A=1\nB=\"x y\"\n# C=3\nD=\nE='q'\n"),
    (
        "a.ini",
        "; size = 3\n[one]\nport = 1\nname = x\n\n[two]\nport = 2\n",
    ),
    (
        "nginx.conf",
        "server {\n    listen 80;\n    server_name a.com b.com;\n    # gzip on;\n    location / {\n        root /srv;\n    }\n}\n",
    ),
    (
        "sshd_config",
        "#Port 22\nPermitRootLogin no\nMatch User git\n",
    ),
    ("app.properties", "server.port=80\nname: x y\n# size=3\n"),
    (
        "people.csv",
        "name,role,age\nAnna,\"Lead, Ops\",31\nJonas,Dev,28\n",
    ),
    ("t.tsv", "a\tb\n1\t2\n"),
    (
        "lib.rs",
        "pub(crate) const A: u32 = 3;\nconst NAME: &str = \"x\";\n// let old = 1;\nfn main() {\n    let mut count = 5;\n    let list: Vec<u32> = vec![1, 2];\n    match count {\n        _ => {}\n    }\n}\n",
    ),
    (
        "main.go",
        "package main\n\nvar port int = 80\nconst name = \"x\"\n\nfunc main() {\n\tcount := 5\n}\n",
    ),
    (
        "a.py",
        "port: int = 80\nname = 'x'\n\ndef run():\n    return port\n",
    ),
    ("requirements.txt", "flask==2.3.2\nrequests>=2.0,<3\n"),
    (
        "novel.md",
        "# Plan\n\n\"Come in,\" she said. 'It's late.'\nTom and Anna left.\n\n## Notes\n- milk\n- Tom's hat\nMood: calm\n",
    ),
];

/// What is ordered of each word of each file.
const ORDERS: [&str; 24] = [
    "set {n} to 7 in {f}",
    "set {n} to hello in {f}",
    "set {n} to \"a b\" in {f}",
    "set {n} to \"x # y\" in {f}",
    "set {n} to \"x: y\" in {f}",
    "set {n} to 'he said \"hi\"' in {f}",
    "set {n} to \"it's\" in {f}",
    "set {n} to true in {f}",
    "change {n} to 7 in {f}",
    "change the {n} in {f} to zz",
    "change the {n} of the server in {f} to 9",
    "comment out {n} in {f}",
    "uncomment {n} in {f}",
    "remove {n} from {f}",
    "remove \"{n}\" from {f}",
    "remove the line about {n} from {f}",
    "replace {n} with zz in {f}",
    "replace \"{n}\" with \"z, z\" in {f}",
    "append \"{n}\" and \"b\" to {f}",
    "append \"{n}\" to {f}",
    "add {n} to {f}",
    "put {n} in {f}",
    "insert \"x\" after {n} in {f}",
    "delete {n} from {f}",
];

/// Whether a file is sound, by its ending; `None` where nothing is known of its format.
fn is_sound(path: &str, text: &str) -> Option<bool> {
    Some(match path.rsplit_once('.')?.1 {
        "json" => serde_json::from_str::<serde_json::Value>(text).is_ok(),
        "toml" => text.parse::<toml::Table>().is_ok(),
        "yaml" => serde_saphyr::from_str::<BTreeMap<String, serde_json::Value>>(text).is_ok(),
        "csv" => csv::Reader::from_reader(text.as_bytes())
            .records()
            .all(|row| row.is_ok()),
        "tsv" => text.lines().all(|row| row.split('\t').count() == 2),
        "example" | "ini" | "properties" => text.lines().all(|line| {
            let is_empty = line.trim().is_empty() || line.starts_with(['#', ';', '[']);
            is_empty || line.contains(['=', ':'])
        }),
        _ if path == "nginx.conf" => {
            let ends =
                |line: &str| line.trim().is_empty() || line.trim().ends_with([';', '{', '}']);
            let mut lines = text.lines().filter(|line| !line.trim().starts_with('#'));
            lines.all(ends)
        }
        _ => return None,
    })
}

/// The steps of an order on a text, or why there are none.
fn planned(order: &str, text: &str) -> Result<Vec<Action>, Unplanned> {
    let texts = |paths: Vec<String>| {
        let texts = paths.into_iter().map(|path| (path, text.to_owned()));
        texts.collect::<BTreeMap<String, String>>()
    };
    Ok(match by_rules::plan(order)? {
        ByRules::Plan(plan) => {
            let words = texts(by_rules::words_to_read(order, &plan));
            let plan = by_rules::of_whole_words(order, plan, words)?.plan;
            by_rules::stays_sound(&plan, &texts(by_rules::formats_to_read(&plan)))?;
            plan.actions
        }
        ByRules::AfterReading(asked, literal) => {
            by_rules::after_reading(order, &asked, literal, text)?
                .plan
                .actions
        }
        ByRules::Several(orders) => {
            let mut text = text.to_owned();
            let mut all = Vec::new();
            for order in orders {
                let actions = planned(&order, &text)?;
                text = applied(&text, &actions);
                all.extend(actions);
            }
            all
        }
    })
}

fn applied(text: &str, actions: &[Action]) -> String {
    let mut text = text.to_owned();
    for action in actions {
        match action {
            Action::ReplaceText { old, new, .. } => {
                assert!(text.contains(old), "{old:?} is not there");
                text = text.replace(old, new);
            }
            Action::AppendText { content, .. } => text.push_str(&format!("{content}\n")),
            _ => {}
        }
    }
    text
}

/// How many lines of a text are no more in another.
fn lost(before: &str, after: &str) -> usize {
    let mut left: Vec<&str> = after.lines().collect();
    let is_lost = |line: &&str| match left.iter().position(|other| other == line) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    };
    before.lines().filter(is_lost).count()
}

/// What is named of a file: some of its words, others in each file.
fn names(path: &str, text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"_.-".contains(c));
    let words = words.map(|word| word.trim_matches(['.', '-']));
    let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
    let sample = words.into_iter().skip(path.len() % 9).step_by(9);
    sample.map(str::to_owned).collect()
}

/// What is wrong with an order that was done on a file.
fn fault(path: &str, text: &str, order: &str, actions: &[Action]) -> Option<String> {
    let after = applied(text, actions);
    if is_sound(path, text) == Some(true) && is_sound(path, &after) == Some(false) {
        return Some(format!("{order}\n   leaves {path} unsound:\n{after}"));
    }
    let sets = order.starts_with("set ") || order.starts_with("replace line");
    (sets && (lost(text, &after) != 1 || lost(&after, text) != 1))
        .then(|| format!("{order}\n   changes other lines:\n{after}"))
}

#[test]
fn every_order_and_every_offer_leaves_its_file_sound() {
    let mut wrong: Vec<String> = Vec::new();
    let (mut done, mut offered, mut refused) = (0, 0, 0);
    for (path, text) in FILES {
        assert_ne!(is_sound(path, text), Some(false), "{path}");
        let files: Files = BTreeMap::from([(path.to_owned(), FileState::Text(text.to_owned()))]);
        for name in names(path, text) {
            for order in ORDERS {
                let order = order.replace("{n}", &name).replace("{f}", path);
                let refusal = match planned(&order, text) {
                    Ok(actions) => {
                        done += 1;
                        wrong.extend(fault(path, text, &order, &actions));
                        continue;
                    }
                    Err(Unplanned::Refused(refusal)) => by_rules::proven(*refusal, &files),
                    Err(other) => panic!("{order}: {other:?}"),
                };
                refused += 1;
                for offer in refusal.nearest {
                    offered += 1;
                    match planned(&offer, text) {
                        Ok(actions) => wrong.extend(fault(path, text, &offer, &actions)),
                        Err(again) => {
                            wrong.push(format!("{order}\n   offers {offer}\n   {again:?}"))
                        }
                    }
                    let is_left_open = offer.contains('…') || offer.contains("...");
                    if is_left_open {
                        wrong.push(format!("{order}\n   offers {offer}"));
                    }
                }
            }
        }
    }
    wrong.truncate(25);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        done > 80 && refused > 250 && offered > 200,
        "{done} {refused} {offered}"
    );
}

/// What a refusal offers first, proven on its file, and what the file is after it.
fn offered(path: &str, text: &str, order: &str) -> (String, String) {
    let files: Files = BTreeMap::from([(path.to_owned(), FileState::Text(text.to_owned()))]);
    let Err(Unplanned::Refused(refusal)) = planned(order, text) else {
        panic!("{order} is done");
    };
    let refusal = by_rules::proven(*refusal, &files);
    match refusal.nearest.first() {
        Some(offer) => (offer.clone(), applied(text, &planned(offer, text).unwrap())),
        None => (refusal.advice.unwrap_or_default(), text.to_owned()),
    }
}

/// Orders that are refused, each with what its file is once the first offer is pasted.
const OFFERED: [(&str, &str, &str, &str); 8] = [
    // A comment keeps the quotes or the semicolon that its line has.
    (
        "a.toml",
        "# level = \"info\"\n",
        "set level to debug in a.toml",
        "level = \"debug\"\n",
    ),
    (
        "n.conf",
        "a {\n  # gzip on;\n}\n",
        "set gzip to off in n.conf",
        "a {\n  gzip off;\n}\n",
    ),
    (
        "a.toml",
        "a = 1\n\n[b]\nc = 2\n",
        "set d to x in a.toml",
        "a = 1\nd = \"x\"\n\n[b]\nc = 2\n",
    ),
    (
        "a.toml",
        "[a]\np = 1\n[b]\np = 2\n",
        "set p to 3 in a.toml",
        "[a]\np = 3\n[b]\np = 2\n",
    ),
    (
        "a.js",
        "const PORT = 1;\n",
        "set PORT to abc in a.js",
        "const PORT = \"abc\";\n",
    ),
    (
        "a.json",
        "{\n  \"port\": 1\n}\n",
        "set prot to 2 in a.json",
        "{\n  \"port\": 2\n}\n",
    ),
    ("a.md", "x\n", "append \"a\" and \"b\" to a.md", "x\na\nb\n"),
    (
        "a.yaml",
        "a:\n  p:\n  b: 1\n",
        "set p to 2 in a.yaml",
        "a:\n  p: 2\n  b: 1\n",
    ),
];

#[test]
fn what_is_offered_is_written_as_the_file_needs_it() {
    for (path, text, order, after) in OFFERED {
        let (offer, is) = offered(path, text, order);
        assert_eq!(is, after, "{order}: {offer}");
    }
    for (path, text, order, advice) in [
        (
            "a.md",
            "Tom\n",
            "replace the first Tom with Tim in a.md",
            "exact text in quotes",
        ),
        (
            ".env.example",
            "A=1\n",
            "append \"a\" and \"b\" to .env.example",
            "fits",
        ),
        (
            "a.md",
            "x\n",
            "add milk to a.md, eggs to b.md and tea to c.md",
            "one step for each",
        ),
    ] {
        let (offer, _) = offered(path, text, order);
        assert!(offer.contains(advice), "{order}: {offer}");
    }
}

#[test]
fn a_refusal_offers_nothing_of_a_file_that_may_not_be_changed() {
    let order = "append \"A=1\" and \"B=2\" to .env";
    let Err(Unplanned::Refused(refusal)) = by_rules::plan(order) else {
        panic!("{order} is done");
    };
    for (state, is_offered) in [
        (FileState::Closed, false),
        (FileState::Folder, false),
        (FileState::Text("C=3\n".to_owned()), true),
        (FileState::Absent, true),
    ] {
        let files: Files = BTreeMap::from([(".env".to_owned(), state.clone())]);
        let refusal = by_rules::proven(*refusal.clone(), &files);
        assert_eq!(!refusal.nearest.is_empty(), is_offered, "{state:?}");
        assert_eq!(refusal.advice.is_some(), !is_offered, "{state:?}");
    }
}
