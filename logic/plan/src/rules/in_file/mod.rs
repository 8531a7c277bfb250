//! Orders that are understood as a whole, and of which a file has to be read before they are a plan:
//! `set the port in settings.toml to 9000`, `remove the line about the dentist from calendar.txt`.
//!
//! [`sayings`] reads the request, the other files make exact steps from the text. What is not there, or
//! is there twice, is refused with what was found.

mod asked;
mod by_place;
mod keys;
mod lines;
mod placed;
mod saying;
mod sayings;
mod sections;
mod tables;
mod told;
mod unset;
mod values;
pub(crate) mod whole_words;

use super::languages;
use super::refusal::Refusal;
use super::several;
use super::words;
use domain::fault::Fault;
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use lines::Lines;

use asked::Asked;
pub use asked::InFile;
pub(crate) use told::{answer, may_answer};

/// Longest text that a step writes, characters.
const CONTENT_CHARS: usize = 4_000;

/// Refuses several orders of lines of one file by their numbers: the first moves those of the next.
pub(crate) fn are_counted_once(orders: &[InFile]) -> Result<(), Refusal> {
    let counted: Vec<&InFile> = orders.iter().filter(|order| order.counts_lines()).collect();
    let twice = counted
        .iter()
        .enumerate()
        .find(|(at, one)| counted[..*at].iter().any(|before| before.path == one.path));
    match twice {
        None => Ok(()),
        Some((_, order)) => {
            let path = &order.path;
            let why = format!(
                "An order of lines by their numbers moves those after it in {path}, so that whose numbers the \
                 next ones are is not clear."
            );
            let nearest = vec![
                format!("delete lines 1 and 3 of {path}"),
                "one order at a time".to_owned(),
            ];
            Err(Refusal::ambiguous(why, nearest))
        }
    }
}

/// Refuses changes after which a file of data, whose text this is, would not be sound any more.
pub(crate) fn stays_sound(path: &str, text: &str, actions: &[Action]) -> Result<(), Refusal> {
    Lines { path, text }.stays_valid(actions, false)
}

/// What a request asks of a file; `None` where it is no such order.
#[must_use]
pub fn read(request: &str) -> Option<InFile> {
    asked(request).ok().flatten()
}

/// Why an order of lines by where they stand is not clear.
pub(super) fn unclear(request: &str) -> Option<Refusal> {
    asked(request).err()
}

fn asked(request: &str) -> Result<Option<InFile>, Refusal> {
    let parsed = several::read(&languages::in_english(request));
    match parsed.steps.as_slice() {
        // A change may not hide in a question.
        [step] if !step.is_question || step.is_polite => {
            sayings::read(&parsed, step, words::intent(request))
        }
        _ => Ok(None),
    }
}

