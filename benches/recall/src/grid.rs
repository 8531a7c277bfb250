//! Which weights hold on conversations that they were not chosen on: every setting of a grid is
//! measured, the best on all conversations but one is chosen, and what it is worth on that one counts.

use crate::ask::Found;
use crate::measures::mean;
use memory::config::WeightsConfig;
use std::fmt::Write as _;

/// Weights with what each question was worth under them: its conversation, its category, its recall
/// at ten.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The weights.
    pub weights: WeightsConfig,
    questions: Vec<(usize, &'static str, f64)>,
}

impl Measured {
    /// What was found under these weights.
    #[must_use]
    pub fn new(weights: WeightsConfig, found: &Found) -> Self {
        let asked = found.asked.iter();
        Self {
            weights,
            questions: asked
                .map(|asked| (asked.conversation, asked.category, asked.worth.recall_10))
                .collect(),
        }
    }

    fn mean(&self, of: impl Fn(usize, &str) -> bool) -> f64 {
        let questions = self.questions.iter();
        let chosen = questions.filter(|(conversation, category, _)| of(*conversation, category));
        mean(&chosen.map(|(_, _, recall)| *recall).collect::<Vec<f64>>()).mean
    }

    fn line(&self) -> String {
        let WeightsConfig {
            lexical,
            speaker,
            facts,
            ..
        } = self.weights;
        format!(
            "lexical {lexical:.2} speaker {speaker:.2} facts {facts:.2}: {:.3}, multi-hop {:.3}",
            self.mean(|_, _| true),
            self.mean(|_, category| category == "multi-hop"),
        )
    }
}

/// The settings that are tried: a step to either side of the usual.
#[must_use]
pub fn settings() -> Vec<WeightsConfig> {
    let usual = WeightsConfig::default();
    let around = |weight: f32| [weight - 0.1, weight, weight + 0.1];
    let mut settings = Vec::new();
    for lexical in around(usual.lexical) {
        for speaker in around(usual.speaker) {
            for facts in around(usual.facts) {
                settings.push(WeightsConfig {
                    lexical,
                    speaker,
                    facts,
                    ..usual
                });
            }
        }
    }
    settings
}

/// The table: each setting, and what is chosen on all conversations but one, with its worth there.
#[must_use]
pub fn table(measured: &[Measured], conversations: usize) -> String {
    let mut text = String::new();
    let all = |one: &Measured| one.mean(|_, _| true);
    let mut order: Vec<&Measured> = measured.iter().collect();
    order.sort_by(|a, b| all(b).total_cmp(&all(a)));
    // Writing to a string does not fail.
    for one in &order {
        let _ = writeln!(text, "{}", one.line());
    }
    let mut left_out: Vec<(usize, &'static str, f64)> = Vec::new();
    for conversation in 0..conversations {
        let others = |one: &Measured| one.mean(|of, _| of != conversation);
        let best = measured
            .iter()
            .max_by(|a, b| others(a).total_cmp(&others(b)));
        let Some(best) = best else { continue };
        let there = best.mean(|of, _| of == conversation);
        let _ = writeln!(
            text,
            "conversation {conversation} left out: {there:.3} with {}",
            best.line()
        );
        let own = best
            .questions
            .iter()
            .filter(|(of, _, _)| *of == conversation);
        left_out.extend(own.copied());
    }
    let recall: Vec<f64> = left_out.iter().map(|(_, _, recall)| *recall).collect();
    let hops = left_out
        .iter()
        .filter(|(_, category, _)| *category == "multi-hop");
    let hops: Vec<f64> = hops.map(|(_, _, recall)| *recall).collect();
    let _ = writeln!(
        text,
        "each left out in turn: {:.3}, multi-hop {:.3}",
        mean(&recall).mean,
        mean(&hops).mean
    );
    text
}
