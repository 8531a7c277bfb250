//! A real search server: Debian's searx, with an index of our own site as its only engine.

use crate::site::{FakeNames, House, Reader, Site, config};
use api::search::{Search, SearchRequest};
use contracts::within;
use domain::rights::WebContent;
use std::net::SocketAddr;
use std::process::Stdio;
use tempfile::TempDir;
use testkit::absent;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// What searx needs to be told when it is given no defaults.
fn settings(index: SocketAddr) -> String {
    format!(
        r#"general: {{debug: false, instance_name: fixture, contact_url: false, enable_stats: false}}
brand: {{git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}}
search: {{safe_search: 0, autocomplete: "", default_lang: "en", ban_time_on_fail: 5, max_ban_time_on_fail: 120, prefer_configured_language: false}}
server: {{port: 0, bind_address: "127.0.0.1", secret_key: for-this-test, base_url: false, image_proxy: false, http_protocol_version: "1.0", method: GET, default_http_headers: {{}}}}
ui: {{static_path: /usr/share/python3-searx/static, templates_path: /usr/share/python3-searx/templates, default_theme: oscar, default_locale: "", theme_args: {{oscar_style: logicodev}}}}
outgoing: {{request_timeout: 15.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10}}
locales: {{en: English}}
doi_resolvers: {{none: "http://127.0.0.1/"}}
default_doi_resolver: none
engines:
  - name: shelf
    engine: json_engine
    shortcut: sh
    categories: general
    search_url: "http://{index}/index?q={{query}}"
    results_query: results
    url_query: url
    title_query: title
    content_query: content
    enable_http: true
"#
    )
}

/// Starts searx and waits until it says where it listens.
async fn searx(index: SocketAddr) -> (Child, TempDir, String) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("settings.yml");
    std::fs::write(&file, settings(index)).unwrap();
    let mut child = Command::new("searx-run")
        .env("SEARX_SETTINGS_PATH", &file)
        .env_remove("http_proxy")
        .env_remove("HTTP_PROXY")
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("searx is installed: `cargo xtask test` does it");
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let place = within("searx starts", async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Some((_, place)) = line.split_once("Running on ") {
                return Some(place.trim().to_owned());
            }
            said.push_str(&line);
            said.push('\n');
        }
        None
    });
    let place = place
        .await
        .unwrap_or_else(|| panic!("searx ended:\n{said}"));
    // It goes on talking, and must not find a closed pipe.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, folder, place)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_search_server_leads_to_claims() {
    if absent::is_absent(absent::SEARX) {
        return;
    }
    let site = Site::start().await;
    let (_running, _folder, place) = searx(site.address).await;
    let house = House::new(
        config(Some(place)),
        Reader::honest(),
        FakeNames::site(),
        &site,
    );
    let request = SearchRequest {
        context: None,
        query: "lighthouse keepers".to_owned(),
        max_results: 5,
        content: WebContent::Summary,
    };
    let answer = house.service.search(request).await.unwrap();
    assert_eq!(answer.failures, [], "{answer:?}");
    let claim = &answer.claims[0];
    assert!(
        claim.source_url.starts_with(&site.url("/page/")),
        "{claim:?}"
    );
    assert!(
        claim.claim.to_lowercase().contains("lighthouse"),
        "{answer:?}"
    );
    assert!(answer.label.origins.contains("web:site.example"));
    let hosts: Vec<String> = house
        .records()
        .into_iter()
        .map(|record| record.detail)
        .collect();
    assert!(hosts.contains(&"127.0.0.1".to_owned()) && hosts.contains(&"site.example".to_owned()));
}
