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
const SMALLER: [&str; 3] = ["drive.turns", "drive.day_tokens", "agents.tool_iterations"];
/// The same, where 0 is no limit.
const SMALLER_BUT_ZERO: [&str; 2] = ["drive.day_cost", "agents.session_tokens"];
/// Keys that forbid by being empty: what reads or is read from outside.
const EMPTY: [&str; 3] = ["bridge.command", "bridge.socket", "inbox.listen"];

/// Whether what is in force allows what `wanted` does not. Of a file there is no telling, so that one
/// with the agents' rights counts as laxer once it differs.
#[must_use]
pub fn is_laxer(
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

    #[test]
    fn only_what_allows_more_is_laxer() {
        let all: BTreeMap<String, Value> = [
            ("models.providers.far.type", json!("openai")),
            (
                "models.providers.far.endpoint",
                json!("https://far.example/v1"),
            ),
            ("models.providers.near.type", json!("openai")),
            (
                "models.providers.near.endpoint",
                json!("http://[::1]:8080/v1"),
            ),
            ("models.providers.claude.type", json!("anthropic")),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into();
        let none = json!(null);
        for (key, in_force, wanted, expected) in [
            ("memory.capture", json!(true), json!(false), true),
            ("memory.capture", json!(false), json!(true), false),
            ("memory.recall", json!(true), json!(false), true),
            ("models.air_gap", json!(false), json!(true), true),
            ("models.air_gap", json!(true), json!(false), false),
            ("search.air_gap", json!(false), json!(true), true),
            ("drive.turns", json!(20), json!(3), true),
            ("drive.turns", json!(3), json!(20), false),
            ("drive.day_tokens", json!(5), json!(0), true),
            ("drive.day_cost", json!(0.0), json!(1.5), true),
            ("drive.day_cost", json!(1.5), json!(0.0), false),
            ("agents.session_tokens", json!(0), json!(9), true),
            ("agents.session_tokens", json!(9), json!(10), false),
            ("drive.quiet_hours", json!(""), json!("22:00-07:00"), true),
            ("drive.quiet_hours", json!("22:00-07:00"), json!(""), false),
            ("inbox.listen", json!("127.0.0.1:1"), json!(""), true),
            ("inbox.listen", json!(""), json!("127.0.0.1:1"), false),
            ("bridge.command", json!(["x"]), json!([]), true),
            ("agents.parallel", json!(1), json!(64), false),
            ("models.default_provider", json!("far"), none.clone(), true),
            (
                "models.default_provider",
                json!("near"),
                none.clone(),
                false,
            ),
            ("models.default_provider", none.clone(), json!("far"), false),
            (
                "models.roles.fast",
                json!("claude/m"),
                json!("near/m"),
                true,
            ),
            ("models.roles.fast", json!("near/m"), json!("far/m"), false),
            (
                "models.fallbacks",
                json!(["near/m", "far/m"]),
                json!([]),
                true,
            ),
            (
                "models.providers.far.endpoint",
                json!("https://far.example/v1"),
                none.clone(),
                true,
            ),
            (
                "models.providers.far.default_model",
                json!("m"),
                none.clone(),
                false,
            ),
            ("search.provider", json!("brave"), json!("searxng"), true),
            (
                "search.url",
                json!("http://localhost:8888"),
                none.clone(),
                false,
            ),
            (
                "search.url",
                json!("http://127.0.0.1.far.example"),
                none.clone(),
                true,
            ),
            ("endpoints.models", json!("tcp:10.0.0.7:1"), json!(""), true),
            (
                "endpoints.models",
                json!("tcp:127.0.0.1:1"),
                json!(""),
                false,
            ),
            (
                "endpoints.models",
                json!("unix:/run/m.sock"),
                json!(""),
                false,
            ),
        ] {
            let side = |value: &Value| (!value.is_null()).then(|| value.clone());
            let (one, other) = (side(&in_force), side(&wanted));
            let laxer = is_laxer(key, (one.as_ref(), other.as_ref()), &all);
            assert_eq!(laxer, expected, "{key}: {in_force} for {wanted}");
        }
    }
}
