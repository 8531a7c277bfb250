//! What a file of settings sets, told in answer to a question, without a model.

use super::groups::Group;
use super::lines::Lines;
use super::spaced::Mention;
use super::unset::unset;
use super::value::Value;
use super::{
    cells, column_numbers, counted, cron, environment, line_filter, line_told, paragraphs,
    rows_told, section_told, sections, superlative, written,
};
use crate::rules::words::pattern;
use crate::turned::Turned;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most values that an answer tells; where more fit, the question is of something else.
const TOLD: usize = 6;

/// A name of a value, of one word or of several.
const NAME: &str = r"[\w.-]+(?:[ \t][\w.-]+)*";

/// How a question for a value begins.
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:can|could|would) you )?(?:please )?(?:tell me )?(?:on |at |to |in |under |for )?(?:which|what|what['’]?s|who|where)\b|^(?:(?:an|auf|unter|in|bei|zu) )?(?:welche[rsnm]?|was|wer|wo|wie (?:hoch|groß|lautet|heißt))\b|^is \S.* (?:on|off|enabled|disabled|set|active)\b",
    )
});
/// Words of questions that no value answers.
static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:why|how|mean|means|meant|explain|should|would|difference|differ|changed?|wrong|happens?|line|lines|words?|if|warum|wieso|weshalb|bedeutet|geändert|falsch|unterschied|zeilen?|wörter|alle|sections?|keys|settings|all)\b",
    )
});

/// The words of a name, in small letters and without a plural.
fn words(name: &str) -> BTreeSet<String> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(singular).collect()
}

/// The words of a name that has humps: `PasswordAuthentication`.
fn humps(name: &str) -> BTreeSet<String> {
    let mut parted = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !parted.ends_with(|c: char| c.is_uppercase()) {
            parted.push(' ');
        }
        parted.push(c);
    }
    words(&parted)
}

/// The words of a name as a question has them, which may part its humps.
fn asked_words(name: &str, question: &BTreeSet<String>) -> BTreeSet<String> {
    let own = words(name);
    match own.is_subset(question) {
        true => own,
        false => humps(name),
    }
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// A question without the name of the file, whose words name no value.
fn without_path(question: &str, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    question.replace(path, " ").replace(name, " ")
}

/// Whether a question may be one for a value, and a file one that holds some.
pub(crate) fn may_answer(question: &str, path: &str) -> bool {
    let question = &without_path(question, path);
    let ending = Lines { path, text: "" }.ending();
    let is_of_cells = is_table(&ending)
        && (cells::column_asked(question).is_some() || rows_told::may_ask(question));
    let asks = is_of_a_value(question) || is_of_cells;
    let has_names =
        sections::are_known(&ending) || written::is_package_list(path) || is_table(&ending);
    (asks && (has_names || is_program(&ending)))
        || line_told::may_tell(question, path)
        || section_told::may_tell(question, path)
        || cron::may_tell(question, path)
        || (is_program(&ending) && environment::may_tell(question))
        || superlative::may_tell(question, path)
}

/// Whether a question, without the name of its file, is for a value.
fn is_of_a_value(question: &str) -> bool {
    let hits =
        |form: &LazyLock<Option<Regex>>| form.as_ref().is_some_and(|form| form.is_match(question));
    let asks = hits(&ASKS) && !hits(&OTHERS);
    asks || asks_amount(question) || cells::column_asked(question).is_some()
}

/// Whether a question is for how long, how big or how many something is that a file sets.
pub(crate) fn asks_amount(question: &str) -> bool {
    static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:tell me )?how (?:(?:long|big|large|high|low) (?:is|are) (?:the )?(?P<a>[\w.-]+)|many (?P<b>[\w-]+) (?:does|do|has|have|are|is)\b)",
        )
    });
    const OF_TEXTS: [&str; 14] = [
        "lines",
        "words",
        "characters",
        "chars",
        "bytes",
        "letters",
        "sections",
        "keys",
        "settings",
        "times",
        "files",
        "folders",
        "people",
        "errors",
    ];
    let found = AMOUNT
        .as_ref()
        .and_then(|amount| amount.captures(question.trim()));
    let Some(found) = found else { return false };
    let thing = found.name("a").or_else(|| found.name("b"));
    thing.is_some_and(|thing| !OF_TEXTS.contains(&thing.as_str().to_lowercase().as_str()))
}

