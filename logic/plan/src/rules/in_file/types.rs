//! What stands behind a colon in code: the type of a field, or its value.

/// Words that are values of a type.
const LITERALS: [&str; 9] = [
    "true",
    "false",
    "True",
    "False",
    "None",
    "null",
    "undefined",
    "nil",
    "NaN",
];

/// Whether a text may be a type. What is left in doubt is: a type that is replaced by a value is no code any
/// more. A constant, a call and every literal is a value.
pub(super) fn is_one(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.trim_start_matches(['&', '*']);
    let end = text.find(|c| !is_letter(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_constant = word.len() > 1 && word.chars().all(|c| !c.is_lowercase());
    let is_call = rest.find('(').is_some_and(|at| !rest[..at].contains('<'));
    is_name && !is_constant && !is_call && !LITERALS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_from_values() {
        for one in [
            "usize",
            "String",
            "int",
            "str",
            "Option<u16>",
            "&str",
            "Box<dyn Fn(u8)>",
            "number",
        ] {
            assert!(is_one(one), "{one}");
        }
        for one in [
            "10",
            "true",
            "None",
            "\"x\"",
            "MAX_ROWS",
            "String::new()",
            "Path::new(\"a\")",
            "[1, 2]",
            "-3",
        ] {
            assert!(!is_one(one), "{one}");
        }
    }
}
