//! Where in a file a line stands: the key that a person sees there.

/// The key at a line (from 1) of a YAML text, with its parents: `tools.send_money.effect`. Reads
/// indentation only, so that it also works in a text that is no YAML; empty when there is no key.
pub(crate) fn key_at(text: &str, line: u64) -> String {
    let Ok(index) = usize::try_from(line) else {
        return String::new();
    };
    let mut keys: Vec<&str> = Vec::new();
    let mut indent = usize::MAX;
    for row in text.lines().take(index).collect::<Vec<_>>().iter().rev() {
        let here = row.len() - row.trim_start().len();
        if here >= indent {
            continue;
        }
        if let Some(key) = key_of(row.trim()) {
            keys.push(key);
            indent = here;
        }
        if indent == 0 {
            break;
        }
    }
    keys.reverse();
    keys.join(".")
}

/// The key of a row `key: value`, without quotes.
fn key_of(row: &str) -> Option<&str> {
    if row.starts_with(['#', '-', '[', '{', ']', '}']) {
        return None;
    }
    let (key, rest) = row.split_once(':')?;
    let is_key = rest.is_empty() || rest.starts_with([' ', '\t']);
    is_key.then(|| key.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_knows_its_key_and_the_keys_above() {
        let text = "version: 1\ntools:\n  # why\n  a:\n    effect: read\n  'b c':\n    result:\n      fields:\n        /*/x: {format: number}\n";
        assert_eq!(key_at(text, 1), "version");
        assert_eq!(key_at(text, 5), "tools.a.effect");
        assert_eq!(key_at(text, 9), "tools.b c.result.fields./*/x");
        assert_eq!(key_at(text, 3), "tools");
        assert_eq!(key_at("", 1), "");
        assert_eq!(key_at("[\n", 1), "");
        assert_eq!(key_at(text, 0), "");
    }
}
