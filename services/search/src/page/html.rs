//! Main text, title, language and date of an HTML page.

use super::date::date_in;
use super::found::{FEWEST_WORDS, Found};
use super::plain::{Plain, rewrite};
use dom_smoothie::{Config, Readability, TextMode};
use domain::Timestamp;
use domain::limits::PAGE_ELEMENTS;
use serde_json::Value;

/// Below this many words, what the reader view found is compared with all that the page shows.
const FEW_WORDS: usize = 120;
/// How many times as many words the whole page must have to be taken instead.
const MUCH_MORE: usize = 2;
/// Deepest place in a data block that is looked at.
const DATA_DEPTH: usize = 6;
/// Most values of one data block that are looked at.
const DATA_VALUES: usize = 500;

/// Where pages say when they were published, most reliable first.
const DATED: &[(&str, &str)] = &[
    ("meta[property='article:published_time']", "content"),
    ("meta[property='og:published_time']", "content"),
    ("meta[itemprop='datePublished']", "content"),
    ("[itemprop='datePublished']", "datetime"),
    ("meta[name='date']", "content"),
    ("meta[name='pubdate']", "content"),
    ("meta[name='publish-date']", "content"),
    ("meta[name='DC.date.issued']", "content"),
    ("meta[name='dcterms.date']", "content"),
    ("meta[name='dc.date']", "content"),
    ("meta[name='citation_publication_date']", "content"),
    ("meta[name='parsely-pub-date']", "content"),
    ("article time[datetime]", "datetime"),
    ("main time[datetime]", "datetime"),
    ("header time[datetime]", "datetime"),
    ("time[pubdate]", "datetime"),
    ("time[datetime]", "datetime"),
];

/// What frames a page and is not its content.
const FRAME: &str = "nav, header, footer, aside, form, button, [role='navigation'], \
                     [role='banner'], [role='contentinfo'], [role='complementary'], \
                     [role='dialog'], [role='search']";
/// Where the content is, when a page says so.
const CONTENT: &[&str] = &["main", "[role='main']", "article", "body"];

/// Reads a page.
pub(super) fn read(source: &str) -> Found {
    let plain = rewrite(source);
    let mut found = Found::default();
    let Some(mut view) = view(&plain.html) else {
        return found;
    };
    found.date = date_of(&plain, &view);
    let said = view.doc.select_single("html").attr("lang");
    found.language = said.map(|said| said.to_string());
    let og = view
        .doc
        .select_single("meta[property='og:title']")
        .attr("content");
    found.title = match og.filter(|title| !title.trim().is_empty()) {
        Some(title) => title.to_string(),
        None => view.get_article_title().to_string(),
    };
    let main = match view.parse() {
        Ok(article) => article.text_content.to_string(),
        Err(error) => {
            tracing::debug!(%error, "no main text by the reader view");
            String::new()
        }
    };
    found.text = main;
    let words = |text: &str| text.split_whitespace().count();
    let count = words(&found.text);
    if count < FEW_WORDS {
        let whole = whole_text(&plain.html);
        if words(&whole) >= count.max(1) * MUCH_MORE {
            found.text = whole;
        }
    }
    found
}

fn view(html: &str) -> Option<Readability> {
    let config = Config {
        max_elements_to_parse: PAGE_ELEMENTS * 2,
        disable_json_ld: true,
        char_threshold: 250,
        text_mode: TextMode::Formatted,
        ..Config::default()
    };
    match Readability::new(html, None, Some(config)) {
        Ok(view) => Some(view),
        Err(error) => {
            tracing::debug!(%error, "no page");
            None
        }
    }
}

/// All that a page shows, without its frame.
fn whole_text(html: &str) -> String {
    let Some(view) = view(html) else {
        return String::new();
    };
    view.doc.select(FRAME).remove();
    let texts = CONTENT.iter().map(|place| {
        let place = view.doc.select_single(place);
        if place.exists() {
            place.formatted_text().to_string()
        } else {
            String::new()
        }
    });
    texts
        .filter(|text| text.split_whitespace().count() > FEWEST_WORDS)
        .chain([String::new()])
        .next()
        .unwrap_or_default()
}

/// When a page was published, as its data blocks or its elements say.
fn date_of(plain: &Plain, view: &Readability) -> Option<Timestamp> {
    let blocks = plain.data.iter().filter_map(|block| {
        let Ok(value) = serde_json::from_str::<Value>(block) else {
            return None;
        };
        let mut left = DATA_VALUES;
        date_of_data(&value, 0, &mut left)
    });
    let elements = DATED.iter().filter_map(|(place, attribute)| {
        let found = view.doc.select_single(place).attr(attribute)?;
        date_in(&found)
    });
    blocks.chain(elements).next()
}

/// The first `datePublished` in a data block.
fn date_of_data(value: &Value, depth: usize, left: &mut usize) -> Option<Timestamp> {
    *left = left.checked_sub(1)?;
    if depth > DATA_DEPTH {
        return None;
    }
    match value {
        Value::Object(map) => {
            let own = ["datePublished", "dateCreated", "uploadDate"]
                .iter()
                .find_map(|key| date_in(map.get(*key)?.as_str()?));
            own.or_else(|| {
                map.values()
                    .find_map(|inner| date_of_data(inner, depth + 1, left))
            })
        }
        Value::Array(list) => list
            .iter()
            .find_map(|inner| date_of_data(inner, depth + 1, left)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(source: &str) -> Option<String> {
        read(source)
            .date
            .map(|date| date.to_string()[..10].to_owned())
    }

    #[test]
    fn a_date_is_found_wherever_pages_put_it() {
        for source in [
            "<script type='application/ld+json'>{\"@graph\": [{\"@type\": \"NewsArticle\", \
             \"datePublished\": \"2024-05-01T08:00:00+02:00\"}]}</script><p>x",
            "<meta property='article:published_time' content='2024-05-01T10:00:00Z'><p>x",
            "<meta name='date' content='2024-05-01'><p>x",
            "<article><time datetime='2024-05-01'>yesterday</time><p>x</article>",
            "<span itemprop='datePublished' datetime='2024-05-01'>x</span>",
        ] {
            assert_eq!(date(source).as_deref(), Some("2024-05-01"), "{source}");
        }
        assert_eq!(date("<time>2024-05-01</time><p>x"), None);
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(
            date(&format!(
                "<script type='application/ld+json'>{deep}</script>"
            )),
            None
        );
    }

    #[test]
    fn the_title_is_the_one_a_page_gives_itself() {
        let title = |source: &str| read(source).title;
        assert_eq!(
            title("<title>Bees and what they do all day</title><p>x"),
            "Bees and what they do all day"
        );
        assert_eq!(
            title("<meta property='og:title' content='Bees'><title>Site</title>"),
            "Bees"
        );
    }

    #[test]
    fn a_page_made_to_be_slow_is_cut_to_what_can_be_read() {
        for piece in [
            "<div>",
            "<b a=1><p>",
            "<table><tr><td>",
            "<a><i><b>",
            "<ul><li>",
            "<svg><g>",
        ] {
            let page = format!(
                "<p>The words are here and can be read.</p>{}",
                piece.repeat(40_000)
            );
            // A parser takes time in proportion to these, and to how deep they stand.
            let plain = rewrite(&page).html;
            let tags = plain.matches('<').count();
            assert!(tags <= 2 * PAGE_ELEMENTS, "{piece}: {tags}");
            let text = read(&page).text;
            assert!(text.contains("can be read"), "{piece}: {text}");
        }
    }
}
