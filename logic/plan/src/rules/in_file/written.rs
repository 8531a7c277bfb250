//! How files of settings write the names of values, and values.

use crate::rules::refusal::Refusal;

/// The pattern of a name, however files part its words.
pub(super) fn name_of(key: &str) -> String {
    let words: Vec<String> = key.split_whitespace().map(regex::escape).collect();
    words.join(r"[\s_-]+")
}

/// Whether a text is a number.
pub(super) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// Whether a bare text is more than one in files that have types: a number, `true`, `false` or `null`.
pub(super) fn is_literal(text: &str) -> bool {
    is_number(text) || ["true", "false", "null"].contains(&text)
}

/// Whether a text is a version, or begins like one: `1.0`, `^2`, `>=3.1`.
pub(super) fn is_version(text: &str) -> bool {
    let digits = text.trim_start_matches(['^', '~', '=', '<', '>', 'v', ' ']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(['{', '['])
}

/// Whether a file lists packages with their versions, by its name: `requirements.txt`.
pub(super) fn is_package_list(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let starts = ["requirements", "constraints"];
    name.ends_with(".txt") && starts.iter().any(|start| name.starts_with(start))
}

/// Whether a bare text is a value of TOML by itself.
pub(super) fn is_toml(text: &str) -> bool {
    let is_list =
        text.starts_with(['[', '{']) && format!("a = {text}").parse::<toml::Table>().is_ok();
    (is_literal(text) && text != "null") || is_list
}

/// Whether files with this ending hold code.
pub(super) fn is_code(ending: &str) -> bool {
    const CODE: [&str; 19] = [
        "rs", "go", "js", "mjs", "cjs", "ts", "jsx", "tsx", "py", "rb", "java", "kt", "swift", "c",
        "h", "cc", "cpp", "hpp", "cs",
    ];
    CODE.contains(&ending)
}

/// The pattern of what stands between the name of a value and its sign where that has a type, in code. In
/// other files nothing does.
pub(super) fn type_form(ending: &str) -> &'static str {
    match ending {
        // `var port int = 80`.
        "go" => r"[ \t]+[\w.*\[\]]+",
        // `const PORT: u16 = 80;`.
        "rs" | "ts" | "tsx" | "kt" | "swift" | "py" => r"[ \t]*:[ \t]*[\w<>\[\], &'.:|?*()]+?",
        // `int port = 80;`, which has its type before it.
        _ => r"[^\s\S]",
    }
}

/// Whether a bare text is more than one word to a shell that reads a `.env` file.
pub(super) fn parts(text: &str) -> bool {
    text.contains([' ', '\t', ';', '&', '|', '<', '>', '(', ')'])
}

/// A bare value as a file with this ending has to have it: in quotes where it would be cut or read as
/// something else without.
pub(super) fn bare(ending: &str, to: &str, is_quoted: bool) -> Result<String, Refusal> {
    let has = |signs: &[char]| to.contains(signs);
    let is_cut = to.starts_with('#') || to.contains(" #");
    match ending {
        "env" if is_cut || (is_quoted && (parts(to) || has(&['#', '"', '\'', '$', '`', '\\']))) => {
            match (has(&['"', '$', '`', '\\']), has(&['\''])) {
                (false, _) => Ok(format!("\"{to}\"")),
                (true, false) => Ok(format!("'{to}'")),
                (true, true) => {
                    let why = format!("`{to}` does not go between quotes in a file like `.env`.");
                    Err(Refusal::ambiguous(why, Vec::new()))
                }
            }
        }
        "dockerfile" if has(&[' ', '\t', '#']) && !has(&['"', '\\']) => Ok(format!("\"{to}\"")),
        "yaml" | "yml" if is_cut || to.contains(": ") || to.ends_with(':') => {
            Ok(serde_json::Value::from(to).to_string())
        }
        _ => Ok(to.to_owned()),
    }
}

/// A semicolon where the first line has some and no comma.
pub(super) fn separator_of(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    // What stands in quotes separates nothing.
    let first: String = first.split('"').step_by(2).collect();
    match first.contains(';') && !first.contains(',') {
        true => b';',
        false => b',',
    }
}
