//! The process log, on standard error.
//!
//! A command says there what nobody is told otherwise, in the form of its other errors. What whoever
//! waits is told anyway is logged as a warning, which a command does not show. `carl serve`, which
//! nobody watches, shows warnings too, and what happens to sessions, each line with its time.
//! `CARL_LOG` (`info`, `broker=debug`, …) asks for all there is, in the form that developers know.

use domain::Timestamp;
use rendering::{Paint, fit, print_error};
use std::fmt;
use std::io::IsTerminal;
use text::escape::visible_line;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The variable that asks for more.
const VARIABLE: &str = "CARL_LOG";
/// What is shown of a server: faults, and what its sessions come to.
const OF_A_SERVER: &str = "warn,carl=info,agents=info,broker=info";

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// A command, whose user sees it.
    Command,
    /// A server.
    Server,
}

/// Begins the log of this process.
pub fn begin(who: Writes) {
    let wanted = EnvFilter::try_from_env(VARIABLE);
    if let (Err(error), true) = (&wanted, std::env::var_os(VARIABLE).is_some()) {
        let why = visible_line(&error.to_string());
        let _told = print_error(&format!(
            "warning: {VARIABLE} is left out: {why}\n  Write a level (error, warn, info, debug, \
             trace), or one for a part, as in {VARIABLE}=warn,broker=debug.\n"
        ));
    }
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match wanted {
        Ok(filter) => builder.with_env_filter(filter).init(),
        Err(_unset_or_told) => builder
            .with_env_filter(EnvFilter::new(match who {
                Writes::Command => "error",
                Writes::Server => OF_A_SERVER,
            }))
            .event_format(Plain { who })
            .init(),
    }
}

/// A line as `carl` writes them.
struct Plain {
    who: Writes,
}

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _spans: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut said = Said::default();
        event.record(&mut said);
        let stream = std::io::stderr();
        let head = match *event.metadata().level() {
            Level::ERROR => Paint::for_stream(&stream).bad("error:") + " ",
            Level::WARN => "warning: ".to_owned(),
            _ => String::new(),
        };
        let told = format!("{head}{}{}", said.message, said.cause);
        let line = format!("{told}{}\n", said.rest(self.who));
        match self.who {
            Writes::Server => write!(writer, "{:.3} {line}", Timestamp::now()),
            Writes::Command => writer.write_str(&fit::prose(&line, fit::width(&stream))),
        }
    }
}

/// What an event says, with nothing in it that could be taken for a line of its own.
#[derive(Default)]
struct Said {
    message: String,
    cause: String,
    /// What else it names, by its names.
    rest: Vec<(&'static str, String)>,
}

impl Said {
    /// What else it names: as a log has it, or as people write it.
    fn rest(&self, who: Writes) -> String {
        let named = |(name, value): &(&str, String)| match who {
            Writes::Server => format!(" {name}={value}"),
            Writes::Command => format!("{name} {value}"),
        };
        let named: Vec<String> = self.rest.iter().map(named).collect();
        match who {
            Writes::Server => named.concat(),
            Writes::Command if named.is_empty() => String::new(),
            Writes::Command => format!(" ({})", named.join(", ")),
        }
    }
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = visible_line(&format!("{value:?}"));
        match field.name() {
            "message" => self.message = value,
            "error" | "detail" | "fault" => self.cause = format!(": {value}"),
            name => self.rest.push((name, value)),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_things_as_people_do() {
        let mut said = Said::default();
        assert_eq!(said.rest(Writes::Command), "");
        said.rest.push(("session", "01a2".to_owned()));
        said.rest.push(("tool", "undo".to_owned()));
        assert_eq!(said.rest(Writes::Command), " (session 01a2, tool undo)");
        assert_eq!(said.rest(Writes::Server), " session=01a2 tool=undo");
    }
}
