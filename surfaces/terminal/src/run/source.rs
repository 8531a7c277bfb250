//! What a run is given: its task, the data that it is about, and where both come from.

use crate::exit::Failure;
use crate::pictures;
use anyhow::Result;
use api::sessions::{Input, PictureFile};
use disk::read::{self, Links};
use disk::stored::as_stored;
use domain::limits::USER_TEXT_BYTES;
use picture::is_named_as_one;
use rendering::print_error;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use text::decode::{NoText, text_of};
use text::escape::{quoted_argv, visible_line};

/// Where a task, its data and its pictures come from, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSource {
    /// The task: words, `@file`, or `-` for standard input.
    pub words: Vec<String>,
    /// The data: a file, or `-` for standard input.
    pub input: Option<PathBuf>,
    /// The folder that typed paths are seen from, where it is not the current one.
    pub folder: Option<PathBuf>,
}

impl TaskSource {
    /// Where what was typed lies. A name within the folder that a link leads out of it is not followed:
    /// whoever made the folder's content, of a cloned repository say, would choose what is shown.
    ///
    /// # Errors
    /// A usage failure with the true path, for such a link.
    fn place(&self, typed: &Path) -> Result<PathBuf> {
        let folder = self.folder.as_deref().unwrap_or(Path::new("."));
        let place = as_stored(&match &self.folder {
            Some(folder) => folder.join(typed),
            None => typed.to_owned(),
        });
        let truth = (folder.canonicalize(), place.canonicalize());
        let (Ok(folder), Ok(real)) = truth else {
            return Ok(place);
        };
        let is_within = typed.is_relative() && !typed.iter().any(|part| part == "..");
        match is_within && !real.starts_with(&folder) {
            true => Err(Failure::usage(
                format!(
                    "{} is a link out of its folder, to {}",
                    visible_line(&typed.to_string_lossy()),
                    visible_line(&real.to_string_lossy())
                ),
                "If that is what you mean, name it by its own path.",
            )
            .into()),
            false => Ok(place),
        }
    }

    /// Whether something was piped here that nobody asked for. A loop in a script may keep its own list
    /// in standard input, so that it is never taken unasked.
    pub(super) fn leaves_a_pipe_unread(&self) -> bool {
        let stdin = io::stdin();
        let reads = self.words.is_empty() || self.words == ["-"] || self.input_is_piped();
        let is_pipe = rustix::fs::fstat(&stdin).is_ok_and(|facts| {
            rustix::fs::FileType::from_raw_mode(facts.st_mode) == rustix::fs::FileType::Fifo
        });
        !reads && is_pipe && rustix::io::ioctl_fionread(&stdin).is_ok_and(|bytes| bytes > 0)
    }

    /// Whether the data comes by standard input.
    pub(super) fn input_is_piped(&self) -> bool {
        self.input.as_deref() == Some(Path::new("-"))
    }

    /// Whether `--input` names a picture.
    fn input_is_picture(&self) -> bool {
        self.input.as_deref().is_some_and(is_named_as_one)
    }

    /// The pictures of `--input` and of the task, where it was typed. Names are looked up from `folder`.
    ///
    /// # Errors
    /// When one is not there or cannot be read.
    pub fn pictures(&self, task: &str, folder: &Path) -> Result<Vec<PictureFile>> {
        let mut given = match &self.input {
            Some(typed) if self.input_is_picture() => {
                let file = self.place(typed)?;
                let hint = "Give --input a readable PNG, JPEG, GIF or WebP file, or a text file.";
                vec![pictures::read(&typed.display().to_string(), &file, hint)?]
            }
            _ => Vec::new(),
        };
        if self.is_typed(task) {
            let named = pictures::named_in(task, folder)?;
            for one in named {
                self.place(Path::new(&one.file.name))?;
                given.push(one.file);
            }
        }
        Ok(given)
    }

    /// Whether the task was typed, and did not come by a file or a pipe.
    pub(super) fn is_typed(&self, task: &str) -> bool {
        self.words.join(" ") == task
    }

    /// What is to be said of files that the task names with `@` and that are not there, where it was
    /// typed.
    pub(super) fn missing(&self, task: &str, folder: &Path) -> Option<String> {
        let is_typed = self.is_typed(task);
        is_typed.then(|| pictures::missing(task, folder)).flatten()
    }

    /// The data of `--input`, unless that is a picture.
    ///
    /// # Errors
    /// When it cannot be read, is no text, or holds nothing.
    pub fn input(&self) -> Result<Option<Input>> {
        let Some(typed) = self.input.as_ref().filter(|_| !self.input_is_picture()) else {
            return Ok(None);
        };
        let refuse = |problem: String| {
            Failure::usage(
                problem,
                "Give --input a readable text file or a picture, or - for standard input.",
            )
        };
        let (name, bytes) = match self.input_is_piped() {
            true => ("standard input".to_owned(), stdin_bytes()?),
            false => {
                let file = self.place(typed)?;
                let limit = USER_TEXT_BYTES as u64;
                let is_long = std::fs::metadata(&file)
                    .is_ok_and(|facts| facts.is_file() && facts.len() > limit);
                let bytes = read::bytes(&file, limit, Links::Followed)
                    .map_err(|error| match is_long {
                        true => not_taken(&format!("the data: {error:#}"), typed),
                        false => refuse(format!("the data: {error:#}")),
                    })?
                    .ok_or_else(|| refuse(format!("there is no file {}", file.display())))?;
                (file.display().to_string(), bytes)
            }
        };
        let text = data_in(bytes, &visible_line(&name), typed)?;
        if text.trim().is_empty() {
            return Err(refuse(format!("{name} holds no data")).into());
        }
        Ok(Some(Input { name, text }))
    }

