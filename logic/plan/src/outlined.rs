//! Questions for what a source file defines: `which functions does a.py define?`. The tool that outlines it parses
//! the file in the sandbox; which of its symbols are meant, and how they are told, is decided here.

use crate::rules;
use domain::source::Language;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;
use text::escape::visible_line;

/// The tool that outlines a file.
pub const TOOL: &str = "outline";

/// What of a file is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All that it defines.
    Any,
    /// Functions, with those of types.
    Functions,
    /// Functions of types.
    Methods,
    /// Classes, structs and other types.
    Types,
    /// Constants and variables.
    Constants,
    /// Functions that are tests.
    Tests,
}

/// A question for what a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The file.
    pub path: String,
    /// What of it.
    pub kind: Kind,
}

/// A constant pattern. One that does not compile would match nothing; a test proves that it does.
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let kinds = r"functions|methods|classes|symbols|definitions|structs|types|enums|traits|interfaces|constants|tests|test functions|test cases";
    let file = r#"(?:the )?(?:file )?"?[^\s"?]+"?"#;
    Regex::new(&format!(
        concat!(
            r"(?i)^(?:(?:can|could) you )?(?:please )?(?:tell me )?(?:",
            r"(?:(?:show|list|name|give|print|outline)(?: me)?|which|what|how many|what are) (?:all )?(?:of )?(?:the |its )?(?P<a>{kinds})",
            r" (?:(?:are |is )?(?:there |defined |declared )?(?:in|of|from|inside) (?P<p>{file})|(?:does|do|did) (?P<q>{file}) (?:define|have|contain|declare|export|hold)|(?:has|have) (?P<u>{file}))",
            r"|what (?:does|is) (?P<r>{file}) (?:define|declare|export)",
            r"|(?:show|give|print)(?: me)? (?:an |the )?outline of (?P<s>{file})|outline (?P<t>{file})",
            r")[ ?.!]*$",
        ),
        kinds = kinds,
        file = file,
    ))
    .ok()
});

/// What a request asks of a source file; `None` of any other request.
#[must_use]
pub fn asked(request: &str) -> Option<Asked> {
    let english = rules::in_english(request.trim());
    let found = ASKED.as_ref()?.captures(english.trim())?;
    let path = ["p", "q", "r", "s", "t", "u"].into_iter();
    let path = path.filter_map(|name| found.name(name)).next()?.as_str();
    let path = path.strip_prefix("the ").unwrap_or(path);
    let path = path.strip_prefix("file ").unwrap_or(path);
    let path = path
        .trim_matches('"')
        .trim_end_matches(['.', '?', '!'])
        .to_owned();
    let (_, ending) = path.rsplit_once('.')?;
    Language::by_ending(ending)?;
    let kind = found.name("a").map(|kind| kind.as_str().to_lowercase());
    let kind = match kind.as_deref() {
        Some("functions") => Kind::Functions,
        Some("methods") => Kind::Methods,
        Some("constants") => Kind::Constants,
        Some("classes" | "structs" | "types" | "enums" | "traits" | "interfaces") => Kind::Types,
        Some("tests" | "test functions" | "test cases") => Kind::Tests,
        _ => Kind::Any,
    };
    Some(Asked { path, kind })
}

/// Words with which types are defined.
const TYPES: [&str; 10] = [
    "class",
    "struct",
    "enum",
    "interface",
    "trait",
    "type",
    "union",
    "record",
    "impl",
    "typedef",
];
/// Words before constants and variables.
const CONSTANTS: [&str; 6] = ["const", "static", "let", "var", "val", "final"];

/// Something that a file defines, as the tool tells it.
struct Symbol<'a> {
    line: u64,
    depth: u64,
    signature: &'a str,
}

