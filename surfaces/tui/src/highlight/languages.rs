//! What tells the parts of a language's lines apart: as much as colours need.

/// How lines of a language are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words, texts and comments.
    Program,
    /// The same, behind a name and this sign.
    Data(char),
    /// Tags.
    Markup,
    /// Each by its first letter.
    Diff,
    /// Each by what it begins with.
    Markdown,
}

/// What a text begins and ends with.
#[derive(Debug)]
pub struct Quote {
    /// Its beginning.
    pub open: &'static str,
    /// Its end.
    pub close: &'static str,
    /// Whether a backslash takes the next letter's meaning away.
    pub has_escapes: bool,
    /// Whether it goes on in the next line.
    pub is_long: bool,
}

/// A language.
#[derive(Debug)]
pub struct Language {
    /// What it is called behind a fence.
    pub names: &'static [&'static str],
    /// How its lines are read.
    pub kind: Kind,
    /// What comments begin with that go to the end of their line.
    pub comments: &'static [&'static str],
    /// The ends of others.
    pub block: Option<(&'static str, &'static str)>,
    /// Its quotes, longer ones first.
    pub quotes: &'static [Quote],
    /// Its words.
    pub keywords: &'static [&'static str],
    /// Whether they may be written in capitals.
    pub ignores_case: bool,
    /// Whether a single quote stands before a name as well.
    pub has_lifetimes: bool,
    /// Whether a dollar stands before a name.
    pub has_variables: bool,
}

/// One that goes to the end of its line at most.
const fn short(mark: &'static str) -> Quote {
    Quote {
        open: mark,
        close: mark,
        has_escapes: true,
        is_long: false,
    }
}

/// One that goes on in the next line.
const fn long(mark: &'static str) -> Quote {
    Quote {
        is_long: true,
        ..short(mark)
    }
}

/// The same without escapes.
const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote {
        open,
        close,
        has_escapes: false,
        is_long: true,
    }
}

const PROGRAM: Language = Language {
    names: &[],
    kind: Kind::Program,
    comments: &["//"],
    block: Some(("/*", "*/")),
    quotes: &[short("\""), short("'")],
    keywords: &[],
    ignores_case: false,
    has_lifetimes: false,
    has_variables: false,
};

const HASHED: Language = Language {
    comments: &["#"],
    block: None,
    ..PROGRAM
};

