//! Why a step is not done: what is refused whatever the rules say, and what no rule fits.

use super::examples::{help, nearest};
use super::grammar::{self, UNDO};
use super::languages;
use super::parts;
use super::refusal::{Refusal, RefusalKind};
use super::signs;
use super::without_file;
use super::words::{Request, Step, pattern};
use crate::behind_colon;
use crate::{forbidden, question, unknown_order};
use regex::Regex;
use std::sync::LazyLock;

static NEGATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:\w+n['’]t|dont|doesnt|didnt|wont|cant|shouldnt|mustnt|cannot|not|never|without|avoid|refrain|stop)\b",
    )
});
/// Lines that are to stand once, in an order to sort them.
static ONCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?P<sort>(?:sort|order) .+) without (?:any )?(?:duplicates?|doubles|repeats|repeated lines)\b",
    )
});
/// A state that is marked, of what is not done.
static UNTICKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?P<mark>(?:(?:in|on) \S+ )?mark .+?) (?:as )?not (?:yet )?(?:done|complete|completed|finished|ticked|checked)\b",
    )
});
static SHELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)[|<>]|&&|\$\(|^(?:\$\s|sudo|su|rm|rmdir|mv|cp|chmod|chown|curl|wget|bash|sh|zsh",
        r"|python3?|perl|node|npm|pip|apt|apt-get|git|cargo|ssh|scp|dd|mkfs|kill|echo|sed|awk|xargs|eval|exec)\s",
    ))
});
/// A flag of a program, which in a text that an order replaces is no more than a word.
static FLAG: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)\s--?[a-z][\w-]*"));
static OF_TEXTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:replace|substitute|change) \S+ (?:with|by|to) \S+ in \S+$"));
/// A text that is said to be one: `add the line a>=4 to requirements.txt`.
static LINE_OF_TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:append|add|insert|write|put|prepend) (?:the|an?) (?:new )?(?:line|text|row|entry) \S.* (?:to|in|into|at|after|before) \S",
    )
});
/// A package with the versions that it may have, whose signs lead no output anywhere: `rich>=13`.
static VERSIONED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?P<name>[\w\]]) ?[<>=~!]= ?\d[\w.*]*(?: ?, ?(?:[<>]|[<>=~!]=) ?\d[\w.*]*)*")
});
/// A version of a program in a file (`node 22 in ci.yml`), and headings below one another (`under Unreleased > Fixed
/// add …`): no line of a shell.
static NO_SHELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:python3?|perl|node|npm|pip|cargo|git) v?\d[\w.]* in \S+$",
        r"|\bunder [\w\[\]. ]+ > (?P<below>[\w\[\]])",
    ))
});
/// What is kept may say `not`, or look like a command: it is a text and no order.
static KEEPING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:remember|memori[sz]e|keep in mind|bear in mind|(?:do not|don['’]?t) forget|recall",
        r"|(?:make|take) a (?:mental )?note|note (?:that|down)|note:|remind me",
        r"|what do you (?:remember|recall|know)|do you (?:remember|recall)",
        r"|what did (?:i|we) (?:say|tell|talk|discuss))\b",
    ))
});
/// An order to take back changes, however many and of whatever.
static TAKES_BACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:undo|revert|restore|roll ?back|take back|bring back)\b",
        r"|^(?:take|put|bring) (?:[\w./-]+ ){1,4}back(?: (?:as|how|the way) .*)?[.!? ]*$",
        r"|^mache? .*rückgängig\b|^stelle? .* wieder her\b|^nimm .* zurück\b|^(?:deshaz|deshazlo|deshacer|restaura)\b",
    ))
});
/// A file that is to be as its backup is.
static FROM_BACKUP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:please )?(?:restore|bring back|get back) (?:the )?(?P<file>\S+) from (?:the |its |a |my )?(?:backup|copy|bak)\b",
    )
});
/// Such an order of what was done last alone, which a rule knows.
static UNDOES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(&format!(r"(?i)^(?:{UNDO})[.!? ]*$")));
static REDO: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)^redo\b"));
static FORGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:forget|unlearn)\b|(?:delete|remove|erase|clear|wipe)\b.*\b(?:your|my|the|from) (?:memory|memories)[.! ]*$)",
    )
});
/// What is to become something else, without a verb: `the theme to dark`.
static NO_VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^(?:the|my|our|its|your) (?:[\w-]+ ){1,4}(?:to|into) \S+(?: \S+){0,2}$")
});
/// Words that make such a sentence a statement, which orders nothing.
static STATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:is|are|was|were|am|be|been|has|have|had|will|would|can|could|should|must|do|does|did|go|goes|went|need|needs|want|wants|like|likes|belongs?|leads?|comes?|moved?|changed|\w+ed)\b",
    )
});
/// What only git shows.
static GIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:show|list|print|display|give|tell|see|view|get)(?: me)?|what(?: is|['’]s| are| was| were))(?: the| my| all)*",
        r" (?:git (?:log|status|diff|history|branch(?:es)?|blame|commits?|stash|tags?)\b",
        r"|(?:(?:last|latest|recent|newest|previous|first|git) )*(?:commits?|branches)(?: (?:message|messages|log|history|hash|here))?[.!? ]*$)",
    ))
});
/// Lines that are removed by where they stand, or of a file that is not named.
static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:delete|remove|erase|drop|strike|cross out|take out|cut) (?:[\w-]+ ){0,4}(?:lines?|entry|entries|rows?|bullets?)\b",
    )
});
static COPY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:copy|duplicate|clone|back ?up|make a (?:copy|backup) of|create a (?:copy|backup) of)\b",
    )
});
static HELP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:help|hilfe|ayuda|was kannst du(?: alles)?|qu[eé] puedes hacer|what can (?:you|i) do(?: here)?|what do you do|what can i (?:ask|say|type)|commands|usage)[.!? ]*$",
    )
});
static QUESTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:how|why|when|who|whose|should|may|might|am|are|is|do|does|did|would|could|can|what",
        r"|which|where|explain|tell me|if|is there|describe|summari[sz]e)\b",
    ))
});
static PROGRAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:run|execute|launch|install|uninstall|compile|build|download|upload|send|email|mail|zip|unzip|compress|extract|print out|translate|convert|format|encrypt|restart|shut ?down)\b",
    )
});
static MANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:delete|remove|erase|trash|wipe|clear|clean|empty|purge|destroy|get rid of|throw away|move|rename)\b.*\b(?:all|every|everything|anything|them|these|those|stuff|things|files|folders|any|each|both)\b",
    )
});

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// What is refused whatever the rules say: negations, shell commands, and what is not to be had.
pub(super) fn before_rules(request: &Request, step: &Step) -> Option<Refusal> {
    let text = step.text.as_str();
    let shown = request.shown(text);
    if hits(&HELP, text) {
        return Some(Refusal::new(RefusalKind::Help, help(), Vec::new()));
    }
    if hits(&FORGET, text) {
        let why = "Forgetting is yours alone: `carl memory forget ID` removes an entry.";
        return Some(Refusal::unavailable(why, Vec::new()).for_no_model());
    }
    if hits(&KEEPING, text) {
        return None;
    }
    if let Some(found) = FROM_BACKUP.as_ref().and_then(|form| form.captures(text)) {
        let file = &found["file"];
        let why = format!("What {file} was is not put back from another file in one step.");
        let advice = format!(
            "The order `undo` takes back the last change. What a backup has is shown by `compare {file} with {file}.bak`, or by its own name."
        );
        let refusal = Refusal::unavailable(&why, Vec::new()).for_no_model();
        return Some(refusal.advised(advice));
    }
    if hits(&TAKES_BACK, text) && !hits(&UNDOES, text) {
        let why = format!("`{shown}` may be of more than the last request, or of a part of it.");
        let refusal = Refusal::unavailable(&why, Vec::new()).for_no_model();
        return Some(refusal.advised(TAKING_BACK));
    }
    if hits(&REDO, text) {
        let why = "What was taken back is made again by the order that made it.";
        return Some(Refusal::unavailable(why, Vec::new()).for_no_model());
    }
    if let Some(refusal) = of_a_negation(step, &shown) {
        return Some(refusal);
    }
    let has_flag = hits(&FLAG, text) && !hits(&OF_TEXTS, text);
    let unversioned = VERSIONED
        .as_ref()
        .map(|form| form.replace_all(text, "$name"));
    let unversioned = unversioned.unwrap_or_else(|| text.into());
    let unversioned = match &*NO_SHELL {
        Some(form) => form.replace_all(&unversioned, "under $below"),
        None => unversioned.as_ref().into(),
    };
    if (has_flag || hits(&SHELL, &format!("{unversioned} "))) && !hits(&LINE_OF_TEXT, text) {
        if let Some(refusal) = signs::replaced(request, text) {
            return Some(refusal);
        }
        let message = format!(
            "`{shown}` looks like a shell command. I run no commands; I understand plain English. {LARGER_MODEL} Nothing was done."
        );
        let refusal = Refusal::new(RefusalKind::Shell, message, nearest(&shown));
        return Some(refusal.advised(IN_A_CHAT));
    }
    None
}

