//! Whether the terminal is light or dark, and which of its colours can be read on it.
//!
//! The colours are the 16 of every terminal, so each user's own. What is the trouble with them is known:
//! yellow and cyan on white, and faint text, which many terminals mix with the background.

use ratatui::style::{Color, Modifier, Style};

/// What the terminal is asked: the colour of its background (OSC 11).
pub const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";
/// How its answer begins, behind the escape.
pub const ANSWER: &str = "11;";

/// What is behind the letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Dark, or not known: what most terminals have, and what all colours were chosen for.
    Dark,
    /// Light.
    Light,
}

/// How the background is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The terminal is asked.
    #[default]
    Auto,
    /// It is light, whatever the terminal says.
    Light,
    /// It is dark, whatever the terminal says.
    Dark,
}

impl Background {
    /// What is known before the terminal answers. `variables`: those of the environment.
    #[must_use]
    pub fn at_first(theme: Theme, variables: impl Fn(&str) -> Option<String>) -> Self {
        match theme {
            Theme::Light => Self::Light,
            Theme::Dark => Self::Dark,
            Theme::Auto => variables("COLORFGBG")
                .and_then(|value| Self::of_numbers(&value))
                .unwrap_or(Self::Dark),
        }
    }

    /// By what `COLORFGBG` says, the numbers of the colours of letters and background: `15;0` or
    /// `0;default;15`.
    fn of_numbers(value: &str) -> Option<Self> {
        let (_, behind) = value.rsplit_once(';')?;
        match behind.parse().ok()? {
            7_u8 | 9..=15 => Some(Self::Light),
            0..=6 | 8 => Some(Self::Dark),
            16.. => None,
        }
    }

    /// By the answer of a terminal, such as `11;rgb:ffff/ffff/dddd`; `None` for anything else.
    #[must_use]
    pub fn of_answer(answer: &str) -> Option<Self> {
        let colour = answer.strip_prefix(ANSWER)?;
        let parts = colour.strip_prefix("rgb:");
        let parts = parts.or_else(|| colour.strip_prefix("rgba:"))?;
        let parts: Vec<f64> = parts.split('/').map(share).collect::<Option<_>>()?;
        let (3 | 4, [red, green, blue, ..]) = (parts.len(), parts.as_slice()) else {
            return None;
        };
        // How bright a colour looks: ITU-R BT.709.
        let brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        Some(match brightness > 0.5 {
            true => Self::Light,
            false => Self::Dark,
        })
    }

    /// A style whose letters can be read on it.
    #[must_use]
    pub fn readable(self, style: Style) -> Style {
        if self == Self::Dark {
            return style;
        }
        let is_faint = style.add_modifier.contains(Modifier::DIM);
        let fg = match style.fg {
            // What is marked so is a warning, and bold.
            Some(Color::Yellow) => Some(Color::Magenta),
            Some(Color::Cyan) => Some(Color::Blue),
            None if is_faint => Some(Color::DarkGray),
            other => other,
        };
        Style {
            fg,
            add_modifier: style.add_modifier.difference(Modifier::DIM),
            ..style
        }
    }
}

/// A part of a colour, 1 to 4 hexadecimal digits, of the most that so many can say.
fn share(digits: &str) -> Option<f64> {
    let is_hexadecimal = digits.bytes().all(|one| one.is_ascii_hexdigit());
    if !is_hexadecimal || !(1..=4).contains(&digits.len()) {
        return None;
    }
    let value = u16::from_str_radix(digits, 16).ok()?;
    let most = u16::MAX >> (16 - 4 * digits.len());
    Some(f64::from(value) / f64::from(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_whether_it_is_light() {
        for (answer, expected) in [
            ("11;rgb:ffff/ffff/ffff", Some(Background::Light)),
            ("11;rgb:ff/ff/dd", Some(Background::Light)),
            ("11;rgba:fdfd/f6f6/e3e3/ffff", Some(Background::Light)),
            ("11;rgb:0000/0000/0000", Some(Background::Dark)),
            ("11;rgb:0/2b/036", Some(Background::Dark)),
            ("11;rgb:1e1e/1e1e/2e2e", Some(Background::Dark)),
            ("10;rgb:ffff/ffff/ffff", None),
            ("11;?", None),
            ("11;rgb:ffff/ffff", None),
            ("11;rgb:fffff/f/f", None),
            ("11;rgb:-1/f/f", None),
            ("11;rgb:+f/f/f", None),
            ("11;rgb:ff/ff/ff/ff/ff", None),
            ("11;#ffffff", None),
            ("y", None),
            ("", None),
        ] {
            assert_eq!(Background::of_answer(answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_set_counts_before_what_the_terminal_may_say() {
        let with = |theme, value: Option<&str>| {
            let value = value.map(str::to_owned);
            Background::at_first(theme, |name| value.clone().filter(|_| name == "COLORFGBG"))
        };
        assert_eq!(with(Theme::Auto, None), Background::Dark);
        assert_eq!(with(Theme::Auto, Some("0;15")), Background::Light);
        assert_eq!(with(Theme::Auto, Some("0;default;7")), Background::Light);
        assert_eq!(with(Theme::Auto, Some("15;0")), Background::Dark);
        assert_eq!(with(Theme::Auto, Some("15;8")), Background::Dark);
        for none in ["", "15", "15;default", "15;200", "15;900"] {
            assert_eq!(with(Theme::Auto, Some(none)), Background::Dark, "{none}");
        }
        assert_eq!(with(Theme::Light, Some("15;0")), Background::Light);
        assert_eq!(with(Theme::Dark, Some("0;15")), Background::Dark);
    }

    #[test]
    fn nothing_on_white_is_yellow_cyan_or_faint() {
        let style = |fg| Style { fg, ..Style::new() };
        let light = |style| Background::Light.readable(style);
        assert_eq!(light(style(Some(Color::Yellow))).fg, Some(Color::Magenta));
        assert_eq!(light(style(Some(Color::Cyan))).fg, Some(Color::Blue));
        assert_eq!(light(style(Some(Color::Red))).fg, Some(Color::Red));
        assert_eq!(light(Style::new()), Style::new());
        let faint = Style::new().add_modifier(Modifier::DIM | Modifier::BOLD);
        assert_eq!(
            light(faint),
            Style::new()
                .fg(Color::DarkGray)
                .add_modifier(Modifier::BOLD)
        );
        let red = faint.fg(Color::Red);
        assert_eq!(
            light(red),
            Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)
        );
        assert_eq!(Background::Dark.readable(faint), faint);
    }
}
