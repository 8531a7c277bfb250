//! The rules on single files: documentation, names, and who may say which word.

use crate::Violation;
use crate::arrows::is_outside;
use crate::source::{SourceFile, line_of, words_of};
use syn::visit::{self, Visit};
use syn::{Attribute, Item};

/// Every rule on a single file.
#[must_use]
pub fn check(file: &SourceFile) -> Vec<Violation> {
    let rules: [fn(&SourceFile) -> Vec<Violation>; 10] = [
        opens_with_docs,
        charter,
        names,
        authority,
        connections,
        opened_files,
        unsafe_code,
        ignored_tests,
        sleeping_tests,
        serialisation,
    ];
    rules.iter().flat_map(|rule| rule(file)).collect()
}

/// Every file opens with `//!`.
#[must_use]
pub fn opens_with_docs(file: &SourceFile) -> Vec<Violation> {
    if file.text.starts_with("//! ") {
        Vec::new()
    } else {
        vec![Violation::at(
            &file.path,
            1,
            "must open with a `//!` line that says what it is",
        )]
    }
}

/// What a charter has to say, in lower case.
const CHARTER: [&str; 4] = ["what it is", "owns", "never", "where to start"];

/// Every `lib.rs`, and every `main.rs` that has no `lib.rs` beside it to speak for it, opens with
/// the crate's charter. Build scripts and test crates' entry files count too.
#[must_use]
pub fn charter(file: &SourceFile) -> Vec<Violation> {
    if !file.path.ends_with("/src/lib.rs") {
        return Vec::new();
    }
    let head: String = file
        .text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .collect::<Vec<_>>()
        .join("\n")
        .to_lowercase();
    let missing = CHARTER.iter().filter(|part| !head.contains(*part));
    missing
        .map(|part| {
            Violation::at(
                &file.path,
                1,
                format!("the charter does not say \"{part}\""),
            )
        })
        .collect()
}

/// Names that say nothing, and so attract everything.
const EMPTY_NAMES: [&str; 8] = [
    "core", "common", "util", "utils", "manager", "helper", "helpers", "misc",
];

/// No crate, module or file has a name that says nothing.
#[must_use]
pub fn names(file: &SourceFile) -> Vec<Violation> {
    let mut found = Vec::new();
    let folder = file
        .path
        .split('/')
        .map(|part| part.trim_end_matches(".rs"));
    for part in folder.filter(|part| EMPTY_NAMES.contains(part)) {
        found.push(Violation::of(
            &file.path,
            format!("`{part}` says nothing about what is in it"),
        ));
    }
    for item in &file.tree.items {
        if let Item::Mod(module) = item
            && EMPTY_NAMES.contains(&module.ident.to_string().as_str())
        {
            let line = line_of(module.ident.span());
            let rule = format!("module `{}` says nothing about what is in it", module.ident);
            found.push(Violation::at(&file.path, line, rule));
        }
    }
    found
}

fn shipped_word(file: &SourceFile, words: &[&str], rule: &str) -> Vec<Violation> {
    let said = file.shipped_words();
    let hits = said.iter().filter(|w| words.contains(&w.text.as_str()));
    hits.map(|w| Violation::at(&file.path, w.line, format!("`{}`: {rule}", w.text)))
        .collect()
}

/// Only `services/broker` establishes an authority, so only it can permit a call.
#[must_use]
pub fn authority(file: &SourceFile) -> Vec<Violation> {
    let home = file.path == "contracts/api/src/authority.rs";
    if home || file.path.starts_with("services/broker/src/") {
        return Vec::new();
    }
    shipped_word(
        file,
        &["establish", "Authority"],
        "permission is minted by services/broker alone",
    )
}

/// Crates that may open a connection or listen for one.
const CONNECTING: [&str; 5] = [
    "adapters/grpc",
    "services/models",
    "services/search",
    "adapters/engine",
    "surfaces/stories",
];

/// Crates that may connect to a socket on this machine and to nothing else.
const CONNECTING_HERE: [&str; 1] = ["adapters/planner_bridge"];

/// Only the named crates open connections; all else goes through a contract.
#[must_use]
pub fn connections(file: &SourceFile) -> Vec<Violation> {
    let folder = file.crate_folder();
    if CONNECTING.contains(&folder.as_str()) || is_outside(&folder) {
        return Vec::new();
    }
    if CONNECTING_HERE.contains(&folder.as_str()) {
        let words = ["reqwest", "TcpStream", "TcpSocket", "UdpSocket"];
        return shipped_word(file, &words, "this crate stays on this machine");
    }
    let words = [
        "reqwest",
        "TcpStream",
        "UnixStream",
        "TcpSocket",
        "UdpSocket",
        "UnixDatagram",
    ];
    shipped_word(
        file,
        &words,
        "this crate opens no connections; go through a contract",
    )
}

/// The file tools, which see and change what `ground.rs` and `beneath.rs` opened for them.
const FILE_TOOLS: [&str; 4] = [
    "adapters/files/src/look/",
    "adapters/files/src/change/",
    "adapters/files/src/walk.rs",
    "adapters/files/src/matching.rs",
];

