//! Rules for making and writing files, replacing text, undoing, moving, deleting and comparing.

use super::rule::{Rule, rule};
use crate::quoted::{in_quotes, typed_path};
use crate::rules::building::{Built, Match};
use crate::rules::destination::{Destination, destination};
use crate::rules::examples;
use crate::rules::plain::{self, is_empty_line};
use crate::rules::refusal::Refusal;
use crate::rules::words::is_file;
use domain::plan::Action;

fn create(found: &Match<'_>) -> Built {
    let mut path = found.target("p", "noun")?;
    if found.has("d") {
        path = destination(&path, &found.target("d", "into")?, Destination::Folder);
    }
    let content = match found.has("c") {
        true => content(found, &path)?,
        false => String::new(),
    };
    Ok(Some(Action::CreateFile { path, content }))
}

/// The text of a new file: as it stands, or a list that is asked for one a line.
fn content(found: &Match<'_>, path: &str) -> Result<String, Refusal> {
    let list = found.text("c")?;
    let things = one_a_line(&list).filter(|_| !found.is_quoted("c"));
    match things {
        Some(things) if things.iter().all(|thing| plain::is_added(thing)) => Ok(things.join("\n")),
        _ => found.added("c", path),
    }
}

/// The things of a list that a request has in one: `tent, stove and torch, one per line`.
fn one_a_line(text: &str) -> Option<Vec<String>> {
    const EACH: [&str; 4] = [
        "one per line",
        "one a line",
        "each on its own line",
        "one on each line",
    ];
    let lower = text.to_ascii_lowercase();
    let (at, said) = EACH
        .iter()
        .find_map(|said| Some((lower.find(said)?, *said)))?;
    let behind = text[at + said.len()..].trim_start_matches([':', ',', ' ']);
    let before = text[..at].trim_end_matches([',', ' ', '(']);
    let list = match behind.trim_matches([')', '.']).is_empty() {
        true => before,
        false => behind,
    };
    let things = list.split(", ").flat_map(|part| part.split(" and "));
    let things = things.map(|thing| thing.trim().trim_start_matches("and "));
    let things = things.filter(|thing| !thing.is_empty());
    let things: Vec<String> = things.map(str::to_owned).collect();
    (things.len() > 1).then_some(things)
}

/// Whether a text is asked for and not given: `write a poem to a.txt`, but not `write a line hello to …`.
fn asks_for_one(found: &Match<'_>) -> bool {
    const GIVEN: [&str; 6] = ["text", "word", "words", "phrase", "string", "line"];
    let said = found.captures[0].to_lowercase();
    let mut words = said.split_whitespace().skip(1);
    let is_one = words
        .next()
        .is_some_and(|word| ["a", "an", "some"].contains(&word));
    is_one && words.next().is_some_and(|word| !GIVEN.contains(&word))
}

/// `write … to a.txt`: a text that is asked for, any model may write.
fn write(found: &Match<'_>) -> Built {
    create(found).map_err(|refusal| match asks_for_one(found) {
        true => refusal.for_a_model(),
        false => refusal,
    })
}

/// A file whose text is changed.
fn file(found: &Match<'_>) -> Result<String, Refusal> {
    let rule = "In a folder name each file: I change the text of one file a step.";
    let path = found.target("p", "noun");
    path.map_err(|refusal| refusal.of_folder(rule))
}

fn delete(found: &Match<'_>) -> Built {
    let rule = "A folder is deleted only when it is empty.";
    let path = found.target("p", "noun");
    let path = path.map_err(|refusal| refusal.of_folder(rule))?;
    Ok(Some(Action::DeleteFile { path }))
}

/// Words that go on with `word`, `line` or `text`: `the word count`.
const COMPOUNDS: [&str; 9] = [
    "count", "counts", "number", "numbers", "size", "length", "limit", "break", "breaks",
];

/// The refusal of what may be such a word or a text: `add the word count to a.txt`.
fn compound(found: &Match<'_>, path: &str) -> Result<(), Refusal> {
    let text = found.text("c")?;
    let before = found.before("c");
    let named = ["word", "words", "line", "text"].into_iter().find(|name| {
        before.trim_end().ends_with(&format!("the {name}"))
            || before.trim_end().ends_with(&format!("a {name}"))
    });
    match named.filter(|_| !found.is_quoted("c") && COMPOUNDS.contains(&text.as_str())) {
        None => Ok(()),
        Some(name) => {
            let file = typed_path(path);
            let both = format!("append {} to {file}", in_quotes(&format!("{name} {text}")));
            let one = format!("append {} to {file}", in_quotes(&text));
            let why = format!("`the {name} {text}` may be a text, or what is to be found out.");
            Err(Refusal::ambiguous(why, vec![both, one]))
        }
    }
}

