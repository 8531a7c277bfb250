//! `view_image`: a picture for a model that sees. Its header is read and checked; the picture itself
//! is not decoded here.

use crate::arguments;
use crate::context::Leashed;
use crate::failure::{from_io, mendable};
use crate::record::ViewImage;
use crate::service::Job;
use api::executor::ToolFailure;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::limits::IMAGE_BYTES;
use domain::tool::ToolOutput;
use imagesize::ImageType;
use std::io::Read;

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::OnlyPath = arguments::parse(&job.call.arguments)?;
    let place = job.read_place("path")?;
    let (found, mut file) = place.reach_file()?;
    if found.bytes() > IMAGE_BYTES {
        return Err(mendable(
            "too_large",
            format!(
                "`{}` has {} bytes; pictures up to {IMAGE_BYTES} bytes can be shown.",
                place.shown,
                found.bytes()
            ),
        ));
    }
    let mut bytes = Vec::new();
    let reader = Leashed {
        leash: job.leash,
        inner: &mut file,
    };
    reader
        .take(IMAGE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|e| from_io(&e, &place.shown))?;
    let Some((media_type, width, height)) = header(&bytes) else {
        return Err(mendable(
            "not_an_image",
            format!("`{}` is no PNG, JPEG, GIF or WebP picture.", place.shown),
        ));
    };
    let typed = job.typed("path");
    let text = format!(
        "{}: {media_type}, {width} × {height} pixels, {} bytes",
        place.shown,
        bytes.len()
    );
    let data = ViewImage {
        path: typed.clone(),
        media_type: media_type.to_owned(),
        width,
        height,
        base64: STANDARD.encode(&bytes),
    };
    job.output(&data, text, &typed)
}

/// Kind, width and height.
fn header(bytes: &[u8]) -> Option<(&'static str, u64, u64)> {
    let media_type = match imagesize::image_type(bytes) {
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Gif) => "image/gif",
        Ok(ImageType::Webp) => "image/webp",
        _ => return None,
    };
    let size = match imagesize::blob_size(bytes) {
        Ok(size) if size.width > 0 && size.height > 0 => size,
        _ => return None,
    };
    let number = |side: usize| u64::try_from(side).unwrap_or(u64::MAX);
    Some((media_type, number(size.width), number(size.height)))
}
