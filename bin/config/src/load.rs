//! Reading the configuration, with errors that name file, line and the nearest right key.

use super::project::{self, Project};
use super::{Config, VARIABLES, usage};
use crate::paths::Paths;
use anyhow::Result;
use configuration::{FILE_BYTES, flattened, parse_toml};
use disk::read::{self, Links};
use figment::Figment;
use figment::providers::{Format, Serialized, Toml};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;
use text::secrets::is_a_key;

/// The configuration and where it came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What is in force.
    pub config: Config,
    /// The layers it came from, for `carl config show --origin`.
    pub layers: Figment,
    /// The project file, if there is one, and what it says.
    pub project: Option<(PathBuf, Project)>,
    /// Project files of others, which were ignored: one line each.
    pub ignored: Vec<String>,
}

/// Reads the user's file, the environment and the project's file.
///
/// # Errors
/// A usage failure that names file, line and what to write instead.
pub fn load(paths: &Paths, workspace: &Path) -> Result<Loaded> {
    let mut layers = Figment::from(Serialized::defaults(Config::default()));
    let path = paths.config_file();
    if let Some(text) = text_of(&path)? {
        // Parsed by itself first: this parser knows lines, the merger does not.
        let note = "`carl config schema` lists every key.";
        let _checked: Config = parse_toml(&path, &text, note, is_a_key).map_err(usage)?;
        layers = layers.merge(Toml::file_exact(&path));
    }
    check_names(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
    layers = layers.merge(VARIABLES.environment());
    let mut config: Config = layers.extract().map_err(|error| {
        // Whatever shows the configuration reads it first and would end here as well.
        let note = "`carl config schema` lists every key and what it takes.";
        usage(VARIABLES.misfit(&error, note))
    })?;
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
        project: found,
        ignored,
    })
}

/// The text of the user's file; `None` where there is none.
fn text_of(file: &Path) -> Result<Option<String>> {
    let name = file.display();
    let refused = |why: String, hint: &str| anyhow::Error::from(Failure::usage(why, hint));
    let text = read::text(file, FILE_BYTES, Links::Followed).map_err(|error| {
        let most = FILE_BYTES >> 10;
        let hint = match is_denied(&error) {
            true => "Look who owns it and who may read it, with `ls -l`.".to_owned(),
            false => format!("It has to be a text file in UTF-8 of at most {most} KiB."),
        };
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

fn is_denied(error: &disk::Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref());
    source.is_some_and(|source: &std::io::Error| source.kind() == ErrorKind::PermissionDenied)
}

/// Refuses a variable that would be configuration if its section had two underscores after it.
fn check_names(names: impl Iterator<Item = String>) -> Result<()> {
    let keys = flattened(&Config::default())?;
    VARIABLES.check(&keys, names).map_err(usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::exit::{Exit, describe};

    fn fault_of(text: &str) -> (Exit, String, String) {
        let error = parse_toml::<Config>(Path::new("/c/config.toml"), text, "note", is_a_key);
        let error = usage(error.unwrap_err());
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
        let checked = |name: &str| check_names([name.to_owned()].into_iter());
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
        let parsed: Config = parse_toml(Path::new("t"), crate::TEMPLATE, "", is_a_key).unwrap();
        assert_eq!(parsed, Config::default());
        let uncommented: String = crate::TEMPLATE
            .lines()
            .map(|line| {
                line.strip_prefix('#')
                    .filter(|l| !l.starts_with(' '))
                    .unwrap_or(line)
            })
            .map(|line| format!("{line}\n"))
            .collect();
        parse_toml::<Config>(Path::new("t"), &uncommented, "", is_a_key).unwrap();
    }
}
