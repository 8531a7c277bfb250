//! `carl`: the command line of Housecarl.
//!
//! What it is: the top layer. It parses what was typed, reads the configuration, builds the services
//! and connects them in [`wiring`], the only place that knows which service is where.
//! What it owns: what a command needs and when it is built. What people see, and the lists of folders and notes
//! that they said yes to, are `surfaces/terminal`'s.
//! What it never does: decide what an agent may do, or keep state that a restart would lose.
//! Where to start: [`command_line`] (what can be typed), [`commands`] (what each does),
//! [`wiring`].

mod commands;
mod effective_settings;
mod lock;
mod process_log;
mod profile;
mod serving;
mod setting;
mod wiring;

use anyhow::{Context, Result};
use clap::Parser;
use clap::error::ErrorKind;
use command_line::{Cli, Command, SessionCommand};
use rendering::{Paint, print_error};
use std::ffi::OsString;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use terminal::exit::{self, Exit};
use terminal::signals;
use text::escape::{visible, visible_line};

/// Longest the end waits for what is still at work. Only a thread that waits for a key takes it all.
const LETTING_GO: Duration = Duration::from_millis(500);

fn main() {
    // Before any thread is there: what one thread gives up, the whole process must.
    become_another();
    keep_memory_private();
    allocator::keep_little();
    let cli = Cli::try_parse().and_then(Cli::checked).and_then(all_text);
    let cli = cli.unwrap_or_else(|error| refuse(&error));
    process_log::begin(match cli.command {
        Some(Command::Serve(_) | Command::Web(_)) => process_log::Writes::Server,
        _ => process_log::Writes::Command,
    });
    let exit = match check_clock().and_then(|()| dispatch(cli)) {
        Ok(exit) => exit,
        Err(error) => report(&error),
    };
    // A thread may still wait for a key on the terminal; nothing is left to be finished, since
    // every log line was written before it was shown.
    let _flushed = std::io::stdout().flush();
    std::process::exit(i32::from(exit.number()));
}

/// Refuses words that are no text where a session is opened: no log could hold them, and no line that
/// is proposed could say them again.
fn all_text(cli: Cli) -> Result<Cli, clap::Error> {
    let opens_session = match &cli.command {
        None | Some(Command::Run(_) | Command::Chat(_) | Command::Tui(_) | Command::Undo(_)) => {
            true
        }
        Some(Command::Session(command)) => matches!(command, SessionCommand::Resume { .. }),
        Some(_) => false,
    };
    let mut typed = std::env::args_os();
    match typed.find(|word| opens_session && word.to_str().is_none()) {
        None => Ok(cli),
        Some(word) => Err(clap::Error::raw(
            ErrorKind::InvalidUtf8,
            format!(
                "`{}` is not UTF-8, which names have to be here\n\n  Rename it.\n",
                visible_line(&word.to_string_lossy())
            ),
        )),
    }
}

/// Ends with what is wrong with the command line. Who asked for one JSON object gets one.
fn refuse(error: &clap::Error) -> ! {
    let typed: Vec<_> = std::env::args_os().skip(1).collect();
    let is_run = typed.first().is_some_and(|command| command == "run");
    let mut flags = typed.iter().take_while(|word| *word != "--");
    if error.use_stderr() && is_run && flags.any(|word| word == "--json") {
        let text = error.to_string();
        let said = text.strip_prefix("error: ").unwrap_or(&text);
        let said = said.split("\n\n").next().unwrap_or(said);
        let failure = exit::Failure::usage(said, "`carl run --help` has the flags.");
        let _told = terminal::run::print_failure(failure.fault);
        std::process::exit(i32::from(failure.exit.number()));
    }
    if error.kind() == ErrorKind::InvalidSubcommand {
        let _told = print_error(&no_command(error, &typed));
        std::process::exit(i32::from(Exit::Usage.number()));
    }
    if error.use_stderr() {
        let paint = Paint::for_stream(&std::io::stderr());
        let text = error
            .to_string()
            .replacen("error:", &paint.bad("error:"), 1);
        let _told = print_error(&text);
        std::process::exit(i32::from(Exit::Usage.number()));
    }
    error.exit()
}

/// What is said of a command that is none.
fn no_command(error: &clap::Error, typed: &[OsString]) -> String {
    use clap::error::{ContextKind, ContextValue};
    let typed: Vec<_> = typed.iter().map(|word| word.to_string_lossy()).collect();
    let wrong = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(wrong)) => wrong.as_str(),
        _ => typed.first().map_or("", |word| word.as_ref()),
    };
    let words: Vec<&str> = typed.iter().map(AsRef::as_ref).collect();
    let at = words.iter().position(|word| *word == wrong).unwrap_or(0);
    let above: Vec<&str> = words[..at]
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let name = [&["carl"], &above[..], &[wrong]].concat().join(" ");
    let hint = command_line::instead_of(wrong, &above);
    let task = words[at..].join(" ");
    // A misspelt `run` is no task, and nor is what stands behind a command.
    let task = match hint.contains("`carl run`") || !above.is_empty() {
        true => String::new(),
        false => {
            format!("  To give an agent a task, write it after `run`: carl run \"{task}\"\n")
        }
    };
    visible(&format!(
        "error: there is no command `{name}`\n  {hint}\n{task}"
    ))
    .to_string()
}

