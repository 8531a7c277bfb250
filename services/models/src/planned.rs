//! Makes the instances: what is configured, and the usual places on this machine, whose ports stand in
//! `config.rs`.

use crate::breaker::Breaker;
use crate::config::{
    Config, DiscoveryConfig, LimitsConfig, ProviderConfig, ProviderType, ToolCalls, address,
};
use crate::discovery;
use crate::egress::Egress;
use crate::engine::{EngineBackend, EngineSettings};
use crate::error::{Error, configuration};
use crate::http::{HttpBackend, Timing};
use crate::instance::{Instance, Parts};
use crate::opening::Backend;
use crate::owner::FoundBackend;
use crate::providers::Protocol;
use crate::providers::anthropic::Anthropic;
use crate::providers::ollama::Ollama;
use crate::providers::openai::OpenAi;
use crate::table::TableBackend;
use api::secrets::Secrets;
use domain::limits::{self, MODEL_FIRST_BYTE, MODEL_STALL};
use domain::model::Think;
use reqwest::Url;
use schedule::Bounds;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests in progress at one time where the configuration does not say.
const MAX_PARALLEL: usize = 4;
/// The name of the usual Ollama's instance.
const OLLAMA: &str = "ollama";
/// The name of the embedded engine's instance.
pub(crate) const EMBEDDED: &str = "embedded";
/// What is proposed to people though nobody configured it.
pub(crate) const PROPOSED: [&str; 2] = [OLLAMA, EMBEDDED];
/// The name of the instance with word tables.
pub(crate) const STATIC: &str = "static";

/// An instance that is going to be made.
pub(crate) struct Planned {
    pub(crate) name: String,
    config: ProviderConfig,
    pub(crate) endpoint: Option<Url>,
    is_configured: bool,
    /// Whether discovery looks there.
    pub(crate) is_place: bool,
}

/// What is configured, and the usual places on this machine under names that are free.
pub(crate) fn plan(config: &Config) -> Result<Vec<Planned>, Error> {
    let mut plan = Vec::new();
    for (name, provider) in &config.providers {
        check(name, provider).map_err(|unusable| unusable.error)?;
        plan.push(Planned {
            name: name.clone(),
            endpoint: endpoint(name, provider).map_err(|unusable| unusable.error)?,
            config: provider.clone(),
            is_configured: true,
            is_place: false,
        });
    }
    for (name, kind, port) in places(&config.discovery) {
        if config.providers.contains_key(&name) {
            continue;
        }
        let provider = ProviderConfig::new(kind, Some(format!("http://127.0.0.1:{port}")));
        plan.push(Planned {
            endpoint: endpoint(&name, &provider).map_err(|unusable| unusable.error)?,
            name,
            config: provider,
            is_configured: false,
            is_place: true,
        });
    }
    for (name, kind) in [
        (EMBEDDED, ProviderType::Embedded),
        (STATIC, ProviderType::Static),
    ] {
        if !config.providers.contains_key(name) {
            plan.push(Planned {
                name: name.to_owned(),
                config: ProviderConfig::new(kind, None),
                endpoint: None,
                is_configured: false,
                is_place: false,
            });
        }
    }
    Ok(plan)
}

/// Where discovery looks, best first: name, protocol and port.
fn places(found: &DiscoveryConfig) -> impl Iterator<Item = (String, ProviderType, u16)> {
    let ollama = (OLLAMA.to_owned(), ProviderType::Ollama, found.ollama_port);
    let others = found
        .openai_ports
        .iter()
        .map(|port| (discovery::name_of(*port), ProviderType::OpenAi, *port));
    let all = std::iter::once(ollama).chain(others);
    all.filter(|_| found.enabled)
}

/// Longest that a call to a provider may be allowed to take: a day.
const LONGEST_CALL_SECS: u64 = 86_400;
/// Smallest context that a request of any kind fits into, tokens.
const LEAST_CONTEXT_TOKENS: u64 = 256;

/// A provider whose settings make no sense.
#[derive(Debug)]
pub struct UnusableProvider {
    /// The key in the configuration; the error's detail begins with it.
    pub key: String,
    /// What is wrong, and what to write.
    pub error: Error,
}

impl Config {
    /// Whether a role, a fallback or a request may name this provider.
    #[must_use]
    pub fn has_provider(&self, name: &str) -> bool {
        let mut places = places(&self.discovery);
        self.providers.contains_key(name)
            || [EMBEDDED, STATIC].contains(&name)
            || places.any(|(place, ..)| place == name)
    }

