//! What a terminal answers to a question of the UI's, told apart from what is typed.
//!
//! crossterm knows no answer that begins with `ESC ]`: it comes out as keys. Here those are taken out of
//! the keys, whenever they come and however they are split, so that no answer is typed into the input or
//! answers a question. What follows the beginning of an answer is no key until its end: a terminal, or
//! who pretends to be one, cannot end it early and go on as somebody who types without being that
//! somebody in any case.

use crate::background::ANSWER;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, Instant};

/// How long the rest of what may be the beginning of an answer is waited for.
pub const SOON: Duration = Duration::from_millis(60);
/// How long the rest of an answer is waited for. What comes later is no part of it.
pub const REST: Duration = Duration::from_millis(1_000);
/// Longest an answer is waited for after the question. Only so long an Esc may be its beginning.
const ASKED: Duration = Duration::from_secs(10);
/// Longest answer that is kept, bytes; of a longer one the rest is thrown away.
const ANSWER_BYTES: usize = 256;

/// What comes out of the keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// A key or another event, and when it came.
    Event(Instant, Event),
    /// An answer, without the marks around it.
    Answer(String),
}

/// Where in an answer it is.
#[derive(Debug, Default)]
enum At {
    /// In none.
    #[default]
    Outside,
    /// An Esc came, which may begin one.
    Escape(Instant, Event),
    /// Its beginning came, as far as these events, of which so many letters of [`ANSWER`].
    Begun(Vec<(Instant, Event)>, usize),
    /// In one.
    Within(String),
    /// In one, and an Esc came, which may end it.
    Ending(String),
}

/// Takes answers out of the keys.
#[derive(Debug, Default)]
pub struct Answers {
    at: At,
    asked: Option<Instant>,
}

impl Answers {
    /// A question was asked.
    pub const fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// How long the next event is waited for; `None`: nothing is held back.
    #[must_use]
    pub const fn waits(&self) -> Option<Duration> {
        match &self.at {
            At::Outside => None,
            At::Escape(..) | At::Begun(..) => Some(SOON),
            At::Within(_) | At::Ending(_) => Some(REST),
        }
    }

    /// Nothing came in that time: what is held back are keys, and an answer without an end is none.
    pub fn give_up(&mut self) -> Vec<Out> {
        match std::mem::take(&mut self.at) {
            At::Outside | At::Within(_) | At::Ending(_) => Vec::new(),
            At::Escape(at, event) => vec![Out::Event(at, event)],
            At::Begun(events, _) => keys(events),
        }
    }

    /// What comes out after the next event.
    pub fn take(&mut self, now: Instant, event: Event) -> Vec<Out> {
        match std::mem::take(&mut self.at) {
            At::Outside => self.outside(now, event),
            At::Escape(at, escape) => match letter(&event) {
                Some((']', Held::Nothing)) => {
                    self.at = At::Begun(vec![(at, escape), (now, event)], 0);
                    Vec::new()
                }
                _ => {
                    let mut out = vec![Out::Event(at, escape)];
                    out.extend(self.outside(now, event));
                    out
                }
            },
            At::Begun(mut events, count) => {
                let wanted = ANSWER.chars().nth(count);
                let is_wanted = matches!((letter(&event), wanted),
                    (Some((one, Held::Nothing)), Some(wanted)) if one == wanted);
                if !is_wanted {
                    let mut out = keys(events);
                    out.extend(self.outside(now, event));
                    return out;
                }
                events.push((now, event));
                self.at = match count + 1 == ANSWER.len() {
                    true => At::Within(ANSWER.to_owned()),
                    false => At::Begun(events, count + 1),
                };
                Vec::new()
            }
            At::Within(text) => self.within(text, (now, event)),
            At::Ending(text) => match letter(&event) {
                Some(('\\', _)) => self.end(text),
                _ => self.within(text, (now, event)),
            },
        }
    }

    fn outside(&mut self, now: Instant, event: Event) -> Vec<Out> {
        let is_asked = self
            .asked
            .is_some_and(|asked| now.duration_since(asked) < ASKED);
        let is_escape = matches!(&event, Event::Key(key) if key.code == KeyCode::Esc);
        self.at = match letter(&event) {
            Some((']', Held::Alt)) => At::Begun(vec![(now, event)], 0),
            _ if is_escape && is_asked => At::Escape(now, event),
            _ => return vec![Out::Event(now, event)],
        };
        Vec::new()
    }

    fn within(&mut self, mut text: String, (at, event): (Instant, Event)) -> Vec<Out> {
        let key = match &event {
            Event::Key(key) => *key,
            // Whatever else comes meanwhile is what it is; a paste within an answer is a part of it.
            Event::Paste(_) => {
                self.at = At::Within(text);
                return Vec::new();
            }
            _ => {
                self.at = At::Within(text);
                return vec![Out::Event(at, event)];
            }
        };
        match (letter(&event), key.code) {
            // BEL, and ST in one piece.
            (Some(('g', Held::Control)) | Some(('\\', Held::Alt)), _) => return self.end(text),
            (_, KeyCode::Esc) => {
                self.at = At::Ending(text);
                return Vec::new();
            }
            (Some((one, Held::Nothing)), _) if text.len() < ANSWER_BYTES => text.push(one),
            // No answer has anything else: it is none, and goes on to its end as one.
            _ => text = "?".repeat(ANSWER_BYTES),
        }
        self.at = At::Within(text);
        Vec::new()
    }

