//! A short run of each, always with the same bytes.

use super::{edits, files, notebooks, patches, texts};

/// So many inputs, partly of bytes that mean something to the reader.
fn each(seed: u64, count: usize, seeds: &[&[u8]], check: impl Fn(&[u8])) {
    let mut state = seed | 1;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..count {
        let mut data: Vec<u8> = seeds
            .get(random(seeds.len().max(1)))
            .map_or(Vec::new(), |seed| seed.to_vec());
        for _ in 0..random(24) {
            let at = random(data.len() + 1);
            match random(4) {
                0 if at < data.len() => data[at] = u8::try_from(random(256)).unwrap(),
                1 if at < data.len() => data.truncate(at),
                2 => data.insert(at, b"ab\n\r {}[]\",:-+*@"[random(16)]),
                _ => data.extend((0..random(40)).map(|_| b"ab\r\n\0\xff\xc3\xa9 x1"[random(11)])),
            }
        }
        check(&data);
    }
}

#[test]
fn edits_hold() {
    each(1, 3_000, &[b"\0\x01ab\r\nab\r\n", b"\0\x05aaaa"], edits);
}

#[test]
fn patches_hold() {
    each(
        2,
        3_000,
        &[b"\0\x30*** Update File: f\n@@ a\n a\n-b\n+c\n*** End of File\n"],
        patches,
    );
}

#[test]
fn notebooks_hold() {
    let cell: &[u8] = br#"....{"cell_type":"code","id":"a","source":["x"],"outputs":[],"execution_count":1},{"cell_type":"raw","source":"y","metadata":{}}"#;
    let file: &[u8] = br#"....{"nbformat":4,"nbformat_minor":5, "cells" : [ {"cell_type" :"markdown" , "source":[]} ] , "x":1}"#;
    each(3, 3_000, &[cell, file], notebooks);
}

#[test]
fn texts_hold() {
    each(
        4,
        2_000,
        &[b"......a\r\nb\n", b"......\xff\xfea\0\n\0b\0"],
        texts,
    );
}

#[test]
fn files_hold() {
    let folder = tempfile::tempdir().unwrap();
    each(
        5,
        150,
        &[
            b"\0\x06ab\nab\n",
            b"\0\x02a\n\0\x20{\"nbformat\":4,\"cells\":[]}   ",
        ],
        |data| {
            files(folder.path(), data);
        },
    );
}

#[cfg(feature = "media")]
mod media {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat};

    use super::super::{pdfs, pictures};
    use super::each;

    #[test]
    fn pictures_hold() {
        let files = [
            ImageFormat::Png,
            ImageFormat::Gif,
            ImageFormat::Jpeg,
            ImageFormat::WebP,
            ImageFormat::Bmp,
        ]
        .map(|format| {
            let mut bytes = Vec::new();
            DynamicImage::new_rgb8(5, 4)
                .write_to(&mut Cursor::new(&mut bytes), format)
                .unwrap();
            bytes
        });
        let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
        each(6, 400, &files, pictures);
    }

    #[test]
    fn pdfs_hold() {
        let file: &[u8] = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
            3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n\
            4 0 obj<</Length 33>>stream\nBT /F1 12 Tf 9 9 Td (Hello) Tj ET  \nendstream endobj\n\
            5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
        each(7, 300, &[file], pdfs);
    }
}
