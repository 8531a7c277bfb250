//! Honest answers to what the rules do not do.

use super::languages;
use super::words::{REQUEST_BYTES, Request, Step, pattern};
use crate::forbidden;
use domain::fault::Coded;
use regex::Regex;
use std::sync::LazyLock;

/// Why a request was not planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// No rule fits.
    NotUnderstood,
    /// It says what not to do.
    Negated,
    /// It asks about something instead of asking for it.
    Question,
    /// It may be meant in more than one way.
    Ambiguous,
    /// It is a shell command.
    Shell,
    /// It is understood, and is not among the things that can be done here.
    Unavailable,
    /// It is empty or too long.
    Size,
    /// It asks what can be done; the message says it.
    Help,
}

/// What a small model may make of a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// A plan, where it is no order, or one that is not understood.
    ByKind,
    /// A plan: a text is wanted that any model may write.
    ToAnyModel,
    /// Nothing: it would do more, or something else, than is asked.
    ToNone,
}

/// A request that was not planned, and what works instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why.
    pub kind: RefusalKind,
    /// What was understood and why it is not done, for the user.
    pub message: String,
    /// The nearest things that work, as the user could type them.
    pub nearest: Vec<String>,
    /// Whether it is only that a file does not have what is spoken of.
    pub is_absent: bool,
    /// What a small model may make of it.
    pub left: Left,
}

impl Coded for Refusal {
    fn code(&self) -> &'static str {
        match self.kind {
            RefusalKind::NotUnderstood => "plan.not_understood",
            RefusalKind::Negated => "plan.negated",
            RefusalKind::Question => "plan.question",
            RefusalKind::Ambiguous => "plan.ambiguous",
            RefusalKind::Shell => "plan.shell_command",
            RefusalKind::Unavailable => "plan.unavailable",
            RefusalKind::Size => "plan.request_size",
            RefusalKind::Help => "plan.help",
        }
    }

    fn message(&self) -> String {
        self.message.clone()
    }

    fn hint(&self) -> String {
        if self.nearest.is_empty() {
            return String::new();
        }
        let nearest = self.nearest.join(" | ");
        match self.kind {
            RefusalKind::NotUnderstood => format!(
                "Try: {nearest}. Names with spaces go in quotes; the task `help` lists all that works."
            ),
            _ => format!("Try: {nearest}"),
        }
    }
}

impl Refusal {
    fn new(kind: RefusalKind, message: String, nearest: Vec<String>) -> Self {
        Self {
            kind,
            message,
            nearest,
            is_absent: false,
            left: Left::ByKind,
        }
    }

    /// Whether it counts for a small model as well: of an order what is understood, and may be more
    /// or less than what was meant, is not left to a guess.
    #[must_use]
    pub fn stands(&self, is_order: bool) -> bool {
        let is_understood = match self.kind {
            RefusalKind::Shell
            | RefusalKind::Unavailable
            | RefusalKind::Negated
            | RefusalKind::Ambiguous => true,
            RefusalKind::NotUnderstood
            | RefusalKind::Question
            | RefusalKind::Size
            | RefusalKind::Help => false,
        };
        match self.left {
            Left::ByKind => is_order && is_understood,
            Left::ToAnyModel => false,
            Left::ToNone => true,
        }
    }

    /// The same refusal, of what a model may do: to write a text that is asked for.
    pub(super) fn for_a_model(self) -> Self {
        Self {
            left: Left::ToAnyModel,
            ..self
        }
    }

    /// The same refusal, of what a small model would do too much of.
    pub(super) fn for_no_model(self) -> Self {
        Self {
            left: Left::ToNone,
            ..self
        }
    }

    /// A file does not have what is spoken of.
    pub(super) fn absent(why: String, nearest: Vec<String>) -> Self {
        Self {
            is_absent: true,
            ..Self::ambiguous(why, nearest)
        }
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        let most = REQUEST_BYTES;
        let message = format!(
            "The request has {bytes} bytes; without a model I read at most {most}. Nothing was done."
        );
        Self::new(RefusalKind::Size, message, Vec::new())
    }

    pub(super) fn empty() -> Self {
        let message = "There is nothing to do: the request is empty.".to_owned();
        Self::new(RefusalKind::Size, message, nearest(""))
    }

