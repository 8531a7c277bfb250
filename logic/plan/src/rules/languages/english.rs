//! English orders in other words than the rules have them, put into those.

use super::language::{Row, rows};
use std::sync::LazyLock;

pub(super) static ENGLISH: LazyLock<Vec<Row>> = LazyLock::new(|| {
    rows(&[
        (
            r"(?:write|put|save) (?:this|the following)(?: text| letter)? (?:in|into|to)(?: the file)? {x}:\s*(?P<t>(?s:\S.*))",
            "create $x:\n$t",
        ),
        (r"in {x},? rename {a} to {b}", "rename $a to $b in $x"),
        (
            r"remove every {t} (?:in|from) {x}",
            "delete the text $t from $x",
        ),
        (
            r"(?:remove|delete) the (?:task|todo) {t} (?:in|from) {x}",
            "remove the line about $t from $x",
        ),
        (
            r"(?:remove|delete) the word (?P<t>\w+) (?:in|from) (?P<x>\S+\.(?:md|txt))",
            "delete the word \"$t\" in $x",
        ),
        (
            r#"change (?:the )?heading (?P<a>[^"]+?) (?:into|to) (?P<b>[^"]+?) in {x}"#,
            "change the heading \"$a\" to \"$b\" in $x",
        ),
        (
            r"(?:bump|raise|upgrade) (?:the )?version from (?P<a>[\d.]+) to (?P<b>[\d.]+) in (?P<t>\S+(?:, \S+)*,? and \S+)",
            "replace $a with $b in $t",
        ),
        (
            r"change the port (?P<a>\d+) to (?P<b>\d+) in (?P<t>.+)",
            "change port $a to $b in $t",
        ),
        (
            r"(?:remove|delete|drop) the (?:dependency|package) {a} from (?P<x>\S*requirements\S*\.txt)",
            "remove $a from $x",
        ),
        (
            r"(?:remove|delete|drop) the (?:dependency|package) {a} from (?P<x>\S+\.(?:toml|json))",
            "remove $a from the dependencies in $x",
        ),
        (
            r"add {t} to the (?P<a>[\w.-]+) list in (?P<x>\S+\.(?:ya?ml|json|toml))",
            "add $t to $a in $x",
        ),
        (
            r"(?:remove|delete) the key {a} (?:in|from) (?P<x>\S+\.(?:ya?ml|json|toml|ini|env))",
            "remove $a from $x",
        ),
        (
            r"add (?:a|another) (?:(?:new|cron|text) )*line to {x}: (?P<t>\S.*)",
            "append to $x: $t",
        ),
        (
            r"(?:append|add) (?:the|this|these|the following)(?: text| lines?| paragraphs?)? to (?:the end of )?{x}:(?P<t>(?s:\s+\S.*))",
            "append to $x:$t",
        ),
        (
            r"(?:set|put|switch|turn) (?:the )?(?P<a>[\w.-]+(?: [\w-]+)?) back to {b} in (?P<t>[^:]+)",
            "set $a to $b in $t",
        ),
        (
            r"sort the (?:list|lines|items|entries) (?:in|of) {x}",
            "sort $x",
        ),
        (
            r"add an? (?:\w+ )?(?:row|host|entry|record|person|line) to (?P<x>\S+\.csv): (?P<t>\S.*)",
            "add a row for $t to $x",
        ),
        (
            r"are there (?:any |some )?(?P<a>[1-5]\d\d) (?:errors?|responses?|requests?|lines?) in {x}",
            "how many lines with $a in $x",
        ),
        (
            r#"in {x},? (?:add|insert) (?:an? |the )?(?:new )?(?:section |heading |line |text |entry )?{t} (?:below|under|after) (?:the )?(?P<a>"[^"]+"|[\w.-]+)"#,
            "insert $t after the line about $a in $x",
        ),
        (
            r"compare {x} (?:with|and|to) (?:the|its) (?:backup|backup copy|copy)",
            "compare $x with ${x}.bak",
        ),
        (
            r"in (?P<x>[\w./-]+),? (?:look|search) for {a}",
            "search for $a in $x",
        ),
        (
            r"replace the (?:word|name) {a} in {x} (?:by|with) {b}",
            "replace $a with $b in $x",
        ),
        // `everything` is no word that is replaced.
        (
            r#"replace (?P<a>"[^"]+"|(?-i:\p{Lu})[\w-]*) in {x} (?:by|with) {b}"#,
            "replace $a with $b in $x",
        ),
        (
            r"count (?:the (?:word|name)|how often|occurrences of) {a}(?: occurs)? in {x}",
            "how often does $a occur in $x?",
        ),
        (
            r"(?:remove|delete|drop) the (?P<a>[\w.-]+) (?:section|block|object) (?:from|in|of) (?P<x>\S+\.json)",
            "remove $a from $x",
        ),
        (
            r#"rename (?:the )?(?:heading|section) (?P<a>"[^"]+") in {x} (?:in)?to (?P<b>"[^"]+")"#,
            "change the heading $a to $b in $x",
        ),
        (
            r#"rename (?:the )?(?:heading|section) (?P<a>[^"]+?) in {x} (?:in)?to (?P<b>[^"]+?)"#,
            "change the heading \"$a\" to \"$b\" in $x",
        ),
        (
            r#"in {x},? (?:change|rename) (?:the )?heading (?P<a>"[^"]+") (?:in)?to (?P<b>"[^"]+")"#,
            "change the heading $a to $b in $x",
        ),
        (
            r"rename the file (?P<a>\S+\.\w{1,5}) to (?P<b>\w+ \w+\.\w{1,5})",
            "rename $a to \"$b\"",
        ),
        (
            r"mark all (?:the )?(?:tasks|items|todos) in {x} as (?:done|finished|complete)",
            "tick all in $x",
        ),
    ])
});
