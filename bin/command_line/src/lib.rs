//! What can be typed: commands, flags, and the help of each.
//!
//! What it is: the command line as types, a file a command family.
//! What it owns: the words of the help and its examples, which commands take which flags, and what
//! is suggested where a command is misspelt ([`instead_of`]).
//! What it never does: say what a command does. That is `bin/carl/src/commands`.
//! Where to start: [`Command`].

mod audit;
mod examples;
mod list;
mod memory;
mod near;
mod policy;
mod secret;
mod serve;
mod session;
mod stories;
mod token;
mod tools;

pub use audit::{AuditCommand, DecisionArg, LogFolder, RecordFilter, RecordFlags, RecordForm};
pub use list::ListArgs;
pub use memory::{AddArgs, ExportFormat, KindArg, MemoryCommand, Place};
pub use near::instead_of;
pub use policy::{
    ExplainArgs, ForgetArgs, GrantsArgs, GuardArgs, NotesArgs, PolicyCommand, ReplayArgs,
};
pub use secret::SecretCommand;
pub use serve::{RoleArg, ServeArgs, TlsArgs, WebArgs};
pub use session::{
    Ceiling, ChatArgs, DiffArgs, ExportForm, ModeArg, RunArgs, SessionCommand, SessionFlags,
    ThinkingArg, TuiArgs, UndoArgs,
};
pub use stories::StoriesArgs;
pub use token::{ScopeArg, TokenCommand};
pub use tools::{ClassifyArgs, ToolsArgs, ToolsCommand};

use clap::{Args, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;

/// A private agent system that runs on your own hardware.
#[derive(Debug, Parser)]
#[command(
    name = "carl",
    version,
    propagate_version = true,
    disable_help_subcommand = true
)]
#[command(
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}",
    after_help = "Examples:\n  \
    carl                                      a conversation in this folder\n  \
    carl run \"which port does x.toml set?\"    one task\n  \
    carl run --allow-write . \"fix the typo\"   one that may change files here\n  \
    carl undo                                 undo what the last request changed\n  \
    carl doctor                               what works here\n\n\
    Without a command it is the terminal UI, or line mode where that cannot draw;\n\
    `carl chat --help` lists the flags of both, `carl COMMAND --help` the others'.\n\
    Exit codes: 0 success, 2 usage, 3 partial, 4 failed, 5 denied, 130 interrupted."
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How a chat without a command is held
    #[command(flatten)]
    pub session: SessionFlags,
    /// Continue the session of this id or name, or `last`, the one last used in this folder;
    /// without one, choose from a list (in line mode: `last`)
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Show activity, conversation and tools in panes
    #[arg(long)]
    pub panes: bool,
}

impl Cli {
    /// Refuses what would parse and then be ignored, and takes paths from the folder of `-C`.
    ///
    /// # Errors
    /// Flags before a command, which would otherwise be ignored.
    pub fn checked(mut self) -> Result<Self, clap::Error> {
        let has_flags =
            self.resume.is_some() || self.panes || self.session != SessionFlags::default();
        if (self.command.is_some() && has_flags) || self.resumes_a_command() {
            return Err(Self::command().error(
                clap::error::ErrorKind::ArgumentConflict,
                "flags belong after a command that takes them: carl run -C FOLDER --mode plan \"…\"",
            ));
        }
        if let Some(Command::Run(args)) = &self.command {
            refuse_other_dashes(&args.task)?;
        }
        if let Some(ceiling) = self.ceiling() {
            ceiling.settle();
        }
        Ok(self)
    }

    /// Whether the session to continue is called like a command, which was meant in its place.
    fn resumes_a_command(&self) -> bool {
        let resume = self.resume.as_deref();
        resume.is_some_and(|name| Self::command().find_subcommand(name).is_some())
    }

    /// What is open to the command, if anything can be.
    fn ceiling(&mut self) -> Option<&mut Ceiling> {
        match &mut self.command {
            None => Some(&mut self.session.ceiling),
            Some(Command::Chat(args)) => Some(&mut args.session.ceiling),
            Some(Command::Tui(args)) => Some(&mut args.session.ceiling),
            Some(Command::Run(args)) => Some(&mut args.session.ceiling),
            Some(Command::Session(SessionCommand::Resume { flags, .. })) => {
                Some(&mut flags.ceiling)
            }
            Some(Command::Undo(args)) => Some(&mut args.ceiling),
            Some(Command::Policy(PolicyCommand::Explain(args))) => Some(&mut args.ceiling),
            Some(_) => None,
        }
    }
}