impl InFile {
    /// Whether the file is to be copied as it is.
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        matches!(self.asked, Asked::Copy { .. })
    }

    /// What to order instead where the file is not there to be read.
    #[must_use]
    pub fn without_it(&self) -> Option<String> {
        let Asked::AddTo { into } = &self.asked else {
            return None;
        };
        let (path, into) = (&self.path, values::typed(into, false));
        Some(format!("Its name, as a text: append \"{path}\" to {into}"))
    }

    /// What is said of lines that stay although they have the text: it stands there within words.
    pub(crate) fn stays(&self, text: &str) -> Option<Fault> {
        let Asked::RemoveLines { about, is_many } = &self.asked else {
            return None;
        };
        let lines = Lines {
            path: &self.path,
            text,
        };
        lines.within_words(about, *is_many)
    }

    /// Refuses to replace the name of a value in settings as a word of the text: `change Port to 2222 in
    /// ssh.conf` is of what stands behind it.
    pub(crate) fn is_of_words(&self, text: &str) -> Result<(), Refusal> {
        let Asked::Set { key, to, .. } = &self.asked else {
            return Ok(());
        };
        let lines = Lines {
            path: &self.path,
            text,
        };
        lines.is_no_name(key, to)
    }

    /// Whether it is of lines by their numbers, which another such order of the file before it moves.
    #[must_use]
    pub fn counts_lines(&self) -> bool {
        self.asked.counts_lines()
    }

    /// The plan, from the text of the file.
    ///
    /// # Errors
    /// [`Refusal`] when the text does not have what the request speaks of, has it in more than one
    /// place, or a step would write more than 4,000 characters.
    pub fn plan(&self, text: &str) -> Result<Plan, Refusal> {
        let lines = Lines {
            path: &self.path,
            text,
        };
        let actions = match &self.asked {
            Asked::Set {
                key,
                from,
                to,
                is_quoted,
                may_be_a_word,
            } => {
                if *may_be_a_word {
                    lines.is_no_value(key, to)?;
                }
                vec![lines.set(key, from.as_deref(), (to, *is_quoted))?]
            }
            Asked::RemoveLines { about, is_many } => lines.remove(about, *is_many)?,
            Asked::RemoveItem { text } => vec![lines.remove_item(text)?],
            Asked::RemoveText { text } => vec![lines.remove_text(text)?],
            Asked::Insert { text, side, place } => vec![lines.insert(text, *side, place)?],
            Asked::Rewrite { text, place } => vec![lines.rewrite(text, place)?],
            Asked::RemovePlace { place } => lines.remove_placed(place)?,
            Asked::Clear { text } => lines.clear(text)?,
            Asked::Copy { into } => copied(&self.path, text, into)?,
            Asked::AddTo { into } => added(&self.path, text, into)?,
            Asked::CopyValue { key, into } => vec![create(into, lines.value(key)?)],
            Asked::Convert { form, into } => {
                vec![create(into, tables::convert(&self.path, text, *form)?)]
            }
            Asked::Letters { are_capital, into } => vec![create(
                into,
                match are_capital {
                    true => text.to_uppercase(),
                    false => text.to_lowercase(),
                },
            )],
        };
        // What is written elsewhere leaves this text as it is.
        if !matches!(self.asked, Asked::Copy { .. } | Asked::AddTo { .. }) {
            lines.stays_valid(&actions, self.asked.may_add())?;
        }
        let too_long = |action: &Action| match action {
            Action::CreateFile { content, .. } => content.chars().count() > CONTENT_CHARS,
            _ => false,
        };
        if actions.iter().any(too_long) {
            let why =
                format!("A step writes at most {CONTENT_CHARS} characters, and this has more.");
            return Err(Refusal::unavailable(&why, Vec::new()));
        }
        Ok(Plan {
            intent: self.intent.clone(),
            actions,
        })
    }
}

/// The steps that write a text to another file, as many lines at a time as a step may write.
fn copied(path: &str, text: &str, into: &str) -> Result<Vec<Action>, Refusal> {
    let mut parts = vec![String::new()];
    let mut room = CONTENT_CHARS;
    for line in text.split_inclusive('\n') {
        let length = line.chars().count();
        if length > room && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
            room = CONTENT_CHARS;
        }
        room = room.saturating_sub(length);
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    let is_long = |part: &String| part.chars().count() > CONTENT_CHARS;
    if parts.len() > PLAN_ACTIONS || parts.iter().any(is_long) {
        let why = format!(
            "{path} is too long to be copied without a program. Copy it with one, such as `cp`."
        );
        return Err(Refusal::unavailable(&why, Vec::new()));
    }
    let mut actions = Vec::new();
    for content in parts {
        actions.push(match actions.is_empty() {
            true => create(into, content),
            false => Action::AppendText {
                path: into.to_owned(),
                content,
            },
        });
    }
    Ok(actions)
}

/// The steps that add a text to the end of another file.
fn added(path: &str, text: &str, into: &str) -> Result<Vec<Action>, Refusal> {
    if text.is_empty() {
        return Err(Refusal::absent(format!("{path} is empty."), Vec::new()));
    }
    let steps = copied(path, text, into)?.into_iter();
    let steps = steps.map(|step| match step {
        Action::CreateFile { path, content } => Action::AppendText { path, content },
        step => step,
    });
    Ok(steps.collect())
}

