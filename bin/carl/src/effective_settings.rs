//! The terms on which services work for others: what they were begun with, and what becomes of a
//! command that is configured otherwise. Laxer terms than its own it does not work on.

use crate::setting::{Setting, place};
use anyhow::{Context, Result};
use command_line::SessionFlags;
use config::paths::Paths;
use config::{self, Loaded};
use configuration::flattened;
use disk::read::{self, Links};
use domain::hash::Digest;
use grpc::{Endpoint, Host};
use rendering::{Paint, print_error};
use settings::{By, Difference, EffectiveSettings, RIGHTS, Record, note};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use terminal::exit::Failure;
use text::escape::visible;

/// Largest file beside the configuration that is compared, bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Those of services that this process builds from its settings.
///
/// # Errors
/// When the settings have no JSON form.
pub fn of(setting: &Setting, by: By) -> Result<EffectiveSettings> {
    from_config(&setting.paths, &setting.loaded.config, by)
}

/// The same, as others are told.
///
/// # Errors
/// When the settings have no JSON form.
pub fn told(setting: &Setting, by: By) -> Result<String> {
    let json = of(setting, by)?.to_json();
    json.context("the settings in force cannot be written as JSON")
}

fn from_config(paths: &Paths, config: &config::Config, by: By) -> Result<EffectiveSettings> {
    Ok(EffectiveSettings::new(Record {
        process: std::process::id(),
        by,
        state: paths.state.clone(),
        values: flattened(config)?.into_iter().collect(),
        files: files_beside(paths),
    }))
}

/// Those at an address, if it tells any that can be read.
pub async fn at(endpoint: &Endpoint) -> Option<EffectiveSettings> {
    told_by(endpoint, &grpc::host(endpoint).await?)
}

fn told_by(endpoint: &Endpoint, host: &Host) -> Option<EffectiveSettings> {
    match EffectiveSettings::from_json(&host.terms_json) {
        Ok(settings) => Some(settings),
        Err(error) => {
            tracing::warn!(%endpoint, %error, "terms that cannot be read");
            None
        }
    }
}

/// Refuses a second service in the place of one that stays until it is told to end.
///
/// # Errors
/// A [`Failure`] that names the process, where these are the settings of `carl serve`.
pub fn refuse_a_second(
    settings: &EffectiveSettings,
    endpoint: &Endpoint,
    wants_http: bool,
) -> Result<()> {
    if settings.by() != By::Serve {
        return Ok(());
    }
    let mut failure = Failure::usage(
        format!("{} serves at {endpoint} already", settings.holder()),
        match wants_http {
            true => format!(
                "It was begun otherwise: end it with `kill {}`, and give this command again.",
                settings.process()
            ),
            false => format!(
                "Every carl of yours uses it, and nothing is to be done; `kill {}` ends it.",
                settings.process()
            ),
        },
    );
    failure.fault.code = "carl.locked".to_owned();
    failure.exit = terminal::exit::Exit::Failed;
    Err(failure.into())
}

/// What comes of comparing settings.
#[derive(Debug)]
pub enum Agreement {
    /// What is in force allows no more than this command's.
    Made,
    /// It does, by a command that is over soon; the refusal, should it not be.
    Later(Failure),
}

/// Says what of this command's settings is not in force at an address, and refuses to go on where
/// what is in force allows more.
///
/// # Errors
/// A [`Failure`] of usage that names each such key, both values, and what to do.
pub async fn agree(
    endpoint: &Endpoint,
    host: Option<&Host>,
    setting: &Setting,
    flags: &SessionFlags,
) -> Result<Agreement> {
    // Flags that choose a model reach the other process by themselves.
    let mut loaded = config::load(&setting.paths, &setting.workspace)?;
    loaded.config.models.air_gap |= flags.air_gap;
    let wanted = from_config(&setting.paths, &loaded.config, By::Chat)?;
    let requested = RequestedSettings {
        loaded: &loaded,
        flags,
    };
    let Some(terms) = host.and_then(|host| told_by(endpoint, host)) else {
        silent(endpoint, (&wanted, &requested), setting)?;
        return Ok(Agreement::Made);
    };
    let found = terms.differences(&wanted);
    let (laxer, other): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.is_less_strict);
    if !laxer.is_empty() {
        let list: Vec<String> = laxer.iter().map(|one| requested.refused(one)).collect();
        let message = format!(
            "{} works by laxer settings than this command's: {}",
            terms.holder(),
            list.join("; ")
        );
        let remedy = match is_own(endpoint, &terms, setting) {
            true => terms.remedy(),
            false => "Set it where that serves, or work without it",
        };
        let refusal = Failure::usage(message, requested.suggestion(&laxer, remedy));
        return match terms.by() {
            By::Command => Ok(Agreement::Later(refusal)),
            By::Chat | By::Serve => Err(refusal.into()),
        };
    }
    // Another machine's settings are its own business, and starting it again changes none of them.
    if !other.is_empty() && is_own(endpoint, &terms, setting) {
        let paint = Paint::for_stream(&std::io::stderr());
        print_error(&paint.warn(&visible(&note(&terms, &other))))?;
    }
    Ok(Agreement::Made)
}

