//! What is known of a language, and how its rows are written.

use crate::rules::lazy_pattern::LazyPattern;
use crate::rules::words::NUMBERS;
use std::sync::LazyLock;

/// A language: the words that an order begins with, so that its rows are made only where one does,
/// what politeness adds, and its rows.
pub(super) struct Language {
    pub(super) name: &'static str,
    /// An order that is known and names no file, for a request that names none.
    pub(super) nameless: &'static str,
    /// Orders that are known, as they can be typed. `{file}` is the file of the request.
    pub(super) examples: [&'static str; 2],
    /// Verbs of orders to change something, whether or not a row knows them.
    pub(super) acting: &'static [&'static str],
    pub(super) begins: &'static [&'static str],
    pub(super) polite: &'static [&'static str],
    pub(super) rows: LazyLock<Vec<Row>>,
}

/// What is said, and the English order for it.
pub(super) type Row = (LazyPattern, &'static str);

/// Writes the places of rows out: `{x}` a name, `{n}` a number, `{t}` a quoted text, `{v}` a quoted text or up
/// to three words.
pub(super) fn rows(table: &[(&str, &'static str)]) -> Vec<Row> {
    let quoted = "\"[^\"]*\"|'[^']*'|„[^“”]*[“”]|“[^”]*”|«[^»]*»|»[^«]*«";
    let made = table.iter().map(|(says, template)| {
        let mut says = (*says).to_owned();
        for name in ["x", "y", "a", "b"] {
            let place = format!("(?P<{name}>{quoted}|[^\\s,?!]*[^\\s,.?!])");
            says = says.replace(&format!("{{{name}}}"), &place);
        }
        for name in ["n", "m"] {
            let place = format!(
                "(?P<{name}>\\d+|{})",
                NUMBERS.map(|(word, _)| word).join("|")
            );
            says = says.replace(&format!("{{{name}}}"), &place);
        }
        let says = says.replace("{t}", &format!("(?P<t>{quoted})"));
        let value = format!("(?P<v>{quoted}|[^\\s,?!]+(?: [^\\s,?!]+){{0,2}}?)");
        let says = says.replace("{v}", &value);
        (
            LazyPattern::new(format!("(?i)^(?:{says})[.!? ]*$")),
            *template,
        )
    });
    made.collect()
}