    fn end(&mut self, text: String) -> Vec<Out> {
        self.asked = None;
        vec![Out::Answer(text)]
    }
}

fn keys(events: Vec<(Instant, Event)>) -> Vec<Out> {
    let events = events.into_iter();
    events.map(|(at, event)| Out::Event(at, event)).collect()
}

/// What is held down beside a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    Alt,
    Control,
}

fn letter(event: &Event) -> Option<(char, Held)> {
    let Event::Key(KeyEvent {
        code: KeyCode::Char(letter),
        modifiers,
        ..
    }) = event
    else {
        return None;
    };
    let held = match modifiers.difference(KeyModifiers::SHIFT) {
        KeyModifiers::ALT => Held::Alt,
        KeyModifiers::CONTROL => Held::Control,
        _ => Held::Nothing,
    };
    Some((*letter, held))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    /// The events that crossterm makes of bytes that come at once; `split`: each by itself.
    fn events(bytes: &str, split: bool) -> Vec<Event> {
        let mut all = Vec::new();
        let mut letters = bytes.chars().peekable();
        while let Some(one) = letters.next() {
            all.push(match one {
                '\u{1b}' => match letters.next_if(|_| !split) {
                    Some(next) => key(KeyCode::Char(next), KeyModifiers::ALT),
                    None => key(KeyCode::Esc, KeyModifiers::NONE),
                },
                '\r' => key(KeyCode::Enter, KeyModifiers::NONE),
                '\u{1}'..='\u{1a}' => {
                    let letter = char::from(one as u8 - 1 + b'a');
                    key(KeyCode::Char(letter), KeyModifiers::CONTROL)
                }
                _ => key(KeyCode::Char(one), KeyModifiers::NONE),
            });
        }
        all
    }

    /// What comes out, and what is held back after all.
    fn out_of(answers: &mut Answers, events: &[Event]) -> Vec<Out> {
        let now = Instant::now();
        let mut out = Vec::new();
        for event in events {
            out.extend(answers.take(now, event.clone()));
        }
        out.extend(answers.give_up());
        out
    }

    fn typed(out: &[Out]) -> String {
        let letters = out.iter().filter_map(|one| match one {
            Out::Event(_, Event::Key(key)) => match key.code {
                KeyCode::Char(letter) => Some(letter),
                _ => Some('?'),
            },
            _ => None,
        });
        letters.collect()
    }

    fn answered(out: &[Out]) -> Vec<&str> {
        let answers = out.iter().filter_map(|one| match one {
            Out::Answer(text) => Some(text.as_str()),
            Out::Event(..) => None,
        });
        answers.collect()
    }

    #[test]
    fn an_answer_is_taken_out_of_what_is_typed() {
        for split in [false, true] {
            for end in ["\u{7}", "\u{1b}\\"] {
                let bytes = format!("ab\u{1b}]11;rgb:ffff/ffff/ffff{end}cd");
                let mut answers = Answers::default();
                answers.asked(Instant::now());
                let out = out_of(&mut answers, &events(&bytes, split));
                assert_eq!(typed(&out), "abcd", "{split} {end:?}");
                assert_eq!(answered(&out), ["11;rgb:ffff/ffff/ffff"]);
            }
        }
    }

    #[test]
    fn nothing_of_a_hostile_answer_is_typed() {
        for hostile in ["y\r", "rgb:\ry\r", "\u{3}\u{4}y\r", "\u{1b}y\r", "日\r\r"] {
            let bytes = format!("\u{1b}]11;{hostile}{}\u{7}z", "y\r".repeat(5_000));
            let mut answers = Answers::default();
            answers.asked(Instant::now());
            let out = out_of(&mut answers, &events(&bytes, false));
            assert_eq!(typed(&out), "z", "{hostile:?}");
            assert_eq!(
                crate::background::Background::of_answer(answered(&out)[0]),
                None
            );
        }
        // One without an end is none, and is not typed either.
        let mut answers = Answers::default();
        let out = out_of(&mut answers, &events("\u{1b}]11;rgb:y\r", false));
        assert_eq!(out, []);
        assert_eq!(answers.waits(), None);
    }

    #[test]
    fn keys_that_look_like_its_beginning_are_keys() {
        for bytes in ["]", "11;", "]11;a"] {
            let mut answers = Answers::default();
            answers.asked(Instant::now());
            assert_eq!(typed(&out_of(&mut answers, &events(bytes, false))), bytes);
        }
        let alt = events("\u{1b}]12;a", false);
        let mut answers = Answers::default();
        assert_eq!(typed(&out_of(&mut answers, &alt)), "]12;a");
        // An Esc is held back only while an answer is waited for.
        let escape = key(KeyCode::Esc, KeyModifiers::NONE);
        let now = Instant::now();
        let told = |at| [Out::Event(at, escape.clone())];
        let mut answers = Answers::default();
        assert_eq!(answers.take(now, escape.clone()), told(now));
        answers.asked(now);
        assert_eq!(answers.take(now, escape.clone()), []);
        assert_eq!(answers.waits(), Some(SOON));
        // With the time when it came.
        assert_eq!(answers.give_up(), told(now));
        let late = now + ASKED;
        assert_eq!(answers.take(late, escape.clone()), told(late));
    }
}
