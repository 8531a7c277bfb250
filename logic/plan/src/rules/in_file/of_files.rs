//! A question of several files that it names: each is asked for its own part, and one that has no answer is said
//! to be left out.

use super::lines::Lines;
use super::{counted, counted_files, lacking_files, packages, section_told, superlative, told};
use crate::named;

/// How a part of a question begins that has no asking words of its own.
const ASKS: &str = "what is";
/// Words with which one begins that has some.
const ASKING: [&str; 12] = [
    "what", "what's", "whats", "which", "who", "where", "how", "when", "is", "on", "at", "in",
];

/// Words beside the name of a file that ask nothing.
const BESIDE: [&str; 10] = [
    "in", "of", "from", "at", "on", "the", "file", "files", "both", "also",
];

/// What files say to a question, by their places; `None` where none of them says anything.
pub(crate) fn answers(question: &str, texts: &[(String, String)]) -> Option<String> {
    let named = named::files_of(question);
    let parts = match named.len() {
        0 | 1 => Vec::new(),
        _ => parts(question, &named),
    };
    if let Some((thing, is_least)) = superlative::compared(question).filter(|_| named.is_empty()) {
        return superlative::of_files(&thing, is_least, texts);
    }
    let of_all =
        || lacking_files::told(question, texts).or_else(|| counted_files::told(question, texts));
    if let Some(told) = of_all().filter(|_| named.is_empty()) {
        return Some(told);
    }
    if let Some(word) = counted::reported(question).filter(|_| named.is_empty()) {
        let [(path, text)] = texts else { return None };
        return Some(counted::told_reports(&word, path, text));
    }
    if let [(path, text)] = texts
        && named.is_empty()
    {
        if let Some(asked) = counted::of_the_log(question, path) {
            return told::answer(&asked, path, text);
        }
        if let Some(release) = section_told::release(question) {
            return section_told::of_release(&release, path, text);
        }
    }
    let are_all = packages::are_asked(question) && named.is_empty();
    let package = packages::asked(question).filter(|_| named.is_empty());
    let mut answered: Vec<&String> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (place, text) in texts {
        let own = parts.iter().find(|(path, _)| are_one(path, place));
        let asked = own.map_or(question, |(_, part)| part.as_str());
        let said = match &package {
            Some(name) => Lines { path: place, text }.told_package(name),
            None if are_all => {
                let asked = format!("which dependencies does {place} have?");
                told::answer(&asked, place, text)
            }
            None => told::answer(asked, place, text),
        };
        if let Some(said) = said {
            told.push(said);
            answered.push(place);
        }
    }
    if told.is_empty() {
        return None;
    }
    let is_left = |path: &&String| !answered.iter().any(|place| are_one(path, place));
    let left: Vec<&str> = named.iter().filter(is_left).map(String::as_str).collect();
    if named.len() > 1 && !left.is_empty() {
        told.push(format!(
            "What the question asks of {} is left out: no line there has it by the name in the question.",
            left.join(" and of ")
        ));
    }
    Some(told.join("\n\n"))
}

/// Whether two paths are of one file.
fn are_one(one: &str, other: &str) -> bool {
    one.trim_start_matches("./") == other.trim_start_matches("./")
}

