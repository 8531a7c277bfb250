//! How a terminal shows a notification on the desktop, by what its environment says of it. Neither form is
//! a standard: OSC 9 is iTerm2's, OSC 777 that of rxvt-unicode, which foot and VTE took over.

/// Since when VTE passes over an OSC 777 that it does not show, instead of drawing it.
const VTE: u32 = 4_600;

/// A form of notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// A text alone.
    Osc9,
    /// A title and a text.
    Osc777,
    /// None is known to be shown.
    None,
}

impl Notification {
    /// What the terminal shows. Within tmux and screen it is not known what is around them.
    #[must_use]
    pub fn taken(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
        let is_inner = ["TMUX", "STY"].iter().any(|name| !value(name).is_empty());
        let is_vte = || value("VTE_VERSION").parse().is_ok_and(|is: u32| is >= VTE);
        match (program.as_str(), term.as_str()) {
            _ if is_inner => Self::None,
            ("iTerm.app" | "WezTerm" | "ghostty", _) | (_, "xterm-kitty") => Self::Osc9,
            (_, term) if term.starts_with("foot") || term.starts_with("rxvt-unicode") => {
                Self::Osc777
            }
            _ if is_vte() => Self::Osc777,
            _ => Self::None,
        }
    }

    /// The sequence that shows a text, which is the program's own.
    #[must_use]
    pub fn sequence(self, text: &str) -> String {
        match self {
            Self::Osc9 => format!("\x1b]9;carl: {text}\x1b\\"),
            Self::Osc777 => format!("\x1b]777;notify;carl;{text}\x1b\\"),
            Self::None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_terminal_gets_the_form_that_it_shows() {
        for (variables, expected) in [
            (&[("TERM_PROGRAM", "WezTerm")][..], Notification::Osc9),
            (&[("TERM", "xterm-kitty")], Notification::Osc9),
            (&[("TERM", "foot-extra")], Notification::Osc777),
            (&[("TERM", "rxvt-unicode-256color")], Notification::Osc777),
            (
                &[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")],
                Notification::Osc777,
            ),
            (&[("VTE_VERSION", "4502")], Notification::None),
            (&[("TERM", "foot"), ("TMUX", "/tmp/x")], Notification::None),
            (&[("TERM", "xterm-256color")], Notification::None),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Notification::taken(variable), expected, "{variables:?}");
        }
    }

    #[test]
    fn a_sequence_has_its_text_and_its_end() {
        let text = "the work has ended";
        let title = Notification::Osc777.sequence(text);
        assert_eq!(title, "\x1b]777;notify;carl;the work has ended\x1b\\");
        let alone = Notification::Osc9.sequence(text);
        assert_eq!(alone, "\x1b]9;carl: the work has ended\x1b\\");
        assert!(Notification::None.sequence(text).is_empty());
    }
}
