//! Reading the configuration, with errors that name file, line and the nearest right key.

use super::keys::{flattened, variable};
use super::parse::{CONFIG_FILE_BYTES, SECRET_WORDS, hint, parse_toml};
use super::{Config, project};
use crate::paths::Paths;
use anyhow::Result;
use disk::read::{self, Links};
use figment::Figment;
use figment::error::Kind;
use figment::providers::{Env, Format, Serialized, Toml};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;

/// The configuration and where it came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What is in force.
    pub config: Config,
    /// The layers it came from, for `carl config show --origin`.
    pub layers: Figment,
    /// The project file, if there is one.
    pub project: Option<PathBuf>,
    /// Project files of others, which were ignored: one line each.
    pub ignored: Vec<String>,
}

/// Reads the user's file, the environment and the project's file.
///
/// # Errors
/// A [`Failure`] of usage that names file, line and what to write instead.
pub fn load(paths: &Paths, workspace: &Path) -> Result<Loaded> {
    let mut layers = Figment::from(Serialized::defaults(Config::default()));
    let file = paths.config_file();
    if let Some(text) = text_of(&file)? {
        // Parsed by itself first: this parser knows lines, the merger does not.
        let _checked: Config = parse_toml(&file, &text, "`carl config schema` lists every key.")?;
        layers = layers.merge(Toml::file_exact(&file));
    }
    check_underscores(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
    layers = layers.merge(environment());
    let mut config: Config = layers
        .extract()
        .map_err(|error| environment_failure(&error))?;
    // Before anything shows the configuration.
    super::sense::check(&config, &layers)?;
    let project::Search { found, ignored } = project::find(workspace, &paths.home)?;
    if let Some((_, wishes)) = &found {
        config
            .policy
            .disabled_tools
            .extend(wishes.disabled_tools.iter().cloned());
        config.models.air_gap |= wishes.air_gap;
    }
    Ok(Loaded {
        config,
        layers,
        project: found.map(|(file, _)| file),
        ignored,
    })
}

/// The text of the user's file; `None` where there is none.
fn text_of(file: &Path) -> Result<Option<String>> {
    let name = file.display();
    let refused = |why: String, hint: &str| anyhow::Error::from(Failure::usage(why, hint));
    let text = read::text(file, CONFIG_FILE_BYTES, Links::Followed).map_err(|error| {
        let most = CONFIG_FILE_BYTES >> 10;
        let hint = format!("It has to be a text file in UTF-8 of at most {most} KiB.");
        refused(format!("{error:#}"), &hint)
    })?;
    let Ok(facts) = std::fs::metadata(file) else {
        let is_link = std::fs::symlink_metadata(file).is_ok();
        return match is_link {
            true => Err(refused(
                format!("{name} is a link to a file that is not there"),
                "Bring that file back, or remove the link to go without a configuration.",
            )),
            false => Ok(text),
        };
    };
    // Whoever writes it chooses programs to run and where prompts go.
    if facts.permissions().mode() & 0o002 != 0 {
        return Err(refused(
            format!("{name} may be written by every user of this machine, so it is not trusted"),
            &format!("Look at what it says, then `chmod o-w '{name}'`."),
        ));
    }
    Ok(text)
}

/// Variables that begin like a section and are no configuration.
const OTHERS: [&str; 1] = ["CARL_ENGINE_LOG"];

/// Refuses a variable that would be configuration if its section had two underscores after it.
fn check_underscores(names: impl Iterator<Item = String>) -> Result<()> {
    let keys = flattened(&Config::default())?;
    for name in names {
        let upper = name.to_uppercase();
        let Some(rest) = upper.strip_prefix("CARL_") else {
            continue;
        };
        if rest.contains("__") || OTHERS.contains(&upper.as_str()) {
            continue;
        }
        let begins = |section: &&str| {
            let rest = rest.strip_prefix(section.to_uppercase().as_str());
            rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('_'))
        };
        let mut sections = keys.iter().filter_map(|(key, _)| key.split('.').next());
        let Some(section) = sections.find(begins) else {
            continue;
        };
        let is_it = |key: &&str| key.replace('.', "_").eq_ignore_ascii_case(rest);
        let key = keys.iter().map(|(key, _)| key.as_str()).find(is_it);
        let right = key.map_or_else(
            || format!("CARL_{}_{}", section.to_uppercase(), &rest[section.len()..]),
            |key| format!("CARL_{}", key.to_uppercase().replace('.', "__")),
        );
        return Err(Failure::usage(
            format!("{name}: it sets nothing: section and key are parted by two underscores"),
            format!("Did you mean {right}? `carl config show` lists every key."),
        )
        .into());
    }
    Ok(())
}

/// Variables with a double underscore are configuration; others, such as `CARL_BLESS`, are not.
fn environment() -> Env {
    Env::prefixed("CARL_")
        .filter(|key| key.as_str().contains("__"))
        .split("__")
}

fn environment_failure(error: &figment::Error) -> anyhow::Error {
    let mut messages: Vec<String> = Vec::new();
    for error in error.clone() {
        let mut path = error.path.clone();
        if let Kind::UnknownField(field, _) = &error.kind
            && path.last() != Some(field)
        {
            path.push(field.clone());
        }
        // Files were read by themselves before: what cannot be used now was set by a variable.
        let name = variable(&path.join("."));
        let said = in_words(&error.kind);
        messages.push(format!("{name}: {}", unrepeated(&name, &said)));
    }
    let detail = messages.join("; ");
    let hint = hint(
        &detail,
        "`carl config show --origin` says where each value comes from.",
    );
    Failure::usage(format!("the configuration cannot be used: {detail}"), hint).into()
}

