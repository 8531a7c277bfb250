//! The layer arrows: who may depend on whom.

use crate::Violation;

/// Where a crate stands. The folder is the layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// What knows no noun of ours.
    Base,
    /// Nouns, traits, generated wire code.
    Contract(String),
    /// Decisions without input or output.
    Logic,
    /// What a service keeps on disk, one form of files each.
    Storage,
    /// One contract each.
    Service,
    /// The outside world behind a contract.
    Adapter,
    /// How people and programs reach it.
    Surface,
    /// Wiring.
    Bin,
    /// Tests, measurements and workshop programs: outside the layers.
    Outside,
}

/// How a crate is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// To build or to run.
    Ship,
    /// For its own tests.
    Test,
}

/// One dependency between two of our crates, by folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// The crate that depends, such as `services/broker`.
    pub from: String,
    /// The crate it depends on.
    pub to: String,
    /// What for.
    pub need: Need,
}

/// The layer of a crate folder, or `None` when the folder is in no layer.
#[must_use]
pub fn place(folder: &str) -> Option<Place> {
    if folder == "xtask" {
        return Some(Place::Outside);
    }
    let (layer, name) = folder.split_once('/')?;
    match layer {
        "base" => Some(Place::Base),
        "contracts" => Some(Place::Contract(name.to_owned())),
        "logic" => Some(Place::Logic),
        "storage" => Some(Place::Storage),
        "services" => Some(Place::Service),
        "adapters" => Some(Place::Adapter),
        "surfaces" => Some(Place::Surface),
        "bin" => Some(Place::Bin),
        "tests" | "benches" => Some(Place::Outside),
        _ => None,
    }
}

/// Whether a crate folder is outside the layers: tests, measurements and workshop programs.
#[must_use]
pub fn is_outside(folder: &str) -> bool {
    place(folder) == Some(Place::Outside)
}

/// What every crate may use for its tests.
const TEST_SUPPORT: [&str; 2] = ["tests/testkit", "tests/contracts"];

/// Whether an arrow is allowed.
#[must_use]
pub fn allowed(arrow: &Arrow) -> bool {
    let (Some(from), Some(to)) = (place(&arrow.from), place(&arrow.to)) else {
        return false;
    };
    // A crate may switch on its own test support for its tests.
    let is_own = arrow.from == arrow.to;
    if arrow.need == Need::Test && (is_own || TEST_SUPPORT.contains(&arrow.to.as_str())) {
        return true;
    }
    match (from, to) {
        (Place::Outside, _) => true,
        // What a program is told: by its command line, and by its configuration.
        (Place::Bin, Place::Bin) => {
            arrow.from == "bin/carl"
                && ["bin/command_line", "bin/config"].contains(&arrow.to.as_str())
        }
        (_, Place::Outside | Place::Bin) => false,
        (Place::Base, _) => false,
        (_, Place::Base) => true,
        (Place::Bin, _) => true,
        (Place::Contract(from), Place::Contract(to)) => matches!(
            (from.as_str(), to.as_str()),
            ("api", "domain") | ("proto", "api" | "domain")
        ),
        (Place::Logic, Place::Contract(to)) => to == "domain" || to == "api",
        // It keeps what it is handed; what that means is for logic to say.
        (Place::Storage, Place::Contract(to)) => to == "domain" || to == "api",
        (Place::Service, Place::Storage) => true,
        (Place::Service | Place::Adapter | Place::Surface, Place::Contract(_) | Place::Logic) => {
            true
        }
        // An adapter that is a process of its own is reached as every service in another process is.
        (Place::Adapter, Place::Adapter) => arrow.to == "adapters/grpc",
        // How things look is the same in every surface.
        (Place::Surface, Place::Surface) => arrow.to == "surfaces/rendering",
        _ => false,
    }
}

/// Every arrow that points up or sideways.
#[must_use]
pub fn check(arrows: &[Arrow]) -> Vec<Violation> {
    let wrong = arrows.iter().filter(|arrow| !allowed(arrow));
    wrong
        .map(|arrow| {
            let rule = format!(
                "must not depend on {}: bin → services, adapters, surfaces → logic, storage → contracts → base",
                arrow.to
            );
            Violation::of(&arrow.from, rule)
        })
        .collect()
}

