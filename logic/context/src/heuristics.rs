//! What is noted of messages that leave the view by rules, whatever a model says.

use crate::covered::{ASKED, CALLED, Covered, LINE_CHARACTERS, Said};
use crate::words::{self, is_path, is_rule, one_line, sentences, telling};
use domain::context::{SummaryKind, SummaryLine};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Most sentences of one message of the user that are noted by rule.
const NOTED_SENTENCES: usize = 6;
/// The same of a message of the agent.
const NOTED_FINDINGS: usize = 2;
/// Most lines of text pasted into one message that are noted by rule.
const NOTED_TROUBLES: usize = 2;
/// What a line of pasted text has in it that tells of trouble.
const TROUBLE: [&str; 6] = [
    "error",
    "warning",
    "failed",
    "panick",
    "exception",
    "denied",
];
/// Longest beginning of a request or answer that is noted by rule, characters.
const ASKED_CHARACTERS: usize = 160;

/// The sentences of the user that are to be kept to, word for word.
#[must_use]
pub fn rules(covered: &[Covered]) -> Vec<SummaryLine> {
    let mut lines: Vec<SummaryLine> = Vec::new();
    for message in covered.iter().filter(|one| one.said == Said::ByUser) {
        for sentence in sentences(&message.text) {
            if is_rule(sentence) {
                lines.push(SummaryLine {
                    kind: SummaryKind::Constraint,
                    text: one_line(sentence, LINE_CHARACTERS),
                    cites: vec![message.seq],
                });
            }
        }
    }
    lines
}

/// What was said and no line and no note has yet: sentences of the user with a number, path or name,
/// those of the agent with a number or path, lines of pasted text that tell of trouble; and for each
/// request that no line cites, the sentence least like the others, so that it can be recalled.
#[must_use]
pub fn unnoted(covered: &[Covered], lines: &[SummaryLine], notes: &str) -> Vec<SummaryLine> {
    let texts = lines.iter().map(|line| line.text.as_str());
    // By words, so that a long conversation costs no search through all that was noted for each of them.
    let mut noted: HashSet<&str> = texts.chain([notes]).flat_map(words::parts).collect();
    let mut out = Vec::new();
    for message in covered.iter().filter(|one| one.said != Said::ByTool) {
        let by_user = message.said == Said::ByUser;
        let mut left = if by_user {
            NOTED_SENTENCES
        } else {
            NOTED_FINDINGS
        };
        let pasted = by_user
            .then(|| troubles(&message.text))
            .into_iter()
            .flatten();
        for sentence in sentences(&message.text).into_iter().chain(pasted) {
            let missing = telling(sentence)
                .into_iter()
                .filter(|word| by_user || is_path(word) || has_digit(word))
                .any(|word| !noted.contains(word));
            if left == 0 || !missing || sentence.ends_with('?') || sentence.starts_with(CALLED) {
                continue;
            }
            left -= 1;
            noted.extend(words::parts(sentence));
            out.push(decision(sentence, LINE_CHARACTERS, message.seq));
        }
    }
    let rarity = Rarity::of(covered);
    let requests = covered.iter().filter(|one| one.said == Said::ByUser);
    let noted = lines.iter().chain(&out);
    let cited: BTreeSet<u64> = noted.flat_map(|line| line.cites.iter().copied()).collect();
    let uncited = requests.filter(|request| !cited.contains(&request.seq));
    out.extend(uncited.map(|request| asked(rarity.rarest(&request.text), request.seq)));
    out
}

/// How often each word is said, in how many messages.
struct Rarity(BTreeMap<String, u32>);

impl Rarity {
    fn of(covered: &[Covered]) -> Self {
        let mut said: BTreeMap<String, u32> = BTreeMap::new();
        for message in covered.iter().filter(|one| one.said != Said::ByTool) {
            let normal = words::normal(&message.text);
            let own: BTreeSet<&str> = normal.split_whitespace().collect();
            for word in own {
                *said.entry(word.to_owned()).or_default() += 1;
            }
        }
        Self(said)
    }