/// Whether a file has tables, by its ending.
fn is_table(ending: &str) -> bool {
    ["csv", "tsv", "md", "markdown"].contains(&ending)
}

/// Whether a file is code, or a Makefile: it has values among what is none.
fn is_program(ending: &str) -> bool {
    written::is_code(ending) || ending == "mk"
}

/// What a file sets that a question asks for: each value by its place, with the lines it stands in.
/// `None` where the file holds no settings, or none is named by the question.
pub(crate) fn answer(question: &str, path: &str, text: &str) -> Option<String> {
    let of_places = counted::told(question, path, text)
        .or_else(|| paragraphs::told(question, path, text))
        .or_else(|| section_told::told(question, path, text));
    if of_places.is_some() {
        return of_places;
    }
    let lines = Lines { path, text };
    let ending = lines.ending();
    // `how many rows are not paid` is of a column and of no word.
    if is_table(&ending)
        && let Some(told) = lines.told_turned(&without_path(question, path), words)
    {
        return Some(told);
    }
    if let Some(told) = line_filter::told(question, &lines) {
        return Some(told);
    }
    if let Some(told) = cron::told(question, &lines) {
        return Some(told);
    }
    // What has the words of a question that turns a condition round says the contrary.
    if !is_table(&ending) && Turned::of(&without_path(question, path)).is_some() {
        return None;
    }
    if written::is_code(&ending) && environment::may_tell(&without_path(question, path)) {
        return environment::told(path, text);
    }
    if let Some(told) = column_numbers::told(question, &lines) {
        return Some(told);
    }
    if let Some(told) = superlative::told(&without_path(question, path), &lines, words) {
        return Some(told);
    }
    if !may_answer(question, path) {
        return None;
    }
    if is_table(&ending) {
        return of_table(question, &lines);
    }
    if let Some(line) = line_told::told(question, path, text) {
        return Some(line);
    }
    let unset = unset(&ending, text);
    // What only opens a list or a section is no value.
    let is_whole = |value: &Value| {
        let text = text[value.place.clone()].trim();
        let pairs = [('{', '}'), ('[', ']')];
        let mut open = pairs.iter().filter(|(open, _)| text.starts_with(*open));
        value.quote.is_some()
            || (open.all(|(_, close)| text.ends_with(*close))
                && !text.contains('\n')
                && !text.starts_with(['|', '>', '&']))
    };
    let is_set = |value: &Value| {
        is_whole(value) && !unset.iter().any(|part| part.contains(&value.place.start))
    };
    let mut all = lines.values_of(NAME);
    all.extend(lines.spaced_values_of(r"[\w.-]+"));
    all.extend(lines.all_packages());
    let mut all: Vec<Value> = all.into_iter().filter(is_set).collect();
    if written::is_code(&ending) {
        // What a program reckons is no value that could be told.
        all.retain(|value| {
            value.quote.is_some() || written::is_literal(&text[value.place.clone()])
        });
    }
    told_values(&lines, question, all)
}

/// What a file that may hold a table says: a cell, rows, or a line.
fn of_table(question: &str, lines: &Lines<'_>) -> Option<String> {
    let asked = without_path(question, lines.path);
    let is_turned = Turned::of(&asked).is_some_and(|turned| turned.word != "no");
    // One cell or one line may say the contrary of what is compared or turned round.
    let is_plain = !rows_told::compares(&asked) && !is_turned;
    let cells = lines.told_cells(&asked, words);
    let line = || line_told::told(question, lines.path, lines.text);
    cells
        .filter(|_| is_plain && is_of_a_value(&asked))
        .or_else(|| lines.told_rows(&asked, words))
        .or_else(|| line().filter(|_| is_plain))
}

