//! Tables that are refused, and what is told of each.

/// What every mistake of a tool is put after, where a text begins with `@`.
pub const HEAD: &str = "version: 1\ntools:\n  t:\n    effect: read\n";

pub type Mistake = (&'static str, u64, &'static str, &'static [&'static str]);

/// A text, and the line, the key and some words of what is told.
pub const MISTAKES: &[Mistake] = &[
    (
        "version: 2\ntools: {}\n",
        1,
        "version",
        &["2", "there is 1"],
    ),
    ("tools: {}\n", 1, "tools", &["version"]),
    ("version: 1\nextra: 1\n", 2, "extra", &["extra", "tools"]),
    ("version: 1\ntools: [\n", 2, "tools", &[]),
    (
        "version: 1\ntools:\n  a b:\n    effect: read\n",
        3,
        "tools.a b",
        &["a b", "letters"],
    ),
    (
        "version: 1\ntools:\n  t:\n    effect: reed\n",
        4,
        "tools.t.effect",
        &["reed", "self_write", "money"],
    ),
    (
        "version: 1\ntools:\n  t:\n    rate: 3\n",
        4,
        "tools.t.rate",
        &["effect"],
    ),
    (
        "@    colour: red\n",
        5,
        "tools.t.colour",
        &["colour", "audience"],
    ),
    (
        "@    audience: all\n",
        5,
        "tools.t.audience",
        &["`all`", "`public`", "list of names"],
    ),
    ("@    audience: []\n", 3, "tools.t", &["at least one"]),
    (
        "@    arguments:\n      a: goal\n",
        6,
        "tools.t.arguments.a",
        &["goal", "payload"],
    ),
    (
        "@    arguments:\n      a: secret\n",
        6,
        "tools.t.arguments.a",
        &["a: {role: secret, secret: NAME}"],
    ),
    (
        "@    arguments:\n      a: {role: knob, secret: x}\n",
        6,
        "tools.t.arguments.a",
        &["role `secret`"],
    ),
    (
        "@    arguments:\n      a: {role: knob, names: url}\n",
        6,
        "tools.t.arguments.a",
        &["role `target`"],
    ),
    (
        "@    arguments:\n      a: {role: target, names: uri}\n",
        6,
        "tools.t.arguments.a",
        &["uri", "read_path", "url"],
    ),
    (
        "@    arguments:\n      a: {role: target, kind: url}\n",
        6,
        "tools.t.arguments.a",
        &["kind", "names"],
    ),
    (
        "@    arguments:\n      a: 3\n",
        6,
        "tools.t.arguments.a",
        &["`target`"],
    ),
    (
        "@    other_arguments: secret\n",
        5,
        "tools.t.other_arguments",
        &["secret", "payload"],
    ),
    ("@    rate: 0\n", 5, "tools.t.rate", &["at least 1"]),
    ("@    rate: often\n", 5, "tools.t.rate", &[]),
    ("@    capability: ''\n", 5, "tools.t.capability", &["name"]),
    ("@    pin: abc\n", 5, "tools.t.pin", &["64"]),
    ("@    wait: maybe\n", 5, "tools.t.wait", &[]),
    (
        "@    result:\n      integrity: trusted\n",
        6,
        "tools.t.result.integrity",
        &["untrusted", "endorsed"],
    ),
    (
        "@    result:\n      integrity: sure\n",
        6,
        "tools.t.result.integrity",
        &["sure", "`untrusted`", "`endorsed`"],
    ),
    (
        "@    result:\n      integrity: endorsed\n",
        6,
        "tools.t.result.integrity",
        &["format", "number", "identifier"],
    ),
    (
        "@    result:\n      readers: me\n",
        6,
        "tools.t.result.readers",
        &["`me`", "`nobody`", "list of names"],
    ),
    (
        "@    result:\n      fields:\n        /a: {integrity: endorsed}\n",
        7,
        "tools.t.result.fields./a",
        &["format"],
    ),
    (
        "@    result:\n      fields:\n        a: {readers: public}\n",
        7,
        "tools.t.result.fields.a",
        &["begin with `/`"],
    ),
    (
        "@    result:\n      fields:\n        /**/a: {readers: public}\n",
        7,
        "tools.t.result.fields./**/a",
        &["end"],
    ),
    (
        "@    result:\n      fields:\n        /a*/b: {readers: public}\n",
        7,
        "tools.t.result.fields./a*/b",
        &["whole key"],
    ),
    (
        "@    result:\n      fields:\n        /a: {format: text}\n",
        7,
        "tools.t.result.fields./a",
        &["text", "`identifier`"],
    ),
    (
        "@    result:\n      fields:\n        /a: {format: []}\n",
        7,
        "tools.t.result.fields./a",
        &["at least one"],
    ),
    ("@  t:\n    effect: exec\n", 5, "tools.t", &["`t`", "twice"]),
    (
        "@    effect: exec\n",
        5,
        "tools.t.effect",
        &["`effect`", "twice"],
    ),
    (
        "@---\nversion: 1\n",
        6,
        "version",
        &["one document", "`---`"],
    ),
];
