//! From flags and configuration to the profile a session is opened with.

use anyhow::Result;
use command_line::{Ceiling, SessionFlags};
use config::{Config, check_model};
use disk::stored::{as_stored, in_other_forms};
use domain::lineage::AgentType;
use domain::model::{ModelChoice, ModelRef, Think};
use domain::settings::{Attendance, Grant, SessionProfile, SessionSettings};
use domain::tool::ToolName;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;
use terminal::profile::{RequestedProfile, TypedParts};

/// The flags that open places.
const ALLOW_WRITE: &str = "--allow-write";
const ALLOW_READ: &str = "--allow-read";

/// The folder to work in: absolute, without symbolic links.
///
/// # Errors
/// A [`Failure`] of usage when it is not a folder.
pub fn workspace(flags: &Ceiling) -> Result<PathBuf> {
    let wanted = flags
        .workspace
        .clone()
        .unwrap_or_else(|| PathBuf::from("."));
    match as_stored(&wanted).canonicalize() {
        Ok(folder) if folder.is_dir() && folder.to_str().is_none() => Err(Failure::usage(
            format!(
                "the name of the folder {} is not UTF-8 text",
                folder.display()
            ),
            "Rename it, or work in another folder with -C.",
        )
        .into()),
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(file) => Err(Failure::usage(
            format!("{} is not a folder", file.display()),
            "Give -C the folder to work in.",
        )
        .into()),
        Err(error) => Err(Failure::usage(
            format!("the folder {} cannot be used: {error}", wanted.display()),
            "Give -C a folder that exists.",
        )
        .into()),
    }
}

/// Builds the profile.
///
/// # Errors
/// A [`Failure`] of usage that names the flag and what to write instead.
pub fn build(
    flags: &SessionFlags,
    config: &Config,
    workspace: &Path,
    attendance: Attendance,
) -> Result<SessionProfile> {
    let agent = flags.agent.as_deref().unwrap_or(&config.chat.default_agent);
    let mut settings = settings(&flags.ceiling, config, workspace)?;
    settings.attendance = attendance;
    settings.approved_plans = flags.approve.iter().copied().collect();
    Ok(SessionProfile {
        name: String::new(),
        agent_type: agent_type("--agent", agent)?,
        mode: flags.mode.map_or(config.chat.default_mode, Into::into),
        model: model(flags, config)?,
        context_tokens: flags.context_tokens,
        provider: flags.provider.clone(),
        think: flags.thinking.map_or(Think::Default, Into::into),
        settings,
    })
}

/// A profile, and which of its parts the flags name.
#[must_use]
pub fn requested(profile: SessionProfile, flags: &SessionFlags) -> RequestedProfile {
    RequestedProfile {
        profile,
        typed: TypedParts {
            agent_type: flags.agent.is_some(),
            mode: flags.mode.is_some(),
            model: flags.model.is_some() || flags.provider.is_some(),
            think: flags.thinking.is_some(),
        },
    }
}

/// What is to be open and is not there, with the flag that names it: it may be made, or be a slip of
/// the keyboard.
pub fn missing(flags: &Ceiling) -> impl Iterator<Item = (&'static str, &Path)> {
    let written = flags.allow_write.iter().map(|path| (ALLOW_WRITE, path));
    let read = flags.allow_read.iter().map(|path| (ALLOW_READ, path));
    let paths = written
        .chain(read)
        .map(|(flag, path)| (flag, path.as_path()));
    paths.filter(|(_, path)| as_stored(path).symlink_metadata().is_err())
}

/// The user's ceiling.
///
/// # Errors
/// A [`Failure`] of usage that names the flag and what to write instead.
pub fn settings(flags: &Ceiling, config: &Config, workspace: &Path) -> Result<SessionSettings> {
    let mut settings = SessionSettings::closed(workspace.to_owned());
    settings.override_level = flags.override_level.map(Into::into).unwrap_or_default();
    settings.auto_approve = flags.yes.iter().map(|class| (*class).into()).collect();
    for path in &flags.allow_write {
        let path = absolute(ALLOW_WRITE, path)?;
        settings.allow_write.extend(in_other_forms(&path));
        settings.allow_write.insert(path);
    }
    for path in &flags.allow_read {
        let path = absolute(ALLOW_READ, path)?;
        settings.allow_read.extend(in_other_forms(&path));
        settings.allow_read.insert(path);
    }
    for name in flags
        .disable_tool
        .iter()
        .chain(&config.policy.disabled_tools)
    {
        settings
            .disabled_tools
            .insert(tool("--disable-tool", name)?);
    }
    for grant in &flags.grant {
        settings.grants.insert(parse_grant(grant)?);
    }
    Ok(settings)
}