/// What is told of those of these values, and of the lists of the file, that a question names.
fn told_values(lines: &Lines<'_>, question: &str, mut all: Vec<Value>) -> Option<String> {
    let (path, is_program) = (lines.path, is_program(&lines.ending()));
    let said = question.to_lowercase();
    let question = words(&without_path(question, path));
    let groups = match is_program {
        true => Vec::new(),
        false => lines.lists(),
    };
    all.extend(groups.iter().map(|group| group.value.clone()));
    let asked = named(&all, &question);
    if asked.is_empty() {
        let told = table_asked(lines, &question, &all);
        return told.or_else(|| not_set(lines, &question).filter(|_| !is_program));
    }
    let telling = Telling {
        lines,
        groups: &groups,
    };
    if asked.len() > TOLD || (is_program && asked.len() > 1) {
        return None;
    }
    if let Some(told) = telling.of_nobody_asked(&said, (&asked, &all)) {
        return Some(told);
    }
    let told: Vec<String> = asked.iter().map(|value| telling.stated(value)).collect();
    let shown: String = asked.iter().map(|value| telling.numbered(value)).collect();
    let told = told.join(", and ");
    Some(format!(
        "{told} (by rules, no model).\n\nFrom {path}:{shown}"
    ))
}

/// Words of a question for a table that say no more than that it is asked for what it has.
const OF_A_TABLE: &str = "which what how many are is the does do have has define defines defined declare declares list lists listed \
    use uses used set sets there in of from for a an it we i our my this file contain contains include includes exist \
    available names name called on at to me tell can you please run runs start starts and or";

/// What is told of the table that a question names and says nothing else of.
fn table_asked(lines: &Lines<'_>, question: &BTreeSet<String>, all: &[Value]) -> Option<String> {
    let tables = lines.tables(all);
    let values: Vec<Value> = tables.iter().map(|table| table.value.clone()).collect();
    let small: BTreeSet<String> = OF_A_TABLE.split_whitespace().map(singular).collect();
    let is_only = |value: &&&Value| {
        let own: BTreeSet<String> = value
            .path
            .iter()
            .flat_map(|name| asked_words(name, question))
            .collect();
        question
            .iter()
            .all(|word| own.contains(word) || small.contains(word))
    };
    let asked = named(&values, question);
    let asked: Vec<&&Value> = asked.iter().filter(is_only).collect();
    let of = |value: &&&Value| tables.iter().find(|table| table.value.path == value.path);
    let told: Vec<&Group> = asked.iter().filter_map(of).collect();
    let stated: Vec<String> = told.iter().map(|table| table.stated()).collect();
    let shown: String = told.iter().map(|table| table.numbered(lines)).collect();
    (1..=TOLD).contains(&told.len()).then(|| {
        let (path, stated) = (lines.path, stated.join(", and "));
        format!("{stated} (by rules, no model).\n\nFrom {path}:{shown}")
    })
}

/// A file as its values are told, with its lists.
struct Telling<'a> {
    lines: &'a Lines<'a>,
    groups: &'a [Group],
}

impl Telling<'_> {
    fn list(&self, value: &Value) -> Option<&Group> {
        let is_it = |group: &&Group| group.value.place == value.place;
        self.groups.iter().find(is_it)
    }

    /// What a value is, by its path.
    fn stated(&self, value: &Value) -> String {
        if let Some(list) = self.list(value) {
            return list.stated();
        }
        let is = match self.lines.text[value.place.clone()].trim() {
            "" => "empty",
            is => is,
        };
        format!("`{}` is {is}", value.dotted())
    }

    /// The line of a value with its number; of a list, all of them.
    fn numbered(&self, value: &Value) -> String {
        if let Some(list) = self.list(value) {
            return list.numbered(self.lines);
        }
        let (number, line) = (self.lines.number_of(value), self.lines.line_of(value));
        format!("\n  {number}: {}", line.trim())
    }

    /// What is told where a question is for a value of somebody who has none of that name: not another's as the
    /// answer. `question` is in small letters.
    fn of_nobody_asked(
        &self,
        question: &str,
        (asked, all): (&[&Value], &[Value]),
    ) -> Option<String> {
        let path = self.lines.path;
        let owner = owner(&without_path(question, &path.to_lowercase()), all)?;
        let is_owner = |value: &Value| {
            let name = value.path.last();
            name.is_some_and(|name| words(name) == words(&owner))
        };
        let others = asked.iter().filter(|value| !is_owner(value));
        let others: Vec<&Value> = others.copied().collect();
        let is_of = |value: &&Value| words(&value.dotted()).contains(&singular(&owner));
        if others.is_empty() || others.iter().any(is_of) {
            return None;
        }
        // `clap = "4.4"` is what there is of clap.
        if let Some(own) = all.iter().find(|value| is_owner(value)) {
            let (told, shown) = (self.stated(own), self.numbered(own));
            return Some(format!(
                "{told} (by rules, no model).\n\nFrom {path}:{shown}"
            ));
        }
        let told: Vec<String> = others.iter().map(|value| self.stated(value)).collect();
        let shown: String = others.iter().map(|value| self.numbered(value)).collect();
        Some(format!(
            "{path} sets nothing of that name for `{owner}` (by rules, no model). What it sets: {}.\n\nFrom \
         {path}:{shown}",
            told.join(", and ")
        ))
    }
}

