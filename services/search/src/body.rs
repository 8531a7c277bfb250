//! What a site sends, within limits: read, unpacked, and turned into text.

use crate::error::Fault;
use api::search::PageFault;
use domain::limits::{PAGE_BYTES, PAGE_UNPACKED_BYTES};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use flate2::read::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use std::io::Read;

/// How much of a page is looked at for the encoding it says it has (HTML, "prescan a byte stream").
const PRESCAN_BYTES: usize = 1_024;

/// What a page is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// HTML, also as XML.
    Html,
    /// Plain text.
    Text,
    /// PDF.
    Pdf,
}

/// The kind that a site names, and the encoding.
pub(crate) fn kind_of(content_type: Option<&str>, bytes: &[u8]) -> Result<Kind, Fault> {
    let Some(named) = content_type else {
        return sniff(bytes);
    };
    let essence = named.split(';').next().unwrap_or("").trim().to_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Ok(Kind::Html),
        "text/plain" | "text/markdown" | "text/csv" => Ok(Kind::Text),
        "application/pdf" | "application/x-pdf" => Ok(Kind::Pdf),
        _ => Err(Fault::new(
            PageFault::ContentType,
            "the page is no text, HTML or PDF",
        )),
    }
}

/// The kind of what came without a name.
fn sniff(bytes: &[u8]) -> Result<Kind, Fault> {
    let start = bytes.trim_ascii_start();
    if start.starts_with(b"%PDF-") {
        return Ok(Kind::Pdf);
    }
    if start.starts_with(b"<") {
        return Ok(Kind::Html);
    }
    Err(Fault::new(
        PageFault::ContentType,
        "the site does not say what the page is",
    ))
}

/// The content type of an answer, as the site wrote it.
pub(crate) fn content_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The whole body, unpacked.
pub(crate) async fn read(response: Response) -> Result<Vec<u8>, Fault> {
    read_within(response, PAGE_BYTES, PAGE_UNPACKED_BYTES).await
}

/// The body of an answer of at most `packed` bytes as they come and `unpacked` bytes as they are.
pub(crate) async fn read_within(
    mut response: Response,
    packed: usize,
    unpacked: usize,
) -> Result<Vec<u8>, Fault> {
    let packing = match response.headers().get(CONTENT_ENCODING) {
        None => String::new(),
        Some(value) => String::from_utf8_lossy(value.as_bytes())
            .trim()
            .to_lowercase(),
    };
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > packed {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    match packing.as_str() {
        "" | "identity" if bytes.len() > unpacked => Err(too_large()),
        "" | "identity" => Ok(bytes),
        "gzip" | "x-gzip" => unpack(&bytes, unpacked),
        _ => Err(Fault::new(
            PageFault::ContentType,
            "the page is packed in a way that was not asked for",
        )),
    }
}

fn broken(error: reqwest::Error) -> Fault {
    if error.is_timeout() {
        return Fault::timeout("its text stopped coming");
    }
    Fault::new(PageFault::Unreachable, "fetch failed: the page broke off")
}

fn too_large() -> Fault {
    Fault::new(PageFault::TooLarge, "the page is larger than is read")
}

/// What gzip packed, at most `limit` bytes of it. What comes before a defect is not used: a page cut
/// in the middle may say the opposite of what it says whole.
fn unpack(bytes: &[u8], limit: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(limit as u64 + 1);
    if let Err(error) = reader.read_to_end(&mut out) {
        return Err(Fault::new(
            PageFault::Unreachable,
            format!("fetch failed: the page cannot be unpacked: {error}"),
        ));
    }
    if out.len() > limit {
        return Err(too_large());
    }
    Ok(out)
}

/// The bytes as text, in the encoding of the first that says one: a byte order mark, the bytes
/// themselves when they are UTF-8 beyond ASCII, the answer's header, the page. Old pages that say
/// nothing are taken as browsers take them. What fits no encoding becomes a replacement character.
pub(crate) fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    let named = content_type
        .and_then(charset)
        .or_else(|| prescan(bytes))
        .unwrap_or(WINDOWS_1252);
    // Text in another encoding is hardly ever valid UTF-8 by accident; a wrong header is common.
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    let encoding = if is_utf8 { UTF_8 } else { named };
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// The encoding named after `charset=`.
fn charset(text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("charset")?;
    let after = lower[at + "charset".len()..].trim_start();
    let value = after.strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value
        .find(['"', '\'', ';', ' ', '>', '/'])
        .unwrap_or(value.len());
    Encoding::for_label(&value.as_bytes()[..end])
}

/// The encoding that a page names in its own head.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN_BYTES)];
    let found = charset(&String::from_utf8_lossy(head))?;
    // A page that can be read so far is not in an encoding of two bytes a letter.
    let is_wide = [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&found);
    Some(if is_wide { UTF_8 } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn unpacking_stops_at_the_limit() {
        let zeros = vec![0_u8; PAGE_UNPACKED_BYTES];
        assert_eq!(unpack(&packed(&zeros), PAGE_UNPACKED_BYTES).unwrap(), zeros);
        let bomb = packed(&vec![0_u8; PAGE_UNPACKED_BYTES + 1]);
        assert!(bomb.len() < 20_000, "it is a bomb");
        let fault = unpack(&bomb, PAGE_UNPACKED_BYTES).unwrap_err();
        assert_eq!(fault.kind, PageFault::TooLarge);
        let mut cut = packed(b"all is well, or is it");
        cut.truncate(cut.len() - 9);
        assert_eq!(unpack(&cut, 100).unwrap_err().kind, PageFault::Unreachable);
    }

    #[test]
    fn text_is_read_in_the_encoding_it_is_in() {
        let latin = b"Gr\xfc\xdfe";
        assert_eq!(
            decode(latin, Some("text/html; charset=ISO-8859-1")),
            "Grüße"
        );
        assert_eq!(decode(latin, Some("text/html")), "Grüße", "as browsers do");
        let page = b"<meta charset='windows-1252'><p>Gr\xfc\xdfe</p>";
        assert!(decode(page, Some("text/html")).contains("Grüße"));
        let wrong = "Grüße".as_bytes();
        assert_eq!(
            decode(wrong, Some("text/html; charset=iso-8859-1")),
            "Grüße"
        );
        let lies = decode(latin, Some("text/html; charset=\"utf-8\""));
        assert_eq!(lies, "Gr\u{fffd}\u{fffd}e");
        assert_eq!(decode(b"\xff\xfeH\0i\0", None), "Hi");
        assert_eq!(
            decode(b"\x82\xb1", Some("text/plain;charset=Shift_JIS")),
            "こ"
        );
    }

    #[test]
    fn only_text_html_and_pdf_are_read() {
        let kind = |named: &str| kind_of(Some(named), b"").ok();
        assert_eq!(kind("text/html; charset=utf-8"), Some(Kind::Html));
        assert_eq!(kind("TEXT/HTML"), Some(Kind::Html));
        assert_eq!(kind("application/xhtml+xml"), Some(Kind::Html));
        assert_eq!(kind("text/plain"), Some(Kind::Text));
        assert_eq!(kind("application/pdf"), Some(Kind::Pdf));
        for other in [
            "image/png",
            "application/octet-stream",
            "text/javascript",
            "",
            "video/mp4",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
        assert_eq!(kind_of(None, b"  <!doctype html>").unwrap(), Kind::Html);
        assert_eq!(kind_of(None, b"%PDF-1.7").unwrap(), Kind::Pdf);
        assert!(kind_of(None, b"\x7fELF").is_err());
    }
}