/// The parts of a question, each with the only file that it names; none where they do not part so, or one asks
/// nothing by itself: `in a.toml and b.toml`.
fn parts(question: &str, named: &[String]) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut open = String::new();
    for piece in question.split(" and ") {
        let joint = if open.is_empty() { "" } else { " and " };
        open = format!("{open}{joint}{piece}");
        let files = named::files_of(&open);
        let [file] = files.as_slice() else { continue };
        let mut words = open.split_whitespace();
        let asks = |word: &str| {
            let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
            !BESIDE.contains(&word.to_lowercase().as_str()) && !named::files_of(word).contains(file)
        };
        if !words.clone().any(asks) {
            return Vec::new();
        }
        let first = words.next().unwrap_or_default();
        let begins = ASKING.contains(&first.to_lowercase().as_str()) || parts.is_empty();
        let part = match begins {
            true => open.clone(),
            false => format!("{ASKS} {open}"),
        };
        parts.push((file.clone(), part));
        open.clear();
    }
    let is_whole = open.is_empty() && parts.len() == named.len();
    if is_whole { parts } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_file_can_mean_is_told_of_it() {
        use crate::rules::in_file::of_folder::files_for;
        let here = ["a/package.json", "logs/app.log", "pyproject.toml", "x.md"].map(str::to_owned);
        let project = "[project]\ndependencies = [\n    \"click==8\",\n    \"rich\",\n]\n";
        for question in [
            "list the dependencies",
            "which packages do we use?",
            "how many dependencies does this project have?",
        ] {
            assert_eq!(files_for(question, &here), ["pyproject.toml"], "{question}");
            let told = answers(
                question,
                &[("pyproject.toml".to_owned(), project.to_owned())],
            );
            let told = told.unwrap_or_default();
            assert!(told.contains("has 2 items: click==8, rich"), "{told}");
        }
        let question = "how many errors are in the log?";
        assert_eq!(files_for(question, &here), ["logs/app.log"]);
        let log = [(
            "logs/app.log".to_owned(),
            "ERROR a\nok\nno error\n".to_owned(),
        )];
        let told = answers(question, &log).unwrap_or_default();
        assert!(
            told.starts_with("2 lines of logs/app.log have `error`"),
            "{told}"
        );
        let two = ["a.log", "b.log"].map(str::to_owned);
        assert!(files_for(question, &two).is_empty());
    }

    #[test]
    fn each_file_answers_its_own_part_and_what_is_left_out_is_said() {
        let nginx = "server {\n    listen 80;\n    server_name example.org;\n}\n";
        let ini = "[mail]\nserver = smtp.example.org\nport = 587\n";
        let compose = "services:\n  web:\n    environment:\n      - TZ=Europe/Berlin\n";
        let texts = [
            ("conf/nginx.conf".to_owned(), nginx.to_owned()),
            ("settings.ini".to_owned(), ini.to_owned()),
            ("compose.yml".to_owned(), compose.to_owned()),
        ];
        for (question, says, not) in [
            (
                "what is the server_name in conf/nginx.conf and the port in settings.ini?",
                &["example.org (by", "`mail.port` is 587"][..],
                "smtp",
            ),
            (
                "which listen port has conf/nginx.conf and which port has settings.ini?",
                &["listen` is 80", "`mail.port` is 587"],
                "smtp",
            ),
            (
                "what is the TZ in compose.yml and the mail port in settings.ini?",
                &["TZ` is Europe/Berlin", "`mail.port` is 587"],
                "smtp",
            ),
            (
                "what is the colour in conf/nginx.conf and the port in settings.ini?",
                &["`mail.port` is 587", "asks of conf/nginx.conf is left out"],
                "listen",
            ),
            (
                "what is the port in settings.ini and in other.ini?",
                &["`mail.port` is 587", "asks of other.ini is left out"],
                "listen",
            ),
            (
                "what is the TZ in compose.yml and conf/nginx.conf?",
                &[
                    "TZ` is Europe/Berlin",
                    "asks of conf/nginx.conf is left out",
                ],
                "listen",
            ),
            (
                "what is the server in compose.yml and settings.ini?",
                &["smtp.example.org", "asks of compose.yml is left out"],
                "listen",
            ),
            (
                "what is the port in settings.ini?",
                &["`mail.port` is 587"],
                "left out",
            ),
        ] {
            let told = answers(question, &texts).unwrap_or_default();
            let has_all = says.iter().all(|says| told.contains(says));
            assert!(has_all && !told.contains(not), "{question}: {told}");
        }
        let nothing = "what is the colour in conf/nginx.conf and the size in settings.ini?";
        assert_eq!(answers(nothing, &texts), None);
    }
}
