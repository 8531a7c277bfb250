//! From a page as it came to its main text, title, language and date.

mod date;
mod found;
mod html;
mod language;
mod plain;

use crate::body::{self, Kind};
use crate::error::Fault;
use crate::fetch::Raw;
use api::documents::{DocumentError, Documents};
use api::search::PageFault;
use domain::Timestamp;
use domain::limits::{PAGE_PARSE, PAGE_TEXT_BYTES};
use found::{FEWEST_WORDS, Found};
use tokio::sync::mpsc;
use url::Url;

pub(crate) use date::date_in;

/// Most words of a page that only says why it says nothing.
const WALL_WORDS: usize = 90;
/// How pages say that they need scripts, cookies or money, in lower case. Only short pages are
/// looked through for them: long ones may well be about such things.
const WALLS: &[&str] = &[
    "enable javascript",
    "javascript is disabled",
    "javascript is required",
    "requires javascript",
    "turn on javascript",
    "javascript aktivieren",
    "javascript einschalten",
    "activer javascript",
    "subscribe to continue",
    "subscribe to read",
    "for subscribers only",
    "subscribers only",
    "sign in to continue",
    "log in to continue",
    "already a subscriber",
    "jetzt weiterlesen",
    "weiterlesen mit",
    "nur für abonnenten",
    "réservé aux abonnés",
    "verify you are human",
    "checking your browser",
    "access denied",
];

/// A page, read. All of it is foreign text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    /// Where it was read from in the end.
    pub(crate) url: String,
    pub(crate) host: String,
    pub(crate) title: String,
    /// The main text, at most [`PAGE_TEXT_BYTES`].
    pub(crate) text: String,
    pub(crate) language: Option<String>,
    pub(crate) date: Option<Timestamp>,
}

/// The day that stands in an address, if a page may be of that day.
pub(crate) fn date_in_url(url: &Url, today: Timestamp) -> Option<Timestamp> {
    date::in_path(url.path()).filter(|date| date::is_plausible(*date, today))
}

/// Reads a page. `today` is what dates are measured by: none lies after it.
pub(crate) async fn read(
    raw: Raw,
    today: Timestamp,
    documents: Option<&dyn Documents>,
) -> Result<Page, Fault> {
    let Raw {
        url,
        kind,
        content_type,
        bytes,
    } = raw;
    let mut found = match kind {
        Kind::Pdf => Found {
            text: pdf(bytes, documents).await?,
            ..Found::default()
        },
        Kind::Text => Found {
            text: body::decode(&bytes, content_type.as_deref()),
            ..Found::default()
        },
        Kind::Html => {
            let source = body::decode(&bytes, content_type.as_deref());
            parse(source).await?
        }
    };
    found.text = tidy(&found.text);
    if is_wall(&found.text) {
        let detail =
            "there is no readable text: the page is empty, needs scripts or is behind a wall";
        return Err(Fault::new(PageFault::NoText, detail));
    }
    if found.title.trim().is_empty() {
        found.title = found.text.lines().next().unwrap_or_default().to_owned();
    }
    let date = found.date.or_else(|| date_in_url(&url, today));
    Ok(Page {
        host: url.host_str().unwrap_or_default().to_owned(),
        url: url.to_string(),
        title: found.title,
        language: language::of(&found.text, found.language.as_deref()),
        date: date.filter(|date| date::is_plausible(*date, today)),
        text: found.text,
    })
}

async fn pdf(bytes: Vec<u8>, documents: Option<&dyn Documents>) -> Result<String, Fault> {
    let Some(documents) = documents else {
        let detail = "the page is a PDF, and there is no reader for those here";
        return Err(Fault::new(PageFault::ContentType, detail));
    };
    let (progress, _unwatched) = mpsc::channel(1);
    match documents.text(bytes, &progress).await {
        Ok(read) => Ok(read.text),
        Err(DocumentError::Timeout) => Err(Fault::timeout("its PDF could not be read in time")),
        Err(DocumentError::NotRun(_)) => Err(Fault::new(
            PageFault::ContentType,
            "the page is a PDF, and there is no reader for those here",
        )),
        Err(DocumentError::Unreadable { .. }) => Err(Fault::new(
            PageFault::NoText,
            "the page is a PDF without readable text",
        )),
    }
}

/// Looks for the main text on a thread that may be busy, within a time. Pages that a tree is built of are bounded, so the thread
/// ends soon even when nobody waits for it.
async fn parse(source: String) -> Result<Found, Fault> {
    let parsing = tokio::task::spawn_blocking(move || html::read(&source));
    match tokio::time::timeout(PAGE_PARSE, parsing).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a page could not be taken apart");
            let detail = "its HTML cannot be understood";
            Err(Fault::new(PageFault::NoText, detail))
        }
        Err(_elapsed) => Err(Fault::timeout("its HTML could not be read in time")),
    }
}

/// One space between words, one empty line between paragraphs, no longer than is kept.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(PAGE_TEXT_BYTES));
    let mut gap = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_none() {
            gap += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if gap > 0 { "\n\n" } else { "\n" });
        }
        gap = 0;
        while let Some(word) = words.next() {
            out.push_str(word);
            if words.peek().is_some() {
                out.push(' ');
            }
        }
        if out.len() > PAGE_TEXT_BYTES {
            out.truncate(out.floor_char_boundary(PAGE_TEXT_BYTES));
            break;
        }
    }
    out
}

/// Whether a text says nothing, or only why it says nothing.
fn is_wall(text: &str) -> bool {
    let words = text.split_whitespace().take(WALL_WORDS + 1).count();
    // Scripts without spaces between words have few "words" and many letters.
    let is_short = words < FEWEST_WORDS && text.chars().count() < 60;
    let lower = || text.to_lowercase().replace('\u{a0}', " ");
    is_short
        || (words <= WALL_WORDS && {
            let lower = lower();
            WALLS.iter().any(|wall| lower.contains(wall))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_is_no_text_and_an_article_about_walls_is() {
        for wall in [
            "",
            "Loading…",
            "Please enable JavaScript to view this site.",
            "The mayor said on Monday. Subscribe to continue reading this article.",
        ] {
            assert!(is_wall(wall), "{wall}");
        }
        let article = format!(
            "{} Subscribe to continue is what they say.",
            "Walls stand. ".repeat(60)
        );
        assert!(!is_wall(&article));
        assert!(!is_wall("Open Monday to Friday, nine to five."));
        assert!(!is_wall("東京は日本の首都である。".repeat(6).as_str()));
    }

    #[test]
    fn a_text_is_tidied_and_cut_at_its_limit() {
        assert_eq!(tidy("  a \t b\n\n\n c\nd \n"), "a b\n\nc\nd");
        let at_limit = "x".repeat(PAGE_TEXT_BYTES);
        assert_eq!(tidy(&at_limit).len(), PAGE_TEXT_BYTES);
        let long = format!("{}ä", "x".repeat(PAGE_TEXT_BYTES - 1));
        assert_eq!(tidy(&long).len(), PAGE_TEXT_BYTES - 1);
    }
}
