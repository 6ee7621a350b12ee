//! A picture.

use toolpost_core::{Content, ToolError};

use super::text::Begun;
use super::{ImageShown, Kind, ReadOutput, Source};
use crate::failure;
use crate::picture::{Fault, Picture};
use crate::text::Binary;
use crate::work::Stop;

/// Larger files are not looked at.
const MOST_FILE_BYTES: u64 = 64 << 20;

/// Shows a picture.
pub(super) fn read(
    source: &Source<'_>,
    begun: Begun,
    what: Binary,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let bytes = source.all(begun, MOST_FILE_BYTES)?;
    let (size, hash) = (bytes.len(), xxhash_rust::xxh3::xxh3_64(&bytes));
    let picture =
        Picture::new(bytes, stop).map_err(|fault| refused(&fault, &source.shown, what.name()))?;
    source.state.saw_whole(source.path, &source.metadata, hash);
    let note = note(&picture, &source.shown, what.name(), size);
    Ok(ReadOutput {
        content: vec![Content::text(note), picture.content()],
        image: Some(ImageShown {
            mime_type: picture.mime_type.to_owned(),
            width: picture.width,
            height: picture.height,
            file_width: picture.file_width,
            file_height: picture.file_height,
        }),
        ..source.output(Kind::Image)
    })
}

fn note(picture: &Picture, shown: &str, what: &str, size: usize) -> String {
    let Picture {
        width,
        height,
        file_width,
        file_height,
        ..
    } = picture;
    let scaled = if (width, height) == (file_width, file_height) {
        String::new()
    } else {
        format!("; shown scaled down to {width}×{height}")
    };
    format!("[`{shown}` is {what} of {file_width}×{file_height} pixels, {size} bytes{scaled}]")
}

fn refused(fault: &Fault, shown: &str, what: &str) -> ToolError {
    match fault {
        Fault::Damaged(why) => ToolError::new(
            "bad_image",
            format!("`{shown}` begins like {what}, and cannot be decoded: {why}"),
        ),
        Fault::TooLarge { width, height } => ToolError::new(
            "too_large",
            format!(
                "`{shown}` is {what} of {width}×{height} pixels, too many to decode; scale it down \
                 with a command first"
            ),
        ),
        Fault::TimedOut => ToolError::new(
            "too_large",
            format!("`{shown}` takes too long to decode; scale it down with a command first"),
        ),
        Fault::Stopped => failure::cancelled(),
    }
}
