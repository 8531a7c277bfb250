//! `carl web`: the web UI.

use super::page::{self, Opening, Page};
use super::{Setting, serve};
use anyhow::Result;
use command_line::{SessionFlags, WebArgs};
use config::paths::private_folder;
use terminal::exit::Exit;

/// Serves the page until Ctrl-C. Where it is served already, prints a link to it and ends.
///
/// # Errors
/// When the address cannot be used, or another process serves without the page.
pub async fn web(args: WebArgs) -> Result<Exit> {
    let setting = Setting::read(&SessionFlags {
        air_gap: args.air_gap,
        ..SessionFlags::default()
    })?;
    private_folder(&setting.paths.runtime)?;
    let opening = match args.no_open {
        true => Opening::Link,
        false => Opening::Browser,
    };
    let page = Page::with_link(args.address, &args.tls, opening)?;
    if let Some(place) = page::served(&setting) {
        page.show(&setting, &place)?;
        return Ok(Exit::Success);
    }
    serve::with_page(&setting, page).await
}
