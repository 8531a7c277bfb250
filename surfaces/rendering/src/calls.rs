//! Which calls are under way, so that what comes of several at a time says which of them it is about.

use super::values::short;
use domain::id::CallId;
use domain::settings::Mode;
use serde_json::Value;
use std::collections::BTreeSet;
use text::escape::visible_line;

/// Tools whose result begins with how a program ended.
const PROGRAMS: [&str; 2] = ["run_code", "run_command"];

/// Whether a tool runs a program.
pub(super) fn is_program(tool: &str) -> bool {
    PROGRAMS.contains(&tool)
}

/// The last lines of what a program said that a call ran, each behind a bar: more of them where it did
/// not end well, and most of them of a command of the user's, who wants to see it.
pub(super) fn said_by_program(tool: &str, text: &str, is_of_user: bool) -> Vec<String> {
    match (is_program(tool), failed_program(tool, text)) {
        (false, _) => Vec::new(),
        (true, _) if is_of_user => last_lines(text, LAST_OF_USERS),
        (true, None) => last_lines(text, LAST_OF_GOOD),
        // Why it failed is the next thing anybody asks.
        (true, Some(_)) => last_lines(text, LAST),
    }
}

/// How a program ended that a call ran, where that is not well: the call itself was done.
pub(super) fn failed_program<'t>(tool: &str, text: &'t str) -> Option<&'t str> {
    if !is_program(tool) {
        return None;
    }
    // Behind the fence, and the note that it may have.
    let mut lines = text.lines().skip(1);
    let ended = lines.find(|line| !line.starts_with("[NOTE "))?;
    let is_code = |code: &str| code.parse() != Ok(0) && code.parse::<i32>().is_ok();
    let is_failure = ended.strip_prefix("exit code ").is_some_and(is_code)
        || ended.starts_with("killed by signal ")
        || ended.starts_with("stopped ");
    is_failure.then_some(ended)
}

/// Most lines that are shown of what a failed program said.
const LAST: usize = 8;
/// The same of one that ended well.
const LAST_OF_GOOD: usize = 2;
/// The same of a command of the user's.
const LAST_OF_USERS: usize = 40;
/// Most characters that are shown of each.
const LAST_CHARS: usize = 200;

/// The last lines of what a program said, and how many stand before them. Of a command of the user's, empty
/// lines and tabs keep their room, and what is left out of a line is counted.
fn last_lines(text: &str, most: usize) -> Vec<String> {
    let is_of_user = most == LAST_OF_USERS;
    let said = |line: &&str| {
        let line = line.trim();
        (is_of_user || !line.is_empty()) && !line.starts_with("[END ")
    };
    // Behind the fence and how it ended.
    let lines: Vec<&str> = text.lines().skip(2).filter(said).collect();
    let is_empty = |line: &&&str| line.trim().is_empty();
    let ahead = lines.iter().take_while(is_empty).count();
    let behind = lines[ahead..].iter().rev().take_while(is_empty).count();
    let lines = &lines[ahead..lines.len() - behind];
    let first = lines.len().saturating_sub(most);
    let shown = lines[first..].iter().map(|line| {
        let left_out = line.chars().count().saturating_sub(LAST_CHARS);
        let line: String = line.chars().take(LAST_CHARS).collect();
        let more = match left_out {
            count if count > 0 && is_of_user => format!(" … {count} more characters"),
            _ => String::new(),
        };
        let line = visible_line(&line.replace('\t', TAB));
        format!("  │ {line}{more}").trim_end().to_owned()
    });
    let before = match first {
        0 => None,
        1 => Some("  │ … 1 line before".to_owned()),
        _ => Some(format!("  │ … {first} lines before")),
    };
    before.into_iter().chain(shown).collect()
}

/// What stands in the place of a tab.
const TAB: &str = "    ";

/// Calls a display keeps in mind; the oldest is forgotten first.
const MOST: usize = 256;

/// One call.
#[derive(Debug)]
struct Open {
    call_id: Option<CallId>,
    name: String,
    /// The agent that it is of, where that is not the session's own.
    whose: Option<String>,
    said_why: bool,
}

/// The calls that have been shown and have no result yet.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: Vec<Open>,
    /// Whether more than one was under way since there was none.
    are_several: bool,
    /// Why calls of the request were denied.
    reasons: BTreeSet<String>,
    /// How many of its calls were denied.
    denied: usize,
    /// Whether the request is a command of the user's.
    is_command: bool,
}

impl Calls {
    /// A call was asked for.
    pub(super) fn begin(
        &mut self,
        (call_id, whose): (Option<CallId>, Option<String>),
        tool: &str,
        arguments: &Value,
    ) {
        if self.open.len() >= MOST {
            self.open.remove(0);
        }
        let subject = ["path", "from"].iter().find_map(|name| arguments.get(name));
        let subject = subject.map_or_else(String::new, |value| format!(" {}", short(value)));
        self.open.push(Open {
            call_id,
            name: format!("{}{subject}", visible_line(tool)),
            whose,
            said_why: false,
        });
        self.are_several |= self.open.len() > 1;
    }

    /// Which call it is, with a space after it: whose, where it is not of the session's own agent, and
    /// which of several; nothing when there is no other.
    pub(super) fn name(&self, call_id: Option<CallId>) -> String {
        let Some(open) = self.open.iter().find(|open| open.call_id == call_id) else {
            return String::new();
        };
        let name = self.are_several.then(|| format!("{} ", open.name));
        let whose = open.whose.as_ref().map(|whose| format!("{whose}: "));
        format!("{}{}", whose.unwrap_or_default(), name.unwrap_or_default())
    }

