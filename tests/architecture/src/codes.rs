//! Stable error codes: those in the source, and those in docs/errors.md.

use crate::source::{SourceFile, line_of};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};

/// Every code that shipped source can give, with one place that gives it: texts of the form
/// `service.reason` in functions, variables and fields named `code`, in constants whose names end in
/// `_CODE`, and in arguments of functions named `fault` or `notice`.
#[must_use]
pub fn in_source(files: &[SourceFile]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for file in files {
        let mut search = Search {
            path: &file.path,
            inside: false,
            found: &mut all,
        };
        for item in &file.shipped {
            search.visit_item(item);
        }
    }
    all
}

/// The codes of the first column of the tables in docs/errors.md.
#[must_use]
pub fn in_document(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| {
        let cell = line.strip_prefix("| `")?;
        let code = cell.split('`').next()?;
        is_code(code).then(|| code.to_owned())
    });
    rows.collect()
}

/// Whether a text has the form of a code: two or more parts of `a-z 0-9 _`, joined by dots.
#[must_use]
pub fn is_code(text: &str) -> bool {
    let fits = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    text.contains('.') && text.split('.').all(fits)
}

struct Search<'a> {
    path: &'a str,
    inside: bool,
    found: &'a mut BTreeMap<String, String>,
}

impl Search<'_> {
    fn within(&mut self, enters: bool, go: impl FnOnce(&mut Self)) {
        let before = self.inside;
        self.inside = before || enters;
        go(self);
        self.inside = before;
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let enters = item.sig.ident == "code";
        self.within(enters, |s| visit::visit_item_fn(s, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let enters = item.sig.ident == "code";
        self.within(enters, |s| visit::visit_impl_item_fn(s, item));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let enters = item.ident.to_string().ends_with("_CODE");
        self.within(enters, |s| visit::visit_item_const(s, item));
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        let enters = matches!(&field.member, syn::Member::Named(name) if name == "code");
        self.within(enters, |s| visit::visit_field_value(s, field));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let enters = matches!(&local.pat, syn::Pat::Ident(name) if name.ident == "code");
        self.within(enters, |s| visit::visit_local(s, local));
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        let enters = match &*assignment.left {
            syn::Expr::Field(field) => {
                matches!(&field.member, syn::Member::Named(name) if name == "code")
            }
            _ => false,
        };
        self.within(enters, |s| visit::visit_expr_assign(s, assignment));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let enters = match &*call.func {
            syn::Expr::Path(path) => path.path.segments.iter().any(|segment| {
                let name = segment.ident.to_string();
                ["fault", "Fault", "notice"].contains(&name.as_str()) || name.ends_with("_fault")
            }),
            _ => false,
        };
        self.within(enters, |s| visit::visit_expr_call(s, call));
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        let value = text.value();
        if self.inside && is_code(&value) {
            let place = format!("{}:{}", self.path, line_of(text.span()));
            self.found.entry(value).or_insert(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_every_form_and_other_texts_are_not() {
        let text = r#"
            impl Coded for E { fn code(&self) -> &'static str { match self { _ => "a.one" } } }
            fn f() { let x = Fault { code: "a.two".to_owned(), message: "b.none".into() }; }
            fn g() { fault("a.three", "some text"); other("c.none"); notice("a.zero"); }
            const ENDED_CODE: &str = "a.seven"; const OTHER: &str = "d.none";
            fn h() { let code = if x { "a.four" } else { "a.five" }; y.fault.code = "a.six"; }
            #[cfg(test)] mod tests { fn code() { "t.none" } }
        "#;
        let file = SourceFile::parse("services/x/src/e.rs", text, false).unwrap();
        let found = in_source(&[file]);
        let codes: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(
            codes,
            [
                "a.five", "a.four", "a.one", "a.seven", "a.six", "a.three", "a.two", "a.zero"
            ]
        );
    }

    #[test]
    fn the_document_gives_its_first_column() {
        let text = "| Code | Meaning |\n|---|---|\n| `a.one` | x `b.two` |\n| `plain` | y |";
        assert_eq!(in_document(text), ["a.one"]);
    }
}
