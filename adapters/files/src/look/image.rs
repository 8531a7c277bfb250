//! `view_image`: a picture for a model that sees. Its header is read and checked; the picture itself
//! is not decoded here.

use crate::arguments;
use crate::context::Leashed;
use crate::failure::from_io;
use crate::job::Job;
use crate::record::ViewImage;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::PICTURE_BYTES;
use domain::tool::ToolOutput;
use picture::NotShown;
use std::io::Read;

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::OnlyPath = job.call.parse_arguments()?;
    let place = job.read_place("path")?;
    let (found, mut file) = place.reach_file()?;
    let refused = |why: &NotShown| {
        let rule = match why {
            NotShown::NoPicture => "not_an_image",
            NotShown::TooLarge(_) | NotShown::TooWide(..) => "too_large",
        };
        mendable(rule, format!("`{}` cannot be shown: {why}.", place.shown))
    };
    picture::check_length(found.bytes()).map_err(|why| refused(&why))?;
    let mut bytes = Vec::new();
    let reader = Leashed {
        leash: job.leash,
        inner: &mut file,
    };
    reader
        .take(PICTURE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| from_io(&e, &place.shown))?;
    let picture = picture::read(&bytes).map_err(|why| refused(&why))?;
    let typed = job.typed("path");
    let text = format!(
        "{}: {}, {} × {} pixels, {} bytes",
        place.shown,
        picture.kind.media_type(),
        picture.width,
        picture.height,
        bytes.len()
    );
    let data = ViewImage {
        path: typed.clone(),
        picture,
    };
    job.output(&data, text, &typed)
}