    /// A new request begins: nothing of the one before is under way.
    pub(super) fn begin_request(&mut self, mode: Mode) {
        *self = Self {
            is_command: mode == Mode::Command,
            ..Self::default()
        };
    }

    /// A call of the request was denied.
    pub(super) const fn note_denied(&mut self) {
        self.denied = self.denied.saturating_add(1);
    }

    /// How many of the request's were.
    pub(super) const fn denied(&self) -> usize {
        self.denied
    }

    /// Whether the user made them.
    pub(super) const fn are_of_user(&self) -> bool {
        self.is_command
    }

    /// Why the call is denied has been shown.
    pub(super) fn said_why(&mut self, call_id: Option<CallId>) {
        let open = self.open.iter_mut().filter(|open| open.call_id == call_id);
        open.for_each(|open| open.said_why = true);
    }

    /// Why a call is denied. What was said of another call of the request is not said again: a reason
    /// names its own place first, and what holds for others behind it.
    pub(super) fn why(&mut self, reason: &str) -> String {
        let (own, rest) = reason.split_once(", which ").unwrap_or(("", reason));
        match (self.reasons.insert(rest.to_owned()), own) {
            (true, _) => reason.to_owned(),
            (false, "") => "for the same reason".to_owned(),
            (false, own) => format!("{own}, for the same reason"),
        }
    }

    /// The call is over: its name, and whether why it was denied has been shown.
    pub(super) fn end(&mut self, call_id: Option<CallId>) -> (String, bool) {
        let name = self.name(call_id);
        let place = self.open.iter().position(|open| open.call_id == call_id);
        let said_why = place.is_some_and(|place| self.open.remove(place).said_why);
        self.are_several &= !self.open.is_empty();
        (name, said_why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use uuid::Uuid;

    #[test]
    fn only_what_is_not_alone_is_named() {
        let id = |n| Some(CallId::from_uuid(Uuid::from_u128(n)));
        let own = |n| (id(n), None);
        let mut calls = Calls::default();
        calls.begin(own(1), "read_file", &json!({"path": "a.txt"}));
        assert_eq!(calls.end(id(1)), (String::new(), false));
        calls.begin(
            own(2),
            "write_file",
            &json!({"path": "a.txt", "content": "x"}),
        );
        calls.begin(own(3), "write_file", &json!({"path": "b\u{202e}.txt"}));
        calls.begin(own(4), "undo", &json!({}));
        calls.said_why(id(3));
        assert_eq!(calls.end(id(2)), ("write_file a.txt ".to_owned(), false));
        let (name, said_why) = calls.end(id(3));
        assert_eq!(
            (name.as_str(), said_why),
            ("write_file b\\u{202e}.txt ", true)
        );
        // The last one left was not alone either.
        assert_eq!(calls.end(id(4)), ("undo ".to_owned(), false));
        calls.begin(own(5), "undo", &json!({}));
        assert_eq!(calls.end(id(5)), (String::new(), false));
        // Whose it is stands there also where it is alone.
        let of_other = (id(6), Some("coder …12ab".to_owned()));
        calls.begin(of_other, "undo", &json!({}));
        assert_eq!(calls.end(id(6)), ("coder …12ab: ".to_owned(), false));
    }

    #[test]
    fn what_is_left_out_of_a_users_command_is_counted() {
        let text = format!(
            "[TOOL_RESULT: UNTRUSTED run_command 1a]\nexit code 0\n\n{}\n\n\tx\n\n[END 1a]",
            "a".repeat(LAST_CHARS + 7)
        );
        let line = "a".repeat(LAST_CHARS);
        let said = said_by_program("run_command", &text, true);
        let expected = [
            format!("  │ {line} … 7 more characters"),
            "  │".to_owned(),
            "  │     x".to_owned(),
        ];
        assert_eq!(said, expected);
        let of_model = said_by_program("run_command", &text, false);
        assert_eq!(of_model, [format!("  │ {line}"), "  │     x".to_owned()]);
        let longer = "[TOOL_RESULT: UNTRUSTED run_command 1a]\nexit code 0\na\nb\nc\n[END 1a]";
        let of_model = said_by_program("run_command", longer, false);
        assert_eq!(of_model, ["  │ … 1 line before", "  │ b", "  │ c"]);
    }

    #[test]
    fn a_program_that_failed_is_told_from_one_that_did_not() {
        let result =
            |body: &str| format!("[TOOL_RESULT: UNTRUSTED run_command 1a]\n{body}\n[END 1a]");
        let ended = |tool: &str, body: &str| failed_program(tool, &result(body)).map(str::to_owned);
        for how in ["exit code 101", "exit code -1", "killed by signal 9"] {
            assert_eq!(ended("run_command", how).as_deref(), Some(how));
            assert_eq!(ended("read_file", how), None);
        }
        let noted = "[NOTE 1a: marked]\nexit code 2\nstderr:\nno\n";
        assert_eq!(ended("run_command", noted).as_deref(), Some("exit code 2"));
        for fine in ["exit code 0\nstdout:\nexit code 1", "exit code many", ""] {
            assert_eq!(ended("run_command", fine), None, "{fine}");
        }
    }
}
