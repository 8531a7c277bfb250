//! Which nodes of each grammar are symbols. The names of nodes and fields are those of
//! `src/node-types.json` of its crate.

use domain::source::Language;

/// What a node is to an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A definition; what stands in it is its own matter.
    Leaf,
    /// A definition that holds others.
    Holder,
    /// It holds definitions and is none.
    Part,
    /// What stands in it is not looked at.
    Closed,
}

/// Which nodes of a kind count.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which {
    All,
    /// Those with this field: others only name what is defined elsewhere.
    With(&'static str),
    /// Those whose statement stands directly in one of these.
    Directly(&'static [&'static str]),
}

/// Where the line of a symbol ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    /// Before this field.
    Field(&'static str),
    /// Before this field of the field `value`, or before that.
    OfValue(&'static str),
    /// Before the first of this character.
    At(char),
}

/// A word that stands outside of a node and belongs before its line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Word {
    None,
    Of(&'static str),
    /// The first one of its statement.
    First,
}

/// What is known of a kind of node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) kind: &'static str,
    pub(crate) role: Role,
    /// The field with its name.
    pub(crate) name: &'static str,
    pub(crate) which: Which,
    pub(crate) stop: Stop,
    pub(crate) word: Word,
}

impl Rule {
    const fn new(kind: &'static str, role: Role) -> Self {
        Self {
            kind,
            role,
            name: "name",
            which: Which::All,
            stop: Stop::Field("body"),
            word: Word::None,
        }
    }

    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    const fn only(self, which: Which) -> Self {
        Self { which, ..self }
    }

    const fn until(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    const fn after(self, word: Word) -> Self {
        Self { word, ..self }
    }
}

const fn leaf(kind: &'static str) -> Rule {
    Rule::new(kind, Role::Leaf)
}

const fn holder(kind: &'static str) -> Rule {
    Rule::new(kind, Role::Holder)
}

const fn closed(kind: &'static str) -> Rule {
    Rule::new(kind, Role::Closed)
}

const BEFORE_VALUE: Stop = Stop::Field("value");
const BEFORE_BRACE: Stop = Stop::At('{');

const BASH: &[Rule] = &[leaf("function_definition")];

const C: &[Rule] = &[
    leaf("function_definition").named("declarator"),
    leaf("declaration").named("declarator").until(Stop::At('=')),
    leaf("type_definition")
        .named("declarator")
        .until(BEFORE_BRACE),
    leaf("struct_specifier").only(Which::With("body")),
    leaf("union_specifier").only(Which::With("body")),
    leaf("enum_specifier").only(Which::With("body")),
    leaf("preproc_def").until(BEFORE_VALUE),
    leaf("preproc_function_def").until(BEFORE_VALUE),
];

const GO: &[Rule] = &[
    leaf("function_declaration"),
    leaf("method_declaration"),
    holder("type_spec")
        .until(BEFORE_BRACE)
        .after(Word::Of("type")),
    leaf("type_alias")
        .until(BEFORE_BRACE)
        .after(Word::Of("type")),
    leaf("const_spec")
        .until(BEFORE_VALUE)
        .after(Word::Of("const")),
    leaf("var_spec").until(BEFORE_VALUE).after(Word::Of("var")),
    leaf("method_elem"),
    closed("func_literal"),
];

const JAVA: &[Rule] = &[
    holder("class_declaration"),
    holder("interface_declaration"),
    holder("enum_declaration"),
    holder("record_declaration"),
    holder("annotation_type_declaration"),
    leaf("method_declaration"),
    leaf("constructor_declaration"),
    leaf("compact_constructor_declaration"),
    closed("lambda_expression"),
];

const PYTHON: &[Rule] = &[
    holder("class_definition"),
    leaf("function_definition"),
    leaf("assignment")
        .named("left")
        .only(Which::Directly(&["module"]))
        .until(Stop::Field("right")),
    leaf("type_alias_statement").named("left"),
    closed("lambda"),
];

const RUST: &[Rule] = &[
    leaf("function_item"),
    leaf("function_signature_item"),
    leaf("struct_item"),
    leaf("enum_item"),
    leaf("union_item"),
    holder("trait_item"),
    Rule::new("impl_item", Role::Part).named("type"),
    holder("mod_item").only(Which::With("body")),
    leaf("macro_definition").until(BEFORE_BRACE),
    leaf("const_item").until(BEFORE_VALUE),
    leaf("static_item").until(BEFORE_VALUE),
    leaf("type_item"),
    leaf("associated_type"),
];

/// Its grammars read JavaScript as well.
const TYPESCRIPT: &[Rule] = &[
    leaf("function_declaration"),
    leaf("generator_function_declaration"),
    leaf("function_signature"),
    holder("class_declaration"),
    holder("abstract_class_declaration"),
    holder("interface_declaration"),
    leaf("enum_declaration"),
    leaf("type_alias_declaration").until(BEFORE_BRACE),
    holder("internal_module"),
    holder("module"),
    leaf("method_definition"),
    leaf("method_signature"),
    leaf("abstract_method_signature"),
    leaf("variable_declarator")
        .only(Which::Directly(&["program", "export_statement"]))
        .until(Stop::OfValue("body"))
        .after(Word::First),
    closed("arrow_function"),
    closed("function_expression"),
    closed("generator_function"),
];

/// The parser of a language and its rules.
pub(crate) fn of(language: Language) -> (tree_sitter::Language, &'static [Rule]) {
    match language {
        Language::Bash => (tree_sitter_bash::LANGUAGE.into(), BASH),
        Language::C => (tree_sitter_c::LANGUAGE.into(), C),
        Language::Go => (tree_sitter_go::LANGUAGE.into(), GO),
        Language::Java => (tree_sitter_java::LANGUAGE.into(), JAVA),
        Language::Python => (tree_sitter_python::LANGUAGE.into(), PYTHON),
        Language::Rust => (tree_sitter_rust::LANGUAGE.into(), RUST),
        Language::TypeScript => (
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            TYPESCRIPT,
        ),
        Language::JavaScript | Language::Tsx => {
            (tree_sitter_typescript::LANGUAGE_TSX.into(), TYPESCRIPT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_field_of_a_rule_is_in_its_grammar() {
        for language in Language::ALL {
            let (grammar, rules) = of(language);
            assert!(!rules.is_empty());
            for rule in rules {
                let known = grammar.id_for_node_kind(rule.kind, true) != 0;
                assert!(known, "{language:?} {}", rule.kind);
                if rule.role == Role::Closed {
                    continue;
                }
                let is_field = |name| grammar.field_id_for_name(name).is_some();
                assert!(is_field(rule.name), "{language:?} {}", rule.kind);
                if let Which::With(field) = rule.which {
                    assert!(is_field(field), "{language:?} {}", rule.kind);
                }
                if let Stop::Field(field) | Stop::OfValue(field) = rule.stop {
                    assert!(is_field(field), "{language:?} {}", rule.kind);
                }
            }
        }
    }
}
