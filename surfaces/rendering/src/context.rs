//! What a model will be shown next, for people.

use super::Paint;
use super::values::grouped;
use domain::context::ContextView;
use text::escape::{prose, visible_line};

/// Columns of a bar that stands for the whole budget.
const BAR_COLUMNS: u64 = 40;
/// Widest name of a part that is not cut.
const NAME_COLUMNS: usize = 16;

/// How much of a context is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// A line a part.
    Shares,
    /// The text as it is sent.
    Full,
}

/// A context, as much of it as is wanted.
#[must_use]
pub fn text(view: &ContextView, depth: Depth, paint: Paint) -> String {
    match depth {
        Depth::Shares => shares(view, paint),
        Depth::Full => full(view, paint),
    }
}

/// A line a part: its tokens, its share of what a prompt may take, and the share as a bar.
#[must_use]
pub fn shares(view: &ContextView, paint: Paint) -> String {
    let mut out = format!("{:NAME_COLUMNS$} {:>9} {:>7}\n", "PART", "TOKENS", "SHARE");
    let budget = view.budget_tokens;
    for part in &view.parts {
        let name: String = visible_line(&part.name)
            .chars()
            .take(NAME_COLUMNS)
            .collect();
        let bar = paint.good(&bar(part.tokens, budget));
        let share = percent(part.tokens, budget);
        let line = format!(
            "{name:NAME_COLUMNS$} {:>9} {share:>7} {bar}",
            grouped(part.tokens)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let total: u64 = view.parts.iter().map(|part| part.tokens).sum();
    out.push_str(&format!(
        "{:NAME_COLUMNS$} {:>9} {:>7} of the {} tokens a prompt may have\n",
        "all",
        grouped(total),
        percent(total, budget),
        grouped(budget)
    ));
    out.push_str(&paint.faint(&format!(
        "Tokens are estimated. The model's whole context has {}.",
        grouped(view.context_tokens)
    )));
    out.push('\n');
    if let Some(permille) = view.reused_permille {
        let reused = format!(
            "Of the last prompt, {}.{}% was the beginning of the one before.",
            permille / 10,
            permille % 10
        );
        out.push_str(&paint.faint(&reused));
        out.push('\n');
    }
    out
}

/// The text of each part as it is sent, with nothing that hides.
#[must_use]
pub fn full(view: &ContextView, paint: Paint) -> String {
    let mut out = String::new();
    for part in &view.parts {
        let head = format!(
            "── {} ({} tokens) ",
            visible_line(&part.name),
            grouped(part.tokens)
        );
        let line: String = "─".repeat(80_usize.saturating_sub(head.chars().count()));
        out.push_str(&paint.strong(&format!("{head}{line}")));
        out.push('\n');
        out.push_str(prose(&part.text).trim_end());
        out.push_str("\n\n");
    }
    out
}

/// At least a sliver for what is there at all.
fn bar(tokens: u64, budget: u64) -> String {
    let columns = tokens
        .saturating_mul(BAR_COLUMNS)
        .checked_div(budget)
        .unwrap_or(0)
        .min(BAR_COLUMNS);
    match (columns, tokens) {
        (0, 0) => String::new(),
        (0, _) => "·".to_owned(),
        (columns, _) => "█".repeat(usize::try_from(columns).unwrap_or(0)),
    }
}

fn percent(tokens: u64, budget: u64) -> String {
    match tokens.saturating_mul(1_000).checked_div(budget) {
        Some(permille) => format!("{}.{}%", permille / 10, permille % 10),
        None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::context::ContextPart;

    fn view(tokens: &[(&str, u64)]) -> ContextView {
        let parts = tokens.iter().map(|(name, tokens)| ContextPart {
            name: (*name).to_owned(),
            tokens: *tokens,
            text: format!("text of {name}\u{1b}[2J"),
        });
        ContextView {
            context_tokens: 32_768,
            budget_tokens: 14_745,
            reused_permille: Some(973),
            parts: parts.collect(),
        }
    }

    #[test]
    fn shares_fit_eighty_columns_and_add_up() {
        let shown = shares(
            &view(&[
                ("system", 400),
                ("tools", 3_000),
                ("conversation", 99_999_999),
                ("recalled", 1),
                ("a name that is far too long", 0),
            ]),
            Paint::Plain,
        );
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
        assert!(
            shown.contains("tools                3,000   20.3% ████████\n"),
            "{shown}"
        );
        assert!(
            shown.contains("recalled                 1    0.0% ·\n"),
            "{shown}"
        );
        assert!(shown.contains("97.3%"), "{shown}");
    }

    #[test]
    fn the_full_text_hides_nothing_and_moves_no_cursor() {
        let shown = full(&view(&[("system", 4)]), Paint::Plain);
        assert!(shown.contains("text of system"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert_eq!(
            shown.lines().next().map(|line| line.chars().count()),
            Some(80)
        );
        let nothing = ContextView {
            budget_tokens: 0,
            ..view(&[("system", 4)])
        };
        assert!(shares(&nothing, Paint::Plain).contains('-'));
    }
}
