//! What a report repeats word for word of what tools gave its agent. A report tells what came of a
//! task; what tools returned stays where it is, and is named by the number of its event.
//!
//! Letter case, white space and punctuation make no difference, a path or an address counts as one
//! sign, and so names, paths, numbers and short quotes stay. What the agent was told with its task,
//! or wrote itself before a tool gave it back, is no copy.

use domain::report::Report;
use std::ops::Range;

/// Longest stretch that may be repeated word for word, signs: letters and digits, with one blank
/// between words. A sign of a script without blanks counts as [`WIDE`]. Some thirteen English words.
const STRETCH: usize = 80;
/// Shorter stretches count together when they are as long as this.
const PIECE: usize = 40;
/// Most signs of such stretches in one report, all its texts together.
const PIECES_IN_ALL: usize = 200;
/// What a sign of a script without blanks between words counts: it says about as much as three.
const WIDE: usize = 3;
/// First character that counts as wide: where the East Asian scripts begin in Unicode.
const FIRST_WIDE: char = '\u{2E80}';
/// Longest word with a slash that is taken for a path or an address, characters.
const PATH_CHARS: usize = 160;
/// Signs that are looked for at one time. Two of them one after the other fit into the shortest
/// stretch that counts, whatever the script, so that one is always found whole.
const SEED: usize = PIECE / WIDE / 2;
/// What stands for a path, from the private use area.
const PATH: char = '\u{E000}';
/// Most signs of a part of a word that a stretch gives up.
const WORD: usize = 20;

/// What one call gave an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The tool.
    pub tool: String,
    /// The event with its result.
    pub seq: u64,
    /// What the agent was shown.
    pub text: String,
    /// What the agent itself wrote into the call.
    pub written: String,
}

/// Takes out of a report what it repeats of what its agent `heard`, oldest first; `told` is all that
/// the agent was told with its task. Returns what was changed, one sentence each.
#[must_use]
pub fn take_out_copies(report: &mut Report, heard: &[Heard], told: &str) -> Vec<String> {
    let known = Known::of(heard, told);
    let mut copies: Vec<Vec<Copy>> = texts_of(report).map(|text| known.copies_in(text)).collect();
    let pieces: usize = copies.iter().flatten().map(|copy| copy.size).sum();
    let least = if pieces > PIECES_IN_ALL {
        PIECE
    } else {
        STRETCH
    };
    for found in &mut copies {
        found.retain(|copy| copy.size >= least);
    }
    let mut corrections = Vec::new();
    let mut copies = copies.into_iter();
    let mut note = |what: &str, found: &[Copy]| {
        let Some(first) = found.first() else {
            return;
        };
        let size: usize = found.iter().map(|copy| copy.size).sum();
        corrections.push(format!(
            "Its {what} repeated {size} signs of what `{}` gave it: taken out; the original is \
             event {}.",
            first.tool, first.seq
        ));
    };
    let found = copies.next().unwrap_or_default();
    note("summary", &found);
    report.summary = without(&report.summary, &found);
    if let Some(reason) = &mut report.failure_reason {
        let found = copies.next().unwrap_or_default();
        note("reason", &found);
        *reason = without(reason, &found);
    }
    // A fact with a hole in it is none.
    report.new_memory_candidates.retain(|_| {
        let found = copies.next().unwrap_or_default();
        note("nominated fact", &found);
        found.is_empty()
    });
    corrections
}

/// The free texts of a report.
fn texts_of(report: &Report) -> impl Iterator<Item = &str> {
    let reason = report.failure_reason.as_deref();
    let facts = report.new_memory_candidates.iter().map(String::as_str);
    std::iter::once(report.summary.as_str())
        .chain(reason)
        .chain(facts)
}

/// A stretch of a text that stands in a result as well.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Copy {
    /// Where in the text, bytes.
    place: Range<usize>,
    size: usize,
    tool: String,
    seq: u64,
}

fn without(text: &str, copies: &[Copy]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for copy in copies {
        left.push_str(&text[from..copy.place.start]);
        left.push_str(&format!("[taken out: see event {}]", copy.seq));
        from = copy.place.end;
    }
    left.push_str(&text[from..]);
    left
}