/// Outside crates that only some of ours may use, because they open connections.
pub const NETWORK_CRATES: [(&str, &[&str]); 10] = [
    (
        "reqwest",
        &["services/models", "services/search", "surfaces/stories"],
    ),
    ("tonic", &["contracts/proto", "adapters/grpc"]),
    ("hyper-util", &["adapters/grpc", "surfaces/http"]),
    ("hyper", &["adapters/grpc", "surfaces/http"]),
    ("tokio-rustls", &["surfaces/http"]),
    ("ureq", &[]),
    ("async-nats", &["adapters/nats"]),
    ("oo7", &["adapters/keyring"]),
    ("zbus", &["adapters/desktop"]),
    ("axum", &["adapters/inbox", "surfaces/http"]),
];

/// A violation for each shipped use of a network crate by a crate that may not.
#[must_use]
pub fn check_network(uses: &[(String, String)]) -> Vec<Violation> {
    let mut found = Vec::new();
    for (folder, dependency) in uses {
        let entry = NETWORK_CRATES.iter().find(|(name, _)| name == dependency);
        if let Some((name, may)) = entry
            && !may.contains(&folder.as_str())
            && !is_outside(folder)
        {
            found.push(Violation::of(
                folder,
                format!("may not depend on `{name}`: only {may:?}"),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow(from: &str, to: &str) -> Arrow {
        Arrow {
            from: from.to_owned(),
            to: to.to_owned(),
            need: Need::Ship,
        }
    }

    #[test]
    fn arrows_down_pass_and_all_others_are_caught() {
        let good = [
            ("bin/carl", "services/broker"),
            ("bin/carl", "logic/plan"),
            ("services/models", "contracts/proto"),
            ("services/broker", "logic/policy"),
            ("services/agents", "storage/session_log"),
            ("storage/session_log", "contracts/api"),
            ("storage/session_log", "base/disk"),
            ("adapters/tools", "contracts/api"),
            ("surfaces/terminal", "contracts/api"),
            ("surfaces/terminal", "logic/session"),
            ("bin/carl", "surfaces/terminal"),
            ("bin/carl", "bin/config"),
            ("bin/carl", "bin/command_line"),
            ("surfaces/terminal", "surfaces/rendering"),
            ("logic/plan", "contracts/domain"),
            ("contracts/proto", "contracts/api"),
            ("contracts/domain", "base/paths"),
            ("adapters/engine", "adapters/grpc"),
            ("tests/scenarios", "bin/carl"),
        ];
        for (from, to) in good {
            assert!(allowed(&arrow(from, to)), "{from} → {to}");
        }
        let bad = [
            ("services/agents", "services/broker"),
            ("storage/session_log", "logic/session"),
            ("storage/session_log", "services/agents"),
            ("surfaces/terminal", "storage/session_log"),
            ("adapters/tools", "storage/session_log"),
            ("services/broker", "adapters/tools"),
            ("adapters/tools", "services/broker"),
            ("surfaces/tui", "surfaces/http"),
            ("surfaces/rendering", "surfaces/terminal"),
            ("surfaces/tui", "services/agents"),
            ("surfaces/tui", "adapters/tools"),
            ("services/agents", "surfaces/tui"),
            ("logic/turn", "logic/plan"),
            ("logic/turn", "contracts/proto"),
            ("contracts/domain", "contracts/api"),
            ("contracts/api", "contracts/proto"),
            ("services/broker", "tests/testkit"),
            ("services/broker", "bin/carl"),
            ("bin/carl", "xtask"),
            ("bin/config", "bin/carl"),
            ("bin/config", "bin/command_line"),
            ("base/paths", "contracts/domain"),
            ("services/models", "adapters/grpc"),
            ("adapters/engine", "adapters/tools"),
            ("stuff/x", "contracts/domain"),
        ];
        for (from, to) in bad {
            assert_eq!(check(&[arrow(from, to)]).len(), 1, "{from} → {to}");
        }
    }

    #[test]
    fn only_the_gateways_and_stories_may_use_an_http_client() {
        let uses = |folder: &str| [(folder.to_owned(), "reqwest".to_owned())];
        assert!(check_network(&uses("services/models")).is_empty());
        assert!(check_network(&uses("surfaces/stories")).is_empty());
        assert_eq!(check_network(&uses("services/agents")).len(), 1);
    }
}