/// The model that the flags name; `None` leaves it to the agent type's role, which `--provider`
/// alone has already sent to that provider (see [`crate::setting::Setting::read`]).
fn model(flags: &SessionFlags, config: &Config) -> Result<Option<ModelChoice>> {
    let Some(model) = flags.model.as_deref() else {
        return Ok(None);
    };
    let mut configured = config.models.providers.keys();
    // With one provider there is nothing to choose.
    let only = match (configured.next(), configured.next()) {
        (Some(only), None) if !model.contains('/') => Some(only),
        _ => None,
    };
    let provider = flags.provider.as_ref().or(only);
    // Whole, so that no name is taken that a log could not be read with.
    let whole = match provider {
        Some(provider) => {
            let own_name = model.strip_prefix(&format!("{provider}/")).unwrap_or(model);
            format!("{provider}/{own_name}")
        }
        None => model.to_owned(),
    };
    match whole.parse::<ModelRef>() {
        Ok(model) if provider.is_some() => Ok(Some(ModelChoice::Exact(model))),
        Ok(model) => {
            check_model(config, &model)?;
            Ok(Some(ModelChoice::Exact(model)))
        }
        Err(error) => Err(Failure::usage(
            format!("--model: {error}"),
            "`carl models` lists what is there; with --provider NAME, its own name for a model is enough.",
        )
        .into()),
    }
}

fn agent_type(flag: &str, name: &str) -> Result<AgentType> {
    AgentType::new(name).map_err(|error| {
        Failure::usage(
            format!("{flag}: {error}"),
            "`carl agents` lists the agent types.",
        )
        .into()
    })
}

fn tool(flag: &str, name: &str) -> Result<ToolName> {
    ToolName::new(name).map_err(|error| {
        Failure::usage(format!("{flag}: {error}"), "`carl tools` lists the tools.").into()
    })
}

fn parse_grant(text: &str) -> Result<Grant> {
    let refuse = || {
        Failure::usage(
            format!("--grant: `{text}` is not TYPE:TOOL"),
            "Write, for example, --grant researcher:write_file.",
        )
    };
    let (agent, name) = text.split_once(':').ok_or_else(refuse)?;
    Ok(Grant {
        agent_type: agent_type("--grant", agent)?,
        tool: tool("--grant", name)?,
    })
}

/// A path as the user means it now, whatever the folder of a later process. What exists already
/// is followed to where it really is; what does not is taken below its folder.
fn absolute(flag: &str, path: &Path) -> Result<PathBuf> {
    let path = &as_stored(path);
    let known = path.canonicalize().or_else(|_missing| {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new(".")).canonicalize()?;
        path.file_name()
            .map(|name| folder.join(name))
            .ok_or(std::io::ErrorKind::InvalidInput.into())
    });
    known.map_err(|error: std::io::Error| {
        Failure::usage(
            format!("{flag}: {} cannot be used: {error}", path.display()),
            "Give a file or folder that exists, or one inside a folder that exists.",
        )
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(flags: &SessionFlags) -> Result<SessionProfile> {
        build(
            flags,
            &Config::default(),
            Path::new("/w"),
            Attendance::Unattended,
        )
    }

    #[test]
    fn a_session_goes_on_as_it_was_but_for_what_a_flag_names() {
        let flags = SessionFlags {
            agent: Some("orchestrator".to_owned()),
            mode: Some(command_line::ModeArg::Plan),
            model: Some("ollama/a:7b".to_owned()),
            context_tokens: Some(4096),
            ..SessionFlags::default()
        };
        let mut own = built(&flags).unwrap();
        own.name = "mine".to_owned();
        own.think = Think::Low;
        own.settings
            .allow_write
            .insert(Path::new("/once").to_owned());
        let plain = SessionFlags::default();
        let kept = requested(built(&plain).unwrap(), &plain).continuing(own.clone());
        let settings = built(&plain).unwrap().settings;
        assert_eq!(
            kept,
            SessionProfile {
                settings,
                ..own.clone()
            }
        );
        let other = SessionFlags {
            agent: Some("researcher".to_owned()),
            mode: Some(command_line::ModeArg::Loop),
            provider: Some("hub".to_owned()),
            context_tokens: Some(8192),
            thinking: Some(command_line::ThinkingArg::Default),
            ..SessionFlags::default()
        };
        let changed = requested(built(&other).unwrap(), &other).continuing(own);
        let named = SessionProfile {
            name: "mine".to_owned(),
            ..built(&other).unwrap()
        };
        assert_eq!(changed, named);
    }

    #[test]
    fn a_grant_needs_both_halves() {
        assert!(parse_grant("coder:write_file").is_ok());
        for wrong in ["coder", "coder:", ":x", "Co der:x"] {
            assert!(parse_grant(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_model_is_named_alone_or_with_its_provider() {
        let flags = |provider: Option<&str>, model: Option<&str>| SessionFlags {
            provider: provider.map(str::to_owned),
            model: model.map(str::to_owned),
            ..SessionFlags::default()
        };
        let chosen = |flags: SessionFlags| match built(&flags).unwrap().model {
            Some(ModelChoice::Exact(model)) => Some(model.to_string()),
            _ => None,
        };
        assert_eq!(
            chosen(flags(None, Some("ollama/a:7b"))).as_deref(),
            Some("ollama/a:7b")
        );
        assert_eq!(
            chosen(flags(Some("ollama"), Some("a:7b"))).as_deref(),
            Some("ollama/a:7b")
        );
        assert_eq!(
            chosen(flags(Some("hub"), Some("org/m"))).as_deref(),
            Some("hub/org/m")
        );
        assert_eq!(chosen(flags(None, None)), None);
        assert!(built(&flags(None, Some("a:7b"))).is_err());
        for empty in ["", "hub/"] {
            assert!(built(&flags(Some("hub"), Some(empty))).is_err(), "{empty}");
        }
    }
}
