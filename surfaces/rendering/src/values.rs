//! Arguments and amounts in a form that fits a line.

use domain::model::{ModelChoice, Usage};
use serde_json::Value;
use text::escape::{visible, visible_line};

/// Longest argument value shown on the line of a tool call, characters.
const VALUE_CHARS: usize = 60;

/// `path=notes.md content="hello…"`: an object's members, each cut to a readable length.
#[must_use]
pub fn arguments(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let shown = members
                .iter()
                .map(|(name, value)| format!("{}={}", visible_line(name), short(value)));
            shown.collect::<Vec<_>>().join(" ")
        }
        other => short(other),
    }
}

/// The fields of an object on one line, each whole: for a document, which keeps what it says.
pub(super) fn whole_arguments(value: &Value) -> String {
    let Value::Object(members) = value else {
        return one_line(value);
    };
    let shown = members
        .iter()
        .map(|(name, value)| format!("{}={}", visible_line(name), one_line(value)));
    shown.collect::<Vec<_>>().join(" ")
}

/// A value on one line, cut to a readable length.
pub(super) fn short(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(VALUE_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

fn one_line(value: &Value) -> String {
    let text = match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    };
    visible(&text).replace('\n', "\\n")
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"')
}

/// `1.2 kB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut amount = count as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{amount:.1} {}", UNITS[unit])
    }
}

/// `1.3 s`, `42 ms`.
#[must_use]
pub fn milliseconds(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} ms"),
        1_000..60_000 => format!("{:.1} s", count as f64 / 1_000.0),
        _ => format!("{} min {} s", count / 60_000, count % 60_000 / 1_000),
    }
}

/// `812 + 40 tokens (60% cached), 1.3 s`.
#[must_use]
pub fn usage(usage: &Usage) -> String {
    format!("{}, {}", tokens(usage), milliseconds(usage.total_ms))
}

/// `14,745`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `812 + 40 tokens (60% cached)`.
#[must_use]
pub fn tokens(usage: &Usage) -> String {
    let cached = match cached_percent(usage) {
        Some(share) => format!(" ({share}% cached)"),
        None => String::new(),
    };
    format!(
        "{} + {} tokens{cached}",
        usage.prompt_tokens, usage.completion_tokens
    )
}

/// Which share of a prompt came from the server's cache, percent; `None` for none, or where it does not
/// say.
pub(crate) fn cached_percent(usage: &Usage) -> Option<u64> {
    let cached = usage.cached_tokens.saturating_mul(100);
    let share = cached.checked_div(usage.prompt_tokens)?;
    // Some servers count more from their cache than the prompt has.
    (share > 0).then_some(share.min(100))
}

/// A choice of model: its name, or its role.
#[must_use]
pub fn model_in_words(choice: &ModelChoice) -> String {
    match choice {
        ModelChoice::Exact(model) => visible_line(&model.to_string()),
        ModelChoice::Role(role) => format!("role {}", role.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_more_than_all_of_a_prompt_is_cached() {
        let told = |cached_tokens| {
            tokens(&Usage {
                prompt_tokens: 800,
                completion_tokens: 40,
                cached_tokens,
                ..Usage::default()
            })
        };
        assert_eq!(told(480), "800 + 40 tokens (60% cached)");
        assert_eq!(told(1_000), "800 + 40 tokens (100% cached)");
    }

    #[test]
    fn arguments_fit_a_line_and_cannot_move_the_cursor() {
        let shown = arguments(&json!({"path": "a.txt", "content": "x\u{1b}[2Jy\nz"}));
        assert_eq!(shown.lines().count(), 1);
        assert!(shown.starts_with("path=a.txt content="), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert!(arguments(&json!({"a": "w".repeat(500)})).chars().count() < 80);
    }

    #[test]
    fn amounts_use_the_unit_a_person_would() {
        assert_eq!(
            (bytes(999), bytes(1_200), bytes(3_400_000)),
            ("999 B".into(), "1.2 kB".into(), "3.4 MB".into())
        );
        assert_eq!(
            (milliseconds(42), milliseconds(1_300), milliseconds(61_000)),
            ("42 ms".into(), "1.3 s".into(), "1 min 1 s".into())
        );
    }
}
