//! What the help of each command shows as examples. A test parses every line.

/// `carl chat`.
pub(crate) const CHAT: &str = "Examples:
  carl chat                               in this folder; /help lists commands
  carl chat -C ~/notes --allow-write .    in another, with files there open
  carl chat --agent coder --mode plan     each plan is shown before it is run";

/// `carl tui`.
pub(crate) const TUI: &str = "Examples:
  carl tui                                in this folder; ? shows the keys
  carl tui -C ~/notes --allow-write .     in another, with files there open
  carl tui --resume 6a182                 a session, by the end of its id
  carl tui --resume                       a list of all sessions to choose from
  carl tui --panes                        activity, conversation, tools in panes";

/// `carl run`.
pub(crate) const RUN: &str = "Examples:
  carl run \"which port does x.toml set?\"
  carl run --allow-write . \"replace draft with final in notes.md\"
  carl run \"what is wrong on @shot.png?\"  a picture, for a model that sees
  carl run \"summarise this\" --input -     data by a pipe; it permits nothing
  carl run --json @task.md                the task from a file, the end as JSON
  carl run --session-id 6a182 \"go on\"     in a session, by the end of its id";

/// `carl doctor`.
pub(crate) const DOCTOR: &str = "Examples:
  carl doctor             servers, models, sandbox, memory, keyring, hardware
  carl doctor --model     also how fast the model is, beside its best
  carl doctor --sandbox   also whether cargo, node and the like work for agents";

/// `carl models`.
pub(crate) const MODELS: &str = "Examples:
  carl models
  carl models --test ollama/qwen2.5:7b-instruct";

/// `carl tools`.
pub(crate) const TOOLS: &str = "Examples:
  carl tools                              what each does to the world
  carl tools classify tools.json          a table for another program's tools
  carl tools check table.yaml             what is wrong with such a table";

/// `carl agents`.
pub(crate) const AGENTS: &str = "Examples:
  carl agents
  carl agents --shipped                   a file to begin your own with";

/// `carl policy`.
pub(crate) const POLICY: &str = "Examples:
  carl policy explain coder delete_file '{\"path\": \"a.txt\"}'
  carl policy replay                      the last session's calls, judged again
  carl policy trust AGENTS.md             its present text may instruct agents
  carl policy serve --tools table.yaml    the guard for another program";

/// `carl session`.
pub(crate) const SESSION: &str = "Examples:
  carl session list
  carl session show last
  carl session resume                     the one last used here, in a chat
  carl session export 6a182 --format json  by the end of its id";

/// `carl diff`.
pub(crate) const DIFF: &str = "Examples:
  carl diff                               of the session that changed a file last
  carl diff 6a182 --stat                  of that session, the files alone
  carl diff > change.patch                to a file, for git apply";

/// `carl quality`.
pub(crate) const QUALITY: &str = "Examples:
  carl quality                            grades and ratings by model and by task
  carl quality --csv > answers.csv        every grade and rating, for a table
  carl quality --measure-judge            how far the judge can be trusted
  carl quality --measure-judge --attacks  how far answers can talk it into a grade";

/// `carl quality routes`.
pub(crate) const QUALITY_ROUTES: &str = "Examples:
  carl quality routes                     which model gets which share, and why
  carl quality routes --reset             begin anew: earlier grades stay on record";

pub(crate) const QUALITY_REBUILD: &str = "Examples:
  carl quality rebuild                    after quality/observations.jsonl was cut off or lost";

/// `carl stories`.
pub(crate) const STORIES: &str = "Examples:
  carl stories                            all, each with a server of its own
  carl stories S1 S6 --model ollama/qwen2.5:7b-instruct
  carl stories --dir mine --json          those of a folder, for a program
  carl stories --http http://127.0.0.1:7433 --token-env CARL_TOKEN";

/// `carl undo`.
pub(crate) const UNDO: &str = "Examples:
  carl undo                               all that the last request in this folder changed
  carl undo 6a182 --yes write             of that session, without a question";