    /// The providers to propose to somebody who named none: what is configured, and what
    /// `--provider` takes without.
    #[must_use]
    pub fn proposed_providers(&self) -> Vec<String> {
        let own = PROPOSED.map(str::to_owned);
        let own = own.into_iter().filter(|name| self.has_provider(name));
        let names: BTreeSet<String> = self.providers.keys().cloned().chain(own).collect();
        names.into_iter().collect()
    }

    /// Refuses a provider whose settings make no sense. Of an endpoint nothing is repeated: it may
    /// hold a key.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn check_providers(&self) -> Result<(), UnusableProvider> {
        for (name, provider) in &self.providers {
            check(name, provider)?;
            endpoint(name, provider)?;
        }
        Ok(())
    }
}

fn unusable(key: String, why: &str, how: &str) -> UnusableProvider {
    let error = configuration(format!("{key}: {why}"), how);
    UnusableProvider { key, error }
}

/// Refuses a provider whose settings make no sense, but for its endpoint.
fn check(name: &str, provider: &ProviderConfig) -> Result<(), UnusableProvider> {
    let key = |field: &str| format!("models.providers.{name}.{field}");
    if name.is_empty() || name.contains('/') {
        return Err(unusable(
            format!("models.providers.{name}"),
            "a provider's name is not empty and has no `/`",
            "Write another name.",
        ));
    }
    if provider.tool_calls == ToolCalls::Json && provider.kind != ProviderType::OpenAi {
        let kind = provider.kind.as_str();
        return Err(unusable(
            key("tool_calls"),
            &format!("`json` is for providers of type openai, and this one is {kind}"),
            "Remove the line.",
        ));
    }
    let ranges = [
        (
            "max_parallel",
            provider.max_parallel.map(|count| count as u64),
            1..=limits::MODEL_WAITING as u64,
        ),
        ("timeout_secs", provider.timeout_secs, 1..=LONGEST_CALL_SECS),
        (
            "context_tokens",
            provider.context_tokens.map(u64::from),
            LEAST_CONTEXT_TOKENS..=u64::from(u32::MAX),
        ),
    ];
    for (field, value, range) in ranges {
        if let Some(value) = value.filter(|value| !range.contains(value)) {
            let (least, most) = range.into_inner();
            return Err(unusable(
                key(field),
                &format!("it is {value}"),
                &format!("Write {least} to {most}, or remove the line for the usual number."),
            ));
        }
    }
    let is_temperature = |value: &f32| (0.0..=2.0).contains(value);
    if let Some(value) = provider.temperature.filter(|value| !is_temperature(value)) {
        return Err(unusable(
            key("temperature"),
            &format!("it is {value}"),
            "Write 0 to 2, or remove the line for the usual one.",
        ));
    }
    Ok(())
}

/// Where a provider is; none for the embedded engine and word tables.
fn endpoint(name: &str, provider: &ProviderConfig) -> Result<Option<Url>, UnusableProvider> {
    let key = format!("models.providers.{name}.endpoint");
    let text = match (provider.kind, &provider.endpoint) {
        (ProviderType::Embedded | ProviderType::Static, None) => return Ok(None),
        (kind @ (ProviderType::Embedded | ProviderType::Static), Some(_)) => {
            let why = format!("a provider of type {} has no endpoint", kind.as_str());
            return Err(unusable(key, &why, "Remove the line."));
        }
        (_, Some(text)) => text.as_str(),
        (ProviderType::Ollama, None) => "http://127.0.0.1:11434",
        (ProviderType::Anthropic, None) => "https://api.anthropic.com",
        (ProviderType::OpenAi, None) => {
            return Err(unusable(
                format!("models.providers.{name}"),
                "it has no endpoint, and servers of type openai have no usual place",
                "Write the server's address below it, such as \
                 endpoint = \"http://127.0.0.1:8080/v1\".",
            ));
        }
    };
    let at = address(name, text);
    at.map(Some)
        .map_err(|error| UnusableProvider { key, error })
}

/// Endings of names in a network of the user's own.
const OWN_NAMES: [&str; 4] = [".local", ".lan", ".internal", ".home.arpa"];

