//! Absences in the contracts: what no trait offers, and what no one else may hold.

use crate::Violation;
use crate::arrows::is_outside;
use crate::source::SourceFile;
use syn::{Item, TraitItem};

/// The methods of a trait, in order; empty when the file does not declare it.
#[must_use]
pub fn methods(file: &SourceFile, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for item in &file.tree.items {
        if let Item::Trait(declared) = item
            && declared.ident == name
        {
            let functions = declared.items.iter().filter_map(|part| match part {
                TraitItem::Fn(function) => Some(function.sig.ident.to_string()),
                _ => None,
            });
            found.extend(functions);
        }
    }
    found
}

/// The calls of a service in a .proto text, in order.
#[must_use]
pub fn rpcs(proto: &str) -> Vec<String> {
    let calls = proto.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("rpc ")?;
        Some(rest.split('(').next()?.trim().to_owned())
    });
    calls.collect()
}

/// Folders that may name the user's side of the broker: who declares it, carries it, implements
/// it, wires it, and the one service that acts for surfaces.
const CONTROL: [&str; 5] = [
    "contracts/api",
    "adapters/grpc",
    "services/broker",
    "services/agents",
    "bin/carl",
];

/// Logic, adapters, surfaces and other services cannot name `broker::Control`.
#[must_use]
pub fn control_holders(file: &SourceFile) -> Vec<Violation> {
    let folder = file.crate_folder();
    if CONTROL.contains(&folder.as_str()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let words = file.shipped_words();
    for pair in words.windows(2) {
        if pair[0].text == "broker" && pair[1].text == "Control" {
            let rule = "the broker's user side is for Sessions and wiring alone";
            found.push(Violation::at(&file.path, pair[1].line, rule));
        }
    }
    found
}

/// Folders that may name the trait that gives a secret: who declares it, carries it, implements it,
/// wires it, and the three services that use it; and the command line, whose role of `carl serve` has
/// the same name.
const SECRETS: [&str; 9] = [
    "contracts/api",
    "adapters/grpc",
    "services/secrets",
    "services/broker",
    "services/models",
    "services/search",
    "adapters/keyring",
    "bin/carl",
    "bin/command_line",
];
/// Folders that may name the user's side of a store: who declares it, the stores, and the user's own
/// command.
const KEEPER: [&str; 3] = ["contracts/api", "adapters/keyring", "bin/carl"];

/// No other crate can name `secrets::Secrets`, and no service or protocol `Keeper`.
#[must_use]
pub fn secret_holders(file: &SourceFile) -> Vec<Violation> {
    let folder = file.crate_folder();
    if is_outside(&folder) {
        return Vec::new();
    }
    let words = file.shipped_words();
    let names_the_contract = words.iter().any(|word| word.text == "secrets");
    let mut found = Vec::new();
    for word in &words {
        let rule = match word.text.as_str() {
            "Secrets" if !SECRETS.contains(&folder.as_str()) => {
                "secrets are for the broker and the two gateways alone"
            }
            // Others may have a keeper of something else.
            "Keeper" if names_the_contract && !KEEPER.contains(&folder.as_str()) => {
                "the user's side of a secret store is for the user's own command alone"
            }
            _ => continue,
        };
        found.push(Violation::at(&file.path, word.line, rule));
    }
    found
}

/// Folders that may name the user's side of memory: who declares it, carries it, implements it, and
/// the user's own command.
const CURATOR: [&str; 5] = [
    "contracts/api",
    "adapters/grpc",
    "services/memory",
    "surfaces/terminal",
    "bin/carl",
];

/// No tool, agent or observer can name `memory::Curator`: none of them forgets, lists or restores.
#[must_use]
pub fn curator_holders(file: &SourceFile) -> Vec<Violation> {
    let folder = file.crate_folder();
    if is_outside(&folder) || CURATOR.contains(&folder.as_str()) {
        return Vec::new();
    }
    let words = file.shipped_words();
    let named = words.iter().filter(|word| word.text == "Curator");
    let rule = "the user's side of memory is for the user's own command alone";
    named
        .map(|word| Violation::at(&file.path, word.line, rule))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_and_calls_are_read_in_order() {
        let text = "trait Audit { async fn append(&self); fn read(&self) -> u8 { 1 } }";
        let file = SourceFile::parse("contracts/api/src/audit.rs", text, false).unwrap();
        assert_eq!(methods(&file, "Audit"), ["append", "read"]);
        assert!(methods(&file, "Other").is_empty());
        let proto = "service Audit {\n  rpc Append(stream R) returns (stream A);\n  rpc Read (Q) returns (A);\n}";
        assert_eq!(rpcs(proto), ["Append", "Read"]);
    }

    #[test]
    fn a_holder_of_secrets_who_is_none_is_caught() {
        let caught = |path: &str, text: &str| {
            let file = SourceFile::parse(path, text, false).unwrap();
            secret_holders(&file).len()
        };
        let secrets = "use api::secrets::Secrets as Innocent;";
        let keeper = "use api::secrets::{Keeper};";
        assert_eq!(caught("services/agents/src/lib.rs", secrets), 1);
        assert_eq!(caught("adapters/tools/src/lib.rs", secrets), 1);
        assert_eq!(caught("services/broker/src/lib.rs", secrets), 0);
        assert_eq!(caught("services/broker/src/lib.rs", keeper), 1);
        assert_eq!(caught("services/secrets/src/lib.rs", keeper), 1);
        assert_eq!(caught("adapters/grpc/src/secrets.rs", keeper), 1);
        assert_eq!(caught("bin/carl/src/commands/secret.rs", keeper), 0);
    }

    #[test]
    fn a_tool_that_can_forget_is_caught() {
        let caught = |path: &str| {
            let text = "use api::memory::Curator as Friend;";
            curator_holders(&SourceFile::parse(path, text, false).unwrap()).len()
        };
        assert_eq!(caught("adapters/tools/src/memory.rs"), 1);
        assert_eq!(caught("services/observers/src/capture.rs"), 1);
        assert_eq!(caught("bin/carl/src/commands/memory.rs"), 0);
    }

    #[test]
    fn a_tool_that_names_the_users_side_is_caught() {
        let caught = |path: &str| {
            let file = SourceFile::parse(path, "use api::broker::Control;", false).unwrap();
            control_holders(&file).len()
        };
        assert_eq!(caught("adapters/tools/src/lib.rs"), 1);
        assert_eq!(caught("services/agents/src/lib.rs"), 0);
    }
}