impl Symbol<'_> {
    /// The words before its arguments.
    fn words(&self) -> Vec<&str> {
        let head = self.signature.split('(').next().unwrap_or_default();
        head.split_whitespace().collect()
    }

    fn has(&self, words: &[&str]) -> bool {
        self.words().iter().any(|word| words.contains(word))
    }

    fn is_function(&self) -> bool {
        !self.has(&TYPES) && self.signature.contains('(')
    }

    /// Whether it is a test, by its name or by what stands above it.
    fn is_test(&self, text: &str) -> bool {
        let name = self
            .words()
            .last()
            .copied()
            .unwrap_or_default()
            .to_lowercase();
        let before = usize::try_from(self.line)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        let above: Vec<&str> = text.lines().take(before).collect();
        let marks = above.iter().rev().map(|line| line.trim());
        let marks = marks.take_while(|line| line.starts_with(['#', '@', '/', '*']));
        let marks: Vec<String> = marks.map(mark).collect();
        // What tests are given is none, however it is called.
        if marks.iter().any(|mark| mark == "@fixture") {
            return false;
        }
        let is_mark = |mark: &String| match mark.strip_prefix('@') {
            Some(name) => name.contains("test"),
            None => mark.ends_with("test"),
        };
        self.is_function() && (name.starts_with("test") || marks.iter().any(is_mark))
    }

    fn is(&self, kind: Kind, text: &str) -> bool {
        match kind {
            Kind::Any => true,
            Kind::Functions => self.is_function(),
            Kind::Methods => self.is_function() && self.depth > 0,
            Kind::Types => self.has(&TYPES) && !self.signature.starts_with("impl"),
            Kind::Constants => {
                !self.is_function()
                    && !self.has(&TYPES)
                    && (self.has(&CONSTANTS) || !self.signature.contains(' '))
            }
            Kind::Tests => self.is_test(text),
        }
    }
}

/// The last name of a mark above a function, in small letters: `test` of `#[tokio::test]`, `@fixture` of
/// `@pytest.fixture(scope="module")`; of another line nothing.
fn mark(line: &str) -> String {
    let name = |text: &str| {
        let name = text.split(['(', ']', ' ']).next().unwrap_or_default();
        let last = name.rsplit(['.', ':']).next().unwrap_or_default();
        last.to_lowercase()
    };
    match (line.strip_prefix("#["), line.strip_prefix('@')) {
        (Some(text), _) => name(text),
        (_, Some(text)) => format!("@{}", name(text)),
        _ => String::new(),
    }
}