fn append(found: &Match<'_>) -> Built {
    let path = file(found)?;
    compound(found, &path)?;
    let is_empty = !found.is_quoted("c") && is_empty_line(&found.text("c")?);
    let content = match is_empty {
        true => "\n".to_owned(),
        false => found.added("c", &path)?,
    };
    Ok(Some(Action::AppendText { path, content }))
}

fn replace(found: &Match<'_>) -> Built {
    let (said, is_bare) = (found.before("new"), !found.is_quoted("new"));
    let removes = match found.text("new")?.to_lowercase().as_str() {
        "nothing" => said.ends_with("with ") || said.ends_with("by "),
        "empty string" | "empty text" => said.ends_with("an "),
        _ => false,
    };
    let new = match removes && is_bare {
        true => String::new(),
        false => found.replacement("new")?,
    };
    // `the first Tom` is one of several, where a text is replaced wherever it stands.
    let old = found.replacement("old")?;
    // What is updated to a number is what a file sets of a name, and never the name.
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let is_update = found.before("old").starts_with("update ") && !found.is_quoted("old");
    if is_update && is_bare && has_digit(&new) && !has_digit(&old) {
        return Ok(None);
    }
    Ok(Some(Action::ReplaceText {
        path: file(found)?,
        old,
        new,
    }))
}

fn erase_text(found: &Match<'_>) -> Built {
    let (old, new) = (found.text("old")?, String::new());
    Ok(Some(Action::ReplaceText {
        path: file(found)?,
        old,
        new,
    }))
}

fn make_dir(found: &Match<'_>) -> Built {
    let mut path = found.target("p", "noun")?;
    if found.has("d") {
        path = destination(&path, &found.target("d", "into")?, Destination::Folder);
    }
    Ok(Some(Action::MakeDir { path }))
}

/// An order to take back what was done last, and nothing else.
pub const UNDO: &str = concat!(
    r"(?:undo|revert|take back|reverse)(?: it| that| this| (?:the|my|your)? ?(?:last|latest|previous)? ?(?:change|edit|step|action|thing))?",
    r"|(?:take|put) (?:it|that) back(?: (?:as|how|the way) it was)?",
);