/// Every language there is.
pub static LANGUAGES: [Language; 14] = [
    Language {
        names: &["rust", "rs"],
        quotes: &[
            raw("r##\"", "\"##"),
            raw("r#\"", "\"#"),
            long("\""),
            short("'"),
        ],
        keywords: &[
            "as", "async", "await", "bool", "break", "char", "const", "continue", "crate", "dyn",
            "else", "enum", "extern", "f32", "f64", "false", "fn", "for", "i8", "i16", "i32",
            "i64", "if", "impl", "in", "isize", "let", "loop", "match", "mod", "move", "mut",
            "pub", "ref", "return", "self", "Self", "static", "str", "struct", "super", "trait",
            "true", "type", "u8", "u16", "u32", "u64", "unsafe", "use", "usize", "where", "while",
        ],
        has_lifetimes: true,
        ..PROGRAM
    },
    Language {
        names: &["python", "py", "python3"],
        quotes: &[long("\"\"\""), long("'''"), short("\""), short("'")],
        keywords: &[
            "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case",
            "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
            "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or",
            "pass", "raise", "return", "self", "try", "while", "with", "yield",
        ],
        ..HASHED
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx"],
        quotes: &[long("`"), short("\""), short("'")],
        keywords: &[
            "abstract",
            "any",
            "as",
            "async",
            "await",
            "boolean",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "continue",
            "default",
            "delete",
            "do",
            "else",
            "enum",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "from",
            "function",
            "if",
            "implements",
            "import",
            "in",
            "instanceof",
            "interface",
            "let",
            "new",
            "null",
            "number",
            "of",
            "private",
            "public",
            "readonly",
            "return",
            "static",
            "string",
            "super",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "type",
            "typeof",
            "undefined",
            "var",
            "void",
            "while",
            "yield",
        ],
        ..PROGRAM
    },
    Language {
        names: &["json", "jsonc", "json5", "jsonl"],
        kind: Kind::Data(':'),
        keywords: &["true", "false", "null"],
        ..PROGRAM
    },
    Language {
        names: &["toml"],
        kind: Kind::Data('='),
        quotes: &[long("\"\"\""), raw("'''", "'''"), short("\""), short("'")],
        keywords: &["true", "false"],
        ..HASHED
    },
    Language {
        names: &["yaml", "yml"],
        kind: Kind::Data(':'),
        keywords: &["true", "false", "null", "yes", "no"],
        ..HASHED
    },
    Language {
        names: &["sh", "bash", "shell", "zsh", "console"],
        quotes: &[long("\""), raw("'", "'")],
        keywords: &[
            "case", "do", "done", "elif", "else", "esac", "exit", "export", "fi", "for",
            "function", "if", "in", "local", "return", "set", "then", "unset", "until", "while",
        ],
        has_variables: true,
        ..HASHED
    },
    Language {
        names: &["c", "h", "cpp", "c++", "cc", "hpp"],
        keywords: &[
            "auto",
            "bool",
            "break",
            "case",
            "catch",
            "char",
            "class",
            "const",
            "constexpr",
            "continue",
            "default",
            "define",
            "delete",
            "do",
            "double",
            "else",
            "endif",
            "enum",
            "extern",
            "false",
            "float",
            "for",
            "goto",
            "if",
            "ifdef",
            "ifndef",
            "include",
            "inline",
            "int",
            "long",
            "namespace",
            "new",
            "nullptr",
            "private",
            "public",
            "return",
            "short",
            "signed",
            "sizeof",
            "static",
            "struct",
            "switch",
            "template",
            "this",
            "throw",
            "true",
            "try",
            "typedef",
            "union",
            "unsigned",
            "using",
            "virtual",
            "void",
            "volatile",
            "while",
        ],
        ..PROGRAM
    },
    Language {
        names: &["go", "golang"],
        quotes: &[raw("`", "`"), short("\""), short("'")],
        keywords: &[
            "any",
            "bool",
            "break",
            "byte",
            "case",
            "chan",
            "const",
            "continue",
            "default",
            "defer",
            "else",
            "error",
            "false",
            "float64",
            "for",
            "func",
            "go",
            "if",
            "import",
            "int",
            "int64",
            "interface",
            "map",
            "nil",
            "package",
            "range",
            "return",
            "rune",
            "select",
            "string",
            "struct",
            "switch",
            "true",
            "type",
            "uint",
            "var",
        ],
        ..PROGRAM
    },
    Language {
        names: &["html", "xml", "svg", "vue"],
        kind: Kind::Markup,
        comments: &[],
        block: Some(("<!--", "-->")),
        quotes: &[long("\""), long("'")],
        ..PROGRAM
    },
    Language {
        names: &["css", "scss", "less"],
        kind: Kind::Data(':'),
        comments: &[],
        ..PROGRAM
    },
    Language {
        names: &["sql", "sqlite", "postgresql", "psql", "mysql"],
        comments: &["--"],
        quotes: &[raw("'", "'"), raw("\"", "\"")],
        keywords: &[
            "all",
            "alter",
            "and",
            "as",
            "asc",
            "begin",
            "between",
            "by",
            "case",
            "commit",
            "create",
            "default",
            "delete",
            "desc",
            "distinct",
            "drop",
            "else",
            "end",
            "exists",
            "foreign",
            "from",
            "group",
            "having",
            "in",
            "index",
            "inner",
            "insert",
            "into",
            "is",
            "join",
            "key",
            "left",
            "like",
            "limit",
            "not",
            "null",
            "offset",
            "on",
            "or",
            "order",
            "outer",
            "primary",
            "references",
            "returning",
            "rollback",
            "select",
            "set",
            "table",
            "then",
            "union",
            "unique",
            "update",
            "values",
            "view",
            "when",
            "where",
            "with",
        ],
        ignores_case: true,
        ..PROGRAM
    },
    Language {
        names: &["diff", "patch"],
        kind: Kind::Diff,
        ..PROGRAM
    },
    Language {
        names: &["markdown", "md"],
        kind: Kind::Markdown,
        ..PROGRAM
    },
];