    pub(super) fn too_many_steps(steps: usize) -> Self {
        let most = domain::limits::PLAN_ACTIONS;
        let message = format!(
            "The request has {steps} steps; one plan has at most {most}. Nothing was done."
        );
        Self::new(RefusalKind::Size, message, Vec::new())
    }

    pub(super) fn asked_or_ordered(step: &str) -> Self {
        let message = format!(
            "`{step}?` may be a question or an order, and it would change something, so I did nothing."
        );
        Self::new(RefusalKind::Ambiguous, message, vec![step.to_owned()])
    }

    pub(super) fn ambiguous(why: String, nearest: Vec<String>) -> Self {
        Self::new(
            RefusalKind::Ambiguous,
            format!("{why} Nothing was done."),
            nearest,
        )
    }

    /// The same refusal, which also says what is done with a folder of that name.
    pub(super) fn of_folder(mut self, rule: &str) -> Self {
        self.message.push_str(&format!(" {rule}"));
        self
    }

    /// Of a request that says what not to do.
    pub(super) fn negated(shown: &str) -> Self {
        let message = format!(
            "`{shown}` says what not to do, or has a `not` that I cannot be sure about, so I did nothing. Texts to write or look for go in quotes."
        );
        Self::new(RefusalKind::Negated, message, Vec::new())
    }

    pub(super) fn unavailable(why: &str, nearest: Vec<String>) -> Self {
        Self::new(
            RefusalKind::Unavailable,
            format!("{why} Nothing was done."),
            nearest,
        )
    }
}

static NEGATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:\w+n['’]t|dont|doesnt|didnt|wont|cant|shouldnt|mustnt|cannot|not|never|without|avoid|refrain|stop)\b",
    )
});
static SHELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)[|<>]|&&|\$\(|\s--?[a-z][\w-]*|^(?:\$\s|sudo|su|rm|rmdir|mv|cp|chmod|chown|curl|wget|bash|sh|zsh",
        r"|python3?|perl|node|npm|pip|apt|apt-get|git|cargo|ssh|scp|dd|mkfs|kill|echo|sed|awk|xargs|eval|exec)\s",
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
static FORGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:forget|unlearn)\b|(?:delete|remove|erase|clear|wipe)\b.*\b(?:your|my|the|from) (?:memory|memories)[.! ]*$)",
    )
});
/// What only git shows.
static GIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^\w+(?: me)?(?: the)? git (?:log|status|diff|history|branch(?:es)?|blame|commits?|stash|tags?)\b",
    )
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
        r"(?i)^(?:help|what can (?:you|i) do|what do you do|what can i (?:ask|say|type)|commands|usage)[.! ]*$",
    )
});
/// Greetings and thanks, and who is asked, as the whole request.
static SMALL_TALK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:hello|hi|hey|hallo|hola|servus|moin|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)|buenos d[ií]as|buenas tardes|thanks|thank you|thx|cheers|danke|gracias)",
        r"(?:[ ,]+(?:there|carl|housecarl|again|so much|very much|a lot|everyone|sch[oö]n|und|and))*[,.!? ]*)*",
        r"(?:(?:who|what) are you|who am i talking to|what(?:'s| is) your name|wer bist du|qui[eé]n eres|how are you(?: doing)?(?: today)?|that was (?:very )?helpful|you (?:were|are) (?:very )?helpful|well done|great|nice)?[.!? ]*$",
    ))
});
/// Thanks, with what one says beside them, which is no order.
static THANKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:ok,? |great,? )?(?:thanks?|thank you|thx|cheers|danke|gracias)(?: so much| very much| a lot| again)?",
        r"(?:[,.!]? (?:you|that|this|it)(?:['’]ve| have| has)? (?:saved|helped|made|worked)(?: [\w'’]+){0,4}",
        r"|[,.!]? that(?:['’]s| is| was) (?:it|all|great|perfect|very helpful|helpful)(?: for (?:today|now))?)?[.!:) ]*$",
    ))
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

/// What answers a question, where it is the whole request.
const ANSWERS: [&str; 16] = [
    "y", "yes", "yep", "yeah", "n", "no", "nope", "ok", "okay", "sure", "ja", "nein", "sí", "si",
    "s", "r",
];

