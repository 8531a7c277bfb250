//! Where packages come from: the address that the user's own configuration of an installer names,
//! and nothing else of it. What a project's folder says is never asked.

use api::executor::ToolFailure;
use api::failure::mendable;
use std::fs;
use std::path::{Path, PathBuf};
use url::Url;

/// Largest configuration file that is looked at, bytes.
const CONFIG_BYTES: u64 = 256 << 10;

/// Addresses of indexes; `None` is the installer's own default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Address(pub(super) Option<String>);

impl Address {
    /// For people, if the user's configuration names one.
    pub(super) fn shown(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// pip's `index-url`.
pub(super) fn pip(home: &Path) -> Result<Address, ToolFailure> {
    let places = [
        home.join(".config/pip/pip.conf"),
        home.join(".pip/pip.conf"),
        PathBuf::from("/etc/pip.conf"),
    ];
    first(&places, |text| {
        let mut is_read = false;
        let mut found = None;
        for line in text.lines().map(str::trim) {
            if let Some(section) = line.strip_prefix('[') {
                let section = section.trim_end_matches(']').trim();
                is_read = ["global", "install", "download"].contains(&section);
            } else if let Some((key, value)) = line.split_once(['=', ':']) {
                let key = key.trim().replace('_', "-");
                if is_read && key == "index-url" {
                    found = Some(value.trim().to_owned());
                }
            }
        }
        found
    })
}

/// npm's `registry`.
pub(super) fn npm(home: &Path) -> Result<Address, ToolFailure> {
    first(&[home.join(".npmrc")], |text| {
        let settings = text.lines().filter_map(|line| line.split_once('='));
        let mut named = settings.filter(|(key, _)| key.trim() == "registry");
        let value = named.next_back().map(|(_, value)| value.trim());
        value.map(|value| value.trim_matches('"').to_owned())
    })
}

/// What cargo's configuration puts in the place of crates.io.
pub(super) fn cargo(home: &Path) -> Result<Address, ToolFailure> {
    let places = [home.join(".cargo/config.toml"), home.join(".cargo/config")];
    first(&places, |text| {
        let table: toml::Table = text.parse().ok()?;
        let source = table.get("source")?;
        let name = source.get("crates-io")?.get("replace-with")?.as_str()?;
        let instead = source.get(name)?;
        // A folder or a repository in git is no index that can be asked from here.
        let registry = instead.get("registry").and_then(toml::Value::as_str);
        Some(registry.unwrap_or_default().to_owned())
    })
}

/// The address in the first file that names one.
fn first(
    places: &[PathBuf],
    read: impl Fn(&str) -> Option<String>,
) -> Result<Address, ToolFailure> {
    for place in places {
        let is_small = fs::metadata(place).is_ok_and(|m| m.is_file() && m.len() <= CONFIG_BYTES);
        let Some(text) = is_small.then(|| fs::read_to_string(place).ok()).flatten() else {
            continue;
        };
        if let Some(address) = read(&text) {
            return match is_address(&address) {
                true => Ok(Address(Some(address))),
                false => Err(not_usable(place)),
            };
        }
    }
    Ok(Address(None))
}

/// Whether it is the address of an index and nothing more: no password, and no words.
fn is_address(address: &str) -> bool {
    let plain = address.strip_prefix("sparse+").unwrap_or(address);
    let Ok(url) = Url::parse(plain) else {
        return false;
    };
    let is_bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    matches!(url.scheme(), "https" | "http")
        && url.host().is_some()
        && is_bare
        && address
            .chars()
            .all(|c| c.is_ascii_graphic() && !"\"'\\".contains(c))
}

fn not_usable(place: &Path) -> ToolFailure {
    mendable(
        "index_not_usable",
        format!(
            "The address of the package index in {} cannot be used here: it must be an http or \
             https address without a name or password (for cargo: one that begins with `sparse+`). \
             Ask the user to install the packages.",
            place.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(name: &str, text: &str) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
        home
    }

    fn some(address: &str) -> Address {
        Address(Some(address.to_owned()))
    }

    #[test]
    fn only_the_address_is_taken() {
        let mirror = "http://127.0.0.1:1/simple";
        let text = format!("[list]\nindex-url = x\n[global]\nindex_url = {mirror}\nno-input = 1\n");
        let given = home(".config/pip/pip.conf", &text);
        assert_eq!(pip(given.path()).unwrap(), some(mirror));
        let text = "git=./evil\nregistry = https://mirror.example/npm/\n//mirror:_authToken=x\n";
        let given = home(".npmrc", text);
        assert_eq!(
            npm(given.path()).unwrap(),
            some("https://mirror.example/npm/")
        );
        let text = "[source.crates-io]\nreplace-with = \"m\"\n\
                    [source.m]\nregistry = \"sparse+https://mirror.example/\"\n\
                    [registry]\nglobal-credential-providers = [\"evil\"]\n";
        let given = home(".cargo/config.toml", text);
        assert_eq!(
            cargo(given.path()).unwrap(),
            some("sparse+https://mirror.example/")
        );
        assert_eq!(cargo(home("x", "").path()).unwrap(), Address(None));
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
        for value in [
            "https://me:secret@mirror.example/",
            "file:///tmp/x",
            "./x",
            "${REGISTRY}",
            "https://mirror.example/?token=1",
            "",
        ] {
            let given = home(".npmrc", &format!("registry={value}\n"));
            let refused = npm(given.path()).unwrap_err();
            assert_eq!(refused.rule, "index_not_usable", "{value}");
        }
    }
}