/// What is said of a step with a word that forbids or turns round what it is before; `None` where it has none.
fn of_a_negation(step: &Step, shown: &str) -> Option<Refusal> {
    let text = step.text.as_str();
    // `sort list.txt without duplicates` says what is to be done.
    let ordered = ONCE
        .as_ref()
        .map(|once| once.replace(text, "$sort").into_owned());
    let ordered = ordered.unwrap_or_else(|| text.to_owned());
    let ordered = UNTICKS.as_ref().map_or(ordered.clone(), |unticks| {
        unticks.replace(&ordered, "$mark as undone").into_owned()
    });
    // `where did we stop?` forbids nothing.
    let is_past = |text: &str| {
        let lower = text.to_lowercase();
        ["did we ", "did i ", "did you "]
            .iter()
            .any(|did| lower.contains(&format!("{did}stop")))
    };
    // Behind the colon of an order that names its file stands a text, which forbids nothing but what it names.
    let head = match behind_colon::text_of(&ordered) {
        Some(text) => &ordered[..ordered.len() - text.len()],
        None => ordered.as_str(),
    };
    let forbids = hits(&NEGATION, head) && !is_past(&ordered);
    let asks = question::wants_telling(text) || parts::asks_rows(text);
    if forbids && asks && !forbidden::only_forbids(text) {
        return of_a_question(step, shown);
    }
    if forbids || forbidden::only_forbids(&ordered) {
        return Some(Refusal::negated(shown));
    }
    None
}