/// Whose value a question is for: `the port of db`, `db's port`, `the port for the database`. A word such as
/// `app` is none, unless one of all values belongs to something of that name.
fn owner(question: &str, all: &[Value]) -> Option<String> {
    static OWNER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?:\bof|\bfor|\bunder|\bbelow|\bwithin) (?:the |a |my |our )?(?P<a>[\w-]+)(?: section| table| block| part)?(?: have| has| use| uses| set)?[ ?.!]*(?: (?:in|on|at)[ ?.!]*)?$|\b(?P<b>[\w-]+)['’]s |\b(?:does|do|has|have) (?:the )?(?P<c>[\w-]+)\b",
        )
    });
    // Whoever reads the file has what it sets for all.
    const ALL: [&str; 26] = [
        "file",
        "app",
        "application",
        "project",
        "program",
        "service",
        "settings",
        "config",
        "configuration",
        "default",
        "it",
        "that",
        "this",
        "what",
        "who",
        "where",
        "which",
        "here",
        "us",
        "me",
        "everything",
        "all",
        "now",
        "user",
        "system",
        "setup",
    ];
    let found = OWNER.as_ref()?.captures(question.trim())?;
    let said = found.name("a").or_else(|| found.name("b"));
    let owner = said.or_else(|| found.name("c"))?.as_str();
    let has_it = |value: &Value| {
        let mut above = value.path.iter().rev().skip(1);
        above.any(|name| name.eq_ignore_ascii_case(owner))
    };
    let is_said = said.is_some() && !ALL.contains(&owner);
    let is_one = is_said || all.iter().any(has_it);
    is_one.then(|| owner.to_owned())
}

/// What is told of a name that no line sets, where lines have it all the same.
fn not_set(lines: &Lines<'_>, question: &BTreeSet<String>) -> Option<String> {
    let mentions = lines.mentions_of(NAME).into_iter();
    let is_asked = |mention: &Mention| {
        let name = words(&mention.name);
        !name.is_empty() && name.is_subset(question)
    };
    let asked: Vec<Mention> = mentions.filter(is_asked).collect();
    let first = asked.first().filter(|_| asked.len() <= TOLD)?;
    let path = lines.path;
    let told = match first.is_comment {
        true => format!(
            "No line of {path} sets `{}`: only a comment has it",
            first.name
        ),
        false => format!("`{}` has no value in {path}", first.name),
    };
    let shown = asked
        .iter()
        .map(|mention| format!("\n  {}: {}", mention.number, mention.line));
    let shown: String = shown.collect();
    Some(format!(
        "{told} (by rules, no model).\n\nFrom {path}:{shown}"
    ))
}

