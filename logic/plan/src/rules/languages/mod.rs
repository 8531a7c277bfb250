//! German and Spanish orders, put into the English that the rules read.
//!
//! A row matches a whole request or nothing, so that no part of a request is lost on the way. What is
//! quoted stays as it is.

mod english;
mod german;
mod language;
mod spanish;

use super::examples;
use super::words::{is_file, pattern};
use english::ENGLISH;
use german::GERMAN;
use language::Language;
use regex::Regex;
use spanish::SPANISH;
use std::sync::LazyLock;

/// A request in English, where it is an order in another language that is known; else as it is.
pub(super) fn in_english(request: &str) -> String {
    let request = &without_fillers(&without_marks(&written_out(request.trim())));
    let first = request.split_whitespace().next().unwrap_or_default();
    let first = first
        .trim_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let spoken = |language: &&Language| language.begins.contains(&first.as_str());
    let Some(language) = [&GERMAN, &SPANISH].into_iter().find(spoken) else {
        return reworded(request);
    };
    let mut words = without(language.polite, request);
    if words.contains(": ") || words.contains(":\n") {
        // What stands behind a colon is a text with its signs.
        let bare = request.trim_end_matches(['.', '!', '?', ' ']).len();
        words.push_str(request[bare..].trim_end());
    }
    let mut english = String::new();
    for (pattern, template) in language.rows.iter() {
        if let Some(captures) = pattern.captures(&words) {
            captures.expand(template, &mut english);
            return english;
        }
    }
    request.to_owned()
}

/// An order on files that each have an `in`, with them in one list: `in a.toml and in b.json`.
fn with_one_list(request: &str) -> Option<String> {
    let (order, files) = request.split_once(" in ")?;
    let files: Vec<&str> = files
        .trim_end_matches(['.', '!', ' '])
        .split(" and in ")
        .collect();
    let (last, before) = files.split_last()?;
    let are_files = files
        .iter()
        .all(|file| is_file(file) && !file.contains(' '));
    (are_files && !before.is_empty() && !request.contains('"'))
        .then(|| format!("{order} in {} and {last}", before.join(", ")))
}

/// An English order in the words that the rules have for it, where it has others.
fn reworded(request: &str) -> String {
    let listed = with_one_list(request);
    let request = listed.as_deref().unwrap_or(request);
    let mut known = String::new();
    let found = ENGLISH.iter().find_map(|(pattern, template)| {
        let captures = pattern.captures(request)?;
        Some((captures, *template))
    });
    match found {
        Some((captures, template)) => {
            captures.expand(template, &mut known);
            known
        }
        None => request.to_owned(),
    }
}

/// The language of an order to change something that no row knows, and orders that are known. A small
/// model shows a file instead, or takes half of it.
pub(super) fn of_unknown_order(request: &str) -> Option<(&'static str, Vec<String>)> {
    let is_other = |language: &&Language| {
        let words = without(language.polite, request).to_lowercase();
        let mut words = words
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let verb = words.find(|word| !language.polite.contains(word));
        verb.is_some_and(|verb| language.acting.contains(&verb))
    };
    let language = [&GERMAN, &SPANISH].into_iter().find(is_other)?;
    let known = match examples::file(request) {
        Some(file) => {
            let examples = language.examples.iter();
            examples
                .map(|example| example.replace("{file}", &file))
                .collect()
        }
        None => vec![language.nameless.to_owned()],
    };
    Some((language.name, known))
}

/// A request in which `@notes.md`, as a file may be named at a prompt, is `notes.md`. What is quoted stays.
fn without_marks(request: &str) -> String {
    let mut plain = String::with_capacity(request.len());
    let (mut is_quoted, mut before) = (false, ' ');
    for (at, sign) in request.char_indices() {
        is_quoted ^= sign == '"';
        let rest = &request[at + sign.len_utf8()..];
        let name = rest.split_whitespace().next().unwrap_or_default();
        let is_path = name.starts_with(|c: char| c.is_alphanumeric() || "./~".contains(c))
            && name
                .trim_end_matches(['.', ',', '?', '!'])
                .contains(['.', '/']);
        if sign != '@' || is_quoted || !before.is_whitespace() || !is_path {
            plain.push(sign);
        }
        before = sign;
    }
    plain
}

