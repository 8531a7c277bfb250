//! Which definitions other files can refer to. What nothing says is taken to be open to them.

use domain::source::Language;
use tree_sitter::Node;

/// Whether a definition is for its own file alone, or by the name of something defined elsewhere.
pub(crate) fn is_local(node: Node<'_>, language: Language, text: &str) -> bool {
    match language {
        Language::Rust => {
            let is_open = node.kind() == "macro_definition" || stands_in(node, "trait_item");
            !is_open && child(node, "visibility_modifier").is_none()
        }
        Language::C => says(child(node, "storage_class_specifier"), "static", text),
        Language::Java => says(child(node, "modifiers"), "private", text),
        _ => false,
    }
}

fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|child| child.kind() == kind)
}

fn says(node: Option<Node<'_>>, word: &str, text: &str) -> bool {
    let said = node.and_then(|node| text.get(node.byte_range()));
    said.is_some_and(|said| said.split_whitespace().any(|one| one == word))
}

/// Whether a definition stands directly in the body of such a node.
fn stands_in(node: Node<'_>, kind: &str) -> bool {
    let around = node.parent().and_then(|body| body.parent());
    around.is_some_and(|around| around.kind() == kind)
}
