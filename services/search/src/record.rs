//! The form of a cached page on disk: one line of JSON, then the page's bytes.

use domain::hash::Digest;
use serde::{Deserialize, Serialize};

/// The form's number; files of another are not read.
pub(crate) const FORM: u32 = 1;

/// What stands before the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    /// [`FORM`].
    pub(crate) form: u32,
    /// Where the page was read from.
    pub(crate) url: String,
    /// As the site wrote it.
    pub(crate) content_type: Option<String>,
    /// The site's mark for this version.
    pub(crate) etag: Option<String>,
    /// The site's date of this version, as it wrote it.
    pub(crate) last_modified: Option<String>,
    /// When it was fetched or found unchanged, seconds since 1970.
    pub(crate) checked: i64,
    /// Of the bytes, so that a damaged file is noticed.
    pub(crate) digest: Digest,
}

/// A page as a file.
pub(crate) fn write(head: &Head, body: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut file = serde_json::to_vec(head)?;
    file.push(b'\n');
    file.extend_from_slice(body);
    Ok(file)
}

/// A page from a file; `None` when it is damaged, of another form or of another address.
pub(crate) fn read(file: &[u8], url: &str) -> Option<(Head, Vec<u8>)> {
    let end = file.iter().position(|byte| *byte == b'\n')?;
    let Ok(head) = serde_json::from_slice::<Head>(&file[..end]) else {
        return None;
    };
    let body = &file[end + 1..];
    let is_whole = head.form == FORM && head.url == url && head.digest == Digest::of(body);
    is_whole.then(|| (head, body.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_no_page() {
        let body = b"<p>one\ntwo</p>";
        let head = Head {
            form: FORM,
            url: "https://example.org/".to_owned(),
            content_type: Some("text/html".to_owned()),
            etag: Some("\"x\"".to_owned()),
            last_modified: None,
            checked: 1_700_000_000,
            digest: Digest::of(body),
        };
        let file = write(&head, body).unwrap();
        let read_back = read(&file, "https://example.org/");
        assert_eq!(read_back, Some((head, body.to_vec())));
        assert_eq!(read(&file, "https://example.org/other"), None);
        for at in 0..file.len() {
            assert_eq!(
                read(&file[..at], "https://example.org/"),
                None,
                "cut at {at}"
            );
        }
        for at in file.len() - body.len()..file.len() {
            let mut flipped = file.clone();
            flipped[at] ^= 1;
            assert_eq!(
                read(&flipped, "https://example.org/"),
                None,
                "flipped at {at}"
            );
        }
    }
}
