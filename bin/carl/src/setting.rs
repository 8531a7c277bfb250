//! What a command runs in.

use crate::profile;
use ::models::{ProviderConfig, ProviderType};
use agents::Outlines;
use anyhow::Result;
use command_line::SessionFlags;
use config::paths::Paths;
use config::{Loaded, VARIABLES, instead_of, load};
use domain::settings::{Attendance, SessionProfile};
use rendering::print_error;
use std::path::PathBuf;
use terminal::exit::Failure;
use terminal::notes::Vouched;
use terminal::open_folders::OpenFolders;
use text::escape::{quoted_argv, visible_line};

/// Where a command runs: folders, workspace and configuration.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Housecarl's folders.
    pub paths: Paths,
    /// The folder to work in.
    pub workspace: PathBuf,
    /// The configuration in force.
    pub loaded: Loaded,
    /// What is known of session logs: a log that was read to find out how it goes on is not read as a
    /// whole once more to go on with it.
    pub outlines: Outlines,
}

impl Setting {
    /// For commands without flags of a session.
    ///
    /// # Errors
    /// As [`Setting::read`].
    pub fn plain() -> Result<Self> {
        Self::read(&SessionFlags::default())
    }

    /// Reads environment, folders and configuration; flags come last and win.
    ///
    /// # Errors
    /// A usage failure that names what is wrong and where.
    pub fn read(flags: &SessionFlags) -> Result<Self> {
        let paths = Paths::from_environment()?;
        let workspace = profile::workspace(&flags.ceiling)?;
        let mut loaded = load(&paths, &workspace)?;
        for line in &loaded.ignored {
            print_error(&format!("warning: {line}\n"))?;
        }
        for (flag, path) in profile::missing(&flags.ceiling) {
            let path = visible_line(&path.display().to_string());
            print_error(&format!("note: {flag}: there is no {path} yet\n"))?;
        }
        loaded.config.models.air_gap |= flags.air_gap;
        let air_gap_from = place(&loaded, flags, AIR_GAP);
        loaded.config.models.air_gap_from = Some(air_gap_from);
        if let Some(provider) = &flags.provider {
            prefer(&mut loaded.config.models, provider)?;
            loaded.config.observers.routes.clear();
        }
        Ok(Self {
            paths,
            workspace,
            loaded,
            outlines: Outlines::default(),
        })
    }

    /// The same by other flags.
    ///
    /// # Errors
    /// As [`Setting::read`].
    pub fn again(&self, flags: &SessionFlags) -> Result<Self> {
        Ok(Self {
            outlines: self.outlines.clone(),
            ..Self::read(flags)?
        })
    }

    /// The folders that are open for writing for good.
    #[must_use]
    pub fn open_folders(&self) -> OpenFolders {
        OpenFolders::below(&self.paths.state, &self.paths.home)
    }

    /// The profile that a session here is opened with. A session that the user attends may write
    /// in this folder if a yes to it was remembered.
    ///
    /// # Errors
    /// As [`profile::build`] and [`OpenFolders::read`].
    pub fn profile(&self, flags: &SessionFlags, attendance: Attendance) -> Result<SessionProfile> {
        let config = &self.loaded.config;
        let mut profile = profile::build(flags, config, &self.workspace, attendance)?;
        if attendance == Attendance::Attended
            && self.open_folders().read()?.contains(&self.workspace)
        {
            profile.settings.allow_write.insert(self.workspace.clone());
        }
        profile.settings.checks = self.checks()?;
        Ok(profile)
    }

    /// The project's checks, where the user accepted this version of the project's file. Where nothing
    /// was said of it, the user is told how to.
    fn checks(&self) -> Result<Vec<Vec<String>>> {
        let Some((file, project)) = &self.loaded.project else {
            return Ok(Vec::new());
        };
        let checks = project.checks(file)?;
        let Some(version) = project.version.filter(|_| !checks.is_empty()) else {
            return Ok(Vec::new());
        };
        let shown = visible_line(&file.display().to_string());
        // In another folder the same words may be another program.
        if file.parent() != Some(self.workspace.as_path()) {
            print_error(&format!(
                "note: the checks in {shown} do not run here: they run in its own folder alone\n"
            ))?;
            return Ok(Vec::new());
        }
        match Vouched::below(&self.paths.state).trusts(version)? {
            Some(true) => return Ok(checks),
            Some(false) => {}
            None => {
                let command = quoted_argv(&["carl", "policy", "trust", &file.to_string_lossy()]);
                let command = visible_line(&command);
                print_error(&format!(
                    "note: the checks in {shown} do not run: you have not accepted this version. \
                     `{command}` accepts it.\n"
                ))?;
            }
        }
        Ok(Vec::new())
    }
}

/// The key that a flag and a project's own file can set as well.
const AIR_GAP: &str = "models.air_gap";

/// Where the value of a key comes from: a flag, a variable, a file.
pub fn place(loaded: &Loaded, flags: &SessionFlags, key: &str) -> String {
    if key == AIR_GAP && flags.air_gap {
        return "--air-gap".to_owned();
    }
    let narrows = key == AIR_GAP && loaded.layers.extract_inner::<bool>(key).ok() == Some(false);
    match &loaded.project {
        Some((file, _)) if narrows => file.display().to_string(),
        _ => VARIABLES.place(&loaded.layers, key),
    }
}

/// `--provider NAME`: every role goes there, and nothing anywhere else. The protocols' own names need no configuration.
fn prefer(models: &mut ::models::Config, provider: &str) -> Result<()> {
    if !models.providers.contains_key(provider) {
        let known = [ProviderType::Ollama, ProviderType::Embedded];
        let Some(kind) = known.into_iter().find(|kind| kind.as_str() == provider) else {
            let why = format!("--provider: `{provider}` is not configured");
            return Err(Failure::usage(why, instead_of(models, provider)).into());
        };
        models
            .providers
            .insert(provider.to_owned(), ProviderConfig::new(kind, None));
    }
    models.default_provider = Some(provider.to_owned());
    models.roles.clear();
    // Who names one wants that one: the request is sent nowhere else.
    models.fallbacks.clear();
    Ok(())
}