/// The refusal of a question with a `not`; none where it is for the tasks that are not done, which a rule knows.
fn of_a_question(step: &Step, shown: &str) -> Option<Refusal> {
    let is_of_tasks = grammar::asks_open_tasks(&step.text);
    (!is_of_tasks).then(|| {
        let why = format!(
            "`{shown}` is a question with a `not`, which without a model I answer for rows of a table, for tasks and \
             for lines; I did nothing."
        );
        let refusal = match parts::asks_rows(&step.text) {
            true => Refusal::new(RefusalKind::Question, why, Vec::new()).for_no_model(),
            false => Refusal::new(RefusalKind::Question, why, Vec::new()),
        };
        refusal.advised(
            "Such as `which rows in FILE.csv are not VALUE?`, `which tasks are not done?`, `show the lines without \
             \"WORD\" in FILE`.",
        )
    })
}

/// The file of times or settings at the end of what looks like an order to run something: it is an edit.
fn edited(text: &str) -> Option<String> {
    const ENDINGS: [&str; 6] = ["crontab", ".timer", ".service", ".conf", ".ini", ".cron"];
    let (_, file) = text.trim_end_matches('.').rsplit_once(" in ")?;
    let is_one = ENDINGS
        .iter()
        .any(|ending| file.to_lowercase().ends_with(ending));
    (is_one && !file.contains(' ')).then(|| file.to_owned())
}

/// Who runs programs.
const LARGER_MODEL: &str =
    "An agent with a larger model runs programs (`carl models` shows which there are).";

/// What takes changes back.
pub(crate) const TAKING_BACK: &str = "The order `undo` takes back the last change; in a chat `/undo` takes back the last \
     request, and `/rewind N` the last N, where those that were refused count too; in a shell `carl undo` takes back \
     what the last request changed, and `carl undo --skip FILE` all of it but that file.";

/// How the user runs a program beside the conversation.
const IN_A_CHAT: &str =
    "In `carl` and `carl chat` a line behind `!` runs as you type it, such as `!git status`.";

fn names_no_file(shown: &str) -> Refusal {
    let why = format!("`{shown}` names no file.");
    let advice =
        format!("Say in which: `{shown} in FILE`; `list the files` shows which there are.");
    Refusal::ambiguous(why, Vec::new())
        .advised(advice)
        .for_no_model()
}

