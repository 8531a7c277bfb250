//! A tour of the command line: what is typed in a house and what comes of it, as one text that stays
//! the same from run to run.

use crate::Scene;
use regex::{Captures, Regex};
use std::fmt::Write;
use testkit::{Finished, Running};

/// What differs from run to run, and what stands for it. In this order: what was put in place of one
/// thing is part of some that come later.
const VARYING: [(&str, &str); 21] = [
    (r"\d{8}T\d{6}Z", "[time]"),
    (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| [+-]\d\d:\d\d)",
        "[time]",
    ),
    (r"\[time\],\d+", "[time],[monotonic]"),
    (r"\d{4}-\d\d-\d\d", "[date]"),
    (r"\b\d\d:\d\d:\d\d\b", "[time]"),
    (
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "[id]",
    ),
    (r"\b[0-9a-f]{12,}\b", "[hash]"),
    (r"[A-Za-z0-9+/]{40,}=*", "[base64]"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
    (r"\b\d+(?:\.\d+)? ms\b", "[duration]"),
    (r"\b\d+\.\d+ s\b", "[duration]"),
    (r"\b\d+(?:\.\d+)? (?:B|[kMGT]B|[KMGT]iB)\b", "[size]"),
    (r"\b\d+ \+ \d+ tokens", "[n] + [n] tokens"),
    (r"\b\d+ files of memory", "[n] files of memory"),
    // The records of the audit log, whose number depends on how often something was tried.
    (r"(?m)^ +\d+  \[time\]", "  [n]  [time]"),
    (r"\b\d+ in 1 segment", "[n] in 1 segment"),
    (r"\b\d+ checkpoints", "[n] checkpoints"),
    (r"at record \d+", "at record [n]"),
    (r"(?m)^\d+(,\[time\]|$)", "[n]$1"),
    // Shares of a context: the prompt holds paths, whose length varies.
    (
        r"(?m) +[\d,]+ +\d+\.\d% [\u{2588}-\u{258f}]+$",
        "  [n]  [share]",
    ),
    (r" +[\d,]+ +\d+\.\d% of", "  [n]  [share] of"),
];

/// What was typed so far, and what came of it.
pub struct Tour {
    /// Where it goes through.
    pub scene: Scene,
    text: String,
    varying: Vec<(Regex, &'static str)>,
}

impl Tour {
    /// Through this scene's house.
    ///
    /// # Panics
    /// Never: the patterns are fixed.
    #[must_use]
    pub fn new(scene: Scene) -> Self {
        let varying = VARYING.map(|(pattern, name)| (Regex::new(pattern).unwrap(), name));
        Self {
            scene,
            text: String::new(),
            varying: varying.into(),
        }
    }

    /// Begins a part of the text.
    pub fn part(&mut self, title: &str) {
        let _ = write!(self.text, "# {title}\n\n");
    }

    /// Runs a command.
    pub fn run(&mut self, args: &[&str]) -> Finished {
        self.run_with(args, "")
    }

    /// Runs a command that reads this on standard input.
    pub fn run_with(&mut self, args: &[&str], input: &str) -> Finished {
        let carl = self.scene.house.ask(args.iter().copied());
        let finished = carl.env("TZ", "UTC").stdin(input).run();
        self.note(args, input, &finished);
        finished
    }

    /// Starts a command, waits until it has said a text, and kills it.
    pub fn start(&mut self, args: &[&str], until: &str) {
        let carl = self.scene.house.ask(args.iter().copied());
        let mut running: Running = carl.env("TZ", "UTC").spawn();
        let said = running.until(until);
        running.kill();
        let finished = Finished {
            code: Some(0),
            stdout: said,
            stderr: String::new(),
        };
        self.note(args, "", &finished);
    }

    /// Notes a command that ran some other way.
    pub fn note(&mut self, args: &[&str], input: &str, finished: &Finished) {
        let words = args.iter().map(|word| quoted(word));
        let typed = self.settled(&words.collect::<Vec<_>>().join(" "));
        let _ = writeln!(self.text, "$ carl {typed}");
        let lines = |text: &str, sign: &str| -> String {
            let lines = self.settled(text);
            lines
                .lines()
                .map(|line| format!("{sign}{line}\n"))
                .collect()
        };
        let seen = [
            lines(input, "< "),
            lines(&finished.stdout, ""),
            lines(&finished.stderr, "! "),
        ];
        self.text.extend(seen);
        match finished.code {
            Some(0) => self.text.push('\n'),
            Some(code) => {
                let _ = write!(self.text, "exit {code}\n\n");
            }
            None => self.text.push_str("killed\n\n"),
        }
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A text without what differs from run to run.
    fn settled(&self, text: &str) -> String {
        let root = self.scene.house.home();
        let root = root.parent().unwrap().to_string_lossy().into_owned();
        let mut text = text.replace(&root, "/house");
        for (pattern, name) in &self.varying {
            text = pattern.replace_all(&text, *name).into_owned();
        }
        // Columns are as wide as the widest cell, and some cells have just become another width.
        let gaps = Regex::new(r"(?m)(\S) {2,}(\S)").unwrap();
        let narrow = |gap: &Captures<'_>| format!("{}  {}", &gap[1], &gap[2]);
        gaps.replace_all(&text, narrow).into_owned()
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{word}'"),
    }
}