/// What is wrong with a value, in the words that the parser of files has.
fn in_words(kind: &Kind) -> String {
    let names = |known: &[&str]| format!("`{}`", known.join("`, `"));
    match kind {
        Kind::UnknownField(found, known) => {
            format!("unknown field `{found}`, expected one of {}", names(known))
        }
        Kind::UnknownVariant(found, known) => {
            format!(
                "unknown variant `{found}`, expected one of {}",
                names(known)
            )
        }
        Kind::InvalidType(found, expected) => {
            let wanted = match expected.as_str() {
                "a boolean" | "bool" => "true or false",
                "f32" | "f64" => "a number",
                "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
                other => other,
            };
            format!("found {found}, expected {wanted}")
        }
        other => other.to_string(),
    }
}

/// What is wrong with a variable, without the value of one that may hold a key.
fn unrepeated(name: &str, said: &str) -> String {
    let lower = name.to_lowercase();
    let is_about_keys = SECRET_WORDS.iter().any(|word| lower.contains(word));
    match (is_about_keys, said.split_once('"'), said.rsplit_once('"')) {
        (true, Some((before, _)), Some((_, after))) => format!("{before}\"…\"{after}"),
        _ => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::exit::{Exit, describe};

    fn fault_of(text: &str) -> (Exit, String, String) {
        let error = parse_toml::<Config>(Path::new("/c/config.toml"), text, "note").unwrap_err();
        let (exit, fault) = describe(&error);
        (exit, fault.message, fault.hint)
    }

    #[test]
    fn a_misspelt_key_names_file_line_and_the_right_one() {
        let (exit, message, hint) = fault_of("[chat]\n\ndefalt_agent = \"coder\"\n");
        assert_eq!(exit, Exit::Usage);
        assert!(
            message.contains("/c/config.toml") && message.contains("line 3"),
            "{message}"
        );
        assert!(hint.starts_with("Did you mean `default_agent`?"), "{hint}");
    }

    #[test]
    fn a_key_that_stands_in_the_file_is_not_shown_again() {
        for line in [
            "api_key = \"sk-very-secret\"",
            "api_key = { secret = \"sk very secret\" }",
            "apikey = \"sk-very-secret\"",
            "timeout_secs = \"sk-very-secret\" # the key",
            "api_key = \"sk-very-secret",
            "token = sk-very-secret",
        ] {
            let text = format!("[models.providers.x]\ntype = \"openai\"\n{line}\n");
            let (exit, message, hint) = fault_of(&text);
            assert_eq!(exit, Exit::Usage);
            assert!(message.contains("line 3"), "{message}");
            for part in ["very", "sk-", "sk "] {
                assert!(!message.contains(part) && !hint.contains(part), "{message}");
            }
        }
        let inline = "models.providers.x = { type = \"openai\", api_key = \"sk-very-secret\" }";
        let (_, message, _) = fault_of(inline);
        assert!(message.contains("carl secret set"), "{message}");
        assert!(!message.contains("very"), "{message}");
    }

    #[test]
    fn a_variable_with_one_underscore_is_told_the_right_name() {
        let checked = |name: &str| check_underscores([name.to_owned()].into_iter());
        for (name, right) in [
            ("CARL_MEMORY_CAPTURE", "CARL_MEMORY__CAPTURE?"),
            ("carl_chat_default_mode", "CARL_CHAT__DEFAULT_MODE?"),
            ("CARL_MEMORY_FINDING_TEXTS", "CARL_MEMORY__FINDING__TEXTS?"),
            ("CARL_MEMORY_CAPTRE", "CARL_MEMORY__CAPTRE?"),
        ] {
            let (exit, fault) = describe(&checked(name).unwrap_err());
            assert_eq!(exit, Exit::Usage);
            assert!(fault.message.starts_with(&format!("{name}: ")), "{fault:?}");
            assert!(fault.hint.contains(right), "{fault:?}");
        }
        for name in [
            "CARL_PROGRAM",
            "CARL_LOG",
            "CARL_ENGINE_LOG",
            "CARL_CHATTER_X",
            "CARL_MEMORY",
            "CARL_MEMORY__CAPTURE",
            "MEMORY_CAPTURE",
        ] {
            checked(name).unwrap();
        }
    }

    #[test]
    fn a_value_of_the_wrong_type_names_its_line() {
        let (_, message, _) = fault_of("[engine]\nidle_exit_secs = \"soon\"\n");
        assert!(message.contains("line 2"), "{message}");
    }

    #[test]
    fn the_template_is_the_default_configuration() {
        let parsed: Config = parse_toml(Path::new("t"), super::super::TEMPLATE, "").unwrap();
        assert_eq!(parsed, Config::default());
        let uncommented: String = super::super::TEMPLATE
            .lines()
            .map(|line| {
                line.strip_prefix('#')
                    .filter(|l| !l.starts_with(' '))
                    .unwrap_or(line)
            })
            .map(|line| format!("{line}\n"))
            .collect();
        parse_toml::<Config>(Path::new("t"), &uncommented, "").unwrap();
    }
}
