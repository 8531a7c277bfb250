//! Where an answer ends before its end: the texts that a client wants it to stop at.

/// Passes an answer on up to the first of some texts, which may come in pieces.
#[derive(Debug, Default)]
pub(super) struct Cut {
    stops: Vec<String>,
    /// What may be the beginning of one.
    held: String,
    is_over: bool,
}

impl Cut {
    pub(super) fn at(stops: Vec<String>) -> Self {
        Self {
            stops: stops.into_iter().filter(|stop| !stop.is_empty()).collect(),
            held: String::new(),
            is_over: false,
        }
    }

    /// What of a piece can be passed on by now.
    pub(super) fn pass(&mut self, piece: &str) -> String {
        if self.is_over {
            return String::new();
        }
        self.held.push_str(piece);
        let first = self.stops.iter().filter_map(|stop| self.held.find(stop));
        if let Some(end) = first.min() {
            self.is_over = true;
            self.held.truncate(end);
            return std::mem::take(&mut self.held);
        }
        let mut begins = self.held.len();
        for (at, _) in self.held.char_indices() {
            let rest = &self.held[at..];
            if self.stops.iter().any(|stop| stop.starts_with(rest)) {
                begins = at;
                break;
            }
        }
        let held = self.held.split_off(begins);
        std::mem::replace(&mut self.held, held)
    }

    /// What was held back in vain.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_before_the_first_of_the_texts() {
        let passed = |stops: &[&str], pieces: &[&str]| {
            let mut cut = Cut::at(stops.iter().map(|stop| (*stop).to_owned()).collect());
            let mut all: String = pieces.iter().map(|piece| cut.pass(piece)).collect();
            all.push_str(&cut.rest());
            all
        };
        assert_eq!(passed(&[], &["one ", "two"]), "one two");
        assert_eq!(passed(&["END"], &["one E", "N", "D two"]), "one ");
        assert_eq!(passed(&["END"], &["one E", "N", "T two"]), "one ENT two");
        assert_eq!(passed(&["b", "a"], &["xxb", "a"]), "xx");
        assert_eq!(passed(&["\u{e4}\u{f6}"], &["x\u{e4}", "\u{f6}y"]), "x");
        assert_eq!(passed(&["aab"], &["aaa", "b!"]), "a");
    }
}