/// Making, writing and changing text.
pub static CHANGES: [Rule; 29] = [
    rule(UNDO, |_| Ok(Some(Action::Undo {}))),
    rule(
        r"(?:make|create|add|new|start){new} (?P<noun>folder|directory|dir) {called}{tok:p}(?: (?P<into>in|inside|under) {dir:d})?|mkdir (?P<q>\S+)",
        |found| {
            if found.has("q") {
                return Ok(Some(Action::MakeDir {
                    path: found.target("q", "q")?,
                }));
            }
            make_dir(found)
        },
    ),
    rule(
        r"(?:make|create|add){new} (?:folder|directory) {called}{tok:d},? (?:and|with)(?: in it| inside it| put in it)?{new} (?P<noun>file) {called}{tok:p}(?: (?:in|inside) it)?(?:{with} ?{text:c})?",
        |found| {
            let folder = found.path("d")?;
            found.one_name("d", &folder)?;
            let path = destination(&found.target("p", "noun")?, &folder, Destination::Folder);
            let content = match found.has("c") {
                true => content(found, &path)?,
                false => String::new(),
            };
            Ok(Some(Action::CreateFile { path, content }))
        },
    ),
    rule(
        r"(?:make|create|add){new} {tok:p} (?P<noun>folder|directory)",
        make_dir,
    ),
    rule(
        r"(?:make|create|write|add|start|generate|save|new)(?: me)?{new} (?P<noun>file) {called}{tok:p}(?: (?P<into>in|inside|under) {dir:d})?(?:{with} ?{text:c})?",
        create,
    ),
    rule(
        r"(?P<verb>make|create|write|start|touch|save){new} {tok:p}(?:{with} ?{text:c})?",
        |found| match found.has("c") || !["write", "save"].contains(&found.word("verb").as_str()) {
            true => create(found),
            // `write a poem` names no file.
            false => Ok(None),
        },
    ),
    rule(
        r"(?:append|add|write|put|insert) {line}{text:c} (?:to|at|on|onto|as) (?:the )?(?:very )?(?:end|bottom|last line) (?:of|in) (?:the )?(?P<noun>file )?{tok:p}",
        append,
    ),
    rule(
        r"(?:append|add) to {end}(?:the )?(?P<noun>file )?{tok:p}:?(?: {line}|:? ){text:c}",
        append,
    ),
    rule(
        r"(?:put|insert|note|jot down|note down|write down) (?:in|into|to) {end}(?:the )?(?P<noun>file )?{tok:p}: {text:c}",
        append,
    ),
    rule(
        r"(?:note|record|log|jot down|note down|write down) (?:in|into|to) {end}(?:the )?(?P<noun>file )?{tok:p},? that {text:c}",
        |found| {
            let path = file(found)?;
            let content = found.text("c")?;
            Ok(is_file(&path).then_some(Action::AppendText { path, content }))
        },
    ),
    rule(
        r"(?:write|save) (?:in|into|to) (?:a |the )?(?:new )?(?P<noun>file )?{tok:p}: {text:c}",
        create,
    ),
    rule(
        r"(?:append|add) {line}{text:c} (?:to|onto|into) (?:the )?(?P<noun>file )?{tok:p}(?: file)?",
        append,
    ),
    rule(
        r"(?:write|save|store|jot down|note down|write down) {word}{text:c} (?:to|into|in|as) (?:a |the )?(?:new )?(?P<noun>file )?{called}{tok:p}",
        write,
    ),
    rule(
        r"(?:find and )?(?:replace|substitute) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old}{often} (?:with|by) {word}{text:new}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"substitute {word}{text:new} for {word}{text:old}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"(?:fix|correct) (?:the )?(?:spelling|typo|wording|case)(?: of| in)? {word}{text:old}{often} (?:to|into|as) {word}{text:new}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"rename (?:the )?(?:function|method|class|variable|constant|struct|type|key|field) {tok:old} (?:to|into|as) {tok:new} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"(?:change|edit|update|rename|fix|turn|correct) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old}{often} (?:to|into) {word}{text:new}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"in (?:the )?(?P<noun>file )?{tok:p},? (?:call|name|use|write|say|put) (?:the [a-z]+ )?{text:new} instead of {text:old}{often}",
        replace,
    ),
    rule(
        r"(?:use|write|say|put) {word}{text:new} instead of {word}{text:old}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p}{often}",
        replace,
    ),
    rule(
        r"(?:every|each|all|any) (?:(?:occurrences?|instances?) of )?{word}{text:old}{often} (?:in|inside|within|throughout) (?:the )?(?P<noun>file )?{tok:p} (?:should|must|has to|have to|is to|ought to) (?:be|become|read|say|be called) (?:an? )?{text:new}(?: instead)?{often}",
        replace,
    ),
    rule(
        r"in (?:the )?(?P<noun>file )?{tok:p},? (?:find and )?(?:replace|substitute|change|turn) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?{word}{text:old}{often} (?:with|by|to|into) {word}{text:new}{often}",
        replace,
    ),
    rule(
        r"(?:delete|remove|erase|take out|cut) (?:all |every |each )?(?:(?:occurrences?|instances?) of )?(?:the )?(?:text|words?|phrase|string) {text:old}{often} (?:from|in|out of) (?:the )?(?P<noun>file )?{tok:p}{often}",
        erase_text,
    ),
    rule(
        r"put (?:the )?(?P<noun>file )?{tok:p} (?:into|inside|in) (?:the )?(?P<folder>folder |directory )?{tok:to}(?: folder| directory)?",
        |found| {
            let goes_in_a_folder = is_file(&found.path("p")?) && !is_file(&found.path("to")?);
            match goes_in_a_folder {
                true => relocate(found, Destination::Folder),
                false => Ok(None),
            }
        },
    ),
    rule(
        r"(?:put|insert|place) {line}{text:c} (?:in|into|to) (?:the )?(?P<noun>file )?{tok:p}",
        |found| {
            let path = found.target("p", "noun")?;
            let text = found.text("c")?;
            if !is_file(&path) {
                return Ok(None);
            }
            let why = format!("At which place of {path} is not said.");
            let (text, file) = (in_quotes(&text), typed_path(&path));
            let nearest = vec![
                format!("append {text} to {file}"),
                format!("insert {text} at the top of {file}"),
            ];
            Err(Refusal::ambiguous(why, nearest))
        },
    ),
    rule(
        r"(?:append|add|put|insert|write) {text:c} (?:to|into|in) (?:the )?(?P<noun>file )?{tok:p},? (?P<place>(?:in|at|on|under|below|beneath|above|after|before|between|behind|where|wherever|by|near|next to|inside|within) .+)",
        |found| {
            let place = found.written("place");
            let last = place.split(' ').next_back().unwrap_or_default();
            // `to the list in a.md` is of a list.
            if !found.is_quoted("c") || is_file(last) {
                return Ok(None);
            }
            let path = found.path("p")?;
            let file = match is_file(&path) {
                true => typed_path(&path),
                false => "FILE".to_owned(),
            };
            let text = in_quotes(&found.text("c")?);
            let why = format!(
                "Where `{}` is in {path} I do not know.",
                found.request.shown(place)
            );
            let advice = format!(
                "Name the place: `insert {text} after line 3 of {file}`, `insert {text} after the line about \"WORDS\" in {file}`."
            );
            Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
        },
    ),
    rule(
        r"set (?:the )?(?P<key>[\w.-]+(?: [\w.-]+){0,3}) to {tok:q}",
        |found| {
            let step = found.request.shown(&found.captures[0]);
            let key = found.word("key");
            if ["it", "that", "this", "them"].contains(&key.as_str()) {
                let why = format!("What `{key}` is, and in which file, is not said.");
                let to = found.request.shown(found.written("q"));
                let advice = format!("Name both: `set NAME to {to} in FILE`.");
                return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
            }
            let why = format!("`{step}` names no file.");
            let advice = format!(
                "Say in which file: `{step} in FILE`; `search for {}` shows which have it.",
                in_quotes(&found.word("key"))
            );
            Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
        },
    ),
    rule(
        r"(?:put|insert|place|prepend|overwrite|set|clear|empty|truncate) .+",
        |found| {
            let step = found.request.shown(&found.captures[0]);
            let why = format!(
                "`{step}` may mean several things: I create, append, insert at the top or beside a line, replace and empty."
            );
            // What is set is a value, which no example of another verb shows.
            Err(match step.to_lowercase().starts_with("set ") {
                true => Refusal::ambiguous(why, Vec::new()).advised(
                    "Name one value, its file and what it is to be, such as `set the port in FILE to 9000`.",
                ),
                false => Refusal::ambiguous(why, examples::nearest(&step)),
            })
        },
    ),
    rule(
        r"(?:make|create|add|start) (?:a |an |the )?(?:new |empty )*(?:file|folder|directory)",
        |_| {
            let advice = "Say its name: `create FILE with \"hello\"`, `make a folder called NAME`.";
            let why = "What should it be called?".to_owned();
            Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
        },
    ),
];