/// A question with its first words written out: `what's` is `what is`.
fn written_out(request: &str) -> String {
    static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?P<polite>(?:(?:and|so|ok|okay|hey|hi),? )?)(?P<word>what|who|where)(?:['’]s|(?-i:s)) ",
        )
    });
    match SHORT.as_ref() {
        Some(short) => short.replace(request, "$polite$word is ").into_owned(),
        None => request.to_owned(),
    }
}

/// A request in which an order in passing (`and also show a.txt`, `and by the way undo`) is one like any
/// other. What is quoted stays.
fn without_fillers(request: &str) -> String {
    static FILLER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)\b(?P<joint>and|then),? (?:also|too|by the way|while you are at it),? ")
    });
    let plain = |(at, part): (usize, &str)| match FILLER.as_ref().filter(|_| at % 2 == 0) {
        Some(filler) => filler.replace_all(part, "$joint ").into_owned(),
        None => part.to_owned(),
    };
    let parts: Vec<String> = request.split('"').enumerate().map(plain).collect();
    parts.join("\"")
}

/// A request without what politeness adds before and behind the verb and at the end: within it, such a
/// word may be of a text.
fn without(polite: &[&str], request: &str) -> String {
    let skip = |text: &str| {
        let said = polite.iter().find(|one| {
            let head = text.get(..one.len());
            let begins = head.is_some_and(|head| head.eq_ignore_ascii_case(one));
            begins && text[one.len()..].starts_with([' ', ','])
        });
        let rest = &text[said.map_or(0, |one| one.len())..];
        rest.trim_start_matches([',', ' ']).to_owned()
    };
    let request = skip(request.trim_start_matches('¿'));
    let Some((verb, rest)) = request.split_once(' ') else {
        return request;
    };
    let rest = skip(rest);
    let rest = rest.trim_end_matches(['.', '!', '?', ' ']);
    let ends = |one: &&&str| rest.to_lowercase().ends_with(&format!(" {one}"));
    let rest = match polite.iter().find(ends) {
        Some(one) => rest[..rest.len() - one.len()].trim_end_matches([',', ' ']),
        None => rest,
    };
    format!("{verb} {rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_compiles() {
        let rows = GERMAN.rows.iter().chain(SPANISH.rows.iter());
        let all: Vec<_> = rows.chain(ENGLISH.iter()).collect();
        assert!(all.len() > 150);
        for (pattern, template) in all {
            assert!(pattern.compiles(), "{template}: {pattern:?}");
        }
    }

    #[test]
    fn an_order_that_no_row_knows_is_known_as_one() {
        for (says, language) in [
            ("Bitte füge Milch zu liste.txt hinzu", "German"),
            (
                "kannst du liste.txt nach docs kopieren und sortiere sie",
                "",
            ),
            ("Übersetze brief.txt ins Englische", "German"),
            ("Por favor, copia a.txt a b.txt", "Spanish"),
            ("¿puedes traduce carta.txt?", "Spanish"),
            ("copy a.txt", ""),
            ("was steht in a.txt?", ""),
            ("cuándo borra?", ""),
        ] {
            let found = of_unknown_order(says).map_or("", |(language, _)| language);
            assert_eq!(found, language, "{says}");
        }
        let nameless = [GERMAN.nameless, SPANISH.nameless];
        for example in GERMAN
            .examples
            .iter()
            .chain(&SPANISH.examples)
            .chain(&nameless)
        {
            let example = example.replace("{file}", "a.txt");
            assert!(crate::by_rules::understands(&example), "{example}");
        }
        let (_, known) = of_unknown_order("Übersetze alles ins Englische").unwrap();
        assert_eq!(known, ["zeige alle Dateien"]);
    }

    #[test]
    fn questions_are_put_into_english_as_orders_are() {
        for (says, english) in [
            (
                "Wie viele Wörter hat kapitel1.md?",
                "how many words does kapitel1.md have",
            ),
            ("Fasse bitte kapitel1.md zusammen", "summarize kapitel1.md"),
            (
                "Woran erinnerst du dich zu Anna Berg?",
                "what do you remember about Anna Berg",
            ),
            ("¿Qué sabes de Anna?", "what do you know about Anna"),
            ("zähle die Wörter in a.md", "count the words in a.md"),
            (
                "set a to 1 in b.toml, and also show \"and also\"",
                "set a to 1 in b.toml, and show \"and also\"",
            ),
        ] {
            assert_eq!(in_english(says), english);
        }
    }

    #[test]
    fn lines_by_their_numbers_are_put_into_english() {
        for (says, english) in [
            (
                "Zeige mir die Zeilen 2 bis 4 von a.txt",
                "show lines 2 to 4 of a.txt",
            ),
            ("zeig bitte Zeile 3 aus a.txt an", "show line 3 of a.txt"),
            (
                "zeig mir die ersten 2 Zeilen von kapitel1.md",
                "show the first 2 lines of kapitel1.md",
            ),
            (
                "Zeige bitte die letzten 2 Zeilen von notes.md",
                "show the last 2 lines of notes.md",
            ),
            (
                "zeige die letzten zwei Zeilen von logs/app.log",
                "show the last zwei lines of logs/app.log",
            ),
            (
                "gib mir die letzte Zeile von a.txt",
                "show the last line of a.txt",
            ),
            (
                "muestra las primeras 2 líneas de a.txt",
                "show the first 2 lines of a.txt",
            ),
            (
                "muestra las líneas 2 a 4 de a.txt",
                "show lines 2 to 4 of a.txt",
            ),
            ("Muéstrame la línea 3 de a.txt", "show line 3 of a.txt"),
        ] {
            assert_eq!(in_english(says), english);
        }
    }

    #[test]
    fn whole_orders_are_put_into_english_and_nothing_else() {
        for (says, english) in [
            ("Lösche bitte die Datei alt.txt.", "delete the file alt.txt"),
            (
                "Erstelle die Datei gruss.txt mit dem Text \"Guten Morgen\".",
                "create the file gruss.txt with the text \"Guten Morgen\"",
            ),
            (
                "Ersetze rot durch blau in farben.md",
                "replace rot with blau in farben.md",
            ),
            (
                "Wie viele Zeilen hat gedicht.txt?",
                "how many lines does gedicht.txt have",
            ),
            ("Borra el archivo viejo.txt.", "delete the file viejo.txt"),
            (
                "Crea el archivo saludo.txt con el texto \"Buenos días\".",
                "create the file saludo.txt with the text \"Buenos días\"",
            ),
            (
                "¿Cuántas líneas tiene poema.txt?",
                "how many lines does poema.txt have",
            ),
            (
                "Mueve foto.txt a la carpeta fotos, por favor",
                "move foto.txt into the folder fotos",
            ),
            (
                "Erstelle bitte die Datei a.txt mit dem Text \"bitte  warten\"",
                "create the file a.txt with the text \"bitte  warten\"",
            ),
            (
                "Bitte ändere in verein.md den Beitrag auf 48 Euro.",
                "set the Beitrag in verein.md to 48 Euro",
            ),
            (
                "Setz bitte in haushalt.csv die Miete auf 910.",
                "set the Miete in haushalt.csv to 910",
            ),
            (
                "cambia el puerto en a.toml a 9000",
                "set the puerto in a.toml to 9000",
            ),
            // What is left over is lost in no row.
            (
                "Lösche die Datei alt.txt und neu.txt",
                "Lösche die Datei alt.txt und neu.txt",
            ),
            (
                "Welchen Port setzt settings.toml?",
                "Welchen Port setzt settings.toml?",
            ),
            ("delete the file alt.txt", "delete the file alt.txt"),
            // As a file is named at a prompt.
            ("append tea to @list.txt", "append tea to list.txt"),
            ("show @docs/a", "show docs/a"),
            (
                "append \"@a.txt\" to a@b.txt and @ann",
                "append \"@a.txt\" to a@b.txt and @ann",
            ),
        ] {
            assert_eq!(in_english(says), english);
        }
    }
}