/// The dashes that word processors and web pages put in the place of two hyphens, or of one.
const OTHER_DASHES: [char; 3] = ['\u{2012}', '\u{2013}', '\u{2014}'];

/// Refuses a word of a task that is a flag of `carl run` but for its dash: pasted from a page, it would
/// be said to the agent instead of being meant.
fn refuse_other_dashes(task: &[String]) -> Result<(), clap::Error> {
    let root = Cli::command();
    let run = root.find_subcommand("run");
    let is_flag = |name: &str| {
        run.is_some_and(|run| {
            run.get_arguments()
                .any(|flag| flag.get_long() == Some(name))
        })
    };
    for word in task {
        let rest = word.trim_start_matches(OTHER_DASHES);
        let name = rest.split('=').next().unwrap_or(rest);
        if rest.len() < word.len() && is_flag(name) {
            return Err(Cli::command().error(
                clap::error::ErrorKind::UnknownArgument,
                format!(
                    "`{word}` begins with a dash that is none of a flag; did you mean `--{rest}`? (In \
                     a task, put the whole of it in quotes.)"
                ),
            ));
        }
    }
    Ok(())
}

/// Everything `carl` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk to an agent, line by line
    #[command(after_help = examples::CHAT)]
    Chat(ChatArgs),
    /// Talk to an agent on the whole terminal, with questions as dialogs
    #[command(after_help = examples::TUI)]
    Tui(TuiArgs),
    /// Do one task and exit
    #[command(after_help = examples::RUN)]
    Run(Box<RunArgs>),
    /// Check that everything works, and say what to do where it does not
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// List the models that can be used
    #[command(after_help = examples::MODELS)]
    Models(ModelsArgs),
    /// List the tools and what each does to the world; draft and check tool tables
    #[command(after_help = examples::TOOLS)]
    Tools(ToolsArgs),
    /// List the agent types and what each may use
    #[command(after_help = examples::AGENTS)]
    Agents(AgentsArgs),
    /// Ask the guard what it would say
    #[command(subcommand, after_help = examples::POLICY)]
    Policy(PolicyCommand),
    /// Look at, continue, fork, delete and export sessions
    #[command(subcommand, after_help = examples::SESSION)]
    Session(SessionCommand),
    /// Show what a session changed in files
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Show how good answers are, as the judge and you say
    #[command(after_help = examples::QUALITY)]
    Quality(QualityArgs),
    /// Run acceptance stories against a live server
    #[command(after_help = examples::STORIES)]
    Stories(StoriesArgs),
    /// Take back what a session's last request changed in files
    #[command(after_help = examples::UNDO)]
    Undo(UndoArgs),
    /// Look at the record of what was decided and done
    #[command(subcommand, after_help = examples::AUDIT)]
    Audit(AuditCommand),
    /// Search, add to and look after what is remembered
    #[command(subcommand, after_help = examples::MEMORY)]
    Memory(MemoryCommand),
    /// Store, list and forget secrets such as providers' API keys
    #[command(subcommand, after_help = examples::SECRET)]
    Secret(SecretCommand),
    /// Make, list and revoke the tokens that programs show to `carl serve --http`
    #[command(subcommand, after_help = examples::TOKEN)]
    Token(TokenCommand),
    /// Write a commented configuration file
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Show the configuration
    #[command(subcommand, after_help = examples::CONFIG)]
    Config(ConfigCommand),
    /// Serve Housecarl to other processes over a socket
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Open the page: sessions in a browser on this machine
    #[command(after_help = examples::WEB)]
    Web(WebArgs),
    /// Print help, for `carl` or for one command
    #[command(after_help = examples::HELP)]
    Help {
        /// The command, such as `session list`
        command: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page a command into a folder
    #[command(after_help = examples::MAN)]
    Man {
        /// Write `carl.1`, `carl-run.1`, … here instead of printing
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

/// `carl doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Also ask the chosen model one question and measure its speed
    #[arg(long)]
    pub model: bool,
    /// Also have cargo, node, python and the like do something small where commands run
    #[arg(long)]
    pub sandbox: bool,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// `carl models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Ask this model (`provider/model`) one question and measure its speed
    #[arg(long, value_name = "MODEL")]
    pub test: Option<String>,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// `carl quality`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct QualityArgs {
    /// What else is asked of it
    #[command(subcommand)]
    pub command: Option<QualityCommand>,
    /// Print every grade and rating, one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print every grade and rating as CSV
    #[arg(long)]
    pub csv: bool,
    /// Ask the judge about pairs of answers of which one is known to be right
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub measure_judge: bool,
    /// Instead have it grade 50 wrong answers, as they are and with a text that asks for a good grade
    #[arg(long, requires = "measure_judge", conflicts_with = "pairs")]
    pub attacks: bool,
    /// About so many of the 200 pairs, each in both orders
    #[arg(long, value_name = "N", default_value_t = 200, requires = "measure_judge",
          value_parser = clap::value_parser!(u16).range(1..=200))]
    pub pairs: u16,
}