pub(crate) fn backend(
    planned: &Planned,
    config: &Config,
    egress: &Arc<Egress>,
    secrets: Option<Arc<dyn Secrets>>,
    engine: &Arc<EngineSettings>,
) -> Result<Box<dyn Backend>, Error> {
    let name = planned.name.clone();
    let limits = &config.limits;
    if planned.config.kind == ProviderType::Static {
        let folder = engine.models_folder.clone();
        return Ok(Box::new(TableBackend::new(name, folder)));
    }
    let Some(endpoint) = planned.endpoint.clone() else {
        return Ok(Box::new(EngineBackend::new(
            name,
            Arc::clone(engine),
            // It gives signs of life while it works.
            limits
                .first_byte_ms
                .map_or(MODEL_FIRST_BYTE, Duration::from_millis),
            limits.stall_ms.map_or(MODEL_STALL, Duration::from_millis),
        )));
    };
    let is_near = planned.config.kind == ProviderType::Ollama || is_near(&endpoint);
    let protocol: Box<dyn Protocol> = match planned.config.kind {
        ProviderType::Ollama => Box::new(Ollama {
            name: name.clone(),
            keep_alive: planned.config.keep_alive.clone(),
        }),
        ProviderType::OpenAi => Box::new(OpenAi::new(name.clone(), &endpoint)),
        ProviderType::Anthropic => Box::new(Anthropic { name: name.clone() }),
        ProviderType::Embedded | ProviderType::Static => {
            return Err(configuration(format!("{name} has an endpoint"), ""));
        }
    };
    let port = endpoint.port_or_known_default();
    let http = HttpBackend {
        name: name.clone(),
        endpoint,
        protocol,
        egress: Arc::clone(egress),
        key: planned.config.api_key.clone(),
        secrets,
        timing: Timing::new(limits, is_near, call_time(&planned.config, limits)),
        facts: Mutex::default(),
    };
    match port.filter(|_| planned.is_place) {
        Some(port) => Ok(Box::new(FoundBackend {
            name,
            kind: planned.config.kind.as_str(),
            port,
            inner: Box::new(http),
        })),
        None => Ok(Box::new(http)),
    }
}

/// Longest that a whole call to a provider may take.
fn call_time(provider: &ProviderConfig, limits: &LimitsConfig) -> Duration {
    let usual = Duration::from_millis(limits.call_ms);
    provider.timeout_secs.map_or(usual, Duration::from_secs)
}

/// Whether an address is on this machine or in its network: a server of the user's own.
fn is_near(endpoint: &Url) -> bool {
    let host = endpoint.host_str().unwrap_or_default();
    match host.trim_matches(['[', ']']).parse() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_name) => !host.contains('.') || OWN_NAMES.iter().any(|end| host.ends_with(end)),
    }
}

pub(crate) fn instance(planned: &Planned, config: &Config, backend: Box<dyn Backend>) -> Instance {
    let provider = &planned.config;
    let usual = Bounds::new(provider.max_parallel.unwrap_or(MAX_PARALLEL));
    let bounds = match provider.kind {
        ProviderType::Ollama | ProviderType::OpenAi => usual,
        // Every model is in memory there at any time.
        ProviderType::Anthropic | ProviderType::Static => usual.in_order(),
        // Its process has one chat model, and ends to load another.
        ProviderType::Embedded => Bounds {
            max_parallel: provider.max_parallel.unwrap_or(1),
            one_model: true,
            ..usual
        },
    };
    Instance::new(
        planned.name.clone(),
        Parts {
            is_configured: planned.is_configured,
            default_model: provider.default_model.clone(),
            context_tokens: provider.context_tokens.unwrap_or(limits::CONTEXT_TOKENS),
            call_time: call_time(provider, &config.limits),
            bounds,
            tool_calls: match (provider.tool_calls, provider.kind) {
                (ToolCalls::Auto, ProviderType::OpenAi) => ToolCalls::Auto,
                (ToolCalls::Auto, _) => ToolCalls::Native,
                (chosen, _) => chosen,
            },
            think: provider.think.map_or(Think::Default, Think::from),
            temperature: provider.temperature,
            vision: provider.vision,
            class: provider.class,
            is_embedded: provider.kind == ProviderType::Embedded,
            breaker: Breaker::new(
                config.limits.circuit_failures,
                Duration::from_millis(config.limits.circuit_pause_ms),
            ),
            backend,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_the_users_own_are_near() {
        let near = |address: &str| is_near(&Url::parse(address).unwrap());
        for own in [
            "http://127.0.0.1:8080/v1",
            "http://localhost:1234",
            "http://[::1]:8080",
            "http://192.168.1.20:8000",
            "http://10.0.0.7",
            "http://[fd00::1]:8080",
            "http://bench:8080",
            "http://bench.local",
        ] {
            assert!(near(own), "{own}");
        }
        for far in [
            "https://api.anthropic.com",
            "http://203.0.113.5",
            "http://[2001:db8::1]",
        ] {
            assert!(!near(far), "{far}");
        }
    }
}
