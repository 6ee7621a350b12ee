//! Messages, one a line, from a file or stdin.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use tokio::sync::mpsc;

use crate::exit::usage;

/// The longest line that is read; the calls of no model come near.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// One line of the input.
#[derive(Debug)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    /// The text, or why there is none.
    pub(crate) text: Result<String, String>,
}

/// Opens the input; `-` and nothing are stdin.
pub(crate) fn open(file: Option<&Path>) -> anyhow::Result<Box<dyn BufRead + Send>> {
    match file {
        None => Ok(Box::new(BufReader::new(io::stdin()))),
        Some(path) if path.as_os_str() == "-" => Ok(Box::new(BufReader::new(io::stdin()))),
        Some(path) => {
            let open = || -> io::Result<File> {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Ok(file)
            };
            let file = open()
                .map_err(|error| usage(format!("cannot read `{}`: {error}", path.display())))?;
            Ok(Box::new(BufReader::new(file)))
        }
    }
}

/// Reads lines in a thread of its own, so that a slow input holds nothing up. Blank lines are
/// skipped but counted.
pub(crate) fn lines(mut input: Box<dyn BufRead + Send>) -> mpsc::Receiver<anyhow::Result<Line>> {
    let (sender, receiver) = mpsc::channel(64);
    std::thread::spawn(move || {
        let mut number = 0;
        loop {
            number += 1;
            let line = match next(&mut input, number) {
                Ok(None) => break,
                Ok(Some(line)) => Ok(line),
                Err(error) => Err(error).context("the input broke off"),
            };
            let is_end = line.is_err();
            let is_blank =
                matches!(&line, Ok(Line { text: Ok(text), .. }) if text.trim().is_empty());
            if (!is_blank && sender.blocking_send(line).is_err()) || is_end {
                break;
            }
        }
    });
    receiver
}

fn next(input: &mut dyn BufRead, number: u64) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_LINE + 1).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    let text = if bytes.last() != Some(&b'\n') && read as u64 > MAX_LINE {
        skip_line(input)?;
        Err(format!(
            "longer than {} MiB; send less in one call",
            MAX_LINE / 1024 / 1024
        ))
    } else {
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to().saturating_add(1);
            format!("not UTF-8 at byte {at}; write the line in UTF-8")
        })
    };
    Ok(Some(Line { number, text }))
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                input.consume(at + 1);
                return Ok(());
            }
            None => {
                let all = buffer.len();
                input.consume(all);
            }
        }
    }
}
