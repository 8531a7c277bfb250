//! `carl init`, `config`, `completions`, `man`: papers about Housecarl itself.

use super::Setting;
use anyhow::{Context, Result};
use clap::CommandFactory;
use command_line::{Cli, ConfigCommand, InitArgs};
use config::paths::{Paths, private_folder};
use config::{self, Origins, TEMPLATE};
use disk::private::{self, Durability};
use rendering::{fit, print};
use std::path::Path;
use terminal::exit::{Exit, Failure};

/// Writes the commented configuration file.
///
/// # Errors
/// A usage failure when there is one already and `--force` was not given.
pub fn init(args: &InitArgs) -> Result<Exit> {
    let paths = Paths::from_environment()?;
    let file = paths.config_file();
    private_folder(&paths.config)?;
    let backup = file.with_extension("toml.bak");
    // A link counts as well, wherever it leads: nothing is written through it.
    if file.symlink_metadata().is_ok() {
        if !args.force {
            return Err(Failure::usage(
                format!("{} is already there", file.display()),
                "Edit it, or use --force to replace it; the old one is kept as config.toml.bak.",
            )
            .into());
        }
        std::fs::rename(&file, &backup).with_context(|| {
            format!("{} cannot be kept as {}", file.display(), backup.display())
        })?;
    }
    if let Err(error) = private::replace(&file, TEMPLATE.as_bytes(), Durability::Durable) {
        // The old one is in its place again; without one there is nothing to put back.
        let _restored = std::fs::rename(&backup, &file);
        return Err(error).with_context(|| format!("{} cannot be written", file.display()));
    }
    print(&format!(
        "Wrote {}. Every key in it is optional.\n",
        file.display()
    ))?;
    Ok(Exit::Success)
}

/// Prints the configuration or its schema.
///
/// # Errors
/// When the configuration cannot be used.
pub fn config(command: &ConfigCommand) -> Result<Exit> {
    match command {
        ConfigCommand::Show { origin } => {
            let setting = Setting::plain()?;
            let origins = if *origin {
                Origins::Shown
            } else {
                Origins::Hidden
            };
            print(&config::show(
                &setting.loaded,
                (origins, fit::width(&std::io::stdout())),
                &setting.workspace,
                &setting.paths.home,
            )?)?;
        }
        ConfigCommand::Schema => {
            let schema = schemars::schema_for!(config::Config);
            print(&format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
        }
    }
    Ok(Exit::Success)
}

/// Prints the help of `carl` or of a command.
///
/// # Errors
/// A usage failure when there is no such command.
pub fn help(words: &[String]) -> Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut found = &mut command;
    for word in words {
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            Failure::usage(
                format!("there is no command `{}`", words.join(" ")),
                "`carl help` lists the commands.",
            )
        })?;
    }
    print(&found.render_long_help().to_string())?;
    Ok(Exit::Success)
}

/// Prints a completion script.
///
/// # Errors
/// When standard output cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "carl", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// Prints the manual page, or writes one page a command.
///
/// # Errors
/// When the folder cannot be written.
pub fn man(out: Option<&Path>) -> Result<Exit> {
    match out {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
            clap_mangen::generate_to(Cli::command(), folder)
                .with_context(|| format!("the pages cannot be written to {}", folder.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Success)
}