/// What is said to a greeting or to an answer that nobody waits for, where that is the whole request.
pub(super) fn small_talk(request: &str) -> Option<Refusal> {
    let request = request.trim();
    let word = request.trim_end_matches(['.', '!']).to_lowercase();
    if ANSWERS.contains(&word.as_str()) {
        let said =
            format!("`{request}` answers a question, and none is open here. Nothing was done.");
        return Some(Refusal::new(RefusalKind::Help, said, Vec::new()));
    }
    let is_greeting = !request.is_empty() && hits(&SMALL_TALK, request);
    let said = match hits(&THANKS, request) {
        true => "You are welcome.".to_owned(),
        false if is_greeting => greeting(),
        false => return None,
    };
    Some(Refusal::new(RefusalKind::Help, said, Vec::new()))
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
        let nearest = vec!["recall \"…\"".to_owned()];
        return Some(Refusal::unavailable(why, nearest));
    }
    if hits(&KEEPING, text) {
        return None;
    }
    if hits(&NEGATION, text) || forbidden::only_forbids(text) {
        return Some(Refusal::negated(&shown));
    }
    if hits(&SHELL, &format!("{text} ")) {
        let message = format!(
            "`{shown}` looks like a shell command. I run no commands; I understand plain English. Nothing was done."
        );
        let nearest = programs(nearest(&shown));
        return Some(Refusal::new(RefusalKind::Shell, message, nearest));
    }
    None
}

/// What runs programs, before the other things that may help.
fn programs(nearest: Vec<String>) -> Vec<String> {
    let runs = "carl run --agent coder --model LARGER_MODEL \"…\"".to_owned();
    std::iter::once(runs).chain(nearest).collect()
}

/// Why a step that no rule fits is not done.
pub(super) fn after_rules(request: &Request, step: &Step) -> Refusal {
    let text = step.text.as_str();
    let shown = request.shown(text);
    if hits(&QUESTION, text) {
        let message = format!(
            "`{shown}` is a question that I cannot answer without a model; I did nothing. Use --mode loop or --mode plan for it."
        );
        return Refusal::new(RefusalKind::Question, message, nearest(&shown));
    }
    if hits(&MANY, text) {
        let message = format!(
            "`{shown}` may mean many files. I change one named file a step, so I did nothing."
        );
        return Refusal::new(RefusalKind::Ambiguous, message, nearest(&shown));
    }
    if hits(&LINES, text) {
        let why = format!(
            "`{shown}` is not clear to me: I remove a line by what it says, from a file that is named."
        );
        let nearest = vec!["remove the line about \"dentist\" from days.txt".to_owned()];
        return Refusal::ambiguous(why, nearest);
    }
    if hits(&COPY, text) {
        let why = "I copy one text file to a name that is given.";
        let nearest = vec![
            "copy a.txt to b.txt".to_owned(),
            "make a backup of a.txt".to_owned(),
        ];
        return Refusal::unavailable(why, nearest);
    }
    if hits(&GIT, text) {
        let why = format!("`{shown}` needs a program, and I run none.");
        return Refusal::unavailable(&why, programs(Vec::new()));
    }
    if hits(&PROGRAM, text) {
        let why = format!("`{shown}` is not among the things I can do without a larger model.");
        return Refusal::unavailable(&why, programs(Vec::new()));
    }
    if let Some((language, known)) = languages::of_unknown_order(text) {
        let message = format!(
            "I did not understand `{shown}`, so I did nothing: of {language} I know few orders."
        );
        return Refusal::new(RefusalKind::NotUnderstood, message, known).for_no_model();
    }
    let message = format!(
        "I did not understand `{shown}`, so I did nothing: deterministic mode knows plain English \
         orders alone. --mode loop asks a model, as /mode loop does in a chat."
    );
    Refusal::new(RefusalKind::NotUnderstood, message, nearest(&shown))
}

