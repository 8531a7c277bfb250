//! Which hits are worth reading. Pure.

use crate::providers::Hit;
use crate::words::{share, topics};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Most pages of one host, so that one site does not make up the whole answer.
const PER_HOST: usize = 2;

/// A hit that is worth reading, and how well it fits, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) hit: Hit,
    pub(crate) fit: f32,
}

/// The hits that have to do with a query, best first: those whose title or snippet has words of it,
/// each page once, few of one host. When none has any (a query in another language), the server's
/// own order is believed.
pub(crate) fn relevant(query: &str, hits: Vec<Hit>) -> Vec<Candidate> {
    let wanted = topics(query);
    let mut seen = HashSet::new();
    let mut candidates: Vec<(Candidate, bool)> = Vec::new();
    for (rank, hit) in hits.into_iter().enumerate() {
        if !seen.insert(same_page(&hit.url)) {
            continue;
        }
        let title = share(&wanted, &topics(&hit.title));
        let whole = share(&wanted, &topics(&format!("{} {}", hit.title, hit.snippet)));
        let by_rank = 1.0 / (1.0 + rank as f32 * 0.2);
        let fit = 0.5 * whole + 0.2 * title + 0.3 * by_rank;
        candidates.push((Candidate { hit, fit }, whole > 0.0));
    }
    if candidates.iter().any(|(_, fits)| *fits) {
        candidates.retain(|(_, fits)| *fits);
    }
    let mut kept: Vec<Candidate> = candidates.into_iter().map(|(one, _)| one).collect();
    kept.sort_by(|a, b| b.fit.total_cmp(&a.fit));
    let mut hosts: HashMap<String, usize> = HashMap::new();
    kept.retain(|one| {
        let host = one.hit.url.host_str().unwrap_or_default().to_owned();
        let count = hosts.entry(host).or_default();
        *count += 1;
        *count <= PER_HOST
    });
    kept
}

/// What two addresses of one page have in common.
fn same_page(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = url.path().trim_end_matches('/');
    let port = url.port().map(|port| port.to_string()).unwrap_or_default();
    format!("{host}:{port}{path}?{}", url.query().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(url: &str, title: &str, snippet: &str) -> Hit {
        Hit {
            url: Url::parse(url).unwrap(),
            title: title.to_owned(),
            snippet: snippet.to_owned(),
            date: None,
        }
    }

    fn urls(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|one| one.hit.url.as_str()).collect()
    }

    #[test]
    fn what_has_nothing_of_the_query_is_left_out() {
        let found = relevant(
            "lighthouse keeper wages 1880",
            vec![
                hit("https://a.example/", "Cheap flights", "Book now"),
                hit(
                    "https://b.example/",
                    "Wages of keepers",
                    "A lighthouse keeper in 1880",
                ),
                hit("https://c.example/", "Lighthouses", "of the coast"),
            ],
        );
        assert_eq!(urls(&found), ["https://b.example/", "https://c.example/"]);
        assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.fit)));
    }

    #[test]
    fn a_query_in_another_language_keeps_the_servers_order() {
        let found = relevant(
            "Leuchtturm",
            vec![
                hit("https://a.example/", "Lighthouse", "keepers"),
                hit("https://b.example/", "Beacon", "light"),
            ],
        );
        assert_eq!(urls(&found), ["https://a.example/", "https://b.example/"]);
    }

    #[test]
    fn a_page_comes_once_and_a_host_twice() {
        let found = relevant(
            "bees",
            vec![
                hit("https://www.a.example/x", "bees", ""),
                hit("http://a.example/x/", "bees", ""),
                hit("https://a.example/y", "bees", ""),
                hit("https://a.example/z", "bees", ""),
                hit("https://a.example/w", "bees", ""),
                hit("https://b.example/", "bees", ""),
            ],
        );
        assert_eq!(
            urls(&found),
            [
                "https://www.a.example/x",
                "https://a.example/y",
                "https://a.example/z",
                "https://b.example/"
            ]
        );
    }
}
