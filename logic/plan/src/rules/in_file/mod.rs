//! Orders that are understood as a whole, and of which a file has to be read before they are a plan:
//! `set the port in settings.toml to 9000`, `remove the line about the dentist from calendar.txt`.
//!
//! [`sayings`] reads the request, the other files make exact steps from the text. What is not there, or
//! is there twice, is refused with what was found.

mod added;
mod asked;
pub(crate) mod boxed;
mod by_place;
mod cells;
mod clock;
mod column_numbers;
mod columns;
mod comment_lines;
mod comments;
pub(crate) mod counted;
mod counted_files;
mod cron;
mod dates;
mod docker;
mod elsewhere;
mod environment;
pub(crate) mod erased;
mod exchanged;
mod fitting;
mod groups;
mod inline;
mod items;
mod keys;
mod lacking_files;
pub(crate) mod line_filter;
mod line_told;
mod line_words;
mod lines;
mod list_sayings;
mod listed;
mod listed_under;
mod member_sayings;
mod members;
mod nearly;
mod of_files;
pub(crate) mod of_folder;
mod packages;
pub(crate) mod paragraphs;
pub(crate) mod pasted;
mod placed;
mod removed;
mod renamed;
mod rows;
pub(crate) mod rows_told;
pub(crate) mod rows_turned;
mod saying;
mod sayings;
mod section_told;
mod sections;
mod set_in;
mod sorted;
mod sound;
mod spaced;
mod stated;
pub(crate) mod superlative;
mod tables;
mod tagged;
#[cfg(test)]
mod tests;
mod told;
mod tree;
mod types;
mod unset;
mod value;
mod values;
mod web_log;
pub(crate) mod whole_words;
mod written;
mod yaml_lists;

use super::languages;
use super::refusal::{Note, Refusal};
use super::several;
use super::words;
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use lines::Lines;
use sound::Edit;

pub use asked::InFile;
use asked::{Asked, Meant};
pub(crate) use column_numbers::asks_sum;
pub(crate) use of_files::answers;
pub(crate) use told::{asks_amount, may_answer};

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
            let advice = format!(
                "Give one order at a time, or one with all numbers, as in `delete lines 1 and 3 of {path}`."
            );
            Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
        }
    }
}

/// Refuses changes after which a file, whose text this is, would not be sound any more, by its format.
///
/// # Errors
/// [`Refusal`] that says what would be wrong.
pub(crate) fn stays_sound(path: &str, text: &str, actions: &[Action]) -> Result<(), Refusal> {
    let mut text = text.to_owned();
    for action in actions {
        let lines = Lines { path, text: &text };
        if let Action::AppendText { content, .. } = action
            && written::is_package_list(path)
        {
            content
                .lines()
                .try_for_each(|line| lines.is_no_line_of(line))?;
        }
        lines.stays_sound(std::slice::from_ref(action), Edit::of(action))?;
        text = lines::applied(&text, action);
    }
    Ok(())
}

