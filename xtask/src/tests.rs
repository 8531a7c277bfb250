//! `cargo xtask test`: every check and test that continuous integration runs.

use crate::steps::{Steps, cargo, has_subcommand, root, show};
use crate::{check, setup};
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to test.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Options {
    /// Also build llama.cpp's own server and test against it (twelve more minutes on two cores)
    #[arg(long)]
    pub llama_server: bool,
}

/// Sets up and runs everything.
///
/// # Errors
/// The first thing that fails, with what to do.
pub fn run(steps: &mut Steps, options: Options) -> Result<()> {
    let paths = steps.run(
        "setup",
        "The message above says what is missing; `cargo xtask setup` repeats this step alone.",
        || {
            setup::run(setup::Options {
                llama_server: options.llama_server,
                test_programs: true,
                ..setup::Options::default()
            })
        },
    )?;
    check::run(steps)?;
    page(steps)?;
    let corpora = corpora(steps)?;
    let advice = "Run the test it names by itself: `cargo test -p CRATE NAME`.";
    // Always the same packages: with others, dependencies have other features, and nearly all of them are
    // built once more. So `carl` is the one that is built for its own tests. The architecture was looked at among
    // the checks; only nextest can leave out what it built.
    let which = ["--workspace", "--exclude=engine"];
    let carl = steps.run(
        "build of the tests and of carl",
        "The compiler's messages are above.",
        || {
            show(&mut build(&which))?;
            Ok(debug_program(&paths.engine))
        },
    )?;
    let mut house = environment(&paths, options, carl, corpora)?;
    house.extend(without(steps));
    steps.run("tests", advice, || {
        let mut tests = runner(None, &which);
        if has_subcommand("nextest") {
            tests.args(["-E", "not package(architecture)"]);
        }
        show(tests.envs(house.clone()))
    })?;
    steps.run("examples in the documentation", advice, || {
        let args = [
            "test",
            "--doc",
            "--workspace",
            "--exclude",
            "engine",
            "--quiet",
        ];
        show(&mut cargo(&args))
    })?;
    steps.run("tests of the engine", advice, || {
        let environment: Vec<(String, OsString)> = setup::engine_environment()?;
        show(
            runner(Some(setup::ENGINE_PROFILE), &["-p", "engine"])
                .envs(environment)
                .envs(house),
        )
    })
}

/// Checks the source of the page, and that `web/dist` is what it builds. The stories in a browser are
/// among the tests.
fn page(steps: &mut Steps) -> Result<()> {
    if let Some(advice) = setup::without_browser() {
        steps.skip("browser", &advice);
        return Ok(());
    }
    let advice = "Run what failed in web/; `npm run build` writes web/dist, which is committed.";
    steps.run("browser", advice, || {
        let folder = setup::browser::web(&root());
        for script in ["check", "test", "same"] {
            show(
                Command::new("npm")
                    .args(["run", script])
                    .current_dir(&folder),
            )?;
        }
        Ok(())
    })
}

/// What cannot be had here, for the tests that need it to leave themselves out; listed at the end.
fn without(steps: &mut Steps) -> Option<(String, OsString)> {
    let mut absent = setup::test_programs::absent(&setup::tools_folder());
    absent.extend(setup::without_browser().map(|advice| ("browser", advice)));
    for (what, advice) in &absent {
        steps.skip(&format!("tests with a {what}"), advice);
    }
    let names: Vec<&str> = absent.iter().map(|(what, _)| *what).collect();
    (!names.is_empty()).then(|| ("HOUSE_WITHOUT".to_owned(), names.join(",").into()))
}

/// Fetches the texts that the firewall is measured on.
fn corpora(steps: &mut Steps) -> Result<PathBuf> {
    let advice =
        "Check the network and pip's settings; `cargo xtask corpora` repeats this step alone.";
    steps.run("corpora of the firewall", advice, setup::corpora::run)
}

/// What the tests need to find: programs, models and corpora.
fn environment(
    paths: &setup::Paths,
    options: Options,
    carl: PathBuf,
    corpora: PathBuf,
) -> Result<Vec<(String, OsString)>> {
    let models = paths
        .chat_model
        .parent()
        .context("the chat model lies in no folder")?;
    let mut house = vec![
        ("CARL_PROGRAM".to_owned(), carl.into_os_string()),
        (
            "HOUSE_ENGINE".to_owned(),
            paths.engine.clone().into_os_string(),
        ),
        ("HOUSE_MODELS".to_owned(), models.as_os_str().to_owned()),
        ("HOUSE_CORPORA".to_owned(), corpora.into_os_string()),
    ];
    if options.llama_server {
        house.push((
            "HOUSE_LLAMA_SERVER".to_owned(),
            paths.llama_server.clone().into_os_string(),
        ));
        house.push((
            "HOUSE_CHAT_MODEL".to_owned(),
            paths.chat_model.clone().into_os_string(),
        ));
    }
    Ok(house)
}

/// What [`runner`] would run is built.
fn build(args: &[&str]) -> Command {
    let mut command = match has_subcommand("nextest") {
        true => cargo(&["nextest", "run", "--no-run"]),
        false => cargo(&["test", "--no-run", "--quiet", "--lib", "--bins", "--tests"]),
    };
    command.args(args);
    command
}

/// `cargo nextest run` where it is installed, else `cargo test`; with a profile other than tests'
/// own.
pub fn runner(profile: Option<&str>, args: &[&str]) -> Command {
    let (mut command, flag) = if has_subcommand("nextest") {
        let run = ["nextest", "run", "--no-fail-fast", "--status-level", "fail"];
        (cargo(&run), "--cargo-profile")
    } else {
        let run = [
            "test",
            "--no-fail-fast",
            "--quiet",
            "--lib",
            "--bins",
            "--tests",
        ];
        (cargo(&run), "--profile")
    };
    command.args(profile.map(|profile| [flag, profile]).into_iter().flatten());
    command.args(args);
    command
}

/// `carl` as tests use it, found from the engine's place in a folder beside.
pub fn debug_program(engine: &Path) -> PathBuf {
    let target = engine
        .parent()
        .and_then(Path::parent)
        .unwrap_or_else(|| Path::new("target"));
    target.join("debug").join("carl")
}