    /// The task's text from words, `@file`, `-`, or a pipe.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn task(&self) -> Result<String> {
        let words = self.words.as_slice();
        let reads_stdin = words.is_empty() || words == ["-"];
        if reads_stdin && self.input_is_piped() {
            return Err(Failure::usage(
                "standard input cannot be the task and its data",
                "Write the task in quotes: carl run \"summarise this\" --input -",
            )
            .into());
        }
        self.has_no_lone_dash()?;
        let text = match words {
            [] if !io::stdin().is_terminal() => stdin_text()?,
            [only] if only == "-" => {
                if io::stdin().is_terminal() {
                    print_error(&format!(
                        "note: the task is read from here, up to Ctrl-D. {BY_A_PIPE}\n"
                    ))?;
                }
                stdin_text()?
            }
            [only] if only.starts_with('@') && only.len() > 1 => {
                let limit = USER_TEXT_BYTES as u64;
                let refuse = |problem: String| {
                    Failure::usage(
                        problem,
                        "Give `@file` a readable UTF-8 text file, or write the task in quotes.",
                    )
                };
                if is_named_as_one(Path::new(only)) {
                    return Err(Failure::usage(
                        format!("{only} is a picture, and no task"),
                        "Say what it is for: carl run \"what is on @shot.png?\"",
                    )
                    .into());
                }
                let file = self.place(Path::new(&only[1..]))?;
                read::text(&file, limit, Links::Followed)
                    .map_err(|error| refuse(format!("the task file: {error:#}")))?
                    .ok_or_else(|| refuse(format!("there is no task file {}", file.display())))?
            }
            words => words.join(" "),
        };
        if text.trim().is_empty() {
            return Err(Failure::usage(
                "there is no task",
                match words == ["-"] {
                    true => BY_A_PIPE,
                    false => "Write it in quotes: carl run \"list the files here\"; or use @file, or - for standard input.",
                },
            )
            .into());
        }
        Ok(text)
    }

    /// Refuses a dash beside the words of a task: whoever types it means standard input by it.
    fn has_no_lone_dash(&self) -> Result<()> {
        let ends = [self.words.first(), self.words.last()];
        let is_dash = |word: &Option<&String>| word.is_some_and(|word| word == "-");
        match self.words.len() > 1 && ends.iter().any(is_dash) {
            true => Err(Failure::usage("`-` beside a task stands for nothing", BY_A_PIPE).into()),
            false => Ok(()),
        }
    }
}

/// How a text that is piped goes along with a task.
const BY_A_PIPE: &str = "A text that a task is about goes beside it with --input -: carl run \"summarise this\" \
                         --input -";

/// The text of the data, in whichever encoding it is. A document has a reader of its own, which an
/// agent uses.
fn data_in(bytes: Vec<u8>, name: &str, typed: &Path) -> Result<String> {
    let decoded = match text_of(bytes) {
        Ok(decoded) => decoded,
        Err(NoText::Document(format)) => {
            let what = format!("{name} is a document ({format}), and no text");
            return Err(not_taken(&what, typed).into());
        }
        Err(NoText::Data) => {
            let what = format!("{name} is not text in UTF-8, UTF-16 or windows-1252");
            return Err(not_taken(&what, typed).into());
        }
    };
    if decoded.text.len() > USER_TEXT_BYTES {
        let what = format!("{name} has more than {USER_TEXT_BYTES} bytes as UTF-8");
        return Err(not_taken(&what, typed).into());
    }
    if let Some(encoding) = decoded.encoding {
        print_error(&format!("note: {name} is read as {encoding}\n"))?;
    }
    Ok(decoded.text)
}

/// What is said of data that `--input` does not take, and how an agent reads the file itself.
fn not_taken(what: &str, typed: &Path) -> Failure {
    let file = match typed == Path::new("-") {
        true => Path::new("paper.pdf"),
        false => typed,
    };
    let named = quoted_argv(&[file.to_string_lossy()]);
    Failure::usage(
        what.to_owned(),
        format!(
            "--input takes text of at most 1 MiB, or a picture. Anything else the agent reads by itself \
             when the task names it: carl run \"summarise {named}\""
        ),
    )
}

/// How data that is no task is given.
const BESIDE: &str = "Say in quotes what is to be done, and give a text that it is about, of at most \
                      1 MiB, beside it: carl run \"summarise this\" --input FILE";

fn stdin_text() -> Result<String> {
    let bytes = stdin_bytes()?;
    if bytes.len() > USER_TEXT_BYTES {
        let what = format!("the task on standard input has more than {USER_TEXT_BYTES} bytes");
        return Err(Failure::usage(what, BESIDE).into());
    }
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(
            format!("standard input is not UTF-8 text: {error}"),
            "Give it as UTF-8 text.",
        )
        .into()
    })
}

fn stdin_bytes() -> Result<Vec<u8>> {
    let limit = USER_TEXT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            Failure::usage(format!("standard input cannot be read: {error}"), BESIDE)
        })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::describe;

    #[test]
    fn a_dash_beside_a_task_names_the_flag_for_data() {
        let task = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            let source = TaskSource {
                words,
                input: None,
                folder: None,
            };
            let task = source.task();
            task.map_err(|error| describe(&error).1.hint)
        };
        for words in [&["summarise this", "-"][..], &["-", "summarise", "this"]] {
            let told = task(words).unwrap_err();
            assert!(told.contains("--input -"), "{told}");
        }
        assert_eq!(task(&["what is 3 - 1?"]).unwrap(), "what is 3 - 1?");
        assert_eq!(task(&["3", "-", "1"]).unwrap(), "3 - 1");
    }
}
