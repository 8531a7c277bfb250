//! Values that can be read and make no sense: told at the start, with where they stand.

use super::Config;
use crate::exit::Failure;
use anyhow::Result;
use domain::limits;
use figment::Figment;
use models::ProviderType;

/// Refuses what cannot be meant.
///
/// # Errors
/// A [`Failure`] of usage that names the key, what it must be and where it stands.
pub fn check(config: &Config, layers: &Figment) -> Result<()> {
    let at_once = 1..=limits::AGENTS_AT_WORK_MOST;
    if !at_once.contains(&config.agents.parallel) {
        let most = limits::AGENTS_AT_WORK_MOST;
        return Err(wrong(
            layers,
            "agents.parallel",
            &format!("it is {}", config.agents.parallel),
            &format!(
                "Write how many agents of one session may work at the same time, 1 to {most}."
            ),
        ));
    }
    for provider in config.drive.prices.keys() {
        let known: Vec<&str> = known_providers(config);
        if !known.contains(&provider.as_str()) {
            let nearest = known
                .iter()
                .map(|known| (strsim::jaro_winkler(known, provider), *known))
                .max_by(|one, other| one.0.total_cmp(&other.0))
                .filter(|(likeness, _)| *likeness > 0.75);
            let hint = match nearest {
                Some((_, name)) => format!("Did you mean `{name}`?"),
                None => format!("There are {}.", known.join(", ")),
            };
            return Err(wrong(
                layers,
                &format!("drive.prices.{provider}"),
                "there is no provider of this name, so nothing would be counted",
                &hint,
            ));
        }
    }
    config.drive.settings().map(drop)
}

/// Those that are configured, and those that need no configuration.
fn known_providers(config: &Config) -> Vec<&str> {
    let configured = config.models.providers.keys().map(String::as_str);
    let own = [
        ProviderType::Ollama,
        ProviderType::OpenAi,
        ProviderType::Embedded,
    ];
    let mut known: Vec<&str> = configured.collect();
    known.extend(own.map(ProviderType::as_str));
    known.sort_unstable();
    known.dedup();
    known
}

fn wrong(layers: &Figment, key: &str, why: &str, how: &str) -> anyhow::Error {
    let place = layers.find_metadata(key).map_or_else(String::new, |found| {
        format!("{}: ", super::origin::name(found))
    });
    Failure::usage(format!("{place}{key}: {why}"), how).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figment::providers::{Format, Serialized, Toml};

    fn checked(text: &str) -> Result<()> {
        let layers = Figment::from(Serialized::defaults(Config::default()));
        let layers = layers.merge(Toml::string(text));
        check(&layers.extract().unwrap(), &layers)
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_its_key() {
        for (text, parts) in [
            ("[agents]\nparallel = 0", ["agents.parallel", "it is 0"]),
            ("[agents]\nparallel = 65", ["agents.parallel", "it is 65"]),
            ("[drive]\nturns = 0", ["turns", "1 to 20"]),
            (
                "[drive.prices.claud]\nprompt = 1.0",
                ["drive.prices.claud", "no provider"],
            ),
        ] {
            let error = checked(text).unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
    }

    #[test]
    fn what_can_be_meant_is_taken() {
        let named = "[models.providers.claude]\ntype = \"anthropic\"\n\
                     endpoint = \"https://api.anthropic.com\"\n\
                     [drive.prices.claude]\nprompt = 1.0";
        for text in ["", "[agents]\nparallel = 64", named] {
            checked(text).unwrap();
        }
    }
}
