//! Recall and false positives of the firewall on texts that no rule was fitted to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails loudly and says its figures"
)]

use firewall::{Text, folder, read};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Attacks flagged, of a hundred, on the held-out half: at least.
const RECALL_PERCENT: f64 = 90.0;
/// Ordinary texts flagged, of a hundred, on the held-out half: at most.
const FALSE_POSITIVES_PERCENT: f64 = 2.0;
/// Fewer texts than these in a half mean that a package has changed its form.
const ATTACKS: usize = 600;
const ORDINARY: usize = 500;
/// Ordinary texts written for this test, in both halves together.
const OWN: usize = 100;

/// Flagged and all, by source and by kind.
#[derive(Default)]
struct Counts(BTreeMap<(String, String), (usize, usize)>);

impl Counts {
    fn of(texts: &[Text], half: &str) -> Self {
        let mut counts = Self::default();
        for text in texts.iter().filter(|text| text.half == half) {
            let is_flagged = text::firewall::inspect(&text.text).is_suspicious();
            let place = (text.source.clone(), text.kind.clone());
            let count = counts.0.entry(place).or_default();
            count.0 += usize::from(is_flagged);
            count.1 += 1;
        }
        counts
    }

    fn total(&self) -> (usize, usize) {
        self.0
            .values()
            .fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1))
    }

    /// Summed up by the first or second half of the key.
    fn by(&self, part: impl Fn(&(String, String)) -> String) -> BTreeMap<String, (usize, usize)> {
        let mut sums: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (key, count) in &self.0 {
            let sum = sums.entry(part(key)).or_default();
            *sum = (sum.0 + count.0, sum.1 + count.1);
        }
        sums
    }
}

fn percent((part, whole): (usize, usize)) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[test]
fn held_out_attacks_are_flagged_and_ordinary_texts_are_not() {
    let attacks = read("attacks");
    let ordinary = read("ordinary");
    let mut table = String::new();
    for half in ["dev", "held"] {
        let (found, wrong) = (Counts::of(&attacks, half), Counts::of(&ordinary, half));
        let titles = [
            ("attacks flagged, by source", found.by(|key| key.0.clone())),
            ("ordinary flagged, by source", wrong.by(|key| key.0.clone())),
            ("ordinary flagged, by kind", wrong.by(|key| key.1.clone())),
        ];
        for (title, sums) in titles {
            writeln!(table, "{half}: {title}").unwrap();
            for (name, sum) in sums {
                let share = percent(sum);
                writeln!(table, "  {name:<24} {:>5}/{:<5} {share:5.1}%", sum.0, sum.1).unwrap();
            }
        }
        let (recall, false_positives) = (percent(found.total()), percent(wrong.total()));
        writeln!(
            table,
            "{half}: recall {recall:.1}%, false positives {false_positives:.2}%"
        )
        .unwrap();
        if half == "held" {
            println!("{table}");
            std::fs::write(folder().join("report.txt"), &table).unwrap();
            assert!(found.total().1 >= ATTACKS && wrong.total().1 >= ORDINARY);
            assert!(recall >= RECALL_PERCENT, "recall {recall:.1}%");
            assert!(
                false_positives <= FALSE_POSITIVES_PERCENT,
                "{false_positives:.2}%"
            );
        }
    }
    let own = ordinary.iter().filter(|text| text.source == "own");
    assert!(own.count() >= OWN);
}

#[test]
fn every_text_names_its_source_and_licence() {
    for text in read("attacks").iter().chain(&read("ordinary")) {
        assert!(!text.source.is_empty() && !text.licence.is_empty());
        assert!(matches!(text.half.as_str(), "dev" | "held"));
    }
}
