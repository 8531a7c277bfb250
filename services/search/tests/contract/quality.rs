//! How well main text is found, measured against pages whose main text was marked by hand: each
//! page of `tests/site` with a `.main` file beside it.

use crate::site::{House, Site, fixtures};
use std::collections::HashMap;

/// Words that are compared together.
const SHINGLE: usize = 4;
/// What the mean over all pages must reach, 0 to 1.
const F1_FLOOR: f64 = 0.97;
/// What each page must reach, 0 to 1.
const EACH_FLOOR: f64 = 0.85;

fn shingles(text: &str) -> HashMap<Vec<String>, usize> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut counts = HashMap::new();
    for shingle in words.windows(SHINGLE) {
        *counts.entry(shingle.to_vec()).or_default() += 1;
    }
    counts
}

/// Precision, recall and their harmonic mean.
fn compare(found: &str, marked: &str) -> (f64, f64, f64) {
    let (found, marked) = (shingles(found), shingles(marked));
    let both: usize = found
        .iter()
        .map(|(shingle, count)| *count.min(marked.get(shingle).unwrap_or(&0)))
        .sum();
    let share = |of: &HashMap<_, usize>| both as f64 / of.values().sum::<usize>().max(1) as f64;
    let (precision, recall) = (share(&found), share(&marked));
    (
        precision,
        recall,
        2.0 * precision * recall / (precision + recall).max(f64::EPSILON),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn main_text_is_found() {
    let site = Site::start().await;
    let house = House::of(&site);
    let mut names: Vec<String> = std::fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "main")
        })
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 25, "{}", names.len());
    let mut sums = (0.0, 0.0, 0.0);
    let mut report = String::new();
    let mut worst = (1.0, String::new());
    for name in &names {
        let found = house.page(&site.page(name)).await.extracted.unwrap();
        let marked = std::fs::read_to_string(fixtures().join(format!("{name}.main"))).unwrap();
        let (precision, recall, f1) = compare(&found, &marked);
        report.push_str(&format!("{name:12} {precision:.3} {recall:.3} {f1:.3}\n"));
        sums = (sums.0 + precision, sums.1 + recall, sums.2 + f1);
        if f1 < worst.0 {
            worst = (f1, name.clone());
        }
    }
    let count = names.len() as f64;
    let mean = (sums.0 / count, sums.1 / count, sums.2 / count);
    report.push_str(&format!(
        "mean         {:.3} {:.3} {:.3}",
        mean.0, mean.1, mean.2
    ));
    assert!(
        mean.2 >= F1_FLOOR && worst.0 >= EACH_FLOOR,
        "\n{report}\nworst: {worst:?}"
    );
    // Shown where somebody asks for it: nextest keeps what a passing test says.
    std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn languages_and_dates_are_told() {
    let site = Site::start().await;
    let house = House::of(&site);
    for (name, language, date) in [
        ("lighthouse", "en", Some("2024-05-01")),
        ("bees", "en", Some("2023-04-11")),
        ("bread", "en", Some("2022-11-05")),
        ("train", "en", Some("2025-09-18")),
        ("volcano", "en", Some("2021-03-07")),
        ("solar", "en", Some("2024-08-20")),
        ("bridge", "en", None),
        ("bruecke", "de", Some("2024-05-28")),
        ("storch", "de", None),
        ("kaffee", "de", None),
        ("marche", "fr", Some("2024-03-14")),
        ("phare", "fr", None),
    ] {
        let page = house.page(&site.page(name)).await;
        assert_eq!(page.language.as_deref(), Some(language), "{name}");
        let told = page.date.map(|date| date.to_string()[..10].to_owned());
        assert_eq!(told.as_deref(), date, "{name}");
    }
    let umlauts = house.page(&site.page("storch")).await;
    assert!(
        umlauts.extracted.unwrap().contains("Weißstörche"),
        "a page in ISO 8859-1"
    );
}