/// `carl audit`.
pub(crate) const AUDIT: &str = "Examples:
  carl audit tail
  carl audit query --decision deny        every no
  carl audit verify                       is the log whole and as written?";

/// `carl memory`.
pub(crate) const MEMORY: &str = "Examples:
  carl memory add \"I prefer the MIT licence\"
  carl memory search --explain \"which licence?\"
  carl memory list
  carl memory forget 6a182                by the end of its id";

/// `carl secret`.
pub(crate) const SECRET: &str = "Examples:
  carl secret set anthropic               asks for it, and shows nothing
  carl secret list                        names alone";

/// `carl config`.
pub(crate) const CONFIG: &str = "Examples:
  carl config show --origin               every value and where it is from
  CARL_CHAT__DEFAULT_MODE=plan carl config show";

/// `carl serve`.
pub(crate) const SERVE: &str = "Examples:
  carl serve                              for this user, at the usual socket
  carl serve --http                       and for programs, at http://127.0.0.1:7433";

/// `carl web`.
pub(crate) const WEB: &str = "Examples:
  carl web                                for this folder, in your browser
  carl web --no-open                      the link alone, which logs in once
  carl web 127.0.0.1:8080                 at another port";

/// `carl session list`.
pub(crate) const SESSION_LIST: &str = "Examples:
  carl session list
  carl session list --limit 100 --json    for a script";

/// `carl session search`.
pub(crate) const SESSION_SEARCH: &str = "Examples:
  carl session search cookie domain
  carl session search \"port 8080\" --json    for a script";

/// `carl session show`.
pub(crate) const SESSION_SHOW: &str = "Examples:
  carl session show                       the one last used here
  carl session show 6a182                 by the end of its id
  carl session show --events              for a script";

/// `carl session context`.
pub(crate) const SESSION_CONTEXT: &str = "Examples:
  carl session context                    each part's share of the room
  carl session context 6a182 --full       the text, as it would be sent";

/// `carl session compact`.
pub(crate) const SESSION_COMPACT: &str = "Examples:
  carl session compact                    the one last used here
  carl session compact 6a182              by the end of its id";

/// `carl session resume`.
pub(crate) const SESSION_RESUME: &str = "Examples:
  carl session resume                     the one last used here
  carl session resume 6a182 --mode plan   plans from now on";

/// `carl session fork`.
pub(crate) const SESSION_FORK: &str = "Examples:
  carl session fork                       all of the one last used here
  carl session fork 6a182 --at 3          up to message 3 and its answer";

/// `carl session rename`.
pub(crate) const SESSION_RENAME: &str = "Examples:
  carl session rename last \"tax letters\"
  carl session rename 6a182 \"\"            listed by its first request again";

/// `carl session delete`.
pub(crate) const SESSION_DELETE: &str = "Examples:
  carl session delete 6a182               asks, and says which one it is
  carl session delete 6a182 --yes         in a script";

/// `carl session export`.
pub(crate) const SESSION_EXPORT: &str = "Examples:
  carl session export -o session.md
  carl session export 6a182 --format json  by the end of its id";

/// `carl audit tail`.
pub(crate) const AUDIT_TAIL: &str = "Examples:
  carl audit tail
  carl audit tail --follow --session last  what an agent does now";

/// `carl audit show`.
pub(crate) const AUDIT_SHOW: &str = "Examples:
  carl audit show 9                       by the number that `tail` prints";

/// `carl audit query`.
pub(crate) const AUDIT_QUERY: &str = "Examples:
  carl audit query --decision deny        every no
  carl audit query --since 2h --tool edit_file";

/// `carl audit verify`.
pub(crate) const AUDIT_VERIFY: &str = "Examples:
  carl audit verify
  carl audit verify --anchor anchor.txt --key \"$(cat anchor.key)\"

Exit codes: 0 whole, 2 the anchor, key or folder cannot be used,
3 records are missing, 4 records were changed or damaged.";

/// `carl audit export`.
pub(crate) const AUDIT_EXPORT: &str = "Examples:
  carl audit export > audit.jsonl
  carl audit export --form csv --since 7d > week.csv";