/// A text as it is compared.
struct Folded {
    signs: String,
    /// For each byte of `signs`, where its sign stands in the text, bytes.
    places: Vec<Range<usize>>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Self {
            signs: String::with_capacity(text.len()),
            places: Vec::new(),
        };
        let mut from = 0;
        while let Some(start) = text[from..].find(|c: char| !c.is_whitespace()) {
            let start = from + start;
            let length = text[start..].find(char::is_whitespace);
            let end = length.map_or(text.len(), |length| start + length);
            folded.take_word(text, start..end);
            from = end;
        }
        folded
    }

    fn take_word(&mut self, text: &str, word: Range<usize>) {
        if is_path(&text[word.clone()]) {
            self.blank(word.start);
            self.push(PATH, word.clone());
            self.blank(word.end);
            return;
        }
        self.blank(word.start);
        for (offset, character) in text[word.clone()].char_indices() {
            let at = word.start + offset;
            if character.is_alphanumeric() {
                for lower in character.to_lowercase() {
                    self.push(lower, at..at + character.len_utf8());
                }
            } else {
                self.blank(at);
            }
        }
    }

    fn push(&mut self, sign: char, place: Range<usize>) {
        self.signs.push(sign);
        for _ in 0..sign.len_utf8() {
            self.places.push(place.clone());
        }
    }

    /// One blank between words, none at the beginning.
    fn blank(&mut self, at: usize) {
        if !self.signs.is_empty() && !self.signs.ends_with(' ') {
            self.push(' ', at..at);
        }
    }

    /// Where in the text a stretch of signs stands.
    fn place_of(&self, stretch: &Range<usize>) -> Range<usize> {
        let places = self.places.get(stretch.clone()).unwrap_or_default();
        let start = places.first().map_or(0, |place| place.start);
        start..places.last().map_or(start, |place| place.end)
    }
}

/// A stretch without the parts of words at its ends, as far as there are words in it.
fn in_words(signs: &str, stretch: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = stretch;
    if !signs[..start].is_empty() && !signs[..start].ends_with(' ') {
        let mut first = signs[start..end].char_indices().take(WORD);
        start += first.find(|(_, c)| *c == ' ').map_or(0, |(at, _)| at);
    }
    if !signs[end..].is_empty() && !signs[end..].starts_with(' ') {
        let mut last = signs[start..end].char_indices().rev().take(WORD);
        end = last
            .find(|(_, c)| *c == ' ')
            .map_or(end, |(at, _)| start + at);
    }
    while signs[start..end].starts_with(' ') {
        start += 1;
    }
    while signs[start..end].ends_with(' ') {
        end -= 1;
    }
    start..end
}

/// Whether a word is a path or an address.
fn is_path(word: &str) -> bool {
    word.contains('/') && word.chars().count() <= PATH_CHARS
}

fn size_of(signs: &str) -> usize {
    let size = |c: char| {
        if c != PATH && c >= FIRST_WIDE {
            WIDE
        } else {
            1
        }
    };
    signs.trim().chars().map(size).sum()
}

/// What an agent heard and wrote, as it is compared.
struct Known<'a> {
    heard: Vec<(&'a Heard, String, String)>,
    told: String,
}

impl<'a> Known<'a> {
    fn of(heard: &'a [Heard], told: &str) -> Self {
        let fold = |text: &str| Folded::of(text).signs;
        Self {
            heard: heard
                .iter()
                .map(|one| (one, fold(&one.text), fold(&one.written)))
                .collect(),
            told: fold(told),
        }
    }

    /// Every stretch of a text of at least [`PIECE`] that it has from a result, in order, none over
    /// another.
    fn copies_in(&self, text: &str) -> Vec<Copy> {
        let folded = Folded::of(text);
        let mut found = Vec::new();
        // Up to where it is known what is copied, and from where it is looked.
        let (mut settled, mut at) = (0, 0);
        while let Some(seed) = seed_at(&folded.signs, at) {
            at = seed.end;
            if let Some((stretch, one)) = self.longest(&folded.signs, &seed, settled) {
                found.push(Copy {
                    place: folded.place_of(&stretch),
                    size: size_of(&folded.signs[stretch.clone()]),
                    tool: one.tool.clone(),
                    seq: one.seq,
                });
                (settled, at) = (stretch.end, at.max(stretch.end));
            }
        }
        found
    }

