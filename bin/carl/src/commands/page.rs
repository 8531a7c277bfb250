//! The web UI beside what else is served: the link that logs a browser in, and the browser.

use super::Setting;
use crate::serving::{Announced, served_roles};
use anyhow::{Context as _, Result};
use command_line::TlsArgs;
use disk::private::{self, Durability};
use domain::Timestamp;
use http_api::login_codes::LoginCodes;
use http_api::{Certificate, Server};
use rendering::print;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use terminal::exit::OrFail;

/// As what the server is told in the state folder.
const ROLE: &str = "http";

/// Whether a browser is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// No link is printed either.
    None,
    /// The link is printed.
    Link,
    /// And a browser opened where one is configured.
    Browser,
}

/// Where programs and the page are served, and what is shown of it.
pub(super) struct Page {
    /// The address that is asked for.
    pub(super) address: SocketAddr,
    /// What connections are encrypted with.
    pub(super) certificate: Option<Certificate>,
    /// What is shown of it.
    pub(super) opening: Opening,
}

impl Page {
    /// For people: with a link that logs in.
    ///
    /// # Errors
    /// When the certificate cannot be used.
    pub(super) fn with_link(address: SocketAddr, tls: &TlsArgs, opening: Opening) -> Result<Self> {
        Ok(Self {
            address,
            certificate: certificate(tls)?,
            opening,
        })
    }

    /// For programs: whoever wants the page types `carl web`.
    ///
    /// # Errors
    /// As [`Page::with_link`].
    pub(super) fn without_link(address: SocketAddr, tls: &TlsArgs) -> Result<Self> {
        Self::with_link(address, tls, Opening::None)
    }

    /// Prints a link that logs in once, and opens it.
    pub(super) fn show(&self, setting: &Setting, at: &Place) -> Result<()> {
        if self.opening == Opening::None {
            return Ok(());
        }
        let codes = LoginCodes::below(&setting.paths.state);
        let code = codes.add(Timestamp::now()).or_fail()?;
        let link = format!("{at}/#login={}", *code);
        print(&format!("the page: {link}\n"))?;
        if self.opening == Opening::Browser {
            open(&link, &setting.paths.runtime)?;
        }
        Ok(())
    }
}

/// What connections are encrypted with, where that is wanted.
fn certificate(tls: &TlsArgs) -> Result<Option<Certificate>> {
    let files = tls.tls_cert.as_deref().zip(tls.tls_key.as_deref());
    let read = files.map(|(file, key)| Certificate::read(file, key));
    read.transpose().or_fail()
}

/// Where a browser of this machine finds a server: `http://127.0.0.1:7433`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place(String);

impl Place {
    /// Of a server that listens.
    pub(super) fn of(server: &Server) -> Self {
        Self(server.link())
    }

    /// As it stands in the state folder.
    fn read(told: &str) -> Option<Self> {
        let (scheme, authority) = told.split_once("://")?;
        let (host, port) = authority.rsplit_once(':')?;
        let _port: u16 = port.parse().ok()?;
        let is_host = |letter: char| letter.is_ascii_alphanumeric() || "-.:[]".contains(letter);
        let is_one = !host.is_empty() && host.chars().all(is_host);
        (is_one && matches!(scheme, "http" | "https")).then(|| Self(told.to_owned()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where the web UI of this state folder is served, if it is.
pub(super) fn served(setting: &Setting) -> Option<Place> {
    let mut roles = served_roles(&setting.paths.state).into_iter();
    roles.find_map(|one| Place::read(&one.address).filter(|_| one.role == ROLE))
}

/// Says in the state folder that programs and the page are served. Where that cannot be written they are
/// served all the same.
pub(super) fn announced(setting: &Setting, at: &Place) -> Option<Announced> {
    Announced::role(&setting.paths.state, ROLE, &at.to_string())
        .inspect_err(|error| tracing::warn!("it is not told that this is served: {error:#}"))
        .ok()
}

/// Opens a link in the browser of `BROWSER`, or in the desktop's where there is a desktop. Other users of
/// the machine see with which words a program is started, so the link stands in a file of the user's own,
/// which leads on.
fn open(link: &str, runtime: &Path) -> Result<()> {
    let has = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_desktop = has("DISPLAY").or_else(|| has("WAYLAND_DISPLAY")).is_some();
    let program = has("BROWSER").or_else(|| is_desktop.then(|| "xdg-open".into()));
    let Some(program) = program else {
        return Ok(());
    };
    let file = runtime.join("page.html");
    let text = format!(
        "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url={link}\">\
         <title>Housecarl</title><a href=\"{link}\">Housecarl</a>\n"
    );
    private::replace(&file, text.as_bytes(), Durability::Lossy)
        .context("the file that leads to the page cannot be written")?;
    let begun = Command::new(&program)
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match begun {
        Ok(mut browser) => {
            // It is waited for, so that nothing is left of it.
            std::thread::spawn(move || browser.wait().map(drop));
            Ok(())
        }
        Err(error) => {
            tracing::debug!(%error, "no browser was opened");
            Ok(print(
                "no browser could be opened: open the link yourself\n",
            )?)
        }
    }
}
