//! Pictures and PDF files through `Read`.

use std::io::Cursor;

use base64::Engine as _;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use lopdf::content::{Content as PdfContent, Operation};
use lopdf::encryption::crypt_filters::{Aes128CryptFilter, CryptFilter};
use lopdf::{
    Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary,
};
use serde_json::{Value, json};
use toolpost_core::Content;

use crate::common::Bench;

/// A picture with something in it that does not pack well.
fn picture(width: u32, height: u32) -> DynamicImage {
    let mut seed = 1_u32;
    RgbImage::from_fn(width, height, |_, _| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, a, b, c] = seed.to_be_bytes();
        Rgb([a, b, c])
    })
    .into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    image
        .write_to(&mut Cursor::new(&mut bytes), format)
        .unwrap();
    bytes
}

/// The note, the bytes and the media type of a file that is shown as a picture.
async fn shown(bench: &Bench, name: &str) -> (String, Vec<u8>, String) {
    let outcome = bench.call("Read", json!({ "file_path": name })).await;
    match &outcome.content[..] {
        [Content::Text { text }, Content::Image { data, mime_type }] => {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(data)
                .unwrap();
            (text.clone(), bytes, mime_type.clone())
        }
        other => panic!("{other:?} {:?}", outcome.error),
    }
}

#[tokio::test]
async fn a_small_picture_is_shown_as_it_is() {
    let bench = Bench::new();
    for (format, mime) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let bytes = encoded(&picture(20, 10), format);
        bench.put("p", &bytes);
        assert_eq!(shown(&bench, "p").await.1, bytes);
        assert_eq!(shown(&bench, "p").await.2, mime);
    }
    bench.put("p", encoded(&picture(20, 10), ImageFormat::Bmp));
    let (note, bytes, mime) = shown(&bench, "p").await;
    assert_eq!(
        (image::guess_format(&bytes).unwrap(), mime.as_str()),
        (ImageFormat::Png, "image/png")
    );
    insta::assert_snapshot!(note, @"[`p` is a BMP image of 20×10 pixels, 654 bytes]");
    let outcome = bench.call("Read", json!({ "file_path": "p" })).await;
    assert_eq!(
        outcome.structured.unwrap()["image"],
        json!({ "mime_type": "image/png", "width": 20, "height": 10, "file_width": 20, "file_height": 10 })
    );
}

#[tokio::test]
async fn fault_33_claude_code_55338_the_content_decides_and_not_the_name() {
    let bench = Bench::new();
    let jpeg = encoded(&picture(8, 8), ImageFormat::Jpeg);
    bench.put("wrong.png", &jpeg);
    assert_eq!(shown(&bench, "wrong.png").await.2, "image/jpeg");
    bench.put("none.txt", &jpeg);
    assert_eq!(shown(&bench, "none.txt").await.2, "image/jpeg");
    bench.put("text.png", "no picture\n");
    assert_eq!(bench.read("text.png").await, "1\tno picture");
    bench.put(
        "drawing.svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
    );
    assert_eq!(
        bench.read("drawing.svg").await,
        "1\t<svg xmlns=\"http://www.w3.org/2000/svg\"/>"
    );
}

#[tokio::test]
async fn a_large_picture_is_scaled_down() {
    let bench = Bench::new();
    bench.put(
        "wide.png",
        encoded(&DynamicImage::new_rgb8(5_000, 100), ImageFormat::Png),
    );
    let (note, bytes, _) = shown(&bench, "wide.png").await;
    let image = image::load_from_memory(&bytes).unwrap();
    assert_eq!((image.width(), image.height()), (2_000, 40));
    assert!(note.ends_with("; shown scaled down to 2000×40]"), "{note}");
    // Noise does not pack, so this one has too many bytes.
    let noise = encoded(&picture(1_400, 1_000), ImageFormat::Png);
    assert!(noise.len() > 3_932_160);
    bench.put("noise.png", noise);
    let (_, bytes, mime) = shown(&bench, "noise.png").await;
    assert_eq!(mime, "image/jpeg");
    assert!(bytes.len() <= 3_932_160);
    image::load_from_memory(&bytes).unwrap();
}