/// Whether what serves at an address was begun with this command's configuration: on a network that
/// is so only for this machine and this state folder.
fn is_own(endpoint: &Endpoint, terms: &EffectiveSettings, setting: &Setting) -> bool {
    match endpoint {
        Endpoint::Unix(_) => true,
        Endpoint::Tcp { host, .. } => {
            let address = host.parse::<IpAddr>();
            let is_here = host == "localhost" || address.is_ok_and(|one| one.is_loopback());
            is_here && terms.are_of(&setting.paths.state)
        }
    }
}

/// What becomes of a command where nothing is known: it goes on, unless it forbids something.
fn silent(
    endpoint: &Endpoint,
    (wanted, requested): (&EffectiveSettings, &RequestedSettings<'_>),
    setting: &Setting,
) -> Result<()> {
    let lax = from_config(&setting.paths, &config::Config::default(), By::Serve)?;
    let found = lax.differences(wanted).into_iter();
    let laxer: Vec<Difference> = found
        .filter(|one| one.is_less_strict && one.key != RIGHTS)
        .collect();
    if laxer.is_empty() {
        return Ok(());
    }
    let keys: Vec<&str> = laxer.iter().map(|one| one.key.as_str()).collect();
    let message = format!(
        "the Housecarl at {endpoint} does not say by which settings it works, and this command's \
         forbid something: {}",
        keys.join(", ")
    );
    let remedy = "Work without it, or serve with this version of carl there";
    Err(Failure::usage(message, requested.suggestion(&laxer, remedy)).into())
}

/// What a command is configured to be, and by what.
struct RequestedSettings<'a> {
    loaded: &'a Loaded,
    flags: &'a SessionFlags,
}

impl RequestedSettings<'_> {
    fn refused(&self, one: &Difference) -> String {
        one.refused(&match self.place(&one.key) {
            place if place == "default" => "the default".to_owned(),
            place => format!("from {place}"),
        })
    }

    fn place(&self, key: &str) -> String {
        place(self.loaded, self.flags, key)
    }

    /// What to do about laxer terms.
    fn suggestion(&self, laxer: &[Difference], remedy: &str) -> String {
        let places = laxer.iter().map(|one| self.place(&one.key));
        let given: BTreeSet<String> = places
            .filter(|place| place.starts_with("CARL_") || place.starts_with("--"))
            .collect();
        match given.len() {
            0 => format!("{remedy}."),
            _ => {
                let given: Vec<String> = given.into_iter().collect();
                format!("{remedy}; or leave out {}.", given.join(", "))
            }
        }
    }
}

/// What stands in each file beside the configuration that services read when they begin.
fn files_beside(paths: &Paths) -> BTreeMap<String, Digest> {
    let mut names: Vec<String> = [RIGHTS, "AGENTS.md", "CLAUDE.md"].map(str::to_owned).into();
    let cards = std::fs::read_dir(paths.config.join("cards"));
    let cards = cards.into_iter().flatten().flatten();
    names.extend(cards.map(|card| format!("cards/{}", card.file_name().to_string_lossy())));
    let mut found = BTreeMap::new();
    for name in names {
        let text = read::text(&paths.config.join(&name), FILE_BYTES, Links::Followed);
        let content = match text {
            Ok(None) => continue,
            Ok(Some(text)) => text,
            // What cannot be read here has a state of its own all the same.
            Err(error) => format!("{error:#}"),
        };
        found.insert(name, Digest::of(content.as_bytes()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn paths(home: &Path) -> Paths {
        let folder = |name: &str| home.join(name);
        Paths {
            home: home.to_owned(),
            config: folder("config"),
            data: folder("data"),
            state: folder("state"),
            runtime: folder("runtime"),
        }
    }

    #[test]
    fn what_is_told_is_understood_and_what_differs_is_named() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(home.path());
        std::fs::create_dir_all(paths.config.join("cards")).unwrap();
        std::fs::write(paths.config.join("cards/mine.md"), "one").unwrap();
        let mut config = config::Config::default();
        let begun = from_config(&paths, &config, By::Chat).unwrap();
        let told = EffectiveSettings::from_json(&begun.to_json().unwrap()).unwrap();
        assert_eq!(told, begun);
        let same = from_config(&paths, &config, By::Chat).unwrap();
        assert_eq!(begun.differences(&same), []);
        config.memory.capture = false;
        config.agents.parallel += 1;
        config.chat.default_agent = "researcher".to_owned();
        config.tui.theme = config::Theme::Light;
        config.tui.mouse = true;
        std::fs::write(paths.config.join("cards/mine.md"), "two").unwrap();
        std::fs::write(paths.agents_file(), "agents: {}").unwrap();
        let now = from_config(&paths, &config, By::Chat).unwrap();
        let found: Vec<(String, bool)> = begun
            .differences(&now)
            .into_iter()
            .map(|one| (one.key, one.is_less_strict))
            .collect();
        let expected = [
            ("agents.parallel", false),
            ("memory.capture", true),
            ("agents.yaml", true),
            ("cards/mine.md", false),
        ];
        assert_eq!(found, expected.map(|(key, is)| (key.to_owned(), is)));
    }
}
