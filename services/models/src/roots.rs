//! The certificates that this machine trusts, where they cannot be used: which file, and what to do.

use crate::error::{Error, configuration};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::ffi::OsStr;
use std::path::Path;
use text::escape::visible_line;

/// The variable that names the file with the certificates to trust. The TLS library reads it itself.
const VARIABLE: &str = "SSL_CERT_FILE";

/// Why there is no client that encrypts.
pub(crate) fn none_to_trust() -> Error {
    match named_file().map(|fault| (fault, own_file_hint())) {
        Some((fault, hint)) => configuration(fault, hint),
        None => configuration(
            "there are no certificates on this machine to know servers by",
            format!(
                "install the system's (the package is often called ca-certificates), or name a \
                 file with some in {VARIABLE} (docs/models.md)"
            ),
        ),
    }
}

/// What is wrong with the file that the environment names, if it names one and something is.
pub(crate) fn named_file() -> Option<String> {
    fault_of(&std::env::var_os(VARIABLE)?)
}

/// What to do about a file that cannot be used.
pub(crate) fn own_file_hint() -> String {
    format!(
        "name a file with certificates (PEM) in {VARIABLE}, or unset it to go by the system's \
         (docs/models.md)"
    )
}

fn fault_of(named: &OsStr) -> Option<String> {
    if named.is_empty() {
        return Some(format!("{VARIABLE} is set and names no file"));
    }
    let shown = visible_line(&named.to_string_lossy());
    let path = Path::new(named);
    // Of the errors of reading, that of a folder does not say so.
    if path.is_dir() {
        return Some(format!("{VARIABLE} names {shown}, which is a folder"));
    }
    if let Err(error) = std::fs::File::open(path) {
        let why = visible_line(&error.to_string());
        return Some(format!(
            "{VARIABLE} names {shown}, which cannot be read: {why}"
        ));
    }
    let has_one = CertificateDer::pem_file_iter(path)
        .is_ok_and(|mut certificates| certificates.any(|one| one.is_ok()));
    (!has_one).then(|| format!("{VARIABLE} names {shown}, in which there is no certificate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_why() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("empty.pem"), "").unwrap();
        std::fs::write(at("other.pem"), "not PEM\n").unwrap();
        for (path, why) in [
            (at("gone.pem"), "which cannot be read: No such file"),
            (at("empty.pem"), "in which there is no certificate"),
            (at("other.pem"), "in which there is no certificate"),
            (folder.path().to_owned(), "which is a folder"),
        ] {
            let fault = fault_of(path.as_os_str()).unwrap();
            assert!(fault.contains(why), "{fault}");
            assert!(fault.contains(&*path.to_string_lossy()), "{fault}");
        }
        assert!(fault_of(OsStr::new("")).unwrap().contains("names no file"));
    }
}
