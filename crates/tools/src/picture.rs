//! Pictures made fit to be shown: decoded whole, and not too large.
//!
//! What is shown is sent again with every later request, so a picture that cannot be decoded would
//! spoil them all. It is therefore decoded here first, with bounds that the header is checked
//! against. A file is passed on as it is where it is sound and small; everything else is written
//! anew from what was decoded.

use std::io::Cursor;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits,
};
use toolpost_core::Content;

use crate::work::{Broken, Stop, guarded};

/// Pixels an edge.
pub(crate) const MOST_EDGE: u32 = 2_000;
/// Bytes before they are written in base64, which makes 5 MiB of them.
pub(crate) const MOST_BYTES: usize = 3_932_160;
/// Bytes of all pixels.
const MOST_DECODED: u64 = 256 << 20;
const TIME: Duration = Duration::from_secs(20);
/// A JPEG file ends with its end mark, perhaps with something small after it.
const TAIL: usize = 4 << 10;

/// A picture that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mime_type: &'static str,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// In the file.
    pub(crate) file_width: u32,
    pub(crate) file_height: u32,
}

/// Why a picture cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is none, or a damaged one.
    Damaged(String),
    /// It has so many pixels that decoding it would take too much memory.
    TooLarge { width: u32, height: u32 },
    /// Decoding took too long.
    TimedOut,
    /// The call is to stop.
    Stopped,
}

impl Picture {
    /// Decodes a picture, and scales it down where it is too large.
    pub(crate) fn new(bytes: Vec<u8>, stop: &Stop) -> Result<Self, Fault> {
        guarded(TIME, stop, move || prepare(bytes)).unwrap_or_else(|broken| {
            Err(match broken {
                Broken::Panicked => Fault::Damaged("the decoder gave up".to_owned()),
                Broken::TimedOut => Fault::TimedOut,
                Broken::Stopped => Fault::Stopped,
            })
        })
    }

    pub(crate) fn content(&self) -> Content {
        Content::Image {
            data: STANDARD.encode(&self.bytes),
            mime_type: self.mime_type.to_owned(),
        }
    }
}

fn prepare(bytes: Vec<u8>) -> Result<Picture, Fault> {
    let Decoded {
        image,
        format,
        is_for_print,
    } = decode(&bytes)?;
    let (file_width, file_height) = (image.width(), image.height());
    let is_small = bytes.len() <= MOST_BYTES && file_width.max(file_height) <= MOST_EDGE;
    let mime_type =
        passed_on(format).filter(|_| is_small && !is_for_print && is_whole(&bytes, format));
    if let Some(mime_type) = mime_type {
        return Ok(Picture {
            bytes,
            mime_type,
            width: file_width,
            height: file_height,
            file_width,
            file_height,
        });
    }
    drop(bytes);
    let (image, bytes, mime_type) = encode(image, format)?;
    Ok(Picture {
        bytes,
        mime_type,
        width: image.width(),
        height: image.height(),
        file_width,
        file_height,
    })
}

struct Decoded {
    image: DynamicImage,
    format: ImageFormat,
    /// Whether its colours are those of ink, which not everybody can show.
    is_for_print: bool,
}

/// The picture as it is to be looked at, turned the right way up.
fn decode(bytes: &[u8]) -> Result<Decoded, Fault> {
    let damaged = |error: ImageError| Fault::Damaged(error.to_string());
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| Fault::Damaged(error.to_string()))?;
    let format = reader
        .format()
        .ok_or_else(|| Fault::Damaged("it is of no known form".to_owned()))?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(2 * MOST_DECODED);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(Fault::Damaged("it has no pixels".to_owned()));
    }
    if decoder.total_bytes() > MOST_DECODED {
        return Err(Fault::TooLarge { width, height });
    }
    let orientation = decoder.orientation().ok();
    let is_for_print = matches!(
        decoder.original_color_type(),
        ExtendedColorType::Cmyk8 | ExtendedColorType::Cmyk16
    );
    let mut image = match DynamicImage::from_decoder(decoder) {
        Err(ImageError::Limits(_)) => return Err(Fault::TooLarge { width, height }),
        other => other.map_err(damaged)?,
    };
    if let Some(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    Ok(Decoded {
        image,
        format,
        is_for_print,
    })
}

/// The media type of a form that models take as it is.
const fn passed_on(format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Png => Some("image/png"),
        ImageFormat::Jpeg => Some("image/jpeg"),
        ImageFormat::Gif => Some("image/gif"),
        ImageFormat::WebP => Some("image/webp"),
        _ => None,
    }
}

/// Whether the end of the file is there. The decoder of JPEG is content without it; others are not.
fn is_whole(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        ImageFormat::Jpeg => {
            let tail = bytes.get(bytes.len().saturating_sub(TAIL)..);
            memchr::memmem::rfind(tail.unwrap_or_default(), b"\xff\xd9").is_some()
        }
        ImageFormat::Png => memchr::memmem::rfind(bytes, b"IEND").is_some(),
        _ => true,
    }
}

/// Writes a picture anew, in a form and a size that fit.
fn encode(
    image: DynamicImage,
    format: ImageFormat,
) -> Result<(DynamicImage, Vec<u8>, &'static str), Fault> {
    let damaged = |error: ImageError| Fault::Damaged(error.to_string());
    let mut image = if image.width().max(image.height()) > MOST_EDGE {
        image.thumbnail(MOST_EDGE, MOST_EDGE)
    } else {
        image
    };
    if format != ImageFormat::Jpeg {
        // Eight bits a channel are enough to look at.
        image = match image.color().has_alpha() {
            true => image.into_rgba8().into(),
            false => image.into_rgb8().into(),
        };
        let mut bytes = Vec::new();
        image
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .map_err(damaged)?;
        if bytes.len() <= MOST_BYTES {
            return Ok((image, bytes, "image/png"));
        }
        image = on_white(&image);
    }
    image = image.into_rgb8().into();
    loop {
        for quality in [85, 70, 50] {
            let mut bytes = Vec::new();
            let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
            image.write_with_encoder(encoder).map_err(damaged)?;
            if bytes.len() <= MOST_BYTES {
                return Ok((image, bytes, "image/jpeg"));
            }
        }
        image = image.thumbnail(image.width() / 2 + 1, image.height() / 2 + 1);
    }
}

/// JPEG has no transparency; what was transparent is white.
fn on_white(image: &DynamicImage) -> DynamicImage {
    let mut flat = image.to_rgba8();
    for pixel in flat.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let mix = |channel: u8| {
            let alpha = u32::from(alpha);
            let mixed = (u32::from(channel) * alpha + 255 * (255 - alpha)) / 255;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        pixel.0 = [mix(red), mix(green), mix(blue), u8::MAX];
    }
    flat.into()
}
