//! What the programs of a session say while they run, for the user's eyes: without any secret that
//! this process read, also where one comes in pieces, and without what moves a terminal.

use crate::inner::Inner;
use api::broker::{Error, ErrorKind};
use api::programs::{Program, ProgramOutput, ProgramState, Programs, SeenProgram, StreamText};
use api::sandbox::Captured;
use domain::id::SessionId;
use domain::limits::{PROGRAM_OUTPUT_BYTES, PROGRAM_TAIL_BYTES};
use std::sync::Arc;
use text::defuse::{strip_hidden, without_open_sequence};
use text::secrets::{Needles, Rest};

impl Inner {
    /// The programs of a session that are asked for.
    pub(crate) async fn programs(
        self: &Arc<Self>,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        self.state.session(session_id)?;
        let mut seen = self.executor.programs(session_id).await;
        if let Programs::One(id) = &wanted {
            seen.retain(|program| program.id == *id);
        }
        let inner = Arc::clone(self);
        // Long outputs take their time.
        let shown = tokio::task::spawn_blocking(move || {
            let shown = seen.into_iter().map(|one| inner.shown(one, &wanted));
            shown.collect()
        });
        shown.await.map_err(|error| {
            let detail = "What the programs say could not be looked through.";
            Error::new(ErrorKind::Unreachable, detail).with_source(error)
        })
    }

    /// Stops jobs of a session, as its user wants; the names of those that were.
    pub(crate) async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        self.state.session(session_id)?;
        Ok(self.executor.stop_jobs(session_id, name).await)
    }

    fn shown(&self, program: SeenProgram, wanted: &Programs) -> Program {
        let is_running = program.state == ProgramState::Running;
        let most = match wanted {
            Programs::One(_) => Some(PROGRAM_OUTPUT_BYTES),
            Programs::All if is_running => Some(PROGRAM_TAIL_BYTES),
            Programs::All => None,
        };
        let said = most.map(|most| (most, (program.look)()));
        // Only now: a secret that was read meanwhile may have been said meanwhile.
        let needles = self.secrets.needles();
        let output = said.map(|(most, said)| {
            let of = |captured| stream(captured, is_running, most, &needles);
            ProgramOutput {
                stdout: of(&said.stdout),
                stderr: of(&said.stderr),
            }
        });
        Program {
            id: program.id,
            command: text::escape::visible_line(&needles.scrub(&program.command)),
            state: program.state,
            age: program.age,
            output,
        }
    }
}

/// The end of a stream, at most so many bytes.
fn stream(captured: &Captured, is_running: bool, most: usize, needles: &Needles) -> StreamText {
    let Captured {
        head,
        tail,
        dropped,
    } = captured;
    let is_whole = *dropped == 0;
    let mut text = part(
        head,
        Rest {
            is_before: false,
            is_behind: is_running || !is_whole,
        },
        needles,
    );
    if !is_whole {
        text.push_str(&format!("\n[… {dropped} bytes left out …]\n"));
        text.push_str(&part(
            tail,
            Rest {
                is_before: true,
                is_behind: is_running,
            },
            needles,
        ));
    }
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    let kept = head.len() + tail.len();
    StreamText {
        is_cut: from > 0 || !is_whole,
        text: text.split_off(from),
        said_bytes: dropped.saturating_add(u64::try_from(kept).unwrap_or(u64::MAX)),
    }
}

/// A part of a stream, as it may be shown.
fn part(bytes: &[u8], rest: Rest, needles: &Needles) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut text = &*text;
    if rest.is_behind {
        // What comes may make a letter of the last bytes, and a sequence of what begins one.
        text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        text = without_open_sequence(text);
    }
    let (seen, _) = strip_hidden(text);
    needles.scrub_part(&seen, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-abcdefghijklmnop-0123456789";

    fn needles() -> Needles {
        let mut needles = Needles::default();
        needles.add(KEY);
        needles
    }

    fn said(head: &str, tail: &str, dropped: u64) -> Captured {
        Captured {
            head: head.as_bytes().to_vec(),
            tail: tail.as_bytes().to_vec(),
            dropped,
        }
    }

    #[test]
    fn a_secret_that_comes_letter_by_letter_is_never_shown() {
        let all = format!(
            "the key is {KEY}\nnext \u{1b}[31m{}\u{1b}[32m{}\n",
            &KEY[..9],
            &KEY[9..]
        );
        for end in 0..=all.len() {
            let shown = stream(&said(&all[..end], "", 0), true, 4_096, &needles()).text;
            for part in ["sk-", "abc", "789"] {
                assert!(!shown.contains(part), "{shown:?}");
            }
            assert!(!shown.contains('\u{1b}'), "{shown:?}");
        }
        let shown = stream(&said(&all, "", 0), false, 4_096, &needles());
        assert_eq!(shown.text, "the key is [REDACTED]\nnext [REDACTED]\n");
        assert!(!shown.is_cut);
        assert_eq!(shown.said_bytes, all.len() as u64);
    }

    #[test]
    fn no_end_of_a_secret_is_shown_where_its_beginning_was_dropped() {
        for cut in 1..KEY.len() {
            let captured = said(&KEY[..cut], &format!("{}\nmore\n", &KEY[cut..]), 7);
            let shown = stream(&captured, false, 4_096, &needles());
            let expected = "\n[… 7 bytes left out …]\n\nmore\n";
            assert_eq!(shown.text, expected, "{cut}");
            assert!(shown.is_cut);
            assert_eq!(shown.said_bytes, 7 + KEY.len() as u64 + 6);
        }
    }

    #[test]
    fn what_is_shown_is_at_most_so_long() {
        let whole = stream(&said(&"x".repeat(100), "", 0), true, 100, &needles());
        assert_eq!((whole.text.len(), whole.is_cut), (100, false));
        let cut = stream(&said(&"ä".repeat(60), "", 0), true, 101, &needles());
        assert_eq!((cut.text.len(), cut.is_cut), (100, true));
    }

    #[test]
    fn a_letter_that_is_not_all_there_waits() {
        let mut captured = said("gr", "", 0);
        captured.head.push(0xc3);
        assert_eq!(stream(&captured, true, 100, &needles()).text, "gr");
        captured.head.push(0xbc);
        assert_eq!(stream(&captured, true, 100, &needles()).text, "grü");
    }
}
