//! Words as they are compared: lower case, without endings, and with what they mean.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words too common to tell one tool from another.
const COMMON: &str = "a an the and or of to in on at by for from with without into onto as is are was were be \
    been it its this that these those i me my we our us you your he she they them his her their \
    what which who whom when where why how do does did have has had can could will would should \
    may might must not no if then than so some any all each every one two more most other another \
    please let get give need want make put just also there here about up out over under \
    now new old if using use used via per etc minute minutes hour hours day days ten five";

/// Things tools deal with, a line a thing, by words that point at it. A word may point at several;
/// two words that only together point at one are joined by `_`.
const TOPICS: &[&str] = &[
    "mail email mailbox inbox message letter note written wrote sender correspondence \
     mailed newsletter spam subject recipient postbox heard_from wrote_to",
    "draft unsent",
    "attachment attached enclosed enclosure",
    "folder directory subfolder folders in_there",
    "file document txt log",
    "zip archive tar compress unzip unpack tarball",
    "filter rule automatic automatically incoming label labels whenever everything_from all_mail",
    "event appointment meeting calendar schedule agenda diary dinner lunch call session dentist reschedule \
     postpone birthday free_time clash busy meet interview visit wedding",
    "invite invitation attendee guest rsvp",
    "available availability slot free_time everybody suit gap time_for when_could when_can time_works",
    "reminder remind alert heads-up notification",
    "todo to-do task item chore groceries shopping remember remind remind_me errand \
     errands deadline not_forget forget_to have_to must_not",
    "issue bug ticket defect crash regression problem complaint feature_request broken",
    "pull_request pull pr merge_request mr patch branch prs",
    "diff changes patch",
    "review reviewer look_over look_at feedback",
    "comment remark note",
    "repository repo source code git codebase branch commit",
    "code function implementation class snippet defined implemented",
    "workflow ci build pipeline integration test job passed checks failing failed nightly \
     deploy green",
    "release version tag changelog",
    "database sql table postgres sqlite mysql db record row customers orders rows entries \
     records query",
    "column schema field index primary_key foreign_key",
    "plan slow explain performance",
    "backup dump snapshot safe_copy",
    "csv",
    "disk space storage gigabyte full megabyte",
    "light lamp bulb lighting brightness dim bright dark lights illuminate",
    "temperature warm warmer cold colder heat heating thermostat degree celsius radiator \
     freezing chilly hot",
    "door lock unlock gate entrance locked",
    "blind shutter shade curtain window",
    "sensor humidity humid damp air motion",
    "vacuum hoover clean floor robot crumbs dust vacuumed sweep mop",
    "scene atmosphere movie_night",
    "alarm burglar arm disarm intruder burglary leaving",
    "camera yard driveway doorbell snapshot outside who_is",
    "energy electricity power consumption kwh watt",
    "home house smart device gadget lamp room kitchen bedroom bathroom hallway living_room",
    "music song track album artist playlist playback listen radio band put_on tune jazz \
     player tunes singer concert piece lyrics headphones",
    "volume loud louder quiet quieter",
    "lyric lyrics refrain words_of sing",
    "route direction drive bike cycle walk distance travel journey trip commute way_to \
     get_to far how_far get_there arrive directions walk_to minutes_to",
    "nearby near around restaurant cafe chemist pharmacy atm petrol shop hotel \
     supermarket bakery coffee doctor gym cinema parking eat_out bar hungry",
    "coordinate latitude longitude gps geocode position pinpoint",
    "address street postal",
    "traffic jam congestion motorway road congested blocked",
    "bus train tram subway metro station stop departure timetable underground",
    "elevation altitude height sea_level mountain high_up how_high peak summit metres",
    "weather rain sun snow wind umbrella storm sunny coat jacket raining forecast snowing \
     cloudy sunshine freeze degrees_outside",
    "forecast tomorrow weekend",
    "severe storm flood hurricane",
    "bank account balance iban money overdraft savings cash afford",
    "transaction statement booking debit purchase spending spent withdraw card shopping",
    "transfer pay wire invoice owe bill euros remit settle send_money",
    "recurring standing_order rent monthly subscription every_month",
    "currency dollar euro franc pound exchange yen dollars",
    "stock share ticker nasdaq fund shares share_price",
    "contact person phone telephone number birthday address_book mobile surname reach \
     mobile_number who_is",
    "translate translation language english german french spanish italian dutch japanese \
     russian mean in_english in_german in_french in_spanish in_italian into_english \
     into_german into_french into_spanish into_italian how_do_you_say portuguese polish \
     turkish swedish",
    "chat channel team slack colleague everyone colleagues people_been discussion talked \
     saying conversation thread general slack dm direct_message ping",
    "office page article report letter memo write_up essay",
    "spreadsheet sheet row cell excel cells figures budget figures",
    "range cell",
    "pdf",
    "picture image photo photograph scan scanned screenshot jpeg png logo icon",
    "resize crop smaller pixel shrink pixels thumbnail",
    "ocr recognise recognize scan printed handwriting receipt",
    "server machine virtual vm instance cloud host servers running virtual_machine node nodes",
];