/// The sandbox and its readers are this very program, started once more.
fn become_another() {
    let entry = std::env::args_os().nth(1);
    let is = |name: &str| entry.as_ref().is_some_and(|entry| entry == name);
    if is(sandbox::inside::ENTRY) {
        std::process::exit(sandbox::inside::enter());
    }
    if is(programs::READER_ENTRY) {
        std::process::exit(programs::read_document_entry());
    }
    if is(programs::SOURCES_ENTRY) {
        std::process::exit(programs::read_sources_entry());
    }
}

/// What this process holds is read by nobody else: no core file, no debugger, and no `/proc` of it
/// for another program of the same user. It comes after [`become_another`], since what the sandbox
/// starts needs its own `/proc` to give up its rights.
fn keep_memory_private() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    let no_core = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let kept = set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .and_then(|()| setrlimit(Resource::Core, no_core));
    if let Err(error) = kept {
        // Without it secrets would be one crash away from the disk.
        let text = format!("error: this process cannot be kept from leaving core files: {error}\n");
        let _told = print_error(&text);
        std::process::exit(i32::from(Exit::Failed.number()));
    }
}

/// Prints the error and says how to end.
fn report(error: &anyhow::Error) -> Exit {
    // With standard error gone there is nobody left to tell.
    let _told = print_error(&exit::in_words(error));
    exit::describe(error).0
}

/// Refuses to work by a clock that no record could be dated by.
fn check_clock() -> Result<()> {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(_since) => Ok(()),
        Err(_before) => Err(exit::Failure::usage(
            "the clock of this machine stands before 1970",
            "Set it, with `date --set` or by the network, and try again.",
        )
        .into()),
    }
}

/// Commands that need no service answer without a runtime; everything else waits for one.
fn dispatch(cli: Cli) -> Result<Exit> {
    use commands::chat::{Begin, chat};
    match cli.command {
        Some(Command::Init(args)) => commands::init::init(&args),
        Some(Command::Config(command)) => commands::init::config(&command),
        Some(Command::Help { command }) => commands::init::help(&command),
        Some(Command::Completions { shell }) => commands::init::completions(shell),
        Some(Command::Man { out }) => commands::init::man(out.as_deref()),
        Some(Command::Audit(command)) => wait(commands::audit::audit(command)),
        None => {
            let begin = cli.resume.map_or(Begin::New, Begin::Resume);
            // Panes are nowhere else: where they cannot be drawn, that is said.
            match commands::tui::can_draw() || cli.panes {
                true => wait(commands::tui::tui(cli.session, begin, cli.panes)),
                false => wait(chat(cli.session, begin.or_last())),
            }
        }
        Some(Command::Chat(args)) => wait(chat(args.session, Begin::New)),
        Some(Command::Tui(args)) => {
            let begin = args.resume.map_or(Begin::New, Begin::Resume);
            wait(commands::tui::tui(args.session, begin, args.panes))
        }
        Some(Command::Run(args)) => wait(commands::run::run(*args)),
        Some(Command::Doctor(args)) => wait(commands::doctor::doctor(args)),
        Some(Command::Models(args)) => wait(commands::models::models(args)),
        Some(Command::Tools(args)) => wait(commands::tools::tools(args)),
        Some(Command::Agents(args)) => wait(commands::tools::agents(&args)),
        Some(Command::Policy(command)) => wait(commands::policy::policy(command)),
        Some(Command::Secret(command)) => wait(commands::secret::secret(command)),
        Some(Command::Token(command)) => wait(commands::token::token(command)),
        Some(Command::Memory(command)) => wait(commands::memory::memory(command)),
        Some(Command::Session(command)) => wait(commands::session::session(command)),
        Some(Command::Diff(args)) => wait(commands::diff::diff(args)),
        Some(Command::Quality(args)) => wait(commands::quality::quality(args)),
        Some(Command::Stories(args)) => wait(commands::stories::stories(args)),
        Some(Command::Undo(args)) => wait(commands::undo::undo(args)),
        Some(Command::Serve(args)) => wait(commands::serve::serve(args)),
        Some(Command::Web(args)) => wait(commands::web::web(args)),
    }
}

fn wait(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    let exit = runtime.block_on(async {
        signals::outlive_file_limits()?;
        work.await
    });
    // Whatever is still at work lets go of the processes it started, which end with it.
    runtime.shutdown_timeout(LETTING_GO);
    exit
}
