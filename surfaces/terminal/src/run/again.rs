//! The line to copy after a plan was refused for want of a yes.

use domain::hash::Digest;
use std::path::Path;
use text::escape::{quoted_argv, visible_line};

/// What a refused plan lacks that a flag gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// A yes.
    Approval,
    /// A yes, and the working folder open for writing.
    ApprovalAndFolder,
}

impl Missing {
    /// What it lacks, by why it was refused; `None` where no flag would let it pass.
    pub(super) fn of(why: &str, hash: Digest, workspace: &Path) -> Option<Self> {
        let names = |flag: String| why.contains(&flag);
        if names(format!("`--approve {hash}`")) {
            Some(Self::Approval)
        } else {
            let typed = quoted_argv(&[workspace.to_string_lossy()]);
            names(format!("`--allow-write {typed}`")).then_some(Self::ApprovalAndFolder)
        }
    }
}

/// The command that was typed once more, with a plan approved in advance: one line to be copied. On a
/// terminal of fewer `columns` than its hash needs there, the hash stands last, alone in a line, where
/// it is not broken.
pub(super) fn approving(
    typed: &[String],
    hash: Digest,
    missing: Missing,
    columns: Option<usize>,
) -> Option<String> {
    let (command, rest) = typed.split_first()?;
    // What no line can hold is not typed again.
    if rest.iter().any(|word| word.contains(char::is_control)) {
        return None;
    }
    if !matches!(command.as_str(), "run" | "undo") {
        return None;
    }
    let mut line = format!("  carl {command}");
    let approval = format!(" --approve {hash}");
    let is_narrow = columns.is_some_and(|columns| columns < line.len() + approval.len());
    // What follows this mark is the task.
    let is_last = is_narrow && !rest.iter().any(|word| word == "--");
    if !is_last {
        line.push_str(&approval);
    }
    if missing == Missing::ApprovalAndFolder {
        line.push_str(" --allow-write .");
    }
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        // An approval that was typed was for another plan.
        if word == "--approve" {
            words.next();
            continue;
        }
        if word.starts_with("--approve=") {
            continue;
        }
        // What follows is the task, whatever it looks like.
        if word == "--" {
            line.push_str(" --");
            words.by_ref().for_each(|word| push_word(&mut line, word));
            break;
        }
        push_word(&mut line, word);
    }
    let line = visible_line(&line);
    Some(match is_last {
        true => format!("{line} --approve \\\n{hash}"),
        false => line,
    })
}

fn push_word(line: &mut String, word: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    let shown = match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    line.push_str(&format!(" {shown}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_typed_again_with_the_hash_and_as_it_was_meant() {
        let hash = Digest::of(b"a plan");
        let typed = ["run", "--mode", "plan", "don't stop", ""].map(str::to_owned);
        assert_eq!(
            approving(&typed, hash, Missing::Approval, None).unwrap(),
            format!(r"  carl run --approve {hash} --mode plan 'don'\''t stop' ''")
        );
        let undo = ["undo".to_owned()];
        assert_eq!(
            approving(&undo, hash, Missing::Approval, Some(86)).unwrap(),
            format!("  carl undo --approve {hash}")
        );
        let typed = [
            "run",
            "--approve",
            "old",
            "--approve=old",
            "--",
            "--approve",
        ];
        assert_eq!(
            approving(
                &typed.map(str::to_owned),
                hash,
                Missing::ApprovalAndFolder,
                Some(64)
            )
            .unwrap(),
            format!("  carl run --approve {hash} --allow-write . -- --approve")
        );
        let typed = ["run", "write it"].map(str::to_owned);
        assert_eq!(
            approving(&typed, hash, Missing::ApprovalAndFolder, Some(84)).unwrap(),
            format!("  carl run --allow-write . 'write it' --approve \\\n{hash}")
        );
    }
}