/// What else `carl quality` does.
#[derive(Debug, Subcommand)]
pub enum QualityCommand {
    /// How requests are shared among the models of a role, by what was found of their answers
    #[command(after_help = examples::QUALITY_ROUTES)]
    Routes {
        /// Let what was found up to now count no more
        #[arg(long)]
        reset: bool,
        /// Print JSON
        #[arg(long, conflicts_with = "reset")]
        json: bool,
    },
    /// Add what the session logs have of grades and ratings and the list does not
    #[command(after_help = examples::QUALITY_REBUILD)]
    Rebuild,
}

/// `carl agents`.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// In what form
    #[command(flatten)]
    pub list: ListArgs,
    /// Print the shipped agents.yaml, with every key, to begin a file of your own with
    #[arg(long, conflicts_with = "json")]
    pub shipped: bool,
}

/// `carl init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Replace an existing file (the old one is kept as `config.toml.bak`)
    #[arg(long)]
    pub force: bool,
}

/// `carl config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the values in force
    #[command(after_help = examples::CONFIG_SHOW)]
    Show {
        /// Say where each value came from
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON Schema of the configuration file
    #[command(after_help = examples::CONFIG_SCHEMA)]
    Schema,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(words).and_then(Cli::checked)
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_flag_before_a_command_is_refused_instead_of_ignored() {
        assert!(parsed(&["carl", "--mode", "plan", "run", "x"]).is_err());
        assert!(parsed(&["carl", "--resume", "doctor"]).is_err());
        assert!(parsed(&["carl", "--resume", "6a182", "doctor"]).is_err());
        assert!(parsed(&["carl", "-C", "config", "--mode", "plan"]).is_ok());
        let resumed = |args: &[&str]| parsed(args).unwrap().resume;
        assert_eq!(resumed(&["carl", "--resume"]).as_deref(), Some(""));
        let named = resumed(&["carl", "--resume", "tea party"]);
        assert_eq!(named.as_deref(), Some("tea party"));
        assert!(parsed(&["carl", "run", "--mode", "plan", "x"]).is_ok());
        assert!(parsed(&["carl", "--mode", "plan"]).is_ok());
    }

    #[test]
    fn wherever_something_can_be_opened_paths_are_seen_from_the_folder_of_c() {
        let opening = ["-C", "f", "--allow-write", ".", "--allow-write", "/x"];
        for command in [
            &["carl"] as &[&str],
            &["carl", "chat"],
            &["carl", "tui"],
            &["carl", "run", "x"],
            &["carl", "session", "resume"],
            &["carl", "undo"],
            &["carl", "policy", "explain", "coder", "glob"],
        ] {
            let mut cli = parsed(&[command, &opening].concat()).unwrap();
            let open = &cli.ceiling().unwrap().allow_write;
            let expected = ["f/.", "/x"].map(PathBuf::from);
            assert_eq!(*open, expected, "{command:?}");
            let mut cli = parsed(&[command, &opening[2..]].concat()).unwrap();
            let open = &cli.ceiling().unwrap().allow_write;
            let expected = [".", "/x"].map(PathBuf::from);
            assert_eq!(*open, expected, "{command:?}");
            let reading = ["-C", "f", "--allow-read", "../g"];
            let mut cli = parsed(&[command, &reading].concat()).unwrap();
            let open = &cli.ceiling().unwrap().allow_read;
            assert_eq!(*open, [PathBuf::from("f/../g")], "{command:?}");
        }
    }

    #[test]
    fn a_list_of_nothing_is_refused_with_the_reason() {
        let refused = parsed(&["carl", "session", "list", "--limit", "0"]);
        assert!(refused.unwrap_err().to_string().contains("1 or more"));
        assert!(parsed(&["carl", "session", "list", "--limit", "1"]).is_ok());
    }
}
