//! Sizes: files and functions that a person can hold in mind.

use crate::Violation;
use crate::source::{SourceFile, line_of};
use syn::visit::{self, Visit};

/// A file longer than this is a violation, lines.
pub const FILE_LINES: usize = 800;
/// A file longer than this is reported, lines.
pub const LONG_FILE_LINES: usize = 500;
/// A function must be shorter than this, lines from its `fn` to its closing brace.
pub const FUNCTION_LINES: usize = 70;

/// The file's length in lines.
#[must_use]
pub fn lines(file: &SourceFile) -> usize {
    file.text.lines().count()
}

/// Files over the hard limit.
#[must_use]
pub fn check_file(file: &SourceFile) -> Vec<Violation> {
    let count = lines(file);
    if count > FILE_LINES {
        let rule = format!("has {count} lines; at most {FILE_LINES}: split it by subject");
        vec![Violation::of(&file.path, rule)]
    } else {
        Vec::new()
    }
}

/// Functions at or over the limit, wherever they stand.
#[must_use]
pub fn check_functions(file: &SourceFile) -> Vec<Violation> {
    let mut measure = Measure {
        path: &file.path,
        found: Vec::new(),
    };
    measure.visit_file(&file.tree);
    measure.found
}

struct Measure<'a> {
    path: &'a str,
    found: Vec<Violation>,
}

impl Measure<'_> {
    fn weigh(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = line_of(signature.fn_token.span);
        let last = block.brace_token.span.close().end().line;
        let count = (last + 1).saturating_sub(first);
        if count >= FUNCTION_LINES {
            let name = &signature.ident;
            let rule = format!("`{name}` has {count} lines; fewer than {FUNCTION_LINES}");
            self.found.push(Violation::at(self.path, first, rule));
        }
    }
}

impl<'ast> Visit<'ast> for Measure<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.weigh(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.weigh(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.weigh(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function_of(count: usize) -> SourceFile {
        let text = format!("impl A {{\n fn f() {{\n{}}}\n}}", "\n".repeat(count - 2));
        SourceFile::parse("services/x/src/y.rs", &text, false).unwrap()
    }

    #[test]
    fn a_function_at_the_limit_is_caught_and_one_line_less_is_not() {
        assert_eq!(check_functions(&function_of(FUNCTION_LINES - 1)), []);
        assert_eq!(check_functions(&function_of(FUNCTION_LINES)).len(), 1);
    }

    #[test]
    fn a_file_over_the_limit_is_caught_and_one_at_it_is_not() {
        let file = |count| SourceFile::parse("a/b/src/c.rs", &"\n".repeat(count), false).unwrap();
        assert_eq!(check_file(&file(FILE_LINES)), []);
        assert_eq!(check_file(&file(FILE_LINES + 1)).len(), 1);
    }
}
