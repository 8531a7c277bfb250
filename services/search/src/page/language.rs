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

/// The shortest tag of a language: two letters where there are some (ISO 639-1).
fn tag(language: Lang) -> &'static str {
    match language {
        Lang::Afr => "af",
        Lang::Aka => "ak",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jav => "jv",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Sna => "sn",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "tl",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
        other => other.code(),
    }
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