/// What is done with them, a line a deed.
const ACTIONS: &[&str] = &[
    "send tell write notify inform forward dispatch email mail message let_know shoot drop_a drop_me let_them_know saying pass_on",
    "reply answer respond response write_back get_back back_to",
    "draft prepare compose",
    "read show open view see display print contents content say says stand",
    "search find look lookup locate whether seek check get_back did_anyone ever heard",
    "list show enumerate overview which what_are are_there",
    "create make add new open start file book plan publish put set_up report propose raise",
    "delete remove erase discard trash bin get_rid throw_away throw wipe",
    "move relocate transfer shift file_under sort put_into",
    "rename retitle call",
    "copy duplicate clone",
    "compress zip pack archive bundle",
    "extract unzip unpack decompress",
    "download save fetch store",
    "upload share post attach",
    "cancel call_off delete drop",
    "update change edit reschedule postpone shift modify push later earlier",
    "accept decline tentative confirm",
    "complete done finish tick check_off mark",
    "merge land squash rebase integrate",
    "comment remark note say",
    "close resolve shut",
    "rerun again retry restart repeat",
    "release publish ship",
    "query select count many most sum average total",
    "execute insert update delete set change status",
    "describe column structure",
    "explain execution",
    "dump save back_up backup",
    "restore recover bring_back load",
    "export save write output",
    "switch turn set turn_on turn_off switch_on switch_off dim",
    "lock unlock locked",
    "open close roll raise lower",
    "start run execute launch perform",
    "activate enable",
    "arm disarm",
    "play listen put_on hear playback start",
    "pause stop halt quiet silence",
    "next skip",
    "recommend similar like suggest recommendation mood",
    "compute route get_to way_to take long",
    "convert exchange worth",
    "append add put enter insert",
    "resize scale crop shrink smaller",
    "report how_much consumption use",
    "recent latest last newest past",
    "current now right_now present currently moment",
    "warning alert danger",
    "quote price worth trade",
];

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Term {
    /// What is left of it without its ending.
    Stem(String),
    /// The line of [`TOPICS`] it stands in.
    Topic(usize),
    /// The line of [`ACTIONS`] it stands in.
    Action(usize),
}

static KNOWN: LazyLock<HashMap<String, Vec<Term>>> = LazyLock::new(|| {
    let topics = TOPICS.iter().enumerate();
    let actions = ACTIONS.iter().enumerate();
    let lines = topics
        .map(|(line, words)| (Term::Topic(line), words))
        .chain(actions.map(|(line, words)| (Term::Action(line), words)));
    let mut known: HashMap<String, Vec<Term>> = HashMap::new();
    for (meaning, words) in lines {
        for word in words.split_whitespace() {
            let stems: Vec<String> = split(word).iter().map(|part| stem(part)).collect();
            let meanings = known.entry(stems.join(" ")).or_default();
            if !meanings.contains(&meaning) {
                meanings.push(meaning.clone());
            }
        }
    }
    known
});

static SKIPPED: LazyLock<Vec<&'static str>> = LazyLock::new(|| COMMON.split_whitespace().collect());

/// First words of a question.
const QUESTION_WORDS: &str = "what which who whom whose when where why how is are am was were do does did has have can could will \
    would should any";
/// Deeds that only look.
const LOOKING: &str = "list get search find read query show describe fetch report check explain lookup view count \
    current forecast quote nearby directions traffic departures next snapshot status usage";

/// Whether a task asks something rather than orders something done.
pub(crate) fn is_question(task: &str) -> bool {
    let words = split(task);
    let first = words.first().map_or("", String::as_str);
    let asks_for_a_deed = matches!(first, "can" | "could" | "would" | "will")
        && words.get(1).is_some_and(|word| word == "you");
    !asks_for_a_deed
        && (task.trim_end().ends_with('?')
            || QUESTION_WORDS.split_whitespace().any(|word| word == first))
}

/// Whether a tool only looks, by its name.
pub(crate) fn is_look(name: &str) -> bool {
    let words = split(name);
    LOOKING
        .split_whitespace()
        .any(|look| words.iter().any(|word| word == look))
}

/// Names of things that are deeds where a task begins with them: "file a bug".
const DEEDS_WHEN_FIRST: [&str; 6] = ["file", "plan", "share", "book", "report", "record"];

/// The terms of a task: as [`terms`], but for a first word that says what to do.
pub(crate) fn task_terms(task: &str) -> Vec<Term> {
    let task = request_of(task);
    let first = split(&task).into_iter().next().unwrap_or_default();
    let rest = task.get(first.len()..).unwrap_or("");
    if DEEDS_WHEN_FIRST.contains(&first.as_str()) {
        let deeds = meanings(&first).iter();
        let deeds = deeds
            .filter(|term| matches!(term, Term::Action(_)))
            .cloned();
        deeds.chain(terms(rest)).collect()
    } else {
        terms(&task)
    }
}

