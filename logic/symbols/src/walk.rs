//! From a tree to its symbols.

use crate::grammar::{self, Role, Rule, Stop, Which, Word};
use crate::reach::is_local;
use crate::signature::{one_line, with_name};
use domain::limits::SOURCE_SYMBOLS;
use domain::source::{Source, Symbol};
use tree_sitter::{Node, Parser};

/// How far a name is looked for below its field: a pointer to a function that gives an array.
const NAME_DEPTH: usize = 8;

/// The symbols of a source; `None` when its parser gives no tree.
pub(crate) fn symbols(source: &Source) -> Option<Vec<Symbol>> {
    let (language, rules) = grammar::of(source.language);
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let tree = parser.parse(source.text.as_bytes(), None)?;
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    // For each node above, whether it is a symbol; a tree may be deeper than any stack of calls.
    let mut above = Vec::new();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let rule = rules.iter().find(|rule| rule.kind == node.kind());
        let symbol = rule.and_then(|rule| symbol(node, rule, depth, source));
        let is_entered = match rule.map(|rule| rule.role) {
            Some(Role::Closed) => false,
            // What is no definition here may hold one.
            Some(Role::Leaf) => symbol.is_none(),
            Some(Role::Holder | Role::Part) | None => true,
        };
        let is_symbol = symbol.is_some();
        found.extend(symbol);
        if found.len() >= SOURCE_SYMBOLS {
            return Some(found);
        }
        if is_entered && cursor.goto_first_child() {
            above.push(is_symbol);
            depth += usize::from(is_symbol);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
            depth -= usize::from(above.pop().unwrap_or(false));
        }
    }
}

/// The symbol that a node is, if it is one.
fn symbol(node: Node<'_>, rule: &Rule, depth: usize, source: &Source) -> Option<Symbol> {
    let text = &source.text;
    if rule.role == Role::Closed || !counts(node, rule.which) {
        return None;
    }
    let name = name_of(node.child_by_field_name(rule.name)?)?;
    let named = text.get(name.byte_range())?;
    let mut start = node.start_byte();
    if text.get(start..)?.starts_with('@') {
        // What is said of it stands on lines before it.
        let line = text.get(..name.start_byte())?.rfind('\n');
        start = line.map_or(start, |end| start.max(end + 1));
    }
    let (end, stop) = end_of(node, rule.stop);
    let line = one_line(text.get(start..end.max(start))?, stop);
    let line = match rule.word {
        Word::None => line,
        Word::Of(word) => format!("{word} {line}"),
        Word::First => {
            let first = node.parent().and_then(|statement| statement.child(0));
            format!("{} {line}", first.map_or("", |first| first.kind()))
        }
    };
    Some(Symbol {
        line: name.start_position().row + 1,
        depth,
        name: match rule.role == Role::Part || is_local(node, source.language, text) {
            true => String::new(),
            false => one_line(named, None),
        },
        signature: with_name(line, &one_line(named, None)),
    })
}

fn counts(node: Node<'_>, which: Which) -> bool {
    match which {
        Which::All => true,
        Which::With(field) => node.child_by_field_name(field).is_some(),
        Which::Directly(places) => {
            let place = node.parent().and_then(|statement| statement.parent());
            place.is_some_and(|place| places.contains(&place.kind()))
        }
    }
}

/// The node of a name: itself, or what stands in the declarators of C.
fn name_of(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..NAME_DEPTH {
        let inner = node.child_by_field_name("declarator");
        let inner = inner.or_else(|| match node.kind() {
            "parenthesized_declarator" | "attributed_declarator" => node.named_child(0),
            _ => None,
        });
        match inner {
            Some(inner) => node = inner,
            None => return Some(node),
        }
    }
    None
}

/// Where the line of a node ends, and before which character.
fn end_of(node: Node<'_>, stop: Stop) -> (usize, Option<char>) {
    let before = |field: Option<Node<'_>>| field.map(|field| (field.start_byte(), None));
    let whole = (node.end_byte(), None);
    match stop {
        Stop::At(letter) => (node.end_byte(), Some(letter)),
        Stop::Field(field) => before(node.child_by_field_name(field)).unwrap_or(whole),
        Stop::OfValue(field) => {
            let value = node.child_by_field_name("value");
            let inner = value.and_then(|value| value.child_by_field_name(field));
            before(inner).or_else(|| before(value)).unwrap_or(whole)
        }
    }
}
