//! Sentences, and what in them must not be lost: by rules, without a model.

/// Longest sentence that is kept, characters.
pub(crate) const SENTENCE_CHARACTERS: usize = 400;
/// Most sentences that one message is believed to be made of.
const SENTENCES: usize = 400;

/// Words by which a sentence of the user asks to be kept to. Lower case, between spaces.
const RULES: [&str; 20] = [
    "always",
    "never",
    "must",
    "do not",
    "don't",
    "dont",
    "only",
    "prefer",
    "avoid",
    "from now on",
    "no longer",
    "make sure",
    "keep in mind",
    "remember",
    "please use",
    "stick to",
    "at all times",
    "every time",
    "forbidden",
    "should not",
];

/// The beginnings of a sentence that corrects what was said before.
const CORRECTIONS: [&str; 9] = [
    "correction",
    "actually",
    "i was wrong",
    "scratch that",
    "on second thought",
    "i meant",
    "change of plan",
    "sorry",
    "forget what i said",
];

/// The sentences of a text in order, without the space around them. Code blocks and quoted lines
/// are somebody else's words and are left out. A dot inside a word, as in a path, ends nothing.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.starts_with('>') {
            continue;
        }
        split_line(line, &mut out);
        if out.len() >= SENTENCES {
            break;
        }
    }
    out.truncate(SENTENCES);
    out
}

fn split_line<'a>(line: &'a str, out: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut previous = ' ';
    for (index, c) in line.char_indices() {
        if c.is_whitespace()
            && matches!(previous, '.' | '!' | '?')
            && !abbreviated(&line[start..index])
        {
            push(&line[start..index], out);
            start = index;
        }
        previous = c;
    }
    push(&line[start..], out);
}

/// Whether a dot belongs to the word before it: `e.g.`, an initial.
fn abbreviated(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or("");
    let letters = last.chars().filter(|c| c.is_alphabetic()).count();
    last.ends_with('.')
        && (letters == 1 && last.len() <= 2 || matches!(last, "e.g." | "i.e." | "etc." | "vs."))
}

fn push<'a>(piece: &'a str, out: &mut Vec<&'a str>) {
    let piece = piece
        .trim()
        .trim_start_matches(['-', '*', '•'])
        .trim_start();
    if piece.chars().any(char::is_alphanumeric) {
        out.push(piece);
    }
}

/// The first characters of a text on one line.
pub(crate) fn one_line(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

/// Lower case, words parted by single spaces, punctuation but for what is inside words gone; with a
/// space at both ends, so that whole words can be looked for.
pub(crate) fn normal(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text.split_whitespace() {
        let word =
            word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~' | '_'));
        if !word.is_empty() {
            out.extend(word.chars().flat_map(char::to_lowercase));
            out.push(' ');
        }
    }
    out.replace('’', "'")
}

/// Whether a sentence of the user says what is to be kept to, or corrects what was said.
pub(crate) fn is_rule(sentence: &str) -> bool {
    if sentence.ends_with('?') || sentence.chars().count() > SENTENCE_CHARACTERS {
        return false;
    }
    let normal = normal(sentence);
    RULES
        .iter()
        .any(|word| normal.contains(&format!(" {word} ")))
        || is_correction(&normal)
        || replaced(sentence).is_some()
}

fn is_correction(normal: &str) -> bool {
    CORRECTIONS
        .iter()
        .any(|word| normal.starts_with(&format!(" {word} ")))
}

/// What a sentence says is not so any more: the words after `not`, `instead of`, `rather than`.
pub(crate) fn replaced(sentence: &str) -> Option<String> {
    let normal = normal(sentence);
    let markers = [
        " instead of ",
        " rather than ",
        " and not ",
        " not ",
        " no longer ",
    ];
    let negated = [
        " do not ",
        " must not ",
        " should not ",
        " does not ",
        " is not ",
        " are not ",
        " not only ",
    ];
    let (start, marker) = markers
        .iter()
        .find_map(|marker| Some((normal.find(marker)?, *marker)))?;
    if start == 0 || negated.iter().any(|phrase| normal.contains(phrase)) {
        return None;
    }
    let phrase = normal[start + marker.len()..].trim();
    let words: Vec<&str> = phrase.split(' ').take(4).collect();
    let telling = words.iter().any(|word| word.len() > 2);
    (telling && phrase.split(' ').count() <= 6).then(|| words.join(" "))
}

/// The words of a text that say something by themselves: paths, numbers, names, what is quoted.
/// Each once, in order, as they stand.
pub(crate) fn telling(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let mut begins = true;
    for raw in text.split_whitespace() {
        let word = bare(raw);
        let ends = raw.ends_with(['.', '!', '?', ':']);
        if is_telling(word, begins) && !out.contains(&word) {
            out.push(word);
        }
        begins = ends;
    }
    out
}

/// A word without the marks around it.
fn bare(raw: &str) -> &str {
    raw.trim_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '/' | '~' | '_' | '%' | '$' | '€')
    })
}