/// The task without what it quotes, and with names of files, channels and the like put as the kind
/// of thing they are: which one it is says nothing about the tool.
fn request_of(task: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    for word in task.split_whitespace() {
        let opens = word.chars().next().filter(|c| "'\"“‘«".contains(*c));
        quote = quote.or(opens);
        let closes = word.trim_end_matches(|c: char| ".,:;!?)".contains(c));
        if quote.is_none() {
            words.push(kind_of(word.trim_matches(|c: char| ".,:;!?()".contains(c))));
        } else if closes.len() > 1 && closes.ends_with(['\'', '"', '”', '’', '»']) {
            quote = None;
        }
    }
    if words.is_empty() || quote.is_some() {
        // All of it is quoted, or a quotation has no end: it is no quotation.
        return task.trim().to_owned();
    }
    words.join(" ")
}

fn kind_of(word: &str) -> String {
    let is_name = |name: &str| name.starts_with(char::is_alphabetic);
    if word.contains("://") {
        return "web page".to_owned();
    }
    if word.strip_prefix('#').is_some_and(is_name) {
        return "channel".to_owned();
    }
    if word.contains('@') && word.contains('.') {
        return "mail".to_owned();
    }
    match word.rsplit_once('.') {
        Some((stem, ending)) if is_name(stem) && is_name(ending) && ending.len() <= 5 => {
            format!("file {ending}")
        }
        _ => word.to_owned(),
    }
}

/// The stems of a text's words and what they mean, each word in its place.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    let words = split(text);
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < stems.len() {
        // Two words that together mean something do not mean it apart as well.
        if let Some(next) = stems.get(at + 1) {
            let together = meanings(&format!("{} {next}", stems[at]));
            if !together.is_empty() {
                found.extend(together.iter().cloned());
                at += 2;
                continue;
            }
        }
        if !SKIPPED.contains(&words[at].as_str()) && words[at].len() > 1 {
            found.extend(meanings(&stems[at]).iter().cloned());
            found.push(Term::Stem(stems[at].clone()));
        }
        at += 1;
    }
    found
}

fn meanings(stems: &str) -> &'static [Term] {
    KNOWN.get(stems).map_or(&[], Vec::as_slice)
}

/// Whether a stem says what is done rather than with what.
pub(crate) fn is_action(stem: &str) -> bool {
    let meanings = meanings(stem);
    !meanings.is_empty() && meanings.iter().all(|m| matches!(m, Term::Action(_)))
}

/// Words in lower case; `camelCase`, `snake_case` and dots are taken apart.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let starts = c.is_uppercase() && was_lower;
        if (!c.is_alphanumeric() || starts) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// An English word without its commonest endings. Rough: what matters is that forms of one word
/// meet, not that the stem is a word.
pub(crate) fn stem(word: &str) -> String {
    const ENDINGS: [(&str, &str); 18] = [
        ("ications", "y"),
        ("ication", "y"),
        ("ations", "at"),
        ("ation", "at"),
        ("ions", ""),
        ("ion", ""),
        ("ities", "ity"),
        ("ances", "anc"),
        ("ments", "ment"),
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("ing", ""),
        ("ied", "y"),
        ("ed", ""),
        ("ly", ""),
        ("s", ""),
    ];
    let mut stem = word.to_owned();
    for (ending, instead) in ENDINGS {
        let Some(rest) = word.strip_suffix(ending) else {
            continue;
        };
        let shortest = if ending == "s" { 2 } else { 3 };
        if rest.len() >= shortest
            && !(ending == "s" && (rest.ends_with('s') || rest.ends_with('u')))
        {
            stem = format!("{rest}{instead}");
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    // "planned" and "plan", "stopping" and "stop".
    let mut ends = stem.chars().rev();
    let (last, before) = (ends.next(), ends.next());
    let is_double = last == before && !matches!(last, Some('s' | 'e' | 'o' | 'z'));
    if stem.len() > 3 && is_double {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        let families = [
            ["translate", "translated", "translating", "translates"],
            ["plan", "plans", "planned", "planning"],
            ["query", "queries", "querying", "queried"],
            ["box", "boxes", "boxed", "boxing"],
            ["congest", "congested", "congestion", "congestions"],
            ["label", "labels", "labelled", "labelling"],
        ];
        for family in families {
            let stems: Vec<String> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{stems:?}");
        }
        assert_eq!(stem("bus"), "bus");
        assert_ne!(stem("address"), stem("add"));
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(
            split("repohub.listWorkflow_runs-2"),
            ["repohub", "list", "workflow", "runs", "2"]
        );
    }

    #[test]
    fn names_and_quotations_are_put_aside() {
        assert_eq!(
            request_of("Tell #sales 'the bank is shut' about a.txt, don't wait"),
            "Tell channel about file txt don't wait"
        );
        assert_eq!(request_of("'what is this"), "'what is this");
    }

    #[test]
    fn words_of_one_meaning_share_a_term() {
        let (bug, issue) = (terms("bug"), terms("issue"));
        assert!(
            bug.iter()
                .any(|t| matches!(t, Term::Topic(_)) && issue.contains(t))
        );
        assert!(terms("the of and").is_empty());
    }
}
