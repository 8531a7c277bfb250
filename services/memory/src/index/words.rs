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

/// Every word that a text is found by.
pub(super) fn of(text: &str) -> impl Iterator<Item = Word> + use<> {
    let found: Vec<String> = words::found_by(&words::without_accents(text)).collect();
    counted(found)
}

/// Every word of a question that is looked for.
pub(super) fn asked(question: &str) -> impl Iterator<Item = Word> + use<> {
    counted(words::asked(&words::without_accents(question)))
}

fn counted(forms: Vec<String>) -> impl Iterator<Item = Word> {
    let kept = forms.into_iter().filter(|form| form.len() <= WORD_BYTES);
    kept.map(|form| {
        let stem = words::stem(&form);
        let form = (form != stem).then(|| format!("{AS_IT_STANDS}{form}"));
        Word { stem, form }
    })
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
