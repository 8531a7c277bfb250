//! The last answer for the terminal's clipboard.

use super::outcome::refused;
use crate::message::Command;
use crate::page::marking::COPY_BYTES;
use crate::state::State;
use text::escape::prose;

/// The last answer was read: it is copied as it stands on the screen, without control characters.
pub(super) fn answer(state: &State, answer: Option<&str>) -> Vec<Command> {
    let Some(answer) = answer else {
        let hint = "Ask something first; what has no answer yet stands in the scrollback.";
        return vec![refused(state, "this session has no answer to copy", hint)];
    };
    let shown = prose(answer.trim_end());
    let lines: Vec<String> = shown.lines().map(plain).collect();
    let text = lines.join("\n");
    if text.len() > COPY_BYTES {
        let what = format!(
            "the last answer has more than {} kB, which is too much for a terminal's clipboard",
            COPY_BYTES / 1_000
        );
        let hint = "/export writes the session to a file, and `v` on the page of /inspect history marks a \
                    part of it.";
        return vec![refused(state, &what, hint)];
    }
    let told = match lines.len() {
        1 => "copied the last answer, 1 line".to_owned(),
        count => format!("copied the last answer, {count} lines"),
    };
    vec![Command::Copy(text), state.note(&told)]
}

/// A line without control characters; a tab is four spaces.
fn plain(line: &str) -> String {
    let line = line.replace('\t', "    ");
    line.chars().filter(|one| !one.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Seat;

    #[test]
    fn an_answer_is_copied_plain_and_bounded() {
        let seat = Seat::at((80, 24));
        let copied = |text: &str| {
            let done = answer(&seat.state, Some(text));
            done.into_iter().find_map(|one| match one {
                Command::Copy(text) => Some(text),
                _ => None,
            })
        };
        assert_eq!(
            copied("one\n\n\tall:\u{1b}]52;c;x\u{7}\r\nend\n\n").as_deref(),
            Some("one\n\n    all:\\u{1b}]52;c;x\\u{7}\nend")
        );
        let most = "x".repeat(COPY_BYTES);
        assert_eq!(copied(&most), Some(most.clone()));
        assert_eq!(copied(&format!("{most}x")), None);
    }
}