/// Several words that end as the name of a file does may be its name: the order with it in quotes is shown.
fn in_one(found: &Match<'_>, before: &str, after: &str) -> Built {
    let name = found.written("name");
    let is_plain = |c: char| c.is_alphanumeric() || " ._-()&".contains(c);
    let mut words = name.split(' ').rev();
    let ends_as_file = words.next().is_some_and(is_file);
    let are_words = words.all(|word| !is_file(word) && !["and", "then", "to"].contains(&word));
    if !ends_as_file || !are_words || !name.chars().all(is_plain) {
        return Ok(None);
    }
    let why = format!("Whether `{name}` is one name is not said: one with a blank needs quotes.");
    Err(Refusal::ambiguous(
        why,
        vec![format!("{before}{}{after}", in_quotes(name))],
    ))
}

fn relocate(found: &Match<'_>, how: Destination) -> Built {
    let from = found.target("p", "noun")?;
    let to = found.path("to")?;
    let ends_as_folder =
        to.ends_with('/') || found.word("to").ends_with('/') || found.has("folder");
    let how = if ends_as_folder {
        Destination::Folder
    } else {
        how
    };
    found.one_name("to", &to)?;
    Ok(Some(Action::MoveFile {
        to: destination(&from, &to, how),
        from,
    }))
}