/// The words of a text as [`telling`] has them, and the parts of each between its marks: `port:8443`, `port`,
/// `8443`.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|raw| {
        let word = bare(raw);
        let parts = word.split(|c: char| !c.is_alphanumeric());
        parts.chain([word])
    })
}

fn is_telling(word: &str, begins_sentence: bool) -> bool {
    let characters = word.chars().count();
    if characters < 2 {
        return false;
    }
    let digit = word.chars().any(|c| c.is_ascii_digit());
    let inner_mark = word
        .chars()
        .skip(1)
        .take(characters.saturating_sub(2))
        .any(|c| matches!(c, '/' | '_' | '.' | ':' | '@' | '-'));
    let capital_inside = word.chars().skip(1).any(char::is_uppercase);
    let capital = word.starts_with(char::is_uppercase) && !begins_sentence;
    digit || is_path(word) || inner_mark || capital_inside || capital
}

/// Whether a word looks like a path of a file or folder.
pub(crate) fn is_path(word: &str) -> bool {
    if word.contains("://") || word.chars().count() < 3 {
        return false;
    }
    let extension = word.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
            && stem.chars().any(|c| c.is_alphanumeric())
    });
    let slashes = word.contains('/') && word.chars().any(char::is_alphanumeric);
    extension || slashes
}

/// The paths in a text, each once.
pub(crate) fn paths(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let is_between =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | '>');
    for (index, opened) in text.split('<').enumerate() {
        for (at, raw) in opened.split(is_between).enumerate() {
            let word = raw.trim_end_matches(['.', ':', ';', '!', '?']);
            let is_tag = index > 0 && at == 0 && is_tag(word);
            if is_path(word) && !is_tag && !out.contains(&word) {
                out.push(word);
            }
        }
    }
    out
}

/// Whether what stands after `<` ends a part of a document, such as `/journal` or `br/`.
fn is_tag(word: &str) -> bool {
    let name = word.strip_prefix('/').or_else(|| word.strip_suffix('/'));
    name.is_some_and(|name| !name.contains(['/', '.']))
}

/// Whether every path and number in `text` stands in `source` too, as a whole word.
pub(crate) fn is_borne_out(text: &str, source: &str) -> bool {
    let source_normal = normal(source);
    telling(text)
        .into_iter()
        .filter(|word| is_path(word) || word.chars().any(|c| c.is_ascii_digit()))
        .all(|word| source.contains(word) || source_normal.contains(normal(word).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        let text = "Use tabs. The config is in src/main.rs, e.g. line 3! Is it?\n- never push\n\
                    > quoted always\n```\nyou must never\n```\nVersion 1.2.3 is fine.";
        assert_eq!(
            sentences(text),
            [
                "Use tabs.",
                "The config is in src/main.rs, e.g. line 3!",
                "Is it?",
                "never push",
                "Version 1.2.3 is fine."
            ]
        );
    }

    #[test]
    fn rules_and_corrections_of_the_user_are_known_and_questions_are_none() {
        for rule in [
            "Always answer in German.",
            "never touch /etc",
            "Please do not rename files.",
            "From now on use port 9000.",
            "Use pnpm, not npm.",
            "Correction: the deadline is the 5th.",
            "Actually, call it Atlas.",
        ] {
            assert!(is_rule(rule), "{rule}");
        }
        for other in [
            "Should I always do it?",
            "Read the file.",
            "The nothing is knotted.",
        ] {
            assert!(!is_rule(other), "{other}");
        }
    }

    #[test]
    fn what_a_correction_replaces_is_found_and_a_prohibition_replaces_nothing() {
        assert_eq!(replaced("Use pnpm, not npm.").as_deref(), Some("npm"));
        assert_eq!(
            replaced("Take port 9443 instead of 8443").as_deref(),
            Some("8443")
        );
        assert_eq!(replaced("Do not rename files."), None);
        assert_eq!(replaced("Never mind."), None);
    }

    #[test]
    fn the_end_of_a_part_is_no_path() {
        let text =
            "<journal>see src/a.rs</journal><br/> and </etc/hosts> <b.txt> or /tmp\n</memory id=1>";
        assert_eq!(paths(text), ["src/a.rs", "/etc/hosts", "b.txt", "/tmp"]);
    }

    #[test]
    fn telling_words_are_paths_numbers_and_names() {
        assert_eq!(
            telling("The server of Ada listens on 8443, see conf/app.toml."),
            ["Ada", "8443", "conf/app.toml"]
        );
        assert_eq!(
            paths("wrote `src/lib.rs`, (notes.md) and https://x.org/a"),
            ["src/lib.rs", "notes.md"]
        );
        let known: Vec<&str> = parts("see `port:8443`, in Bonn.").collect();
        for word in ["port:8443", "8443", "see", "Bonn"] {
            assert!(known.contains(&word), "{known:?}");
        }
        assert!(is_borne_out("Port 8443 is used.", "it listens on 8443."));
        assert!(!is_borne_out("Port 8444 is used.", "it listens on 8443."));
    }
}