/// `carl audit anchor`.
pub(crate) const AUDIT_ANCHOR: &str = "Examples:
  carl audit anchor >> anchor.txt         now and then, kept elsewhere
  carl audit anchor --key > anchor.key    once, to the same place";

/// `carl audit archive`.
pub(crate) const AUDIT_ARCHIVE: &str = "Examples:
  carl audit archive                      asks, and says what is lost";

/// `carl memory search`.
pub(crate) const MEMORY_SEARCH: &str = "Examples:
  carl memory search \"which licence?\"
  carl memory search -n 1 --namespace project \"build steps\"";

/// `carl memory show`.
pub(crate) const MEMORY_SHOW: &str = "Examples:
  carl memory show 6a18                   by the end of its id";

/// `carl memory add`.
pub(crate) const MEMORY_ADD: &str = "Examples:
  carl memory add \"I prefer the MIT licence\"
  carl memory add --namespace project --tag build \"use make\"
  carl memory add --supersedes 6a18 \"I prefer Apache-2.0\"";

/// `carl memory forget`.
pub(crate) const MEMORY_FORGET: &str = "Examples:
  carl memory forget 6a18                 by the end of its id; asks";

/// `carl memory list`.
pub(crate) const MEMORY_LIST: &str = "Examples:
  carl memory list
  carl memory list --kind memory -n 10    the last ten kept on purpose";

/// `carl memory export`.
pub(crate) const MEMORY_EXPORT: &str = "Examples:
  carl memory export memory.jsonl         all of it, as a backup
  carl memory export --namespace user > user.jsonl
  carl memory export memory.parquet       a table for DuckDB, Polars and others";

/// `carl memory import`.
pub(crate) const MEMORY_IMPORT: &str = "Examples:
  carl memory import memory.jsonl         what `carl memory export` wrote";

/// `carl memory stats`.
pub(crate) const MEMORY_STATS: &str = "Examples:
  carl memory stats
  carl memory stats --json                for a script";

/// `carl memory reindex`.
pub(crate) const MEMORY_REINDEX: &str = "Examples:
  carl memory reindex                     after a new embedding model came";

/// `carl policy explain`.
pub(crate) const POLICY_EXPLAIN: &str = "Examples:
  carl policy explain coder delete_file '{\"path\": \"a.txt\"}'
  carl policy explain sysadmin run_command '{\"argv\": [\"make\"]}' --attended";

/// `carl policy replay`.
pub(crate) const POLICY_REPLAY: &str = "Examples:
  carl policy replay                      the one last used here
  carl policy replay 6a182 --json         by the end of its id, for a script";

/// `carl policy grants`.
pub(crate) const POLICY_GRANTS: &str = "Examples:
  carl policy grants                      of the one last used here";

/// `carl policy serve`.
pub(crate) const POLICY_SERVE: &str = "Examples:
  carl policy serve --tools table.yaml
  carl policy serve --tools table.yaml --listen unix:/tmp/guard.sock";

/// `carl policy folders`.
pub(crate) const POLICY_FOLDERS: &str = "Examples:
  carl policy folders
  carl policy folders --json              for a script";

/// `carl policy forget`.
pub(crate) const POLICY_FORGET: &str = "Examples:
  carl policy forget ~/notes";

/// `carl policy trust`.
pub(crate) const POLICY_TRUST: &str = "Examples:
  carl policy trust AGENTS.md             until it changes
  carl policy trust .housecarl.toml       its checks run after changes";

/// `carl policy distrust`.
pub(crate) const POLICY_DISTRUST: &str = "Examples:
  carl policy distrust AGENTS.md
  carl policy distrust .housecarl.toml    its checks run no more";

/// `carl policy trusted`.
pub(crate) const POLICY_TRUSTED: &str = "Examples:
  carl policy trusted
  carl policy trusted --json              for a script";

/// `carl secret set`.
pub(crate) const SECRET_SET: &str = "Examples:
  carl secret set anthropic               asks for it, and shows nothing
  carl secret set anthropic < key.txt     from a file";

