//! Lines that become comments, and settings that stop being one.

use super::lines::Lines;
use crate::rules::refusal::Refusal;
use domain::plan::Action;

/// What begins a comment of a line.
const MARKS: [&str; 4] = ["//", "--", "#", ";"];

impl Lines<'_> {
    /// The change that makes the only line about something a comment.
    pub(super) fn comment_out(&self, about: &str) -> Result<Action, Refusal> {
        let path = self.path;
        let Some(mark) = self.comment_mark() else {
            let why = format!("I know no comments of single lines in a file like {path}.");
            return Err(Refusal::unavailable(&why, vec![format!("show {path}")]));
        };
        let line = self.only_about(about)?;
        let text = &self.text[line.clone()];
        let body = text.trim_start();
        if body.starts_with(mark) {
            let why = format!("The line about `{about}` is a comment in {path} already.");
            return Err(Refusal::ambiguous(why, vec![format!("show {path}")]));
        }
        let indent = &text[..text.len() - body.len()];
        self.replace(line, &format!("{indent}{mark} {body}"))
    }

    /// The change that sets what only a comment has.
    pub(super) fn uncomment(&self, key: &str) -> Result<Action, Refusal> {
        let mentions = self.mentions(key).into_iter();
        let comments: Vec<usize> = mentions
            .filter(|mention| mention.is_comment)
            .map(|mention| mention.number)
            .collect();
        let [number] = comments.as_slice() else {
            let what = match comments.len() {
                0 => format!("no comment that would set `{key}`"),
                many => format!("{many} comments that would set `{key}`"),
            };
            return Err(self.absent(&what));
        };
        let line = self.lines().nth(number - 1);
        let line = line.ok_or_else(|| self.absent("another number of lines"))?;
        let text = &self.text[line.clone()];
        let body = text.trim_start();
        let indent = &text[..text.len() - body.len()];
        let bare = MARKS.iter().find_map(|mark| body.strip_prefix(mark));
        let bare = bare.unwrap_or(body);
        let bare = bare.strip_prefix(' ').unwrap_or(bare);
        self.replace(line, &format!("{indent}{bare}"))
    }

    /// What begins a comment in this file.
    fn comment_mark(&self) -> Option<&'static str> {
        match self.ending().as_str() {
            "toml" | "yaml" | "yml" | "conf" | "cfg" | "env" | "service" | "timer" | "socket"
            | "properties" | "py" | "rb" | "sh" | "bash" | "zsh" | "ini" | "gitconfig" => Some("#"),
            "js" | "mjs" | "cjs" | "ts" | "jsx" | "tsx" | "rs" | "go" | "c" | "h" | "cc"
            | "cpp" | "hpp" | "cs" | "java" | "kt" | "swift" | "php" | "scss" => Some("//"),
            "sql" | "lua" | "hs" => Some("--"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_comment_and_a_setting_again() {
        let new = |action: Result<Action, Refusal>| match action.unwrap() {
            Action::ReplaceText { new, .. } => new,
            other => panic!("{other:?}"),
        };
        let lines = |path: &'static str, text: &'static str| Lines { path, text };
        let conf = lines("a.conf", "a {\n    gzip on;\n    # cache off;\n}\n");
        assert_eq!(new(conf.comment_out("gzip")), "    # gzip on;");
        assert_eq!(new(conf.uncomment("cache")), "    cache off;");
        let code = lines("a.js", "const PORT = 1;\n");
        assert_eq!(new(code.comment_out("PORT")), "// const PORT = 1;");
        for refused in [
            conf.comment_out("cache"),
            conf.uncomment("gzip"),
            lines("a.md", "x\n").comment_out("x"),
        ] {
            refused.unwrap_err();
        }
    }
}
