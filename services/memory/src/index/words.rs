//! Words as the lexical index counts them: stems of the words that say something, and beside each
//! the form as it stands where that differs.

use retrieval::words;

/// Longest word that is indexed, bytes.
const WORD_BYTES: usize = 64;
/// Stands before a form as it stands, so that no stem is taken for one. No word holds it.
const AS_IT_STANDS: char = '=';

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its stem.
    pub(super) stem: String,
    /// How it stands, marked, where that differs.
    pub(super) form: Option<String>,
}

/// Every word of a text that says something.
pub(super) fn of(text: &str) -> impl Iterator<Item = Word> + use<> {
    let plain = words::without_accents(text);
    let found: Vec<Word> = words::words(&plain)
        .filter(|word| word.text.len() <= WORD_BYTES)
        .map(|word| word.text.to_lowercase())
        .filter(|form| !words::is_stop_word(form))
        .map(|form| {
            let stem = words::stem(&form);
            let form = (form != stem).then(|| format!("{AS_IT_STANDS}{form}"));
            Word { stem, form }
        })
        .collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Option<String>)> {
        of(text).map(|word| (word.stem, word.form)).collect()
    }

    #[test]
    fn a_word_is_its_stem_and_how_it_stands() {
        let kept = |stem: &str| (stem.to_owned(), None);
        let cut = |stem: &str, form: &str| (stem.to_owned(), Some(format!("={form}")));
        assert_eq!(
            found("Ann's dogs were running, 2023-05!"),
            [
                kept("ann"),
                cut("dog", "dogs"),
                cut("run", "running"),
                kept("2023"),
                kept("05"),
            ]
        );
        let long = "x".repeat(WORD_BYTES + 1);
        assert_eq!(
            found(&format!("bear {long} cub")),
            [kept("bear"), kept("cub")]
        );
    }
}