    /// The sentence of a message whose words are said least elsewhere, rules aside; the first of
    /// several, the whole text when there is none.
    fn rarest<'a>(&self, text: &'a str) -> &'a str {
        let mut best: Option<(u32, &str)> = None;
        for sentence in sentences(text).into_iter().filter(|one| !is_rule(one)) {
            let normal = words::normal(sentence);
            // Thousandths, so that no two machines round them differently.
            let score: u32 = normal
                .split_whitespace()
                .filter(|word| word.chars().count() > 2)
                .map(|word| 1_000 / self.0.get(word).copied().unwrap_or(1).max(1))
                .sum();
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, sentence));
            }
        }
        best.map_or(text, |(_, sentence)| sentence)
    }
}

/// What a request was about. A sentence that tells something stands for itself.
fn asked(sentence: &str, seq: u64) -> SummaryLine {
    if telling(sentence).is_empty() {
        let text = format!("{ASKED}{sentence}");
        return decision(&text, ASKED_CHARACTERS, seq);
    }
    decision(sentence, LINE_CHARACTERS, seq)
}

fn decision(text: &str, characters: usize, seq: u64) -> SummaryLine {
    SummaryLine {
        kind: SummaryKind::Decision,
        text: one_line(text, characters),
        cites: vec![seq],
    }
}

fn has_digit(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
}

/// The first lines of pasted text that tell of trouble.
fn troubles(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if (fenced || line.starts_with('>'))
            && TROUBLE
                .iter()
                .any(|word| line.to_lowercase().contains(word))
        {
            found.push(line);
        }
    }
    found.truncate(NOTED_TROUBLES);
    found
}

/// A summary without a model: the most telling sentence of each request, the beginning of each answer,
/// the paths, the last question.
#[must_use]
pub fn by_rule(covered: &[Covered]) -> Vec<SummaryLine> {
    let mut lines = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let rarity = Rarity::of(covered);
    let line = |kind, text: &str, seq| SummaryLine {
        kind,
        text: one_line(text, LINE_CHARACTERS),
        cites: vec![seq],
    };
    for message in covered {
        let sentences = sentences(&message.text);
        match message.said {
            Said::ByUser => {
                let rarest = rarity.rarest(&message.text);
                if !is_rule(rarest) {
                    lines.push(asked(rarest, message.seq));
                }
            }
            Said::ByAgent => {
                let said = sentences.iter().find(|sentence| !sentence.ends_with('?'));
                if let Some(first) = said {
                    let found = one_line(first, ASKED_CHARACTERS);
                    lines.push(line(SummaryKind::Decision, &found, message.seq));
                }
            }
            Said::ByTool => {}
        }
        if message.said != Said::ByTool {
            for path in words::paths(&message.text) {
                if is_path(path) && seen.insert(path) {
                    lines.push(line(SummaryKind::Artifact, path, message.seq));
                }
            }
        }
    }
    let last = covered.iter().rev().find(|one| one.said == Said::ByAgent);
    let question = last.and_then(|one| {
        let all = sentences(&one.text);
        let asked = all.into_iter().rfind(|sentence| sentence.ends_with('?'))?;
        Some(line(SummaryKind::OpenQuestion, asked, one.seq))
    });
    lines.extend(question);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{covered, talk};

    #[test]
    fn rules_are_the_users_alone_and_what_no_line_has_is_noted() {
        let rules = rules(&talk());
        assert_eq!(rules.len(), 1);
        assert_eq!(rules[0].text, "Never restart the server by yourself.");
        let added = unnoted(&talk(), &rules, "");
        assert_eq!(added.len(), 1);
        assert_eq!(added[0].text, "Set the port to 8443 in conf/app.toml.");
        let pasted = covered(
            7,
            Said::ByUser,
            "See:\n```\nfine 1\nerror E77 in x\n```\nWhat is it?",
        );
        let asked = covered(8, Said::ByUser, "Go on?");
        let found = covered(9, Said::ByAgent, "Sure. I counted 400 rows. Fine.");
        let more = unnoted(&[pasted, asked, found], &[], "");
        let texts: Vec<&str> = more.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            ["error E77 in x", "I counted 400 rows.", "Asked: Go on?"]
        );
        assert!(unnoted(&talk(), &added, "").is_empty());
    }

    #[test]
    fn without_a_model_requests_answers_paths_and_the_open_question_are_kept() {
        let lines = by_rule(&talk());
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Set the port to 8443 in conf/app.toml.",
                "conf/app.toml",
                "The port in conf/app.toml is now 8443.",
                "Shall I document it?",
            ]
        );
    }
}