/// `carl secret rm`.
pub(crate) const SECRET_RM: &str = "Examples:
  carl secret rm anthropic";

/// `carl secret list`.
pub(crate) const SECRET_LIST: &str = "Examples:
  carl secret list
  carl secret list --json                 for a script";

/// `carl secret unlock`.
pub(crate) const SECRET_UNLOCK: &str = "Examples:
  carl secret unlock";

/// `carl secret lock`.
pub(crate) const SECRET_LOCK: &str = "Examples:
  carl secret lock";

/// `carl token`.
pub(crate) const TOKEN: &str = "Examples:
  carl token new phone --scope approve --expires 30d
  carl token list";

/// `carl token new`.
pub(crate) const TOKEN_NEW: &str = "Examples:
  carl token new editor --scope chat
  carl token new phone --scope approve --expires 30d
  carl token new ci --scope chat --expires 2031-01-31";

/// `carl token list`.
pub(crate) const TOKEN_LIST: &str = "Examples:
  carl token list
  carl token list --json                  for a script";

/// `carl token revoke`.
pub(crate) const TOKEN_REVOKE: &str = "Examples:
  carl token revoke phone";

/// `carl config show`.
pub(crate) const CONFIG_SHOW: &str = "Examples:
  carl config show
  carl config show --origin               every value and where it is from";

/// `carl config schema`.
pub(crate) const CONFIG_SCHEMA: &str = "Examples:
  carl config schema > config.schema.json  for an editor that checks the file";

/// `carl tools classify`.
pub(crate) const TOOLS_CLASSIFY: &str = "Examples:
  carl tools classify tools.json -o table.yaml
  carl tools classify tools.json --model  with a second opinion";

/// `carl tools check`.
pub(crate) const TOOLS_CHECK: &str = "Examples:
  carl tools check table.yaml
  carl tools check table.yaml --tools tools.json  does it fit the tools?";

/// `carl init`.
pub(crate) const INIT: &str = "Examples:
  carl init
  carl init --force                       a fresh one; the old one is kept";

/// `carl help`.
pub(crate) const HELP: &str = "Examples:
  carl help session list";

/// `carl completions`.
pub(crate) const COMPLETIONS: &str = "Examples:
  carl completions fish > ~/.config/fish/completions/carl.fish
  carl completions bash > carl.bash       then: source carl.bash";

/// `carl man`.
pub(crate) const MAN: &str = "Examples:
  carl man | man -l -                     to read it now
  carl man --out ~/.local/share/man/man1  for `man carl`, `man carl-run`";

#[cfg(test)]
mod tests {
    use crate::Cli;
    use clap::{CommandFactory, Parser};

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

    /// A command, and all below it, each by its name as it is typed.
    fn with_all_below(command: &clap::Command, above: &str) -> Vec<(String, clap::Command)> {
        let name = format!("{above}{}", command.get_name());
        let below = command
            .get_subcommands()
            .flat_map(|below| with_all_below(below, &format!("{name} ")));
        let below: Vec<_> = below.collect();
        [vec![(name, command.clone())], below].concat()
    }

    #[test]
    fn every_command_has_examples_that_are_commands_of_its_own() {
        let all = with_all_below(&Cli::command(), "");
        assert!(all.len() > 50, "{}", all.len());
        for (name, command) in all {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let (heading, lines) = help.split_once('\n').unwrap_or_default();
            assert_eq!(heading, "Examples:", "{name}");
            for line in lines.lines().take_while(|line| !line.is_empty()) {
                let words = words(line.trim_start());
                let words = words.into_iter().skip_while(|word| word != "carl");
                let words =
                    words.take_while(|word| !["|", "<", ">", ">>"].contains(&word.as_str()));
                let words: Vec<_> = words.collect();
                assert!(words.join(" ").starts_with(&name), "{name}: {line}");
                let parsed = Cli::try_parse_from(words).and_then(Cli::checked);
                let problem = parsed.err().map(|error| error.to_string());
                assert_eq!(problem, None, "{line}");
            }
        }
    }
}