#[tokio::test]
async fn a_picture_that_cannot_be_decoded_is_never_shown() {
    let bench = Bench::new();
    let refused = async |bytes: &[u8]| {
        bench.put("p", bytes);
        bench.fails("Read", json!({ "file_path": "p" })).await
    };
    for format in [
        ImageFormat::Png,
        ImageFormat::Gif,
        ImageFormat::WebP,
        ImageFormat::Bmp,
    ] {
        let bytes = encoded(&picture(60, 60), format);
        for cut in [30, bytes.len() / 2, bytes.len() * 9 / 10] {
            let (code, message) = refused(&bytes[..cut]).await;
            assert_eq!(code, "bad_image", "{format:?} {cut}: {message}");
        }
    }
    let (_, message) = refused(b"\x89PNG\r\n\x1a\n\0\0").await;
    insta::assert_snapshot!(message, @"`p` begins like a PNG image, and cannot be decoded: unexpected end of file");
    // What is left of a JPEG file can be decoded, and is written anew as a whole one.
    let jpeg = encoded(&picture(60, 60), ImageFormat::Jpeg);
    bench.put("p", &jpeg[..jpeg.len() / 2]);
    let (_, bytes, _) = shown(&bench, "p").await;
    assert!(bytes.ends_with(b"\xff\xd9"));
    image::load_from_memory(&bytes).unwrap();
    assert_eq!(refused(&jpeg[..100]).await.0, "bad_image");
}

#[tokio::test]
async fn a_header_with_too_many_pixels_is_refused_before_they_are_decoded() {
    let bench = Bench::new();
    // The size is in the header of the file, and its checksum is made to fit.
    let mut png = encoded(&DynamicImage::new_rgb8(1, 1), ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0xf0, 0, 0, 0, 0xf0, 0]);
    let mut crc = flate2_crc(&png[12..29]).to_be_bytes();
    png[29..33].swap_with_slice(&mut crc);
    bench.put("p.png", &png);
    let (code, message) = bench.fails("Read", json!({ "file_path": "p.png" })).await;
    assert_eq!(code, "too_large");
    insta::assert_snapshot!(message, @"`p.png` is a PNG image of 61440×61440 pixels, too many to decode; scale it down with a command first");
    let mut gif = encoded(&DynamicImage::new_rgb8(1, 1), ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0xff; 4]);
    bench.put("p.gif", &gif);
    assert_eq!(
        bench.fails("Read", json!({ "file_path": "p.gif" })).await.0,
        "too_large"
    );
}

/// The checksum of PNG.
fn flate2_crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                0xedb8_8320 ^ (crc >> 1)
            } else {
                crc >> 1
            }
        })
    })
}

/// A document with these lines on its pages.
fn document(pages: &[&[&str]]) -> Document {
    let mut document = Document::with_version("1.5");
    let parent = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|lines| {
            let mut operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Td", vec![72.into(), 700.into()]),
            ];
            for line in *lines {
                operations.push(Operation::new("Tj", vec![Object::string_literal(*line)]));
                operations.push(Operation::new("Td", vec![0.into(), (-14).into()]));
            }
            operations.push(Operation::new("ET", vec![]));
            let content = PdfContent { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            document
                .add_object(
                    dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content },
                )
                .into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    document.objects.insert(
        parent,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        }),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    document.trailer.set("Root", catalog);
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    document
}