/// What works, each with the words that bring it to mind.
const EXAMPLES: [(&str, &str); 21] = [
    (
        "list the files in docs",
        "list files ls dir folder what everything",
    ),
    (
        "show notes.txt",
        "show read cat open print view display content file",
    ),
    (
        "search for \"budget\" in docs",
        "search grep look text word mention contain",
    ),
    (
        "find files named *.md",
        "find locate where named called pattern",
    ),
    (
        "show the tree of docs",
        "tree structure recursive subfolders levels",
    ),
    (
        "show the first 10 lines of notes.txt",
        "first head top beginning lines",
    ),
    (
        "show the last 10 lines of notes.txt",
        "last tail bottom end lines log",
    ),
    (
        "count the lines in notes.txt",
        "count many lines words long number characters",
    ),
    (
        "show the file sizes in docs",
        "size sizes big biggest large largest space disk",
    ),
    (
        "compare a.txt with b.txt",
        "compare diff difference differ versus same",
    ),
    (
        "create notes.txt with \"hello\"",
        "create make new write touch file save echo",
    ),
    (
        "append \"milk\" to list.txt",
        "append add insert put write echo line",
    ),
    (
        "replace \"old\" with \"new\" in notes.txt",
        "replace change substitute edit fix sed swap update",
    ),
    (
        "copy a.txt to b.txt",
        "copy copies duplicate clone backup cp",
    ),
    ("make a folder drafts", "folder directory mkdir make"),
    ("move a.txt to drafts/a.txt", "move rename mv name"),
    (
        "delete \"old.txt\"",
        "delete remove erase trash rm rid wipe clean clear",
    ),
    ("undo", "undo revert back restore"),
    (
        "remember that the shop opens at nine",
        "remember memory memorise memorize keep note mind learn know forget",
    ),
    (
        "recall when the shop opens",
        "recall remember memory remind told said know who whose when why how favourite favorite",
    ),
    (
        "search the web for \"oolong tea\"",
        "web internet online google wikipedia news weather who why how latest lookup",
    ),
];
/// Most suggestions in one answer.
const SUGGESTIONS: usize = 3;

/// The examples that share most words with a text; without any, the harmless first ones.
pub(super) fn nearest(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .collect();
    let mut scored: Vec<(usize, &str)> = EXAMPLES
        .iter()
        .map(|(example, keys)| {
            let hits = keys.split(' ').filter(|key| words.contains(key)).count();
            (hits, *example)
        })
        .filter(|(hits, _)| *hits > 0)
        .collect();
    scored.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    if scored.is_empty() {
        scored = EXAMPLES
            .iter()
            .take(SUGGESTIONS)
            .map(|(example, _)| (0, *example))
            .collect();
    }
    scored
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, example)| example.to_owned())
        .collect()
}

/// Who answers, to those who greet.
fn greeting() -> String {
    "I am Housecarl, an agent on your own machine. Tell me what to do with the files here, such as \
     `list the files` or `show notes.txt`; the task `help` lists what works without a model."
        .to_owned()
}

/// What can be done without a model.
pub(super) fn help() -> String {
    let lines: Vec<String> = EXAMPLES
        .iter()
        .map(|(example, _)| format!("  {example}"))
        .collect();
    format!(
        "Without a model I do these, in plain English; names with spaces and texts go in quotes, or a text behind a colon, and \"then\" joins steps:\n{}",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_answered_and_orders_behind_one_are_read() {
        for says in [
            "hello, who are you?",
            "Thanks, that was helpful!",
            "thank you so much, you saved my evening :)",
            "thanks a lot, that's all for today :)",
            "Hallo",
            "hi there",
        ] {
            let answer = crate::rules::plan(says).unwrap_err();
            assert!(
                answer.message.contains("I am Housecarl") || answer.message == "You are welcome.",
                "{says}: {answer}"
            );
        }
        assert!(crate::rules::plan("hello, show notes.txt").is_ok());
        for order in [
            "thanks, delete notes.txt",
            "Thanks, it worked, now set the port to 9000",
            "thanks that was it, undo",
            "thanks, this is the note to remember: the door code is 1234",
        ] {
            let planned = crate::rules::plan(order);
            let is_help = planned.is_err_and(|refusal| refusal.kind == RefusalKind::Help);
            assert!(!is_help, "{order}");
        }
    }

    #[test]
    fn every_constant_pattern_compiles() {
        let constants = [
            &NEGATION,
            &SHELL,
            &KEEPING,
            &FORGET,
            &GIT,
            &LINES,
            &COPY,
            &HELP,
            &SMALL_TALK,
            &THANKS,
            &QUESTION,
            &PROGRAM,
            &MANY,
        ];
        assert!(constants.iter().all(|constant| constant.is_some()));
    }

    #[test]
    fn what_is_suggested_is_understood() {
        for (example, _) in EXAMPLES {
            assert!(crate::by_rules::understands(example), "{example}");
        }
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
    fn destruction_is_suggested_only_to_those_who_speak_of_it() {
        assert!(
            !nearest("please polish the silver")
                .iter()
                .any(|one| one.contains("delete"))
        );
        assert!(nearest("rm a.txt").iter().any(|one| one.contains("delete")));
    }
}