/// The values whose names a question has, those of a section that it has before others.
fn named<'a>(all: &'a [Value], question: &BTreeSet<String>) -> Vec<&'a Value> {
    let score = |value: &Value| {
        let (name, sections) = value.path.split_last()?;
        let name = asked_words(name, question);
        let is_named = !name.is_empty() && name.is_subset(question);
        let sections = sections.iter().map(|section| words(section));
        let within = sections.filter(|section| !section.is_empty() && section.is_subset(question));
        is_named.then(|| (name.len(), within.count()))
    };
    let scored = all.iter().filter_map(|value| Some((score(value)?, value)));
    let mut scored: Vec<((usize, usize), &Value)> = scored.collect();
    // `admin_port` is asked for by more words than `port`, and a port of a section by more than another.
    let sum = |score: &(usize, usize)| score.0 + score.1;
    let of = |value: &Value| {
        value
            .path
            .last()
            .map(|name| asked_words(name, question))
            .unwrap_or_default()
    };
    let kept = scored.clone();
    scored.retain(|(score, value)| {
        let name = of(value);
        let mut others = kept.iter();
        !others.any(|(other, better)| {
            let shares = !of(better).is_disjoint(&name);
            shares && sum(other) > sum(score)
        })
    });
    let named: Vec<&Value> = scored.into_iter().map(|(_, value)| value).collect();
    // Of what stands within another value that is named, the outer one is not asked for.
    let holds_one = |value: &&Value| {
        let mut others = named.iter();
        others
            .any(|other| other.path.len() > value.path.len() && other.path.starts_with(&value.path))
    };
    named
        .iter()
        .filter(|value| !holds_one(value))
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_by_its_name_and_section_and_several_where_it_is_not_clear() {
        let toml = "port = 8080\nadmin_port = 1\n\n[database]\nport = 5432\nhost = \"db\"\n";
        let yaml = "server:\n  debug: true\nclient:\n  debug: false\n";
        let json = "{\n  \"name\": \"x\",\n  \"log\": {\n    \"level\": \"info\"\n  }\n}\n";
        for (question, path, text, told) in [
            (
                "which port does settings.toml set for the database?",
                "settings.toml",
                toml,
                "`database.port` is 5432 (by rules",
            ),
            (
                "which port does settings.toml set?",
                "settings.toml",
                toml,
                "`port` is 8080, and `database.port` is 5432 (by rules",
            ),
            (
                "what is the admin port in settings.toml?",
                "settings.toml",
                toml,
                "`admin_port` is 1 (by rules",
            ),
            (
                "what is database.port in settings.toml?",
                "settings.toml",
                toml,
                "`database.port` is 5432 (by rules",
            ),
            (
                "which host and port does the database have in settings.toml?",
                "settings.toml",
                toml,
                "`database.port` is 5432, and `database.host` is db (by rules",
            ),
            (
                "is debug enabled for the client in a.yaml?",
                "a.yaml",
                yaml,
                "`client.debug` is false (by rules",
            ),
            (
                "what is the log level in conf/a.json?",
                "conf/a.json",
                json,
                "`log.level` is info (by rules",
            ),
        ] {
            let answer = answer(question, path, text).unwrap_or_default();
            assert!(answer.starts_with(told), "{question}: {answer}");
        }
        let one = answer(
            "which port does a.toml set for the database?",
            "a.toml",
            toml,
        );
        assert!(one.unwrap().ends_with("From a.toml:\n  5: port = 5432"));
    }

    #[test]
    fn what_there_is_of_an_owner_is_told_and_no_other_ones_value() {
        let toml = "[package]\nversion = \"0.4.2\"\n[dependencies]\ntokio = \"1.35\"\n";
        let told = answer(
            "what is the version of tokio in Cargo.toml?",
            "Cargo.toml",
            toml,
        );
        let told = told.unwrap();
        assert!(
            told.starts_with("`dependencies.tokio` is 1.35 (by rules"),
            "{told}"
        );
        assert!(!told.contains("0.4.2"), "{told}");
        let yaml = "services:\n  web:\n    image: a\n  app:\n    port: 1\n";
        let told = answer(
            "what is the image of app in compose.yml?",
            "compose.yml",
            yaml,
        );
        let told = told.unwrap();
        assert!(
            told.contains("sets nothing of that name for `app`"),
            "{told}"
        );
    }

    #[test]
    fn what_no_value_answers_is_left_alone() {
        let toml = "port = 8080\n[database]\nport = 5432\n";
        for (question, path) in [
            (
                "how do I change the port in settings.toml?",
                "settings.toml",
            ),
            ("what does port mean in settings.toml?", "settings.toml"),
            ("what is the colour in settings.toml?", "settings.toml"),
            ("which port is in notes.txt?", "notes.txt"),
            ("summarise settings.toml", "settings.toml"),
        ] {
            assert_eq!(answer(question, path, toml), None, "{question}");
        }
    }
}