fn saved(mut document: Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn locked(owner: &str, user: &str) -> Vec<u8> {
    let mut document = document(&[&["a secret"]]);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: owner,
        user_password: user,
        key_length: 128,
        permissions: Permissions::empty(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    saved(document)
}

fn locked_by_aes(user: &str) -> Vec<u8> {
    let mut document = document(&[&["another secret"]]);
    let filter: std::sync::Arc<dyn CryptFilter> = std::sync::Arc::new(Aes128CryptFilter);
    let version = EncryptionVersion::V4 {
        document: &document,
        encrypt_metadata: true,
        crypt_filters: [(b"StdCF".to_vec(), filter)].into(),
        stream_filter: b"StdCF".to_vec(),
        string_filter: b"StdCF".to_vec(),
        owner_password: "owner",
        user_password: user,
        permissions: Permissions::empty(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    saved(document)
}

async fn pages(bench: &Bench, pages: Value) -> String {
    bench
        .done("Read", json!({ "file_path": "d.pdf", "pages": pages }))
        .await
}

#[tokio::test]
async fn the_text_of_pages_is_shown() {
    let bench = Bench::new();
    bench.put(
        "d.pdf",
        saved(document(&[&["Hello world", "Second line"], &[], &["Last"]])),
    );
    insta::assert_snapshot!(bench.read("d.pdf").await, @r#"
    [page 1]
    Hello world
    Second line

    [page 2]
    (no text)

    [page 3]
    Last

    [pages 1-3 of 3 are shown]
    "#);
    insta::assert_snapshot!(pages(&bench, json!("3")).await, @r#"
    [page 3]
    Last

    [page 3 of 3 is shown]
    "#);
    insta::assert_snapshot!(pages(&bench, json!("2-2")).await, @r#"
    [page 2]
    (no text)

    [page 2 of 3 is shown; go on with page `3`; there is no text in them; they may be pictures of pages]
    "#);
    assert!(pages(&bench, json!("2-")).await.contains("pages 2-3 of 3"));
    let (code, message) = bench
        .fails("Read", json!({ "file_path": "d.pdf", "pages": "4" }))
        .await;
    assert_eq!(code, "past_end");
    insta::assert_snapshot!(message, @"`d.pdf` has 3 pages; name pages up to 3");
    for wrong in ["", "x", "0", "3-1", "1-2-3", "-1", "1,2"] {
        let (code, _) = bench
            .fails("Read", json!({ "file_path": "d.pdf", "pages": wrong }))
            .await;
        assert_eq!(code, "bad_pages", "{wrong}");
    }
    // The name does not count, and a few bytes before the beginning do not either.
    let bytes = [b"\0junk\n", &saved(document(&[&["Hello"]]))[..]].concat();
    bench.put("late.pdf", bytes);
    assert!(bench.read("late.pdf").await.contains("Hello"));
    bench.put("name.txt", saved(document(&[&["Hello"]])));
    assert!(bench.read("name.txt").await.contains("Hello"));
}

#[tokio::test]
async fn twenty_pages_are_shown_at_once() {
    let bench = Bench::new();
    let line: &[&str] = &["x"];
    bench.put("d.pdf", saved(document(&[line; 45])));
    assert!(
        bench
            .read("d.pdf")
            .await
            .ends_with("[pages 1-20 of 45 are shown; go on with pages `21-40`]")
    );
    let text = pages(&bench, json!("3-40")).await;
    assert!(
        text.ends_with("[pages 3-22 of 45 are shown; go on with pages `23-42`]"),
        "{text}"
    );
    let outcome = bench
        .call("Read", json!({ "file_path": "d.pdf", "pages": "41-99" }))
        .await;
    assert_eq!(
        outcome.structured.unwrap()["pages"],
        json!({ "first": 41, "count": 5, "total": 45 })
    );
}

#[tokio::test]
async fn a_password_is_asked_for_where_one_is_needed_and_only_there() {
    let bench = Bench::new();
    bench.put("d.pdf", locked("owner", "user"));
    let (code, message) = bench.fails("Read", json!({ "file_path": "d.pdf" })).await;
    assert_eq!(code, "password_required");
    insta::assert_snapshot!(message, @"`d.pdf` is locked with a password; ask for a copy without one");
    bench.put("d.pdf", locked("owner", ""));
    assert!(bench.read("d.pdf").await.contains("a secret"));
    bench.put("d.pdf", locked_by_aes("user"));
    assert_eq!(
        bench.fails("Read", json!({ "file_path": "d.pdf" })).await.0,
        "password_required"
    );
    bench.put("d.pdf", locked_by_aes(""));
    assert!(bench.read("d.pdf").await.contains("another secret"));
}

#[tokio::test]
async fn a_damaged_document_is_an_error() {
    let bench = Bench::new();
    bench.put("d.pdf", b"%PDF-1.4\n");
    let (code, message) = bench.fails("Read", json!({ "file_path": "d.pdf" })).await;
    assert_eq!(code, "bad_pdf");
    insta::assert_snapshot!(message, @"`d.pdf` cannot be read as a PDF document: failed parsing cross reference table");
    let whole = saved(document(&[&["Hello"]]));
    for cut in 1..20 {
        bench.put("d.pdf", &whole[..whole.len() * cut / 20]);
        let outcome = bench.call("Read", json!({ "file_path": "d.pdf" })).await;
        let code = outcome.error.and_then(|error| error.code);
        assert!(
            code.is_none() || code.as_deref() == Some("bad_pdf"),
            "{code:?}"
        );
    }
    let (code, _) = bench
        .fails("Read", json!({ "file_path": "d.pdf", "offset": 2 }))
        .await;
    assert_eq!(code, "no_lines");
}

#[tokio::test]
async fn a_stream_that_unpacks_to_too_much_is_not_unpacked() {
    let bench = Bench::new();
    let mut document = document(&[&["Hello"]]);
    let page = document.page_iter().next().unwrap();
    let mut bomb = Stream::new(dictionary! {}, vec![b' '; 64 << 20]);
    bomb.compress().unwrap();
    assert!(bomb.content.len() < 1 << 20);
    let bomb = document.add_object(bomb);
    document
        .get_object_mut(page)
        .unwrap()
        .as_dict_mut()
        .unwrap()
        .set("Contents", bomb);
    bench.put("d.pdf", saved(document));
    let text = bench.read("d.pdf").await;
    insta::assert_snapshot!(text, @r#"
    [page 1 cannot be read: couldn't decompress stream]

    [page 1 of 1 is shown; there is no text in them; they may be pictures of pages]
    "#);
}

#[tokio::test]
async fn words_and_lines_are_found_by_their_places_and_forms_are_read() {
    let bench = Bench::new();
    let mut document = document(&[&["x"]]);
    let page = document.page_iter().next().unwrap();
    let form = Stream::new(
        dictionary! { "Subtype" => "Form", "Matrix" => vec![1.into(), 0.into(), 0.into(), 1.into(), 0.into(), (-300).into()] },
        b"BT /F1 10 Tf 1 0 0 1 72 700 Tm (in a form) Tj ET".to_vec(),
    );
    let form = document.add_object(form);
    let fonts = document.get_page_resources(page).unwrap();
    let font = fonts
        .1
        .first()
        .map(|id| {
            document
                .get_dictionary(*id)
                .unwrap()
                .get(b"Font")
                .unwrap()
                .clone()
        })
        .unwrap();
    let content = b"BT /F1 10 Tf 1 0 0 1 72 700 Tm [(Kern) -20 (ed) -400 (word)] TJ 1 0 0 1 200 700 Tm (far) Tj \
        1 0 0 1 72 680 Tm (next) Tj T* (same place) ' ET q 1 0 0 1 0 0 cm /X1 Do Q".to_vec();
    let content = document.add_object(Stream::new(dictionary! {}, content));
    let dict = document
        .get_object_mut(page)
        .unwrap()
        .as_dict_mut()
        .unwrap();
    dict.set("Contents", content);
    dict.set(
        "Resources",
        dictionary! { "Font" => font, "XObject" => dictionary! { "X1" => form } },
    );
    bench.put("d.pdf", saved(document));
    insta::assert_snapshot!(bench.read("d.pdf").await, @r#"
    [page 1]
    Kerned word far
    nextsame place

    in a form

    [page 1 of 1 is shown]
    "#);
}
