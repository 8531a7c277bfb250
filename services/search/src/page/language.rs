//! The language of a text, as BCP 47 writes it.

use whatlang::Lang;

/// Fewest letters that a language is told by.
const FEWEST_LETTERS: usize = 24;
/// How much of a text is looked at, characters.
const LOOK_CHARS: usize = 4_000;

/// The language of a text: as its letters and words tell, else as the page says.
pub(crate) fn of(text: &str, said: Option<&str>) -> Option<String> {
    let head: String = text.chars().take(LOOK_CHARS).collect();
    let letters = head.chars().filter(|c| c.is_alphabetic()).count();
    let told = whatlang::detect(&head)
        .filter(|info| letters >= FEWEST_LETTERS && info.is_reliable())
        .map(|info| tag(info.lang()).to_owned());
    told.or_else(|| said.and_then(as_tag))
}

/// What a page says, if it has the form of a language tag.
fn as_tag(said: &str) -> Option<String> {
    let said = said.trim().replace('_', "-");
    let mut parts = said.split('-');
    let main = parts.next().unwrap_or_default();
    let is_language =
        (2..=3).contains(&main.len()) && main.bytes().all(|b| b.is_ascii_alphabetic());
    let rest_fits = parts.all(|part| {
        (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    (is_language && rest_fits && said.len() <= 35).then(|| {
        let rest = &said[main.len()..];
        format!("{}{rest}", main.to_ascii_lowercase())
    })
}

/// Three letters (ISO 639-3) and the two that BCP 47 prefers (ISO 639-1).
#[rustfmt::skip]
const TAGS: &[(&str, &str)] = &[
    ("cym", "cy"),
    ("afr", "af"), ("aka", "ak"), ("amh", "am"), ("ara", "ar"), ("aze", "az"), ("bel", "be"),
    ("ben", "bn"), ("bul", "bg"), ("cat", "ca"), ("ces", "cs"), ("cmn", "zh"), ("dan", "da"),
    ("deu", "de"), ("ell", "el"), ("eng", "en"), ("epo", "eo"), ("est", "et"), ("fin", "fi"),
    ("fra", "fr"), ("guj", "gu"), ("heb", "he"), ("hin", "hi"), ("hrv", "hr"), ("hun", "hu"),
    ("hye", "hy"), ("ind", "id"), ("ita", "it"), ("jav", "jv"), ("jpn", "ja"), ("kan", "kn"),
    ("kat", "ka"), ("khm", "km"), ("kor", "ko"), ("lat", "la"), ("lav", "lv"), ("lit", "lt"),
    ("mal", "ml"), ("mar", "mr"), ("mkd", "mk"), ("mya", "my"), ("nep", "ne"), ("nld", "nl"),
    ("nob", "nb"), ("ori", "or"), ("pan", "pa"), ("pes", "fa"), ("pol", "pl"), ("por", "pt"),
    ("ron", "ro"), ("rus", "ru"), ("sin", "si"), ("slk", "sk"), ("slv", "sl"), ("sna", "sn"),
    ("spa", "es"), ("srp", "sr"), ("swe", "sv"), ("tam", "ta"), ("tel", "te"), ("tgl", "tl"),
    ("tha", "th"), ("tuk", "tk"), ("tur", "tr"), ("ukr", "uk"), ("urd", "ur"), ("uzb", "uz"),
    ("vie", "vi"), ("yid", "yi"), ("zul", "zu"),
];

/// The shortest tag of a language.
fn tag(language: Lang) -> &'static str {
    let code = language.code();
    let short = TAGS.iter().find(|(long, _)| *long == code);
    short.map_or(code, |(_, short)| short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_its_language_before_the_page_does() {
        let german =
            "Der Leuchtturm steht seit hundert Jahren auf der Klippe und warnt die Schiffe.";
        assert_eq!(of(german, Some("en")).as_deref(), Some("de"));
        let french = "Le phare se dresse sur la falaise depuis cent ans et avertit les navires.";
        assert_eq!(of(french, None).as_deref(), Some("fr"));
        assert_eq!(of("42", Some("de-AT")).as_deref(), Some("de-AT"));
        assert_eq!(of("42", None), None);
    }

    #[test]
    fn every_language_that_is_told_has_its_shortest_tag() {
        for language in Lang::all() {
            assert_eq!(tag(*language).len(), 2, "{language:?}");
        }
    }

    #[test]
    fn what_a_page_says_is_taken_in_the_form_of_a_tag_only() {
        assert_eq!(as_tag("EN_us").as_deref(), Some("en-us"));
        for bad in [
            "",
            "english",
            "x",
            "en-",
            "en; ignore",
            "e1",
            "de-averylongpart",
        ] {
            assert_eq!(as_tag(bad), None, "{bad}");
        }
    }
}
