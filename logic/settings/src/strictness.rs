//! What another process's settings may not be in silence: laxer than a command's own. A setting that
//! forbids or limits counts, and one that says where words may go.

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Keys that forbid by being `false`.
const OFF: [&str; 5] = [
    "memory.capture",
    "memory.recall",
    "models.discovery.enabled",
    "drive.dreams",
    "drive.notify",
];
/// Keys that forbid by being `true`.
const ON: [&str; 2] = ["models.air_gap", "search.air_gap"];
/// Keys that limit: the smaller, the stricter.
const SMALLER: [&str; 2] = ["drive.turns", "agents.tool_iterations"];
/// The same, where 0 is no limit.
const SMALLER_BUT_ZERO: [&str; 3] = [
    "drive.day_tokens",
    "drive.day_cost",
    "agents.session_tokens",
];
/// Keys that forbid by being empty: what reads or is read from outside.
const EMPTY: [&str; 2] = ["bridge.command", "bridge.socket"];

/// Whether what is in force allows what `wanted` does not. Of a file there is no telling, so that one
/// with the agents' rights counts as laxer once it differs.
#[must_use]
pub fn is_less_strict(
    key: &str,
    (in_force, wanted): (Option<&Value>, Option<&Value>),
    all: &BTreeMap<String, Value>,
) -> bool {
    let is = |list: &[&str]| list.contains(&key);
    let forbids = |value: bool| wanted == Some(&Value::Bool(value));
    if is(&OFF) || is(&ON) {
        return forbids(is(&ON));
    }
    if is(&SMALLER) || is(&SMALLER_BUT_ZERO) {
        let most = |value: Option<&Value>| {
            let number = value.and_then(Value::as_f64);
            number.filter(|number| *number > 0.0 || is(&SMALLER))
        };
        return match (most(in_force), most(wanted)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(in_force), Some(wanted)) => wanted < in_force,
        };
    }
    if is(&EMPTY) {
        return wanted.is_none_or(is_empty);
    }
    if key == "drive.quiet_hours" {
        return !wanted.is_none_or(is_empty);
    }
    leads_away(key, in_force, all)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Whether a value that is in force takes words to another machine.
fn leads_away(key: &str, in_force: Option<&Value>, all: &BTreeMap<String, Value>) -> bool {
    let Some(value) = in_force else {
        return false;
    };
    let names: Vec<&str> = match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    let provider_of = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    if key == "models.default_provider"
        || key == "models.fallbacks"
        || key.starts_with("models.roles.")
    {
        let mut providers = names.into_iter().map(provider_of);
        return providers.any(|provider| is_elsewhere(&provider, all));
    }
    if let Some(rest) = key.strip_prefix("models.providers.") {
        let decides = rest.ends_with(".endpoint") || rest.ends_with(".type");
        let provider = rest.rsplit_once('.').map_or(rest, |(provider, _)| provider);
        return decides && is_elsewhere(provider, all);
    }
    match key {
        "search.provider" => names.iter().any(|name| *name != "searxng"),
        "search.url" => names.iter().any(|url| !is_loopback(url)),
        _ => {
            let is_network = |address: &&str| {
                let host = address.strip_prefix("tcp:");
                host.is_some_and(|host| !is_loopback(host))
            };
            key.starts_with("endpoints.") && names.iter().any(is_network)
        }
    }
}

/// Whether a provider's models are on another machine.
fn is_elsewhere(provider: &str, all: &BTreeMap<String, Value>) -> bool {
    let of = |field: &str| {
        let value = all.get(&format!("models.providers.{provider}.{field}"));
        value.and_then(Value::as_str)
    };
    match (of("endpoint"), of("type")) {
        (Some(endpoint), _) => !is_loopback(endpoint),
        // Without an address of its own it is the vendor's.
        (None, kind) => kind == Some("anthropic"),
    }
}

/// Whether an address, with or without scheme, port and path, is this machine's.
fn is_loopback(address: &str) -> bool {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = address.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(host, _)| host),
    };
    let ip = host.parse::<IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Key, what is in force, what is wanted, and whether the first allows more; `-` is nothing.
    const CASES: &str = r#"
memory.capture | true | false | laxer
memory.capture | false | true | no
memory.recall | true | false | laxer
models.air_gap | false | true | laxer
models.air_gap | true | false | no
search.air_gap | false | true | laxer
models.discovery.enabled | true | false | laxer
drive.notify | true | false | laxer
drive.turns | 20 | 3 | laxer
drive.turns | 3 | 20 | no
drive.day_tokens | 0 | 5 | laxer
drive.day_tokens | 5 | 0 | no
drive.day_tokens | 9 | 5 | laxer
drive.day_cost | 0.0 | 1.5 | laxer
drive.day_cost | 1.5 | 0.0 | no
agents.session_tokens | 0 | 9 | laxer
agents.session_tokens | 9 | 10 | no
agents.tool_iterations | 20 | 2 | laxer
agents.parallel | 1 | 64 | no
drive.quiet_hours | "" | "22:00-07:00" | laxer
drive.quiet_hours | "22:00-07:00" | "" | no
inbox.listen | "127.0.0.1:1" | "" | no
inbox.listen | "" | "127.0.0.1:1" | no
bridge.command | ["x"] | [] | laxer
models.default_provider | "far" | - | laxer
models.default_provider | "near" | - | no
models.default_provider | - | "far" | no
models.roles.fast | "claude/m" | "near/m" | laxer
models.roles.fast | "near/m" | "far/m" | no
models.fallbacks | ["near/m", "far/m"] | [] | laxer
models.providers.far.endpoint | "https://far.example/v1" | - | laxer
models.providers.far.default_model | "m" | - | no
search.provider | "brave" | "searxng" | laxer
search.url | "http://localhost:8888" | - | no
search.url | "http://127.0.0.1.far.example" | - | laxer
endpoints.models | "tcp:10.0.0.7:1" | "" | laxer
endpoints.models | "tcp:127.0.0.1:1" | "" | no
endpoints.models | "unix:/run/m.sock" | "" | no
"#;

    #[test]
    fn only_what_allows_more_is_less_strict() {
        let providers = json!({
            "models.providers.far.type": "openai",
            "models.providers.far.endpoint": "https://far.example/v1",
            "models.providers.near.type": "openai",
            "models.providers.near.endpoint": "http://[::1]:8080/v1",
            "models.providers.claude.type": "anthropic",
        });
        let all: BTreeMap<String, Value> = serde_json::from_value(providers).unwrap();
        for case in CASES.trim().lines() {
            let parts: Vec<&str> = case.split(" | ").collect();
            let value = |text: &str| serde_json::from_str::<Value>(text).ok();
            let (in_force, wanted) = (value(parts[1]), value(parts[2]));
            let laxer = is_less_strict(parts[0], (in_force.as_ref(), wanted.as_ref()), &all);
            assert_eq!(laxer, parts[3] == "laxer", "{case}");
        }
    }
}
