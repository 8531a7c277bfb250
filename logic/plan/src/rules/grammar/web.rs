//! Rules for searching the web. What is looked for leaves the house, so only words that ask for it
//! plainly are taken.

use super::rule::{Rule, rule};
use crate::rules::building::{Built, Match};
use crate::rules::refusal::Refusal;
use domain::plan::Action;

fn search(found: &Match<'_>) -> Built {
    let query = found.told("q")?;
    // An engine's name says where to look; an encyclopaedia's says what to find, too.
    let is_wikipedia = found.word("w") == "wikipedia";
    let query = match is_wikipedia {
        true => format!("{query} wikipedia"),
        false => query,
    };
    Ok(Some(Action::WebSearch { query }))
}

/// Searching the web.
pub static WEB: [Rule; 7] = [
    rule(
        r"(?:(?:search|browse|check|google)(?: on| in| through)? (?:the )?(?:web|internet|online|google)|(?:do )?(?:a |an )?(?:web|online|internet|google) ?search|google(?: it| that| this)?|look (?:it|that|this) up(?: online| on the web)?)",
        |_| {
            let nearest = vec!["search the web for \"oolong tea\"".to_owned()];
            Err(Refusal::ambiguous(
                "What should I look for?".to_owned(),
                nearest,
            ))
        },
    ),
    rule(
        r"(?:open|read|fetch|get|show|see|visit|browse|go to|load|check|look at|summari[sz]e|download)\b.*\bhttps?://\S.*",
        |_| {
            Err(Refusal::unavailable(
                "Reading a page of the web is not among the things I can do without a model; \
                 searching it is.",
                vec!["search the web for \"oolong tea\"".to_owned()],
            ))
        },
    ),
    rule(
        r"(?:search|check|look on|look at|look through|browse|use|ask)(?: on| in)? (?:the )?(?:web|internet)(?: (?:for|about|on|to find))? {text:q}",
        search,
    ),
    rule(
        r"(?:do |make |run )?(?:a |an )?(?:web|online|internet|google) ?search(?: for| on| about|:)? {text:q}|google(?: for|:)? {text:r}",
        |found| match found.has("q") {
            true => search(found),
            false => Ok(Some(Action::WebSearch {
                query: found.told("r")?,
            })),
        },
    ),
    rule(
        r"(?:search|look|look up|check) online(?: for| about)? {text:q}",
        search,
    ),
    rule(
        r"(?:search|check|look on|look in|ask) (?P<w>wikipedia|google|bing|duckduckgo)(?: for| about)? {text:q}",
        search,
    ),
    rule(
        r"(?:search for|search|look for|look up|look|find out about|find out|find|get|fetch|check)(?: me)? {text:q}(?: up)? (?:(?:on|from|via|using) (?:the )?(?:web|internet|(?P<w>wikipedia)|google)|online)",
        search,
    ),
];
