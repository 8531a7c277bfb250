//! Paths as they travel. A name on Linux is bytes that need not be text; JSON holds text alone, so each
//! byte travels as the character of its number.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::char::TryFromCharError;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// A path, or several.
pub(super) trait Named: Sized {
    type Text: Serialize + DeserializeOwned;

    fn text(&self) -> Self::Text;

    /// # Errors
    /// A character that stands for no byte.
    fn of_text(text: Self::Text) -> Result<Self, TryFromCharError>;
}

impl Named for PathBuf {
    type Text = String;

    fn text(&self) -> String {
        let bytes = self.as_os_str().as_bytes();
        bytes.iter().map(|byte| char::from(*byte)).collect()
    }

    fn of_text(text: String) -> Result<Self, TryFromCharError> {
        let bytes: Vec<u8> = text.chars().map(u8::try_from).collect::<Result<_, _>>()?;
        Ok(Self::from(OsString::from_vec(bytes)))
    }
}

impl<N: Named> Named for Vec<N> {
    type Text = Vec<N::Text>;

    fn text(&self) -> Self::Text {
        self.iter().map(N::text).collect()
    }

    fn of_text(text: Self::Text) -> Result<Self, TryFromCharError> {
        text.into_iter().map(N::of_text).collect()
    }
}

impl<N: Named> Named for Option<N> {
    type Text = Option<N::Text>;

    fn text(&self) -> Self::Text {
        self.as_ref().map(N::text)
    }

    fn of_text(text: Self::Text) -> Result<Self, TryFromCharError> {
        text.map(N::of_text).transpose()
    }
}

impl<A: Named, B: Named> Named for (A, B) {
    type Text = (A::Text, B::Text);

    fn text(&self) -> Self::Text {
        (self.0.text(), self.1.text())
    }

    fn of_text((a, b): Self::Text) -> Result<Self, TryFromCharError> {
        Ok((A::of_text(a)?, B::of_text(b)?))
    }
}

pub(super) fn serialize<N: Named, S: Serializer>(
    names: &N,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    names.text().serialize(serializer)
}

pub(super) fn deserialize<'de, N: Named, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<N, D::Error> {
    let text = N::Text::deserialize(deserializer)?;
    N::of_text(text).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_name_arrives() {
        let every: Vec<u8> = (1..=u8::MAX).collect();
        let names = vec![(
            PathBuf::from("/ä"),
            Some(PathBuf::from(OsString::from_vec(every))),
        )];
        let sent = serde_json::to_string(&names.text()).unwrap();
        let got = serde_json::from_str(&sent).unwrap();
        assert_eq!(Vec::<(PathBuf, Option<PathBuf>)>::of_text(got), Ok(names));
        assert!(PathBuf::of_text("€".to_owned()).is_err());
    }
}
