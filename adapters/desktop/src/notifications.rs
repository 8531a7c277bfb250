//! Notices as notifications of the desktop. What they say is worded where they come from
//! (`services/agents/src/drive/driver.rs`).
//!
//! The interface is that of the freedesktop.org Desktop Notifications specification, 1.2.

use crate::line;
use api::signals::{Error, Notice, Notifier};
use async_trait::async_trait;
use std::collections::HashMap;
use text::escape;
use zbus::zvariant::Value;

/// Who shows notifications, and the interface's name.
const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// How urgent: normal, between low and critical.
const URGENCY: u8 = 1;
/// How long it stays: as the desktop likes.
const EXPIRES: i32 = -1;

/// Longest title that is shown, characters.
pub const TITLE_CHARS: usize = 80;
/// Longest text that is shown, characters before escaping.
pub const BODY_CHARS: usize = 500;

/// The notifications of a session bus.
#[derive(Debug, Clone, Default)]
pub struct Notifications {
    address: Option<String>,
}

impl Notifications {
    /// On the session bus that the environment names. Connects with each notice: a desktop may end
    /// and begin anew.
    #[must_use]
    pub const fn new() -> Self {
        Self { address: None }
    }

    /// On the bus at an address, such as `unix:path=/run/user/1000/bus`.
    #[must_use]
    pub fn at(address: impl Into<String>) -> Self {
        Self {
            address: Some(address.into()),
        }
    }

    async fn show(&self, notice: Notice) -> Result<(), Error> {
        let address = match &self.address {
            Some(address) => address.clone(),
            None => line::session_bus()?,
        };
        let bus = line::connect(&address).await?;
        let replaces = 0_u32;
        let icon = "";
        let actions: [&str; 0] = [];
        let hints = HashMap::from([("urgency", Value::from(URGENCY))]);
        let words = (title(&notice.title), body(&notice.body));
        let arguments = (
            "Housecarl",
            replaces,
            icon,
            words.0,
            words.1,
            &actions[..],
            hints,
            EXPIRES,
        );
        bus.call_method(Some(NAME), PATH, Some(NAME), "Notify", &arguments)
            .await
            .map_err(line::explained)?;
        Ok(())
    }
}

#[async_trait]
impl Notifier for Notifications {
    async fn notify(&self, notice: Notice) -> Result<(), Error> {
        line::within(self.show(notice)).await
    }
}

/// The title, which the specification calls plain text.
fn title(text: &str) -> String {
    cut(&escape::visible_line(text), TITLE_CHARS)
}

/// The text, which a desktop may read as markup: a link or a picture in it would be fetched.
fn body(text: &str) -> String {
    let plain = cut(&escape::visible_line(text), BODY_CHARS);
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_markup_and_no_control_reaches_the_desktop() {
        assert_eq!(
            body("<img src=\"http://192.0.2.1/x\"> & so\u{1b}[2J"),
            "&lt;img src=\"http://192.0.2.1/x\"&gt; &amp; so\\u{1b}[2J"
        );
        assert_eq!(body("&lt;b&gt;"), "&amp;lt;b&amp;gt;");
        assert_eq!(title("one\ntwo\0"), "one\\u{a}two\\u{0}");
    }

    #[test]
    fn what_is_too_long_is_cut_before_it_is_escaped() {
        let shown = body(&"<ä".repeat(BODY_CHARS));
        assert_eq!(shown.matches("&lt;ä").count(), BODY_CHARS / 2);
        assert!(shown.ends_with("ä…"));
        assert_eq!(title(&"ö".repeat(TITLE_CHARS)).chars().count(), TITLE_CHARS);
        assert!(title(&"ö".repeat(TITLE_CHARS + 1)).ends_with('…'));
    }
}