/// Moving, deleting and comparing.
pub static MOVES: [Rule; 14] = [
    rule(
        r"(?:move|put|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:into|inside|in) (?:the )?(?P<folder>folder |directory )?{tok:to}(?: folder| directory)?",
        |found| relocate(found, Destination::Folder),
    ),
    rule(
        r"(?:move|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} to (?:the )?(?:(?P<folder>folder |directory ){tok:to}|{tok:to2} (?P<folder2>folder|directory))",
        |found| {
            let (from, place) = (
                found.target("p", "noun")?,
                if found.has("to") { "to" } else { "to2" },
            );
            let to = found.path(place)?;
            found.one_name(place, &to)?;
            Ok(Some(Action::MoveFile {
                to: destination(&from, &to, Destination::Folder),
                from,
            }))
        },
    ),
    rule(
        r"(?:move|shift) (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:to|as) {tok:to}",
        |found| relocate(found, Destination::Unsaid),
    ),
    rule(
        r"rename (?:the )?(?P<noun>file |folder |directory )?{tok:p} (?:to|into|as) {tok:to}",
        |found| relocate(found, Destination::NameBeside),
    ),
    rule(
        r"rename (?:the )?(?P<noun>file )?{tok:p} {tok:to}",
        |found| {
            // Without a word between them, only names that can be nothing else are two names.
            let is_name = |place| {
                let name = found.path(place);
                name.is_ok_and(|name| found.is_quoted(place) || is_file(&name))
            };
            if is_name("p") && is_name("to") {
                relocate(found, Destination::NameBeside)
            } else {
                Ok(None)
            }
        },
    ),
    rule(
        r"rename (?:the )?(?:file )?{tok:p} (?:to|into|as) (?P<name>[^\s,;:]+(?: [^\s,;:]+){1,5})",
        |found| match found.path("p") {
            Ok(path) if is_file(&path) => {
                let before = format!("rename {} to ", typed_path(&path));
                Ok(in_one(found, &before, "")?)
            }
            _ => Ok(None),
        },
    ),
    rule(
        r"(?P<make>create|make|write) (?:an? |the )?(?:new )?(?:file )?{called}(?P<name>[A-Z0-9][^\s,;:]*(?: [^\s,;:]+){1,5}?)(?P<text> with(?: the)?(?: text)? {tok:c})?",
        |found| {
            // A title begins with a capital letter; other words may say what the file is.
            let is_title = |c: char| c.is_uppercase() || c.is_ascii_digit();
            if !found.written("name").starts_with(is_title) {
                return Ok(None);
            }
            let text = match found.has("text") {
                true => format!(" with {}", in_quotes(&found.text("c")?)),
                false => String::new(),
            };
            in_one(found, "create ", &text)
        },
    ),
    rule(
        r"change the name of (?:the )?(?P<noun>file |folder |directory )?{tok:p} to {tok:to}",
        |found| relocate(found, Destination::NameBeside),
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away|throw out|bin) (?:the |my )?(?:empty |old )?(?P<noun>file |folder |directory )?{called}{tok:p}(?: again)?",
        delete,
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away) (?:the |my )?{tok:p} (?P<noun>file|folder|directory)",
        delete,
    ),
    rule(
        r"get (?:the |my )?(?P<noun>file |folder |directory )?{tok:p} off (?:my |the |this )?(?:disk|computer|machine|drive)",
        delete,
    ),
    rule(
        r"i (?:no longer|do not|don['’]?t) (?:need|want|use) (?:the |my )?(?P<noun>file |folder |directory )?{tok:p}(?: any ?more| any longer)?[,.;:]? (?:so |and )?(?:please )?(?:delete|remove|erase|trash|bin|get rid of|throw away|get) (?:it|that)(?: away| out| off (?:my |the |this )?(?:disk|computer|machine|drive))?",
        delete,
    ),
    rule(
        r"(?:{show} )?(?:compare|diff|(?:{what} )?(?:the )?differences? between|what (?:changed|is different|differs) between) (?:the )?(?:two )?(?:files? )?{tok:p},? (?:and|with|to|against|versus|vs\.?|&) (?:the )?(?:file )?{tok:to}",
        |found| {
            Ok(Some(Action::CompareFiles {
                left: found.path("p")?,
                right: found.path("to")?,
            }))
        },
    ),
    rule(
        r"how (?:does|do|is|are) {tok:p} (?:and {tok:to} (?:differ|different)|(?:differ|different) from {tok:to2})|(?:is|are) {tok:p3} (?:the same as|identical to|different from) {tok:to3}|diff {tok:p4} {tok:to4}",
        |found| {
            let first = |names: [&'static str; 3]| {
                names
                    .into_iter()
                    .find(|name| found.has(name))
                    .unwrap_or("p")
            };
            let right = if found.has("to") {
                "to"
            } else {
                first(["to2", "to3", "to4"])
            };
            Ok(Some(Action::CompareFiles {
                left: found.path(first(["p", "p3", "p4"]))?,
                right: found.path(right)?,
            }))
        },
    ),
];