/// Why a step that no rule fits is not done.
pub(super) fn after_rules(request: &Request, step: &Step) -> Refusal {
    let text = step.text.as_str();
    let shown = request.shown(text);
    if hits(&GIT, text) {
        let why = format!("`{shown}` needs a program, and I run none. {LARGER_MODEL}");
        return Refusal::unavailable(&why, Vec::new())
            .advised(IN_A_CHAT)
            .for_no_model();
    }
    if hits(&QUESTION, text) {
        let message = format!(
            "`{shown}` is a question that I cannot answer without a model; I did nothing. Use --mode loop or --mode plan for it."
        );
        return Refusal::new(RefusalKind::Question, message, nearest(&shown));
    }
    if hits(&NO_VERB, text) && !hits(&STATES, text) {
        let why = format!("`{shown}` says of what, and not what is to be done with it.");
        let advice = format!("Say it as an order with its file: `set {shown} in FILE`.");
        return Refusal::ambiguous(why, Vec::new())
            .advised(advice)
            .for_no_model();
    }
    if without_file::wanted(&shown).is_some() {
        return names_no_file(&shown);
    }
    if hits(&MANY, text) {
        let message = format!(
            "`{shown}` may mean many files. I change one named file a step, so I did nothing."
        );
        return Refusal::new(RefusalKind::Ambiguous, message, nearest(&shown));
    }
    if hits(&LINES, text) {
        let why = format!(
            "`{shown}` is not clear to me: I remove lines by what they say or where they stand, from a file \
             that is named."
        );
        let advice =
            "Such as `remove the line about \"dentist\" from FILE` or `remove line 3 from FILE`.";
        return Refusal::ambiguous(why, Vec::new()).advised(advice);
    }
    if hits(&COPY, text) {
        let why = "I copy one text file to a name that is given.";
        let advice = "Such as `copy FILE to OTHER` or `make a backup of FILE`.";
        return Refusal::unavailable(why, Vec::new()).advised(advice);
    }
    if hits(&PROGRAM, text) {
        if let Some(file) = edited(text) {
            let why = format!("What `{shown}` changes in {file} I do not know.");
            return Refusal::ambiguous(why, Vec::new()).advised(unknown_order::advice(text));
        }
        let why = format!("`{shown}` is not among the things I can do. {LARGER_MODEL}");
        return Refusal::unavailable(&why, Vec::new()).advised(IN_A_CHAT);
    }
    if let Some((language, known)) = languages::of_unknown_order(text) {
        let message = format!(
            "I did not understand `{shown}`, so I did nothing: of {language} I know few orders. --mode \
             loop asks a model, as /mode loop does in a chat."
        );
        return Refusal::new(RefusalKind::NotUnderstood, message, known).for_no_model();
    }
    let message = format!(
        "I did not understand `{shown}`, so I did nothing: without a model I know plain English \
         orders alone. --mode loop asks a model, as /mode loop does in a chat."
    );
    Refusal::new(RefusalKind::NotUnderstood, message, nearest(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::fault::Coded;

    #[test]
    fn every_constant_pattern_compiles() {
        let constants = [
            &NEGATION,
            &ONCE,
            &UNTICKS,
            &SHELL,
            &FLAG,
            &OF_TEXTS,
            &LINE_OF_TEXT,
            &VERSIONED,
            &NO_SHELL,
            &KEEPING,
            &FORGET,
            &TAKES_BACK,
            &FROM_BACKUP,
            &UNDOES,
            &REDO,
            &GIT,
            &NO_VERB,
            &STATES,
            &LINES,
            &COPY,
            &HELP,
            &QUESTION,
            &PROGRAM,
            &MANY,
        ];
        assert!(constants.iter().all(|constant| constant.is_some()));
    }

    #[test]
    fn what_is_not_understood_is_told_of_quotes_and_of_the_help_that_is_there() {
        let refused = crate::rules::plan("rename chapter 2.txt to Kapitel 2.txt").unwrap_err();
        let hint = refused.hint();
        assert!(
            hint.contains("spaces go in quotes") && hint.contains("`help`"),
            "{hint}"
        );
        let help = crate::rules::plan("help").unwrap_err();
        assert_eq!(help.kind, RefusalKind::Help);
    }

    #[test]
    fn a_quote_without_its_partner_is_closed_in_what_is_suggested() {
        let refused = crate::rules::plan("delete \"x").unwrap_err();
        assert_eq!(refused.nearest, ["delete \"x\""], "{refused}");
        assert!(refused.message.contains("has no partner"), "{refused}");
        assert!(crate::rules::plan(&refused.nearest[0]).is_ok());
        let refused = crate::rules::plan("delete x").unwrap_err();
        assert_eq!(refused.nearest, ["delete \"x\""], "{refused}");
        let refused = crate::rules::plan("delete \"").unwrap_err();
        assert!(!refused.nearest.iter().any(|one| one.contains("\"\"")));
    }

    #[test]
    fn a_version_in_a_file_and_headings_below_one_another_are_no_shell_command() {
        let is_shell = |text: &str| {
            let planned = crate::rules::plan(text);
            planned.is_err_and(|refusal| refusal.kind == RefusalKind::Shell)
        };
        for text in [
            "node 22 in ci.yml",
            "python 3.12 in Dockerfile",
            "in CHANGELOG.md under Unreleased > Fixed add \"- a crash\"",
        ] {
            assert!(!is_shell(text), "{text}");
        }
        for text in [
            "node server.js",
            "node 22 in > ci.yml",
            "ls | sort > under.txt",
        ] {
            assert!(is_shell(text), "{text}");
        }
    }
}
