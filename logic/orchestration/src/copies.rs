//! What a report repeats word for word of what tools gave its agent. A report tells what came of a
//! task; what tools returned stays where it is, and is named by the number of its event.
//!
//! Texts are compared by their letters and digits alone: letter case, accents, the width of letters,
//! white space, punctuation and what cannot be seen make no difference. A path or an address that
//! the record has counts as one sign, and so names, paths, numbers and short quotes stay. What the
//! agent was told with its task, or wrote itself before a tool gave it back, is no copy.

mod folded;

use crate::heard::Heard;
use domain::report::Report;
use folded::{Folded, PIECE, SEED, words};
use std::collections::BTreeSet;
use std::ops::Range;

/// Longest stretch that may be repeated word for word, signs: letters and digits, with one blank
/// between words. A sign of a script without blanks counts as three. Some thirteen English words.
const STRETCH: usize = 80;
/// Most signs of such stretches in one report, all its texts together.
const PIECES_IN_ALL: usize = 200;
/// Longest word with a slash that is taken for a path or an address, characters.
const PATH_CHARS: usize = 160;
/// Most characters of different paths in one report that count as one sign each. What else looks
/// like a path is read as the words it is made of.
const PATHS_IN_ALL: usize = 600;

/// Takes out of a report what it repeats of what its agent `heard`, oldest first; `told` is all that
/// the agent was told with its task, `folder` where it works. Returns what was changed, one sentence
/// each.
#[must_use]
pub fn take_out_copies(
    report: &mut Report,
    heard: &[Heard],
    told: &str,
    folder: &str,
) -> Vec<String> {
    let known = Known::of(heard, told);
    let texts: Vec<&str> = texts_of(report, folder).collect();
    let paths = known.paths_in(&texts);
    let copies = texts.iter().map(|text| known.copies_in(text, &paths));
    let mut copies: Vec<Vec<Copy>> = copies.collect();
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
    // A fact or a path with a hole in it is none.
    for (what, list) in [
        ("nominated fact", &mut report.new_memory_candidates),
        ("artifact", &mut report.artifacts),
    ] {
        list.retain(|_| {
            let found = copies.next().unwrap_or_default();
            note(what, &found);
            found.is_empty()
        });
    }
    corrections
}