fn create(path: &str, content: String) -> Action {
    Action::CreateFile {
        path: path.to_owned(),
        content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = "[server]\nhost = \"127.0.0.1\"\nport = 8090 # as before\n";
    const DAYS: &str = "Mon 09:00 standup\nTue 14:30 bank\nFri 11:00 dentist";

    fn planned(request: &str, text: &str) -> Result<Vec<Action>, String> {
        let asked = read(request).ok_or_else(|| format!("{request} is no such order"))?;
        let plan = asked.plan(text).map_err(|refusal| refusal.to_string())?;
        Ok(plan.actions)
    }

    fn edited(request: &str, text: &str) -> String {
        let mut text = text.to_owned();
        for action in planned(request, &text).unwrap() {
            let Action::ReplaceText { old, new, .. } = action else {
                panic!("{request}: {action:?}");
            };
            assert!(lines::stands_once(&text, &old), "{request}: {old:?}");
            text = text.replace(&old, &new);
        }
        text
    }

    fn written(request: &str, text: &str) -> (String, String) {
        match planned(request, text).unwrap().remove(0) {
            Action::CreateFile { path, content } => (path, content),
            other => panic!("{request}: {other:?}"),
        }
    }

    #[test]
    fn a_value_is_set_where_it_stands() {
        for says in [
            "Change the port in settings.toml to 9000.",
            "in settings.toml set the port to 9000",
            "set port to 9000 in settings.toml",
            "please update the port of settings.toml from 8090 to 9000",
        ] {
            let text = edited(says, SETTINGS);
            assert!(
                text.contains("\nport = 9000 # as before\n"),
                "{says}: {text}"
            );
        }
        let text = edited("set the host in settings.toml to 0.0.0.0", SETTINGS);
        assert!(text.starts_with("[server]\nhost = \"0.0.0.0\"\n"), "{text}");
        let list = "# Launch\n- **Status:** draft\n- Owner: Ravi\n";
        let text = edited("In notes.md set the status to done.", list);
        assert_eq!(text, "# Launch\n- **Status:** done\n- Owner: Ravi\n");
        let page = "<head><title>Draft</title></head><p>Draft</p>\n";
        let text = edited("Change the title of page.html from Draft to Home.", page);
        assert_eq!(text, "<head><title>Home</title></head><p>Draft</p>\n");
        let json = "{\n  \"name\": null,\n  \"size\": 3\n}\n";
        let text = edited("set the name in a.json to Ann Lee", json);
        assert_eq!(text, "{\n  \"name\": \"Ann Lee\",\n  \"size\": 3\n}\n");
        let path = "{\n  \"dir\": \"/x\"\n}\n";
        let text = edited("set the dir in a.json to \"C:\\new\\dir\"", path);
        assert_eq!(text, "{\n  \"dir\": \"C:\\\\new\\\\dir\"\n}\n");
        let fee = "- Beitrag: 42 Euro im Jahr\n";
        let text = edited("set the Beitrag to 48 Euro in verein.md", fee);
        assert_eq!(text, "- Beitrag: 48 Euro im Jahr\n");
        let twice = "[a]\nport = 80\n[b]\nname = x\nport-max = 80\n";
        assert!(edited("set the port in a.ini to 81", twice).starts_with("[a]\nport = 81\n"));
    }

    #[test]
    fn what_is_not_there_or_twice_is_refused_with_what_was_found() {
        let refused = |says: &str, text: &str| planned(says, text).unwrap_err();
        let absent = refused("set the colour in settings.toml to red", SETTINGS);
        assert!(absent.contains("`colour`"), "{absent}");
        let twice = refused("set port in a.ini to 9", "port = 1\nport = 2\n");
        assert!(
            twice.contains("line 1") && twice.contains("line 2"),
            "{twice}"
        );
        let other = refused("change the port in settings.toml from 1 to 9000", SETTINGS);
        assert!(other.contains("8090"), "{other}");
        let many = refused("remove the line about bank from days.txt", "bank\nBank\n");
        assert!(many.contains("line 1"), "{many}");
    }

    #[test]
    fn lines_are_removed_by_what_they_say() {
        let text = edited("Remove the line about the dentist from calendar.txt.", DAYS);
        assert_eq!(text, "Mon 09:00 standup\nTue 14:30 bank");
        let text = edited("delete the entry for standup in calendar.txt", DAYS);
        assert_eq!(text, "Tue 14:30 bank\nFri 11:00 dentist");
        let text = edited("remove the line \"bank\" from calendar.txt", DAYS);
        assert_eq!(text, "Mon 09:00 standup\nFri 11:00 dentist");
        let log = "a DEBUG x\nb\nc DEBUG y\n";
        let text = edited("remove all lines that contain DEBUG from app.log", log);
        assert_eq!(text, "b\n");
        let text = edited(
            "remove the eggs from list.txt",
            "- Milk\n- [ ] eggs\nmilk rice\n",
        );
        assert_eq!(text, "- Milk\nmilk rice\n");
        let text = edited(
            "remove the line call Bob from list.txt",
            "call Bob\ncall Bobby\n",
        );
        assert_eq!(text, "call Bobby\n");
        for (says, text) in [
            ("remove milk from list.txt", "milk rice\n"),
            ("remove the duplicates from list.txt", "a\na\n"),
            ("remove milk from list.txt", "milk\n- milk\n"),
        ] {
            assert!(planned(says, text).is_err(), "{says}");
        }
        for says in [
            "remove the first two from list.txt",
            "remove milk and eggs from list.txt",
        ] {
            assert_eq!(read(says), None, "{says}");
        }
    }

    #[test]
    fn a_quoted_text_is_removed_where_it_stands_once() {
        let text = "Anna cried. Tom went.\nThe end\nTomorrow Anna\n";
        let is = |says: &str| edited(says, text);
        let without = text.replace("Anna cried.", "");
        assert_eq!(is("remove \"Anna cried.\" from novel.md"), without);
        assert_eq!(is("in novel.md, delete 'Anna cried.'"), without);
        let without = text.replace("The end\n", "");
        assert_eq!(is("delete \"The end\" in the file novel.md"), without);
        for (says, why) in [
            ("remove \"Anna\" from novel.md", "line 1 (`Anna cried."),
            ("remove \"Eve\" from novel.md", "no `Eve`"),
            ("remove \"\" from novel.md", "no ``"),
            ("remove \"orrow\" from novel.md", "part of `Tomorrow`"),
        ] {
            let refused = planned(says, text).unwrap_err();
            assert!(refused.contains(why), "{says}: {refused}");
        }
        assert_eq!(read("remove \"a.txt\" from docs/"), None);
        let refused = read("remove Tom from novel.md")
            .unwrap()
            .plan(text)
            .unwrap_err();
        assert_eq!(
            refused.nearest,
            [
                "remove \"Tom\" from novel.md",
                "remove the line about \"Tom\" from novel.md"
            ]
        );
    }

    #[test]
    fn values_tables_and_letters_are_written_elsewhere() {
        let says = "Read the port in settings.toml and write it into a new file port.txt.";
        assert_eq!(written(says, SETTINGS).1, "8090");
        let csv = "name,price\ntea,3\n\"milk, fresh\",2.50\n";
        let says = "Convert prices.csv to JSON and save it as prices.json: a list of objects.";
        let (path, content) = written(says, csv);
        assert_eq!(path, "prices.json");
        let parsed: serde_json::Value = serde_json::from_str(&content).unwrap();
        assert_eq!(parsed[1]["name"], "milk, fresh");
        assert_eq!(parsed[0]["price"], 3);
        assert_eq!(written("convert prices.csv to json", csv).0, "prices.json");
        let (_, content) = written("Turn prices.csv into a Markdown table in prices.md.", csv);
        assert_eq!(
            content,
            "| name | price |\n| --- | --- |\n| tea | 3 |\n| milk, fresh | 2.50 |\n"
        );
        let json = "[{\"a\": 1, \"b\": \"x, y\"}, {\"a\": 2}]";
        let (_, content) = written("convert a.json to a.csv", json);
        assert_eq!(content, "a,b\n1,\"x, y\"\n2,\n");
        let says = "Write the content of word.txt in capital letters to loud.txt.";
        assert_eq!(written(says, "quiet\n").1, "QUIET\n");
        assert!(planned("convert a.csv to a.json", "a\n1,2\n").is_err());
    }

    #[test]
    fn a_word_of_a_text_is_no_value() {
        let days = "Tuesday: write 500 words\nMood: calm\n";
        let refusal = |says: &str| read(says).unwrap().plan(days).unwrap_err();
        // Not there as a value: the plan that replaces the word counts.
        assert!(refusal("change Tuesday to Monday in days.txt").is_absent);
        assert!(refusal("change 500 to 600 in days.txt").is_absent);
        let both = refusal("change Mood to gloomy in days.txt");
        assert!(!both.is_absent && both.nearest.len() == 2, "{both}");
        for says in [
            "set Mood to gloomy in days.txt",
            "change the value of Mood to gloomy in days.txt",
            "change the Mood in days.txt from calm to gloomy",
        ] {
            assert!(edited(says, days).ends_with("Mood: gloomy\n"), "{says}");
        }
        assert_eq!(
            edited("change port to 81 in a.ini", "port = 80\n"),
            "port = 81\n"
        );
        assert_eq!(read("change port to x everywhere in a.ini"), None);
    }

    #[test]
    fn a_text_is_copied_in_as_many_steps_as_it_needs() {
        let actions = planned("copy a.md to b.md", "x\n").unwrap();
        assert_eq!(actions, [create("b.md", "x\n".to_owned())]);
        for (says, path) in [
            ("make a backup of a.md", "a.md.bak"),
            ("back up a.md", "a.md.bak"),
            ("back up a.md to old/a.md", "old/a.md"),
            ("copy a.md into the folder drafts", "drafts/a.md"),
            ("duplicate a.md and call it b.md", "b.md"),
            ("create a copy of a.md as b.md", "b.md"),
        ] {
            assert_eq!(written(says, "x\n").0, path, "{says}");
        }
        let long = "word word word\n".repeat(1_000);
        let actions = planned("copy a.md to b.md", &long).unwrap();
        let text = actions.iter().map(|action| match action {
            Action::CreateFile { content, .. } | Action::AppendText { content, .. } => {
                assert!(content.chars().count() <= CONTENT_CHARS && content.ends_with('\n'));
                content.as_str()
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(text.collect::<String>(), long);
        assert!(planned("copy a.md to b.md", &long.repeat(10)).is_err());
        assert!(planned("copy a.md to b.md", &"x".repeat(CONTENT_CHARS + 1)).is_err());
        for says in ["copy a.md", "copy a.md to a.md", "copy everything to b.md"] {
            assert_eq!(read(says), None, "{says}");
        }
    }

    #[test]
    fn what_may_be_more_than_a_value_or_spoil_the_file_is_refused() {
        for (says, text) in [
            ("set the port in a.toml to 9000 if it is 8001", "port = 1\n"),
            (
                "set the port in a.toml to 9000 and the host to x",
                "port = 1\n",
            ),
            (
                "set the port in a.toml to 9000 tomorrow morning",
                "port = 1\n",
            ),
            (
                "set the server port in i.toml to 9000",
                "[client]\nport = 1\n[server]\nhost = 1\n",
            ),
            ("change the port in d.toml from 80 to 90", "port = 8080\n"),
            (
                "set the debug in e.json to false",
                "{\n\"debug\": true, \"host\": \"x\"\n}",
            ),
            (
                "set the port in e.json to 9",
                "{\n\"port\": 80, \"user\": \"u\"\n}",
            ),
            ("set the ports in e.toml to 9", "ports = [\n80,\n81\n]\n"),
            ("set the text in e.yaml to hello", "text: |\n  a\n"),
            ("set the port in e.txt to 9", "port = 1\rname = x\r"),
            ("set the port in e.toml to null", "port = 1\n"),
            ("set the name in e.py to \"it's\"", "name = 'x'\n"),
            (
                "remove the row about Ann from n.csv",
                "name,age\nJoanna,3\n",
            ),
            ("remove all lines that contain \"\" from r.txt", "a\nb\n"),
            (
                "remove the row about second from n.csv",
                "name,x\nAnn,\"first\nsecond\"\n",
            ),
            (
                "remove the line about b in e.json",
                "{\n\"a\": 1,\n\"b\": 2\n}\n",
            ),
            ("turn q.toml into q.json", "a = 1\n"),
            ("turn q.csv into q.json", "name,name\na,b\n"),
            ("turn q.json into q.csv", "[]"),
        ] {
            assert!(
                planned(says, text).is_err(),
                "{says}: {:?}",
                planned(says, text)
            );
        }
        let phone = edited("set the phone in a.txt to 777", "phone: 555 1234\n");
        assert_eq!(phone, "phone: 777\n");
        let same = edited(
            "remove all lines that contain X from a.txt",
            "X\nk\nX\nX\nk\n",
        );
        assert_eq!(same, "k\nk\n");
    }

    #[test]
    fn a_question_or_a_negation_is_no_order() {
        for says in [
            "set the port in settings.toml to 9000?",
            "do not set the port in settings.toml to 9000",
            "change the port in settings.toml to 9000 then delete a.txt",
        ] {
            assert_eq!(read(says), None, "{says}");
        }
    }
}
