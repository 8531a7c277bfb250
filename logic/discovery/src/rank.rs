//! How well each tool fits a task: BM25 over weighted fields.
//!
//! Source of the formula: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple
//! weighted fields", 2004.

use crate::words::{Term, is_action, is_look, is_question, task_terms, terms};
use domain::tool::ToolDefinition;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// How soon more of the same word stops to matter.
const SATURATION: f64 = 1.2;
/// How much a long text is held against a tool, 0 to 1.
const LENGTH: f64 = 0.5;
/// What a word counts for by where it stands.
const IN_NAME: f64 = 3.0;
const IN_DESCRIPTION: f64 = 1.5;
const IN_ARGUMENT_NAME: f64 = 0.8;
const IN_ARGUMENT_TEXT: f64 = 0.5;
/// What counts how much: the same word, one for the same thing, one for the same deed.
const SAME_WORD: f64 = 1.0;
const SAME_TOPIC: f64 = 1.1;
const SAME_ACTION: f64 = 0.6;

/// How much more a tool that looks fits a question, and one that acts an order.
const IN_KIND: f64 = 1.25;

/// Tools ready to be ranked.
#[derive(Debug)]
pub struct Index {
    /// For each tool, how often each term stands in it, weighted.
    tools: Vec<HashMap<Term, f64>>,
    lengths: Vec<f64>,
    /// For each tool, whether it only looks.
    looks: Vec<bool>,
    mean_length: f64,
    /// In how many tools each term stands.
    spread: HashMap<Term, usize>,
}

impl Index {
    /// Reads names, descriptions, argument names and argument descriptions.
    #[must_use]
    pub fn new<'a>(definitions: impl IntoIterator<Item = &'a ToolDefinition>) -> Self {
        let (tools, looks): (Vec<HashMap<Term, f64>>, Vec<bool>) = definitions
            .into_iter()
            .map(|tool| (weigh(tool), is_look(tool.name.as_str())))
            .unzip();
        let lengths: Vec<f64> = tools.iter().map(|terms| terms.values().sum()).collect();
        let mut spread: HashMap<Term, usize> = HashMap::new();
        for term in tools.iter().flat_map(HashMap::keys) {
            *spread.entry(term.clone()).or_default() += 1;
        }
        let count = tools.len().max(1) as f64;
        Self {
            mean_length: (lengths.iter().sum::<f64>() / count).max(1.0),
            tools,
            looks,
            lengths,
            spread,
        }
    }

    /// How well each tool fits, in the order they were given; 0 where nothing fits.
    #[must_use]
    pub fn scores(&self, task: &str) -> Vec<f64> {
        let mut wanted: BTreeMap<Term, f64> = BTreeMap::new();
        for term in task_terms(task) {
            let worth = match &term {
                Term::Stem(stem) if is_action(stem) => SAME_ACTION,
                Term::Stem(_) => SAME_WORD,
                Term::Topic(_) => SAME_TOPIC,
                Term::Action(_) => SAME_ACTION,
            };
            // A word said twice is not twice as important.
            wanted.insert(term, worth);
        }
        let asks = is_question(task);
        let each = self.tools.iter().zip(&self.lengths).zip(&self.looks);
        each.map(|((terms, length), looks)| {
            let kind = if *looks == asks { IN_KIND } else { 1.0 };
            kind * self.score(terms, *length, &wanted)
        })
        .collect()
    }

    fn score(&self, terms: &HashMap<Term, f64>, length: f64, wanted: &BTreeMap<Term, f64>) -> f64 {
        let norm = 1.0 - LENGTH + LENGTH * length / self.mean_length;
        let parts = wanted.iter().filter_map(|(term, worth)| {
            let often = terms.get(term)? / norm;
            Some(worth * self.rarity(term) * often * (SATURATION + 1.0) / (often + SATURATION))
        });
        parts.sum()
    }

    fn rarity(&self, term: &Term) -> f64 {
        let (all, with) = (self.tools.len() as f64, self.spread.get(term).copied());
        let with = with.unwrap_or(0) as f64;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn weigh(tool: &ToolDefinition) -> HashMap<Term, f64> {
    let mut weights: HashMap<Term, f64> = HashMap::new();
    let mut add = |text: &str, weight: f64| {
        for term in terms(text) {
            *weights.entry(term).or_default() += weight;
        }
    };
    add(tool.name.as_str(), IN_NAME);
    add(&tool.description, IN_DESCRIPTION);
    let arguments = tool.parameters["properties"].as_object();
    for (name, schema) in arguments.into_iter().flatten() {
        add(name, IN_ARGUMENT_NAME);
        add(
            schema["description"].as_str().unwrap_or(""),
            IN_ARGUMENT_TEXT,
        );
        let choices = schema["enum"].as_array().into_iter().flatten();
        choices
            .filter_map(Value::as_str)
            .for_each(|choice| add(choice, IN_ARGUMENT_TEXT));
    }
    weights
}