/// What opens a file or lists a folder by its name.
const OPENING: [&str; 9] = [
    "OpenOptions",
    "openat",
    "openat2",
    "Dir",
    "read_dir",
    "read_link",
    "search_path",
    "from_path",
    "open_tree",
];

/// No file tool opens a file: one place decides what may be read and changed.
#[must_use]
pub fn opened_files(file: &SourceFile) -> Vec<Violation> {
    if !FILE_TOOLS.iter().any(|tools| file.path.starts_with(tools)) {
        return Vec::new();
    }
    let rule = "a file tool opens nothing; adapters/files/src/ground.rs does";
    let said = file.shipped_words();
    let opens = said.windows(3).filter(|words| {
        let [first, second, third] = [&words[0].text, &words[1].text, &words[2].text];
        match (first.as_str(), second.as_str(), third.as_str()) {
            // The type alone, of what was opened elsewhere.
            ("std", "fs", "File") => false,
            ("std" | "tokio", "fs", _) | ("rustix", "fs", "open") => true,
            ("fs", "read" | "read_to_string" | "write" | "copy" | "rename" | "hard_link", _) => {
                true
            }
            ("File", "open" | "options" | "create" | "create_new" | "open_buffered", _) => true,
            _ => false,
        }
    });
    let by_line = opens.map(|words| Violation::at(&file.path, words[1].line, rule));
    by_line.chain(shipped_word(file, &OPENING, rule)).collect()
}

/// `unsafe` stays where the allocator is set.
#[must_use]
pub fn unsafe_code(file: &SourceFile) -> Vec<Violation> {
    if file.crate_folder() == "base/allocator" {
        return Vec::new();
    }
    let words = file.words();
    let hits = words.iter().filter(|w| w.text == "unsafe");
    hits.map(|w| Violation::at(&file.path, w.line, "`unsafe` outside of base/allocator"))
        .collect()
}

/// No test is switched off.
#[must_use]
pub fn ignored_tests(file: &SourceFile) -> Vec<Violation> {
    let mut seen = Attributes::default();
    seen.visit_file(&file.tree);
    let hits = seen.all.iter().filter(|a| a.path().is_ident("ignore"));
    hits.map(|a| {
        let line = line_of(a.pound_token.span);
        Violation::at(&file.path, line, "an ignored test proves nothing")
    })
    .collect()
}

/// No test waits for time to pass: it waits for what it wants to see.
#[must_use]
pub fn sleeping_tests(file: &SourceFile) -> Vec<Violation> {
    let words = file.test_words();
    let hits = words
        .iter()
        .filter(|w| w.text == "sleep" || w.text == "sleep_until");
    hits.map(|w| {
        Violation::at(
            &file.path,
            w.line,
            "a test must not sleep; wait for an event",
        )
    })
    .collect()
}

/// File names that own a format: configuration, disk records, a provider's wire form.
const FORMAT_FILES: [&str; 4] = ["config.rs", "record.rs", "wire.rs", "manifest.rs"];
/// Crates whose types are formats: the event vocabulary, and the arguments and results of tools.
const FORMAT_CRATES: [&str; 4] = [
    "contracts/domain",
    "adapters/files",
    "adapters/programs",
    "adapters/tools",
];

/// The top layer reads configuration, and what it and the terminal print as JSON is their promise.
const FORMAT_FOLDERS: [&str; 4] = [
    "bin/carl/src/",
    "bin/config/src/",
    "surfaces/rendering/src/",
    "surfaces/terminal/src/",
];

/// Serialisation is derived only where a format is owned.
#[must_use]
pub fn serialisation(file: &SourceFile) -> Vec<Violation> {
    let folder = file.crate_folder();
    let by_name = file.path.split('/').any(|part| {
        FORMAT_FILES.contains(&part) || FORMAT_FILES.contains(&format!("{part}.rs").as_str())
    });
    let is_printed = FORMAT_FOLDERS
        .iter()
        .any(|folder| file.path.starts_with(folder));
    let by_name = by_name || is_printed;
    if by_name || FORMAT_CRATES.contains(&folder.as_str()) || is_outside(&folder) {
        return Vec::new();
    }
    let mut seen = Attributes::default();
    for item in &file.shipped {
        seen.visit_item(item);
    }
    let mut found = Vec::new();
    for attribute in seen.all.iter().filter(|a| a.path().is_ident("derive")) {
        let tokens = quote::ToTokens::to_token_stream(attribute);
        let words = words_of(tokens);
        if words
            .iter()
            .any(|w| w.text == "Serialize" || w.text == "Deserialize")
        {
            let line = line_of(attribute.pound_token.span);
            let rule =
                "a format is a promise: derive it in config.rs, record.rs, wire.rs or domain";
            found.push(Violation::at(&file.path, line, rule));
        }
    }
    found
}

#[derive(Default)]
struct Attributes {
    all: Vec<Attribute>,
}

impl<'ast> Visit<'ast> for Attributes {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.all.push(attribute.clone());
        visit::visit_attribute(self, attribute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&SourceFile) -> Vec<Violation>;

