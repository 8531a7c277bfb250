//! Pictures for models that see.
//!
//! What it is: the check that a file is a picture that every provider takes, by its header.
//! What it owns: which kinds and sizes those are.
//! What it never does: decode a picture, or read a file.
//! Where to start: [`read`].

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::limits::{PICTURE_BYTES, PICTURE_SIDE};
use domain::picture::{Picture, PictureKind};
use imagesize::ImageType;
use std::path::Path;

/// Why a file cannot be shown to a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotShown {
    /// It is another kind of file, or broken.
    #[error("it is no PNG, JPEG, GIF or WebP picture")]
    NoPicture,
    /// It is longer than a provider takes.
    #[error("it has {0} bytes, and pictures up to {PICTURE_BYTES} bytes can be shown")]
    TooLarge(u64),
    /// It has more pixels than a provider takes.
    #[error(
        "it has {0} × {1} pixels, and pictures up to {PICTURE_SIDE} pixels a side can be shown"
    )]
    TooWide(usize, usize),
}

/// Endings of the files that are taken for pictures.
const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// Whether a file is a picture by its name.
#[must_use]
pub fn is_named_as_one(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is = |known: &str| ending.is_some_and(|ending| known.eq_ignore_ascii_case(ending));
    ENDINGS.into_iter().any(is)
}

/// Whether a file of this length can be shown, before it is read.
///
/// # Errors
/// When it is too large.
pub const fn check_length(bytes: u64) -> Result<(), NotShown> {
    if bytes > PICTURE_BYTES {
        return Err(NotShown::TooLarge(bytes));
    }
    Ok(())
}

/// The picture in a whole file.
///
/// # Errors
/// When the file is none that every provider takes.
pub fn read(bytes: &[u8]) -> Result<Picture, NotShown> {
    check_length(bytes.len() as u64)?;
    let kind = match imagesize::image_type(bytes) {
        Ok(ImageType::Png) => PictureKind::Png,
        Ok(ImageType::Jpeg) => PictureKind::Jpeg,
        Ok(ImageType::Gif) => PictureKind::Gif,
        Ok(ImageType::Webp) => PictureKind::Webp,
        _ => return Err(NotShown::NoPicture),
    };
    let size = imagesize::blob_size(bytes).map_err(|_broken| NotShown::NoPicture)?;
    let side = |pixels: usize| {
        u32::try_from(pixels)
            .ok()
            .filter(|one| *one <= PICTURE_SIDE)
    };
    match (side(size.width), side(size.height)) {
        (Some(0), _) | (_, Some(0)) => Err(NotShown::NoPicture),
        (Some(width), Some(height)) => Ok(Picture {
            kind,
            width,
            height,
            base64: STANDARD.encode(bytes).into(),
        }),
        _ => Err(NotShown::TooWide(size.width, size.height)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF header of this size.
    fn gif(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = b"GIF89a".to_vec();
        bytes.extend(width.to_le_bytes());
        bytes.extend(height.to_le_bytes());
        bytes.extend([0, 0, 0, b';']);
        bytes
    }

    #[test]
    fn a_picture_is_known_by_its_header() {
        let picture = read(&gif(640, 480)).unwrap();
        assert_eq!(picture.kind, PictureKind::Gif);
        assert_eq!((picture.width, picture.height), (640, 480));
        assert!(picture.base64.as_str().starts_with("R0lGODlh"));
        for other in [&b"GIF, honestly"[..], b"", b"\x89PNG\r\n\x1a\n", &gif(0, 5)] {
            assert_eq!(read(other), Err(NotShown::NoPicture));
        }
    }

    #[test]
    fn pictures_at_the_limits_are_taken_and_larger_ones_are_not() {
        let most = u16::try_from(PICTURE_SIDE).unwrap();
        assert!(read(&gif(most, 1)).is_ok());
        let wide = NotShown::TooWide(usize::from(most) + 1, 1);
        assert_eq!(read(&gif(most + 1, 1)), Err(wide));
        let mut long = gif(1, 1);
        long.resize(usize::try_from(PICTURE_BYTES).unwrap(), 0);
        assert!(read(&long).is_ok());
        long.push(0);
        assert_eq!(read(&long), Err(NotShown::TooLarge(PICTURE_BYTES + 1)));
    }
}