/// The texts of a report that its agent is free to choose: of a path what is below the folder.
fn texts_of<'a>(report: &'a Report, folder: &'a str) -> impl Iterator<Item = &'a str> {
    let reason = report.failure_reason.as_deref();
    let facts = report.new_memory_candidates.iter().map(String::as_str);
    let below = move |path: &'a String| path.strip_prefix(folder).unwrap_or(path);
    std::iter::once(report.summary.as_str())
        .chain(reason)
        .chain(facts)
        .chain(report.artifacts.iter().map(below))
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

/// What an agent heard and wrote, as it is compared.
struct Known<'a> {
    heard: Vec<(&'a Heard, String, String)>,
    told: String,
    /// Paths and addresses that the record has.
    paths: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(heard: &'a [Heard], told: &'a str) -> Self {
        let fold = |text: &str| Folded::of(text, &BTreeSet::new()).signs;
        let texts = heard.iter().flat_map(|one| [&*one.text, &*one.written]);
        Self {
            heard: heard
                .iter()
                .map(|one| (one, fold(&one.text), fold(&one.written)))
                .collect(),
            told: fold(told),
            paths: texts.chain([told]).flat_map(paths_of).collect(),
        }
    }

    /// The paths of these texts that count as one sign each.
    fn paths_in<'t>(&self, texts: &[&'t str]) -> BTreeSet<&'t str> {
        let mut room = PATHS_IN_ALL;
        let mut found = BTreeSet::new();
        for path in texts.iter().flat_map(|text| paths_of(text)) {
            let size = path.chars().count();
            if !found.contains(path) && self.paths.contains(path) && size <= room {
                room -= size;
                found.insert(path);
            }
        }
        found
    }

    /// Every stretch of a text of at least [`PIECE`] that it has from a result, in order, none over
    /// another.
    fn copies_in(&self, text: &str, paths: &BTreeSet<&str>) -> Vec<Copy> {
        let folded = Folded::of(text, paths);
        let mut found = Vec::new();
        // Up to where it is known what is copied, and from where it is looked.
        let (mut settled, mut at) = (0, 0);
        while let Some(seed) = seed_at(&folded.signs, at) {
            at = seed.end;
            if let Some((stretch, one)) = self.longest(&folded, &seed, settled) {
                found.push(Copy {
                    place: folded.place_of(&stretch),
                    size: folded.size_of(&stretch),
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
        folded: &Folded,
        seed: &Range<usize>,
        from: usize,
    ) -> Option<(Range<usize>, &'a Heard)> {
        let signs = &folded.signs;
        let mut best: Option<(Range<usize>, &'a Heard)> = None;
        for (index, (one, result, _)) in self.heard.iter().enumerate() {
            for (at, _) in result.match_indices(&signs[seed.clone()]) {
                let stretch = folded.in_words(grown(signs, seed, (result, at), from));
                let is_longer = best.as_ref().is_none_or(|(b, _)| stretch.len() > b.len());
                let is_piece = folded.size_of(&stretch) >= PIECE;
                if is_longer && is_piece && !self.is_own(&signs[stretch.clone()], index) {
                    best = Some((stretch, one));
                }
            }
        }
        best
    }

    /// Whether the agent was told this, or wrote it in a call no later than the one with this place.
    fn is_own(&self, stretch: &str, place: usize) -> bool {
        let mut before = self.heard.iter().take(place + 1);
        self.told.contains(stretch) || before.any(|(_, _, written)| written.contains(stretch))
    }
}

/// The words of a text that look like a path or an address.
fn paths_of(text: &str) -> impl Iterator<Item = &str> {
    let bare = words(text).map(|place| &text[place]);
    bare.filter(|word| word.contains('/') && word.chars().count() <= PATH_CHARS)
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
        let corrections = take_out_copies(&mut report, &[heard(FILE)], "Read notes.txt", "/w");
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
            let corrections = take_out_copies(&mut report, &[heard(&text)], "", "/w");
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
        let corrections = take_out_copies(&mut whole, &[heard(FILE)], "", "/w");
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
            let corrections = take_out_copies(&mut copied, &[heard(text)], "", "/w");
            assert_eq!(corrections.len(), 1, "{text}");
            assert!(!copied.summary.contains(&text[..30]), "{}", copied.summary);
        }
    }

    #[test]
    fn disguised_copies_are_taken_out_too() {
        let every = |count: usize, mark: &str| {
            let mut text = String::new();
            for (at, c) in FILE.chars().enumerate() {
                text.push(c);
                if at % count == 0 {
                    text.push_str(mark);
                }
            }
            text
        };
        let wide = |c: char| match c {
            '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
            c => c,
        };
        let tag = |c: char| char::from_u32(u32::from(c) + 0xe0000).unwrap();
        let words: Vec<&str> = FILE.split_whitespace().collect();
        for disguise in [
            every(5, "\u{200b}"),
            every(1, "\u{ad}"),
            every(1, "\u{301}"),
            every(1, "\u{3164}"),
            every(1, " "),
            every(1, "\u{200b} "),
            every(1, "."),
            FILE.chars().map(wide).collect(),
            FILE.chars().filter(char::is_ascii).map(tag).collect(),
            words.join("/"),
            words
                .chunks(9)
                .map(|part| part.join("/"))
                .collect::<Vec<_>>()
                .join(" "),
            words.concat(),
        ] {
            let (left, corrections) = left_of(&format!("It says: {disguise}"));
            assert_eq!(corrections.len(), 1, "{left}");
            let rest = left.replace("[taken out: see event 12]", "");
            assert!(rest.len() < 60, "{left}");
        }
    }

    #[test]
    fn paths_of_the_record_carry_no_more_than_paths_do() {
        let paths: Vec<String> = (0..30)
            .map(|n| format!("a/ferry/to/the/northern/island{n}"))
            .collect();
        let listed = heard(&paths.join("\n"));
        for (count, is_copy) in [(10, false), (30, true)] {
            let mut report = report(&paths[..count].join(" "));
            let corrections = take_out_copies(&mut report, std::slice::from_ref(&listed), "", "/w");
            assert_eq!(
                !corrections.is_empty(),
                is_copy,
                "{count}: {}",
                report.summary
            );
        }
    }

    #[test]
    fn artifacts_carry_no_text_and_the_folder_is_not_held_against_them() {
        let folder = "/w/the ferry to the northern islands leaves at seven in the morning, except on \
                      the first Sunday";
        let mut named = report("Done.");
        let text = FILE.get(..120).unwrap().to_owned();
        named.artifacts = vec![
            format!("{folder}/a.txt"),
            text.clone(),
            format!("{folder}/{text}"),
        ];
        let result = Heard {
            text: format!("{FILE} {folder}/a.txt"),
            ..heard("")
        };
        let corrections = take_out_copies(&mut named, &[result], "", folder);
        assert_eq!(named.artifacts, [format!("{folder}/a.txt")]);
        assert_eq!(corrections.len(), 2, "{corrections:?}");
        assert!(
            corrections[0].starts_with("Its artifact repeated"),
            "{corrections:?}"
        );
    }

    #[test]
    fn what_it_was_told_or_wrote_itself_is_no_copy() {
        let sentence = "The ferry to the northern islands leaves at seven in the morning, except on \
                        the first Sunday of a month";
        let mut told = report(sentence);
        let corrections = take_out_copies(&mut told, &[heard(FILE)], sentence, "/w");
        assert_eq!(corrections, Vec::<String>::new());
        let wrote = |seq, text: &str, written: &str| Heard {
            seq,
            written: written.to_owned(),
            ..heard(text)
        };
        let own = [wrote(3, "Written.", sentence), wrote(4, FILE, "notes.txt")];
        assert_eq!(
            take_out_copies(&mut report(sentence), &own, "", "/w"),
            Vec::<String>::new()
        );
        // Read first and written then, it is a copy all the same.
        let copied = [
            wrote(3, FILE, "notes.txt"),
            wrote(4, "Written.", sentence),
            wrote(5, FILE, "copy.txt"),
        ];
        let corrections = take_out_copies(&mut report(sentence), &copied, "", "/w");
        assert!(corrections[0].ends_with("event 3."), "{corrections:?}");
    }
}