    fn count(rule: Rule, path: &str, text: &str) -> usize {
        rule(&SourceFile::parse(path, text, path.contains("/tests/")).unwrap()).len()
    }

    #[test]
    fn each_rule_catches_its_bad_example() {
        let cases: [(Rule, &str, &str); 16] = [
            (opens_with_docs, "a/b/src/c.rs", "fn f() {}"),
            (names, "logic/plan/src/utils.rs", "//! x"),
            (names, "logic/core/src/lib.rs", "//! x"),
            (names, "logic/plan/src/lib.rs", "mod helper;"),
            (
                authority,
                "services/agents/src/a.rs",
                "fn f() { use X as Y; Y::establish(); }",
            ),
            (
                authority,
                "bin/carl/src/main.rs",
                "use api::authority::Authority as Innocent;",
            ),
            (
                connections,
                "adapters/tools/src/a.rs",
                "fn f() { std::net::TcpStream::connect(x); }",
            ),
            (
                connections,
                "services/agents/src/a.rs",
                "fn f() { vec![reqwest::get(u)]; }",
            ),
            (
                connections,
                "adapters/planner_bridge/src/lib.rs",
                "fn f() { tokio::net::TcpStream::connect(x); }",
            ),
            (
                unsafe_code,
                "services/broker/src/a.rs",
                "fn f() { unsafe { g() } }",
            ),
            (
                unsafe_code,
                "base/text/src/a.rs",
                "#[cfg(test)] mod tests { unsafe fn f() {} }",
            ),
            (unsafe_code, "adapters/engine/src/a.rs", "unsafe fn f() {}"),
            (
                ignored_tests,
                "base/text/src/a.rs",
                "mod tests { #[test] #[ignore] fn f() {} }",
            ),
            (
                sleeping_tests,
                "tests/x/tests/a.rs",
                "fn f() { std::thread::sleep(d); }",
            ),
            (
                sleeping_tests,
                "a/b/src/c.rs",
                "#[cfg(test)] mod t { async fn f() { sleep(d); } }",
            ),
            (
                serialisation,
                "services/agents/src/a.rs",
                "#[derive(serde::Serialize)] struct A;",
            ),
        ];
        for (rule, path, text) in cases {
            assert_eq!(count(rule, path, text), 1, "{path}: {text}");
        }
    }

    #[test]
    fn what_the_rules_allow_passes() {
        let cases: [(Rule, &str, &str); 9] = [
            (
                authority,
                "services/broker/src/a.rs",
                "fn f() { Authority::establish(); }",
            ),
            (
                authority,
                "adapters/tools/src/a.rs",
                "#[cfg(test)] mod t { use api::Authority; }",
            ),
            (
                connections,
                "services/models/src/a.rs",
                "use reqwest::Client;",
            ),
            (
                connections,
                "services/agents/src/a.rs",
                "#[cfg(test)] use std::net::TcpStream;",
            ),
            (
                connections,
                "adapters/planner_bridge/src/lib.rs",
                "use tokio::net::UnixStream;",
            ),
            (unsafe_code, "base/allocator/src/a.rs", "unsafe fn f() {}"),
            (
                sleeping_tests,
                "services/models/src/a.rs",
                "async fn back_off() { sleep(d).await; }",
            ),
            (
                serialisation,
                "services/agents/src/record.rs",
                "#[derive(Serialize)] struct A;",
            ),
            (
                serialisation,
                "services/models/src/wire/ollama.rs",
                "#[derive(Serialize)] struct A;",
            ),
        ];
        for (rule, path, text) in cases {
            assert_eq!(count(rule, path, text), 0, "{path}: {text}");
        }
    }

    #[test]
    fn a_file_tool_that_opens_is_caught() {
        let opens = [
            "use std::fs::File; fn f() { File::open(p); }",
            "fn f() { std::fs::read(p) }",
            "use std::{fs, io}; fn f() { fs::read_to_string(p); }",
            "fn f() { p.read_dir(); }",
            "use rustix::fs::{Mode, openat2};",
        ];
        for text in opens {
            for place in ["look/a.rs", "change/mod.rs", "walk.rs"] {
                let path = format!("adapters/files/src/{place}");
                assert_ne!(count(opened_files, &path, text), 0, "{path}: {text}");
            }
            assert_eq!(count(opened_files, "adapters/files/src/ground.rs", text), 0);
        }
        let given = "use std::fs::File; fn f(place: Place) -> File { place.open(found) }";
        assert_eq!(
            count(opened_files, "adapters/files/src/look/a.rs", given),
            0
        );
    }

    #[test]
    fn a_charter_names_all_four_parts() {
        let good = "//! X.\n//! What it is: a.\n//! What it owns: b.\n//! What it never does: c.\n//! Where to start: d.";
        assert_eq!(count(charter, "services/x/src/lib.rs", good), 0);
        let silent = "//! X.\nfn what_it_is_owns_never_where_to_start() {}";
        assert_eq!(count(charter, "services/x/src/lib.rs", silent), 4);
        assert_eq!(count(charter, "services/x/src/a.rs", silent), 0);
    }
}
