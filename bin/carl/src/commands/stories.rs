//! `carl stories`: acceptance stories, run against a server that is really there.

use anyhow::{Context as _, Result};
use command_line::StoriesArgs;
use domain::fault::Coded as _;
use rendering::{Paint, print, print_error};
use std::time::Duration;
use stories::{Chosen, Error, Options, Reached, Report, Story};
use terminal::exit::{Exit, Failure, OrFail};
use terminal::signals::Signals;
use text::escape::visible_line;

/// Runs stories and tells what they came to.
///
/// # Errors
/// A failure of usage when there is no such story or one is none; and when no server can be asked.
pub async fn stories(args: StoriesArgs) -> Result<Exit> {
    let all = wanted(&args).map_err(typed)?;
    let reached = reached(&args)?;
    let options = Options {
        chosen: chosen(&args)?,
        patience: Duration::from_secs(args.patience),
    };
    let mut signals = Signals::all()?;
    // Dropped where a signal comes first, it ends its server and takes its folder along.
    let ran = tokio::select! {
        ran = run(&all, &reached, (&options, args.json)) => ran?,
        _ = signals.next() => return Ok(Exit::Interrupted),
    };
    if args.json {
        let text = serde_json::to_string_pretty(&ran.json())?;
        print(&format!("{text}\n"))?;
    } else {
        print(&ran.text(Paint::for_stream(&std::io::stdout())))?;
    }
    Ok(match ran.has_failed() {
        true => Exit::Untrue,
        false => Exit::Success,
    })
}

async fn run(
    all: &[Story],
    reached: &Reached,
    (options, is_json): (&Options, bool),
) -> Result<Report> {
    let mut report = Report::default();
    for story in all {
        if !is_json && all.len() > 1 {
            print_error(&format!("{}: {}\n", story.name, visible_line(&story.title)))?;
        }
        report
            .ran
            .push(stories::run(story, reached, options).await.or_fail()?);
    }
    Ok(report)
}

fn wanted(args: &StoriesArgs) -> Result<Vec<Story>, Error> {
    let all = match &args.dir {
        Some(folder) => stories::below(folder)?,
        None => stories::shipped()?,
    };
    stories::chosen(all, &args.names)
}

/// A mistake in a story or in its name is one of whoever typed it.
fn typed(error: Error) -> anyhow::Error {
    Failure::of_usage(error.fault()).into()
}

fn reached(args: &StoriesArgs) -> Result<Reached> {
    let (Some(url), Some(name)) = (&args.http, &args.token_env) else {
        let program = std::env::current_exe().context("this program is not to be found")?;
        return Ok(Reached::Own { program });
    };
    let Ok(token) = std::env::var(name) else {
        let said = format!("--token-env: no variable is called {}", visible_line(name));
        let hint = "Make a token with `carl token new stories --scope admin`, and export it.";
        return Err(Failure::usage(said, hint).into());
    };
    Ok(Reached::Served {
        url: url.clone(),
        token,
    })
}

fn chosen(args: &StoriesArgs) -> Result<Chosen> {
    let model = match (&args.model, &args.provider) {
        (Some(model), Some(provider)) => Some(format!("{provider}/{model}")),
        (Some(model), None) if model.contains('/') => Some(model.clone()),
        (Some(model), None) => {
            let said = format!("--model: `{}` names no provider", visible_line(model));
            return Err(Failure::usage(said, "Write provider/model, or add --provider.").into());
        }
        (None, _) => None,
    };
    Ok(Chosen {
        provider: args.provider.clone(),
        model,
    })
}
