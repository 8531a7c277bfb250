//! What may have been meant where a command is none: one that is spelt nearly so, or one that stands
//! below another.

use clap::{Command, CommandFactory};

/// Least likeness of a name to the one that was typed, 0 to 1.
const LIKENESS: f64 = 0.8;
/// Most commands that are named.
const NAMED: usize = 4;

/// Whether a short name was typed with one slip: a letter too many, too few or wrong, or two in the
/// wrong order. Likeness is too coarse for it.
fn is_a_slip(name: &str, wrong: &str) -> bool {
    wrong.chars().count() > 1 && strsim::osa_distance(name, wrong) == 1
}

/// What to say of a name that is no command. `above` are the words before it, without `carl`.
#[must_use]
pub fn instead_of(wrong: &str, above: &[&str]) -> String {
    let root = crate::Cli::command();
    let likely = likely(&root, wrong, above);
    let Some((last, before)) = likely.split_last() else {
        let at = [&["carl"], above].concat().join(" ");
        return format!("`{at} --help` lists the commands.");
    };
    let quoted = |words: &String| format!("`carl {words}`");
    let last = quoted(last);
    match before {
        [] => format!("Did you mean {last}?"),
        before => {
            let before: Vec<String> = before.iter().map(quoted).collect();
            format!("Did you mean {} or {last}?", before.join(", "))
        }
    }
}

/// Commands that may have been meant, the likeliest first: those of this very name, wherever they
/// stand, else those with a name much like it.
fn likely(root: &Command, wrong: &str, above: &[&str]) -> Vec<String> {
    let mut found: Vec<(f64, String)> = Vec::new();
    let mut look = |family: &[&str], command: &Command| {
        let name = command.get_name();
        let likeness = match is_a_slip(name, wrong) {
            true => strsim::jaro_winkler(name, wrong).max(LIKENESS),
            false => strsim::jaro_winkler(name, wrong),
        };
        let rank = match (name == wrong, family == above) {
            (true, _) => 2.0,
            // A neighbour of what was typed is likelier than the same slip elsewhere.
            (false, true) => likeness + 0.5,
            (false, false) => likeness,
        };
        if likeness >= LIKENESS {
            found.push((rank, [family, &[name]].concat().join(" ")));
        }
    };
    for command in root.get_subcommands() {
        look(&[], command);
        for below in command.get_subcommands() {
            look(&[command.get_name()], below);
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = found.first().map_or(0.0, |one| one.0);
    let same = found.into_iter().filter(|one| best - one.0 < 0.1);
    same.map(|(_, words)| words).take(NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_elsewhere_or_is_spelt_nearly_so_is_named() {
        for (wrong, above, expected) in [
            ("trust", &[][..], "Did you mean `carl policy trust`?"),
            ("sesion", &[], "Did you mean `carl session`?"),
            ("rnu", &[], "Did you mean `carl run`?"),
            ("rn", &[], "Did you mean `carl run`?"),
            ("lst", &["session"], "Did you mean `carl session list`?"),
            ("serch", &["memory"], "Did you mean `carl memory search`?"),
            (
                "search",
                &["audit"],
                "Did you mean `carl session search` or `carl memory search`?",
            ),
            ("what is this", &[], "`carl --help` lists the commands."),
            (
                "xyzzy",
                &["audit"],
                "`carl audit --help` lists the commands.",
            ),
        ] {
            assert_eq!(instead_of(wrong, above), expected, "{wrong}");
        }
        let shows = instead_of("show", &[]);
        for one in [
            "`carl session show`",
            "`carl memory show`",
            "`carl audit show`",
        ] {
            assert!(shows.contains(one), "{shows}");
        }
        let forgets = instead_of("forget", &[]);
        assert!(forgets.contains("`carl memory forget`"), "{forgets}");
    }
}
