//! The rules of the house on this workspace.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use architecture::arrows::{self, Arrow, Need};
use architecture::dependencies::{self, Declared};
use architecture::licences::{self, Dependency};
use architecture::named_tests::Known;
use architecture::source::SourceFile;
use architecture::{Violation, circles, codes, contracts, rules, sizes};
use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().parent().unwrap().to_path_buf()
}

const LAYERS: [&str; 11] = [
    "base",
    "contracts",
    "logic",
    "storage",
    "services",
    "adapters",
    "surfaces",
    "bin",
    "tests",
    "benches",
    "xtask",
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            // A corpus of other people's Rust is data, not ours.
            if !name.starts_with('.') && !name.starts_with("target") && name != "data" {
                rust_files(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// Every source file of the workspace with its path from the root.
fn texts() -> Vec<(String, String)> {
    let root = root();
    let mut paths = Vec::new();
    for layer in LAYERS {
        rust_files(&root.join(layer), &mut paths);
    }
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        (name.to_owned(), std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn parsed(name: &str, text: &str, test_modules: &BTreeSet<String>) -> SourceFile {
    let stem = name.trim_end_matches(".rs");
    let is_test = name.starts_with("tests/") && !name.contains("/src/")
        || name
            .splitn(3, '/')
            .nth(2)
            .is_some_and(|rest| rest.starts_with("tests/"))
        || stem.ends_with("/tests")
        || test_modules
            .iter()
            .any(|module| stem == module || stem.starts_with(&format!("{module}/")));
    SourceFile::parse(name, text, is_test).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// These files parsed, with test files known as such.
fn parse(texts: &[(String, String)]) -> Vec<SourceFile> {
    let read = |(name, text): &(String, String)| parsed(name, text, &BTreeSet::new());
    let mut all: Vec<SourceFile> = texts.iter().map(read).collect();
    let test_modules: BTreeSet<String> = all.iter().flat_map(SourceFile::test_modules).collect();
    for (file, (name, text)) in all.iter_mut().zip(texts) {
        let stem = name.trim_end_matches(".rs");
        let is_within = |module: &String| stem.starts_with(module.as_str());
        if test_modules.iter().any(is_within) {
            *file = parsed(name, text, &test_modules);
        }
    }
    all
}

/// Every source file of the workspace, parsed.
fn sources() -> Vec<SourceFile> {
    parse(&texts())
}

/// Those that name a word, and those that say which files are tests. Parsing all takes seconds.
fn sources_that_name(word: &str) -> Vec<SourceFile> {
    let mut texts = texts();
    texts.retain(|(_, text)| text.contains(word) || declares_test_file(text));
    let files = parse(&texts);
    assert!(
        files.iter().any(|file| file.text.contains(word)),
        "no file names {word}"
    );
    files
}

/// Whether a file has a module that is a file of tests.
fn declares_test_file(text: &str) -> bool {
    let mut pairs = text.lines().zip(text.lines().skip(1));
    pairs.any(|(above, line)| above.trim() == "#[cfg(test)]" && line.ends_with(';'))
}

fn none(found: Vec<Violation>) {
    let list: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(
        list.is_empty(),
        "{} violations:\n{}",
        list.len(),
        list.join("\n")
    );
}

fn packages() -> Vec<(String, Package)> {
    let root = root();
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .unwrap();
    let with_folder = metadata.packages.into_iter().map(|package| {
        let folder = package.manifest_path.parent().unwrap();
        let folder = folder
            .strip_prefix(root.to_str().unwrap())
            .unwrap()
            .to_string();
        (folder, package)
    });
    with_folder.collect()
}

/// Every crate of the tree that is not ours, for the two machines that Housecarl is built for.
fn dependencies_of_others() -> Vec<Dependency> {
    let mut options = vec!["--offline".to_owned(), "--locked".to_owned()];
    for target in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        options.push(format!("--filter-platform={target}"));
    }
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(options)
        .exec()
        .unwrap();
    let others = metadata
        .packages
        .into_iter()
        .filter(|one| one.source.is_some());
    let others = others.map(|one| Dependency {
        name: one.name.to_string(),
        version: one.version.to_string(),
        licence: one.license,
        source: one.source.map(|source| source.repr),
    });
    others.collect()
}

/// The dependencies between our crates.
fn arrows() -> Vec<Arrow> {
    let root = root();
    let mut all = Vec::new();
    for (folder, package) in packages() {
        for dependency in &package.dependencies {
            if let Some(path) = &dependency.path {
                let to = path.strip_prefix(root.to_str().unwrap()).unwrap();
                all.push(Arrow {
                    from: folder.clone(),
                    to: to.to_string(),
                    need: need(dependency.kind),
                });
            }
        }
    }
    assert!(
        all.len() > 20,
        "only {} arrows seen: the test looks at nothing",
        all.len()
    );
    all
}

fn need(kind: DependencyKind) -> Need {
    match kind {
        DependencyKind::Development => Need::Test,
        _ => Need::Ship,
    }
}

#[test]
fn every_arrow_points_down() {
    for (folder, _) in packages() {
        assert!(
            arrows::place(&folder).is_some(),
            "{folder} lies in no layer"
        );
    }
    none(arrows::check(&arrows()));
}

#[test]
fn every_dependency_is_named() {
    let mut declared = Vec::new();
    for (folder, package) in packages() {
        for dependency in package.dependencies {
            declared.push(Declared {
                folder: folder.clone(),
                name: dependency.rename.unwrap_or(dependency.name),
                need: need(dependency.kind),
            });
        }
    }
    none(dependencies::check_named(
        &declared,
        &sources(),
        dependencies::UNNAMED,
    ));
}

#[test]
fn the_crate_graph_matches_its_snapshot() {
    let seen = dependencies::graph(&arrows());
    let file = root().join("docs/crate-graph.txt");
    if std::env::var_os("CARL_BLESS").is_some() {
        std::fs::write(&file, &seen).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let lines = |text: &str| -> BTreeSet<String> { text.lines().map(str::to_owned).collect() };
    let (kept, seen) = (lines(&kept), lines(&seen));
    let added: Vec<&String> = seen.difference(&kept).collect();
    let gone: Vec<&String> = kept.difference(&seen).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "docs/crate-graph.txt lacks {added:#?} and has too much {gone:#?}; is each edge wanted? \
         Then `cargo xtask bless`."
    );
}

#[test]
fn modules_of_a_crate_stand_in_no_circle() {
    let files = sources();
    let seen: usize = circles::graphs(&files)
        .iter()
        .flat_map(|(_, graph)| &graph.needs)
        .map(std::collections::BTreeMap::len)
        .sum();
    assert!(
        seen > 500,
        "only {seen} needs seen: the test looks at nothing"
    );
    none(circles::check(&files));
}

#[test]
fn only_the_gateways_depend_on_network_crates() {
    let mut uses = Vec::new();
    for (folder, package) in packages() {
        let shipped = package.dependencies.iter();
        for dependency in shipped.filter(|d| d.kind != DependencyKind::Development) {
            uses.push((folder.clone(), dependency.name.clone()));
        }
    }
    assert!(uses.iter().any(|(_, name)| name == "reqwest"));
    none(arrows::check_network(&uses));
}

#[test]
fn parsers_in_c_are_reached_by_the_reader_in_the_sandbox_alone() {
    let mut users = Vec::new();
    for (folder, package) in packages() {
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if name == "symbols" || name.starts_with("tree-sitter") {
                users.push((folder.clone(), name.to_owned()));
            }
        }
    }
    let (parsers, symbols): (Vec<_>, Vec<_>) =
        users.into_iter().partition(|(_, name)| name != "symbols");
    assert!(parsers.len() > 5, "{parsers:?}");
    assert!(parsers.iter().all(|(folder, _)| folder == "logic/symbols"));
    assert_eq!(symbols, [("adapters/programs".into(), "symbols".into())]);
    let texts = texts();
    let calls = texts
        .iter()
        .filter(|(path, _)| !path.starts_with("logic/symbols/") && !path.contains("architecture"))
        .filter(|(_, text)| text.contains("symbols::read"));
    let calls: Vec<&str> = calls.map(|(path, _)| path.as_str()).collect();
    assert_eq!(calls, ["adapters/programs/src/sources.rs"]);
}

#[test]
fn every_dependency_is_one_that_deny_toml_allows() {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let policy = licences::Policy::read(&text);
    assert!(
        policy.licences.len() > 5 && policy.banned.len() > 3,
        "{policy:?}"
    );
    let all = dependencies_of_others();
    assert!(all.len() > 200, "only {} dependencies seen", all.len());
    none(licences::check(&all, &policy));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for (folder, package) in packages() {
        let text = std::fs::read_to_string(&package.manifest_path).unwrap();
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{folder} sets its own lints"
        );
    }
}

#[test]
fn every_file_keeps_the_rules() {
    let files = sources();
    assert!(files.len() > 40, "only {} files seen", files.len());
    none(files.iter().flat_map(rules::check).collect());
}

#[test]
fn files_and_functions_stay_small() {
    let files = sources();
    for file in files
        .iter()
        .filter(|f| sizes::lines(f) > sizes::LONG_FILE_LINES)
    {
        eprintln!("long: {} has {} lines", file.path, sizes::lines(file));
    }
    let mut found: Vec<Violation> = files.iter().flat_map(sizes::check_file).collect();
    found.extend(files.iter().flat_map(sizes::check_functions));
    none(found);
}

#[test]
fn audit_can_only_be_appended_to_and_secrets_only_read_by_name() {
    let texts = texts();
    let methods = |path: &str, name: &str| {
        let (_, text) = texts.iter().find(|(file, _)| file == path).unwrap();
        contracts::methods(&parsed(path, text, &BTreeSet::new()), name)
    };
    assert_eq!(methods("contracts/api/src/audit.rs", "Audit"), ["append"]);
    assert_eq!(
        methods("contracts/api/src/secrets.rs", "Secrets"),
        ["get_secret"]
    );
    let proto = |name: &str| {
        let path = root().join("proto/housecarl/v1").join(name);
        contracts::rpcs(&std::fs::read_to_string(path).unwrap())
    };
    assert_eq!(proto("audit.proto"), ["Append", "AppendOne"]);
    assert_eq!(proto("secrets.proto"), ["GetSecret"]);
}

#[test]
fn the_brokers_user_side_is_held_by_sessions_and_wiring_alone() {
    none(
        sources_that_name("Control")
            .iter()
            .flat_map(contracts::control_holders)
            .collect(),
    );
}

#[test]
fn the_users_side_of_memory_is_held_by_the_users_command_alone() {
    none(
        sources_that_name("Curator")
            .iter()
            .flat_map(contracts::curator_holders)
            .collect(),
    );
}

#[test]
fn secrets_are_held_by_the_broker_the_gateways_and_wiring_alone() {
    for word in ["Secrets", "Keeper"] {
        let files = sources_that_name(word);
        none(files.iter().flat_map(contracts::secret_holders).collect());
    }
}

#[test]
fn every_error_code_is_documented_and_every_documented_code_exists() {
    let source = codes::in_source(&sources());
    let text = std::fs::read_to_string(root().join("docs/errors.md")).unwrap();
    let listed: BTreeSet<String> = codes::in_document(&text).into_iter().collect();
    let missing: Vec<String> = source
        .iter()
        .filter(|(code, _)| !listed.contains(*code))
        .map(|(code, place)| format!("{code} ({place})"))
        .collect();
    assert!(
        missing.is_empty(),
        "not in docs/errors.md:\n{}",
        missing.join("\n")
    );
    let stale: Vec<&String> = listed
        .iter()
        .filter(|code| !source.contains_key(*code))
        .collect();
    assert!(
        stale.is_empty(),
        "in docs/errors.md but nowhere in the source: {stale:?}"
    );
}

#[test]
fn every_test_that_the_table_of_daily_use_names_is_there() {
    let path = "docs/testing.md";
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    none(Known::of(&sources()).check(path, &text, "## Daily use"));
}

#[test]
fn every_file_that_the_newcomers_page_names_is_there() {
    let text = std::fs::read_to_string(root().join("docs/newcomer.md")).unwrap();
    let (_, tables) = text.split_once("## First round").unwrap();
    let quoted = tables.split('`').skip(1).step_by(2);
    // A whole path has a layer's folder before it; other words in backticks are commands and names.
    let paths: Vec<&str> = quoted
        .filter(|name| {
            LAYERS.iter().chain(&["config"]).any(|layer| {
                name.strip_prefix(layer)
                    .is_some_and(|rest| rest.starts_with('/'))
            })
        })
        .collect();
    assert!(paths.len() >= 90, "{} paths", paths.len());
    for path in paths {
        assert!(root().join(path).is_file(), "there is no {path}");
    }
}

#[test]
fn the_index_of_the_documents_names_each_of_them() {
    let docs = root().join("docs");
    let index = std::fs::read_to_string(docs.join("README.md")).unwrap();
    for folder in ["", "decisions/"] {
        for entry in std::fs::read_dir(docs.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_listed = name == "README.md" || index.contains(&format!("({folder}{name})"));
            assert!(
                is_listed || !name.ends_with(".md"),
                "docs/README.md does not name {folder}{name}"
            );
        }
    }
}
