//! What the help of each command shows as examples. A test parses every line.

/// `carl chat`.
pub(super) const CHAT: &str = "Examples:
  carl chat                               in this folder; /help lists commands
  carl chat -C ~/notes --allow-write .    in another, with files there open
  carl chat --agent coder --mode plan     each plan is shown before it is run";

/// `carl run`.
pub(super) const RUN: &str = "Examples:
  carl run \"which port does x.toml set?\"
  carl run --allow-write . \"replace draft with final in notes.md\"
  carl run \"what is wrong on @shot.png?\"  a picture, for a model that sees
  carl run \"summarise this\" --input -     data by a pipe; it permits nothing
  carl run --json @task.md                the task from a file, the end as JSON
  carl run --session-id 6a182 \"go on\"     in a session, by the end of its id";

/// `carl doctor`.
pub(super) const DOCTOR: &str = "Examples:
  carl doctor             servers, models, sandbox, memory, keyring, hardware
  carl doctor --model     also how fast the model is, beside its best";

/// `carl models`.
pub(super) const MODELS: &str = "Examples:
  carl models
  carl models --test ollama/qwen2.5:7b-instruct";

/// `carl tools`.
pub(super) const TOOLS: &str = "Examples:
  carl tools                              what each does to the world
  carl tools classify tools.json          a table for another program's tools
  carl tools check table.yaml             what is wrong with such a table";

/// `carl agents`.
pub(super) const AGENTS: &str = "Examples:
  carl agents
  carl agents --shipped                   a file to begin your own with";

/// `carl policy`.
pub(super) const POLICY: &str = "Examples:
  carl policy explain coder delete_file '{\"path\": \"a.txt\"}'
  carl policy replay                      the last session's calls, judged again
  carl policy trust AGENTS.md             its present text may instruct agents
  carl policy serve --tools table.yaml    the guard for another program";

/// `carl session`.
pub(super) const SESSION: &str = "Examples:
  carl session list
  carl session show last
  carl session resume                     the one last used here, in a chat
  carl session export 6a182 --format json  by the end of its id";

/// `carl undo`.
pub(super) const UNDO: &str = "Examples:
  carl undo                               the last file change in this folder
  carl undo 6a182 --yes write             of that session, without a question";

/// `carl audit`.
pub(super) const AUDIT: &str = "Examples:
  carl audit tail
  carl audit query --decision deny        every no
  carl audit verify                       is the log whole and as written?";

/// `carl memory`.
pub(super) const MEMORY: &str = "Examples:
  carl memory add \"I prefer the MIT licence\"
  carl memory search --explain \"which licence?\"
  carl memory list
  carl memory forget 6a182                by the end of its id";

/// `carl secret`.
pub(super) const SECRET: &str = "Examples:
  carl secret set anthropic               asks for it, and shows nothing
  carl secret list                        names alone";

/// `carl config`.
pub(super) const CONFIG: &str = "Examples:
  carl config show --origin               every value and where it is from
  CARL_CHAT__DEFAULT_MODE=plan carl config show";

/// `carl serve`.
pub(super) const SERVE: &str = "Examples:
  carl serve                              for this user, at the usual socket";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    /// The words of a line as a shell splits them, up to a remark behind two spaces.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        let mut is_word = false;
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                (c, Some(_)) => word.push(c),
                ('"' | '\'', None) => (quote, is_word) = (Some(c), true),
                (' ', None) => {
                    if is_word {
                        words.push(std::mem::take(&mut word));
                        is_word = false;
                    }
                    if rest.peek() == Some(&' ') {
                        return words;
                    }
                }
                (c, None) => {
                    word.push(c);
                    is_word = true;
                }
            }
        }
        if is_word {
            words.push(word);
        }
        words
    }

    #[test]
    fn every_example_is_a_command_and_fits_on_80_columns() {
        for text in [
            CHAT, RUN, DOCTOR, MODELS, TOOLS, AGENTS, POLICY, SESSION, UNDO, AUDIT, MEMORY, SECRET,
            CONFIG, SERVE,
        ] {
            for line in text.lines().skip(1) {
                assert!(line.chars().count() <= 80, "{line}");
                let words = words(line.trim_start());
                let words = words.into_iter().skip_while(|word| word != "carl");
                let parsed = Cli::try_parse_from(words).and_then(Cli::checked);
                let problem = parsed.err().map(|error| error.to_string());
                assert_eq!(problem, None, "{line}");
            }
        }
    }
}