    /// The longest stretch around a seed, not before `from`, that stands in a result and is nobody
    /// else's word.
    fn longest(
        &self,
        signs: &str,
        seed: &Range<usize>,
        from: usize,
    ) -> Option<(Range<usize>, &'a Heard)> {
        let mut best: Option<(Range<usize>, &'a Heard)> = None;
        for (index, (one, result, _)) in self.heard.iter().enumerate() {
            for (at, _) in result.match_indices(&signs[seed.clone()]) {
                let stretch = in_words(signs, grown(signs, seed, (result, at), from));
                let is_longer = best.as_ref().is_none_or(|(b, _)| stretch.len() > b.len());
                let is_piece = size_of(&signs[stretch.clone()]) >= PIECE;
                if is_longer && is_piece && !self.is_own(&signs[stretch.clone()], index) {
                    best = Some((stretch, one));
                }
            }
        }
        best
    }

    /// Whether the agent was told this, or wrote it in a call no later than the one with this place.
    fn is_own(&self, stretch: &str, place: usize) -> bool {
        let stretch = stretch.trim();
        let mut before = self.heard.iter().take(place + 1);
        self.told.contains(stretch) || before.any(|(_, _, written)| written.contains(stretch))
    }
}

/// The next stretch of [`SEED`] signs.
fn seed_at(signs: &str, at: usize) -> Option<Range<usize>> {
    let rest = &signs[at..];
    let (last, sign) = rest.char_indices().nth(SEED - 1)?;
    Some(at..at + last + sign.len_utf8())
}

/// Grows a stretch that stands in a result at this byte as far as both agree.
fn grown(
    signs: &str,
    seed: &Range<usize>,
    (result, at): (&str, usize),
    from: usize,
) -> Range<usize> {
    let before = signs[from..seed.start].chars().rev();
    let before = before.zip(result[..at].chars().rev());
    let before: usize = agreeing(before);
    let after = signs[seed.end..].chars();
    let after = after.zip(result[at + seed.len()..].chars());
    seed.start - before..seed.end + agreeing(after)
}

fn agreeing(pairs: impl Iterator<Item = (char, char)>) -> usize {
    let same = pairs.take_while(|(one, other)| one == other);
    same.map(|(one, _)| one.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failed_report;
    use domain::report::ReportStatus;

    const FILE: &str = "The ferry to the northern islands leaves at seven in the morning, except on \
        the first Sunday of a month, when it waits for the train from the south. Tickets are sold \
        on board; dogs travel for nothing, bicycles for two crowns.\nThe harbour master is Ingrid \
        Sand, and her office in /srv/harbour/office/plans/current.txt lists who is on duty.";

    fn report(summary: &str) -> Report {
        Report {
            status: ReportStatus::Success,
            summary: summary.to_owned(),
            failure_reason: None,
            ..failed_report("")
        }
    }

    fn heard(text: &str) -> Heard {
        Heard {
            tool: "read_file".to_owned(),
            seq: 12,
            text: text.to_owned(),
            written: "notes.txt".to_owned(),
        }
    }

    fn left_of(summary: &str) -> (String, Vec<String>) {
        let mut report = report(summary);
        let corrections = take_out_copies(&mut report, &[heard(FILE)], "Read notes.txt");
        (report.summary, corrections)
    }

    #[test]
    fn a_copied_stretch_is_taken_out_and_named() {
        let (left, corrections) = left_of(
            "It says: the ferry to the NORTHERN islands  leaves at seven, in the morning; except on \
             the first Sunday of a month - when it waits. That is all.",
        );
        assert_eq!(left, "It says: [taken out: see event 12]. That is all.");
        assert_eq!(corrections.len(), 1);
        assert!(corrections[0].contains("`read_file`"), "{corrections:?}");
        assert!(corrections[0].ends_with("the original is event 12."));
    }

    #[test]
    fn honest_reports_stay_as_they_are() {
        for honest in [
            "The file lists when the ferry runs and what it costs.",
            "The ferry leaves at seven in the morning; bicycles cost two crowns.",
            "\"Tickets are sold on board\", it says, and the harbour master is Ingrid Sand.",
            "See /srv/harbour/office/plans/current.txt, /srv/harbour/office/plans/current.txt and \
             /srv/harbour/office/plans/current.txt.",
            "It says: \"the ferry to the northern islands leaves at seven in the morning\".",
            "1024, 2048 and 4096 are powers of two.",
            "",
        ] {
            let (left, corrections) = left_of(honest);
            assert_eq!(left, honest);
            assert_eq!(corrections, Vec::<String>::new(), "{honest}");
        }
    }

    #[test]
    fn the_limit_is_a_number_of_signs() {
        let words: Vec<String> = (0..40).map(|n| format!("w{:02}", n)).collect();
        let text = words.join(" ");
        for (count, is_copy) in [(20, false), (21, true)] {
            // Each word is three signs and a blank.
            let repeated = format!("So: {}", words[..count].join(" "));
            let mut report = report(&repeated);
            let corrections = take_out_copies(&mut report, &[heard(&text)], "");
            assert_eq!(
                !corrections.is_empty(),
                is_copy,
                "{count}: {}",
                report.summary
            );
        }
    }

    #[test]
    fn many_pieces_count_together_in_whatever_text_they_stand() {
        let pieces = [
            "the ferry to the northern islands leaves at seven in the morning",
            "when it waits for the train from the south. Tickets are sold on",
            "dogs travel for nothing, bicycles for two crowns. The harbour",
            "except on the first Sunday of a month, when it waits",
        ];
        let (left, corrections) = left_of(&format!("A: {} B: {}.", pieces[0], pieces[1]));
        assert!(left.contains(pieces[0]) && corrections.is_empty(), "{left}");
        let mut whole = report(&format!("A: {} B: {}.", pieces[0], pieces[1]));
        whole.new_memory_candidates = vec![format!("C: {}", pieces[2]), "Short.".to_owned()];
        whole.failure_reason = Some(format!("D: {}", pieces[3]));
        let corrections = take_out_copies(&mut whole, &[heard(FILE)], "");
        assert_eq!(corrections.len(), 3, "{corrections:?}");
        assert_eq!(
            whole.summary,
            "A: [taken out: see event 12] B: [taken out: see event 12]."
        );
        assert_eq!(whole.new_memory_candidates, ["Short."]);
        assert_eq!(
            whole.failure_reason.as_deref(),
            Some("D: [taken out: see event 12]")
        );
    }

    #[test]
    fn scripts_without_blanks_and_long_words_are_compared_too() {
        let chinese =
            "渡轮每天早上七点开往北方诸岛但每月第一个星期日除外那天它要等从南方来的火车到站才开船";
        let blob = "q1w2e3r4t5z6u7i8o9p0".repeat(12);
        for text in [chinese, blob.as_str()] {
            let mut copied = report(&format!("它说：{text}。"));
            let corrections = take_out_copies(&mut copied, &[heard(text)], "");
            assert_eq!(corrections.len(), 1, "{text}");
            assert!(!copied.summary.contains(&text[..30]), "{}", copied.summary);
        }
    }

    #[test]
    fn what_it_was_told_or_wrote_itself_is_no_copy() {
        let sentence = "The ferry to the northern islands leaves at seven in the morning, except on \
                        the first Sunday of a month";
        let mut told = report(sentence);
        let corrections = take_out_copies(&mut told, &[heard(FILE)], sentence);
        assert_eq!(corrections, Vec::<String>::new());
        let wrote = |seq, text: &str, written: &str| Heard {
            seq,
            written: written.to_owned(),
            ..heard(text)
        };
        let own = [wrote(3, "Written.", sentence), wrote(4, FILE, "notes.txt")];
        assert_eq!(
            take_out_copies(&mut report(sentence), &own, ""),
            Vec::<String>::new()
        );
        // Read first and written then, it is a copy all the same.
        let copied = [
            wrote(3, FILE, "notes.txt"),
            wrote(4, "Written.", sentence),
            wrote(5, FILE, "copy.txt"),
        ];
        let corrections = take_out_copies(&mut report(sentence), &copied, "");
        assert!(corrections[0].ends_with("event 3."), "{corrections:?}");
    }
}