/// The answer, from the data of the tool and the text of the file.
#[must_use]
pub fn told(asked: &Asked, data: &Value, text: &str) -> String {
    let files = data.get("files").and_then(Value::as_array);
    let symbols = files
        .into_iter()
        .flatten()
        .filter_map(|file| file.get("symbols")?.as_array());
    let all = symbols.flatten().filter_map(|symbol| {
        Some(Symbol {
            line: symbol.get("line")?.as_u64()?,
            depth: symbol.get("depth")?.as_u64()?,
            signature: symbol.get("signature")?.as_str()?,
        })
    });
    let found: Vec<Symbol<'_>> = all.filter(|symbol| symbol.is(asked.kind, text)).collect();
    let what = match (asked.kind, found.len() == 1) {
        (Kind::Any, true) => "thing",
        (Kind::Any, false) => "things",
        (Kind::Functions, true) => "function",
        (Kind::Functions, false) => "functions",
        (Kind::Methods, true) => "method",
        (Kind::Methods, false) => "methods",
        (Kind::Types, true) => "type",
        (Kind::Types, false) => "types",
        (Kind::Constants, true) => "constant",
        (Kind::Constants, false) => "constants",
        (Kind::Tests, true) => "test",
        (Kind::Tests, false) => "tests",
    };
    let path = visible_line(&asked.path);
    let count = match found.len() {
        0 => "no".to_owned(),
        count => count.to_string(),
    };
    let shown: String = found
        .iter()
        .map(|symbol| {
            let depth = usize::try_from(symbol.depth).unwrap_or_default().min(8);
            let indent = "  ".repeat(depth + 1);
            format!(
                "\n{indent}{}: {}",
                symbol.line,
                visible_line(symbol.signature)
            )
        })
        .collect();
    let left = data
        .get("symbols_left")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let left = match left {
        0 => String::new(),
        left => format!("\n({left} more symbols of it were left out.)"),
    };
    format!("{path} defines {count} {what} (by rules, no model).{shown}{left}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_for_what_a_source_file_defines_is_read() {
        assert!(ASKED.is_some());
        for (says, path, kind) in [
            ("which functions does a.py define?", "a.py", Kind::Functions),
            (
                "what functions are in src/a.rs?",
                "src/a.rs",
                Kind::Functions,
            ),
            ("list the tests in tests/a.rs", "tests/a.rs", Kind::Tests),
            ("which classes does shop.ts have?", "shop.ts", Kind::Types),
            ("show me the methods of \"a.java\"", "a.java", Kind::Methods),
            ("how many functions are in a.go?", "a.go", Kind::Functions),
            ("what does a.py define?", "a.py", Kind::Any),
            ("outline a.py", "a.py", Kind::Any),
        ] {
            let is = asked(says);
            let expected = Some(Asked {
                path: path.to_owned(),
                kind,
            });
            assert_eq!(is, expected, "{says}");
        }
        for other in [
            "outline novel.md",
            "which functions are in a.txt?",
            "which functions call run in a.py?",
            "list the functions in a.py and delete it",
        ] {
            assert_eq!(asked(other), None, "{other}");
        }
    }

    #[test]
    fn the_symbols_that_are_meant_are_told() {
        let text = "const A: u8 = 1;\nstruct Shop;\nimpl Shop {\n    fn sell(&self) {}\n}\n#[tokio::test]\n/// It sells.\nasync fn sells() {}\n";
        let symbol = |line: u64, depth: u64, signature: &str| json!({"line": line, "depth": depth, "signature": signature});
        let data = json!({"files": [{"path": "a.rs", "symbols": [
            symbol(1, 0, "const A: u8"),
            symbol(2, 0, "struct Shop"),
            symbol(3, 0, "impl Shop"),
            symbol(4, 1, "fn sell(&self)"),
            symbol(8, 0, "async fn sells()"),
        ]}], "symbols_left": 0});
        for (kind, says) in [
            (
                Kind::Functions,
                "a.rs defines 2 functions (by rules, no model).\n    4: fn sell(&self)\n  8: async fn sells()",
            ),
            (
                Kind::Methods,
                "a.rs defines 1 method (by rules, no model).\n    4: fn sell(&self)",
            ),
            (
                Kind::Types,
                "a.rs defines 1 type (by rules, no model).\n  2: struct Shop",
            ),
            (
                Kind::Constants,
                "a.rs defines 1 constant (by rules, no model).\n  1: const A: u8",
            ),
            (
                Kind::Tests,
                "a.rs defines 1 test (by rules, no model).\n  8: async fn sells()",
            ),
        ] {
            let asked = Asked {
                path: "a.rs".to_owned(),
                kind,
            };
            assert_eq!(told(&asked, &data, text), says, "{kind:?}");
        }
        let none = Asked {
            path: "a.rs".to_owned(),
            kind: Kind::Tests,
        };
        assert!(told(&none, &json!({"files": []}), "").starts_with("a.rs defines no tests"));
    }

    #[test]
    fn what_tests_are_given_is_no_test() {
        let text = "@pytest.fixture\ndef shelf():\n    ...\n@pytest.fixture(scope=\"module\")\ndef test_client():\n    \
                    ...\n@pytest.mark.slow\ndef test_sells():\n    ...\n";
        let function = |line: u64, name: &str| json!({"line": line, "depth": 0, "signature": format!("def {name}()")});
        let symbols = [
            function(2, "shelf"),
            function(5, "test_client"),
            function(8, "test_sells"),
        ];
        let data = json!({"files": [{"path": "a.py", "symbols": symbols}]});
        let wanted = Asked {
            path: "a.py".to_owned(),
            kind: Kind::Tests,
        };
        let said = told(&wanted, &data, text);
        assert!(said.contains("test_sells"), "{said}");
        assert!(
            !said.contains("shelf") && !said.contains("test_client"),
            "{said}"
        );
    }
}
