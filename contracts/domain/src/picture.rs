//! Pictures: what a model that sees is shown beside text.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Pixels that make a token, in the servers that say how they count: a side of about 28 squared.
const PIXELS_PER_TOKEN: u64 = 750;
/// No picture is counted as fewer tokens.
const LEAST_TOKENS: u64 = 85;
/// No picture is counted as more: servers make larger ones smaller.
const MOST_TOKENS: u64 = 4_096;

/// The kinds of picture that every provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureKind {
    /// PNG.
    #[serde(rename = "image/png")]
    Png,
    /// JPEG.
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// GIF; of several frames, servers look at the first.
    #[serde(rename = "image/gif")]
    Gif,
    /// WebP.
    #[serde(rename = "image/webp")]
    Webp,
}

impl PictureKind {
    /// Its media type, such as `image/png`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// A whole file in Base64 with the standard alphabet and padding. Clones share it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Base64(Arc<str>);

impl Base64 {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Base64 {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Base64> for String {
    fn from(base64: Base64) -> Self {
        base64.0.as_ref().to_owned()
    }
}

/// Its length alone: nobody reads a picture in a log.
impl fmt::Debug for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base64({} characters)", self.0.len())
    }
}

/// A picture as a model is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// What kind of file it is.
    #[serde(rename = "media_type")]
    pub kind: PictureKind,
    /// Width, pixels, as its header says.
    pub width: u32,
    /// Height, pixels, as its header says.
    pub height: u32,
    /// The file.
    pub base64: Base64,
}

impl Picture {
    /// About how many tokens it takes of a model's context.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        (pixels / PIXELS_PER_TOKEN).clamp(LEAST_TOKENS, MOST_TOKENS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_written_in_one_form() {
        let json = r#"{"media_type":"image/webp","width":1500,"height":1000,"base64":"AAAA"}"#;
        let picture: Picture = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&picture).unwrap(), json);
        assert_eq!(picture.kind.media_type(), "image/webp");
        assert_eq!(picture.tokens(), 2_000);
        assert!(!format!("{picture:?}").contains("AAAA"));
    }
}