/// Whether a file has a format by which an edit is judged, by its name.
pub(crate) fn has_form(path: &str) -> bool {
    sound::is_known(&Lines { path, text: "" }.ending()) || written::is_package_list(path)
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

    /// Whether it is of a name in code or of a value, which is more than words that stand somewhere.
    #[must_use]
    pub const fn is_of_names(&self) -> bool {
        matches!(self.asked, Asked::Rename { .. } | Asked::Set { .. })
    }

    /// Whether it is nearly known, and asked back whatever the file says.
    #[must_use]
    pub const fn is_nearly(&self) -> bool {
        matches!(self.asked, Asked::Nearly(_))
    }

    /// What to order instead where the file is not there to be read.
    #[must_use]
    pub fn without_it(&self) -> Option<String> {
        let Asked::AddTo { into } = &self.asked else {
            return None;
        };
        let (path, into) = (&self.path, value::typed(into, false));
        let order = format!("Its name, as a text: append \"{path}\" to {into}");
        (!has_form(&into)).then_some(order)
    }

    /// What is said of what stays as it was: lines that have the text within words, and a value that stays a
    /// text.
    pub(crate) fn stays(&self, text: &str) -> Option<Note> {
        let lines = Lines {
            path: &self.path,
            text,
        };
        match &self.asked {
            Asked::RemoveLines { about, is_many } => lines.within_words(about, *is_many),
            Asked::Rename { name, to } => lines.names_that_stay(name, to),
            Asked::Set {
                key,
                from: None,
                to,
                is_quoted: false,
                ..
            } => lines.stays_a_text(key, to),
            Asked::AddItem { item, list, .. } => lines.is_in_another_list(item, list),
            _ => None,
        }
    }

    /// Refuses to replace the name of a value in settings as a word of the text: `change Port to 2222 in
    /// ssh.conf` is of what stands behind it.
    pub(crate) fn is_of_words(&self, text: &str) -> Result<(), Refusal> {
        let (Asked::Set { key, to, .. } | Asked::Rename { name: key, to }) = &self.asked else {
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
        let actions = self.actions(&lines)?;
        if let Some(edit) = self.asked.edit() {
            lines.stays_sound(&actions, edit)?;
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

    /// The steps of what is asked.
    fn actions(&self, lines: &Lines<'_>) -> Result<Vec<Action>, Refusal> {
        let text = lines.text;
        Ok(match &self.asked {
            Asked::RemoveLines { about, is_many } => lines.remove(about, *is_many)?,
            Asked::RemoveItem { text } => vec![lines.remove_item(text)?],
            Asked::RemoveText { text } => vec![lines.remove_text(text)?],
            Asked::Insert { text, side, place } => vec![lines.insert(text, *side, place)?],
            Asked::RenameHeading { heading, text } => vec![lines.rename_heading(heading, text)?],
            Asked::Title { text } => return Err(lines.which_title(text.as_deref())),
            Asked::Nearly(wish) => return Err(lines.nearly(wish)),
            Asked::Rewrite { text, place } => vec![lines.rewrite(text, place)?],
            Asked::CommentOut { about, is_by_words } => {
                vec![lines.comment_out(about, *is_by_words)?]
            }
            Asked::Uncomment { key } => vec![lines.uncomment(key)?],
            Asked::CommentLines { place, is_out } => vec![lines.comment_lines(place, *is_out)?],
            Asked::RemovePlace { place } => lines.remove_placed(place)?,
            Asked::Clear { text } => lines.clear(text)?,
            Asked::Sort(sorting) => lines.sorted(*sorting)?,
            Asked::SortRows { column, is_reverse } => lines.sorted_rows(column, *is_reverse)?,
            Asked::AddColumn { name, value } => lines.add_column(name, value)?,
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
            asked => return Self::of_names(asked, lines),
        })
    }

    /// The steps of what is asked of a key, an item, a row or a name; none of what [`Self::actions`] makes itself.
    fn of_names(asked: &Asked, lines: &Lines<'_>) -> Result<Vec<Action>, Refusal> {
        Ok(match asked {
            Asked::Set {
                key,
                from,
                to,
                is_quoted,
                meant,
            } => {
                match meant {
                    Meant::Value => {}
                    Meant::ValueOrWord => lines.is_no_value(key, to)?,
                    Meant::NamedValue { is_said } => lines.is_stated(key, to, *is_said)?,
                }
                vec![lines.set(key, from.as_deref(), (to, *is_quoted))?]
            }
            Asked::AddKey {
                key,
                to,
                is_quoted,
                is_of_a_key,
            } => vec![lines.add_key(key, (to, *is_quoted), *is_of_a_key)?],
            Asked::AddItem {
                item,
                is_quoted,
                list,
            } => {
                vec![lines.add_item((item, *is_quoted), list)?]
            }
            Asked::Switch { key, is_on } => vec![lines.switch(key, *is_on)?],
            Asked::Tick { item, is_done } => vec![lines.tick(item, *is_done)?],
            Asked::TickAll { is_done } => vec![lines.tick_all(*is_done)?],
            Asked::AddTask { text } => vec![lines.add_task(text)?],
            Asked::Swap { one, other } => lines.swap(*one, *other)?,
            Asked::RemoveComment { about } => vec![lines.remove_comment(about)?],
            Asked::AddRow { cells } => vec![lines.add_row(cells)?],
            Asked::RemoveMember(member) => vec![lines.remove_member(member)?],
            Asked::Rename { name, to } => lines.rename(name, to)?,
            Asked::RemoveLines { .. }
            | Asked::RemoveItem { .. }
            | Asked::RemoveText { .. }
            | Asked::Insert { .. }
            | Asked::RenameHeading { .. }
            | Asked::Title { .. }
            | Asked::Nearly(_)
            | Asked::Rewrite { .. }
            | Asked::CommentOut { .. }
            | Asked::Uncomment { .. }
            | Asked::CommentLines { .. }
            | Asked::RemovePlace { .. }
            | Asked::Clear { .. }
            | Asked::Sort(_)
            | Asked::SortRows { .. }
            | Asked::AddColumn { .. }
            | Asked::Copy { .. }
            | Asked::AddTo { .. }
            | Asked::CopyValue { .. }
            | Asked::Convert { .. }
            | Asked::Letters { .. } => Vec::new(),
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
