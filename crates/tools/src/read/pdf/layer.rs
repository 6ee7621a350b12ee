//! The text layer of a page: what its drawing commands write, in their order.
//!
//! A page says where each piece of text stands. A piece on another height begins a new line, and
//! one with a gap before it a new word. Columns come out in the order in which they were written,
//! which is mostly that in which they are read.

use lopdf::content::Content;
use lopdf::{Dictionary, Document, Error, Object, ObjectId, Stream};

use super::MOST_UNPACKED;
use super::font::{Font, Fonts, dictionaries, read as read_fonts};

/// Forms within forms are followed so deep.
const MOST_DEPTH: u32 = 8;
/// A text is cut after so many drawing commands, and after forms of so many bytes.
const MOST_COMMANDS: usize = 2_000_000;
const MOST_FORMS: usize = 64 << 20;

/// The text of a page, cut when it has more than `most` bytes.
pub(super) fn text(document: &Document, page: ObjectId, most: usize) -> Result<String, Error> {
    let content = document.get_page_content_with_limit(page, MOST_UNPACKED)?;
    let fonts = dictionaries(document.get_page_fonts(page)?);
    let fonts = read_fonts(&fonts, document);
    let (own, inherited) = document.get_page_resources(page)?;
    let inherited = inherited
        .into_iter()
        .filter_map(|id| document.get_dictionary(id).ok());
    let mut writer = Writer {
        document,
        most,
        commands: 0,
        forms: 0,
        text: String::new(),
        at: None,
    };
    let resources: Vec<&Dictionary> = own.into_iter().chain(inherited).collect();
    writer.run(&content, &fonts, &resources, Matrix::ONE, 0);
    let mut text = writer.text;
    if let Some((end, _)) = text.char_indices().find(|(at, _)| *at > most) {
        text.truncate(end);
        text.push_str("… [the page goes on]");
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_matches('\n').to_owned())
}

struct Writer<'d> {
    document: &'d Document,
    most: usize,
    commands: usize,
    /// How many bytes of forms were read.
    forms: usize,
    text: String,
    /// Where the last piece ended, and how tall its letters are.
    at: Option<(f32, f32, f32)>,
}

/// A place and the scale there: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy)]
struct Matrix([f32; 6]);

impl Matrix {
    const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// What this does and then the other.
    fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, next.0);
        Self([
            a * p + b * r,
            a * q + b * s,
            c * p + d * r,
            c * q + d * s,
            e * p + f * r + t,
            e * q + f * s + u,
        ])
    }

    fn moved(self, x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }

    fn of(operands: &[Object]) -> Option<Self> {
        let mut numbers = [0.0; 6];
        for (number, operand) in numbers.iter_mut().zip(operands) {
            *number = operand.as_float().ok()?;
        }
        (operands.len() >= 6).then_some(Self(numbers))
    }
}

/// What the drawing commands have set.
struct Pen<'f> {
    space: Matrix,
    kept: Vec<Matrix>,
    line: Matrix,
    now: Matrix,
    leading: f32,
    size: f32,
    font: Option<&'f Font<'f>>,
}

impl<'d> Writer<'d> {
    fn run(
        &mut self,
        content: &[u8],
        fonts: &Fonts<'_>,
        resources: &[&'d Dictionary],
        space: Matrix,
        depth: u32,
    ) {
        let mut pen = Pen {
            space,
            kept: Vec::new(),
            line: Matrix::ONE,
            now: Matrix::ONE,
            leading: 0.0,
            size: 1.0,
            font: None,
        };
        for command in Content::decode_iter(content) {
            let Ok(command) = command else { break };
            self.commands += 1;
            if self.commands > MOST_COMMANDS || self.text.len() > self.most {
                return;
            }
            let operands = command.operands.as_slice();
            let number = |at: usize| {
                let operand = operands.get(at).and_then(|operand| operand.as_float().ok());
                operand.unwrap_or(0.0)
            };
            match command.operator.as_str() {
                "q" if pen.kept.len() < 256 => pen.kept.push(pen.space),
                "Q" => pen.space = pen.kept.pop().unwrap_or(pen.space),
                "cm" => {
                    if let Some(matrix) = Matrix::of(operands) {
                        pen.space = matrix.then(pen.space);
                    }
                }
                "BT" => (pen.line, pen.now) = (Matrix::ONE, Matrix::ONE),
                "Tf" => {
                    let name = operands.first().and_then(|name| name.as_name().ok());
                    pen.font = name.and_then(|name| fonts.get(name));
                    pen.size = number(1);
                }
                "TL" => pen.leading = number(0),
                "Tm" => {
                    if let Some(matrix) = Matrix::of(operands) {
                        (pen.line, pen.now) = (matrix, matrix);
                    }
                }
                "Td" => pen.next(number(0), number(1)),
                "TD" => {
                    pen.leading = -number(1);
                    pen.next(number(0), number(1));
                }
                "T*" => pen.next(0.0, -pen.leading),
                "Tj" | "TJ" => self.show(&mut pen, operands),
                "'" => {
                    pen.next(0.0, -pen.leading);
                    self.show(&mut pen, operands);
                }
                "\"" => {
                    pen.next(0.0, -pen.leading);
                    self.show(&mut pen, operands.get(2..).unwrap_or_default());
                }
                "Do" if depth < MOST_DEPTH => {
                    if let Some(form) = self.form(operands, resources) {
                        self.run_form(form, resources, pen.space, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// The form that a command draws; pictures are none.
    fn form(&self, operands: &[Object], resources: &[&'d Dictionary]) -> Option<&'d Stream> {
        let name = operands.first()?.as_name().ok()?;
        let find = |resources: &&'d Dictionary| {
            let named = resources.get_deref(b"XObject", self.document).ok()?;
            let found = named.as_dict().ok()?.get_deref(name, self.document).ok()?;
            found.as_stream().ok()
        };
        let stream = resources.iter().find_map(find)?;
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        (kind.ok() == Some(b"Form")).then_some(stream)
    }

    fn run_form(&mut self, form: &'d Stream, outer: &[&'d Dictionary], space: Matrix, depth: u32) {
        let room = MOST_FORMS.saturating_sub(self.forms).min(MOST_UNPACKED);
        let Ok(content) = form.get_plain_content_with_limit(room) else {
            return;
        };
        // A form without content costs something as well.
        self.forms += content.len().max(4_096);
        let own = form
            .dict
            .get_deref(b"Resources", self.document)
            .and_then(Object::as_dict);
        let resources: Vec<&Dictionary> = own.into_iter().chain(outer.iter().copied()).collect();
        let mut found = std::collections::BTreeMap::new();
        for resources in resources.iter().rev() {
            let fonts = resources
                .get_deref(b"Font", self.document)
                .and_then(Object::as_dict);
            for (name, font) in fonts.into_iter().flat_map(Dictionary::iter) {
                if let Ok(Object::Dictionary(font)) =
                    self.document.dereference(font).map(|(_, font)| font)
                {
                    found.insert(name.clone(), font);
                }
            }
        }
        let fonts = dictionaries(found);
        let fonts = read_fonts(&fonts, self.document);
        let matrix = form
            .dict
            .get_deref(b"Matrix", self.document)
            .and_then(Object::as_array)
            .ok()
            .and_then(|matrix| Matrix::of(matrix))
            .unwrap_or(Matrix::ONE);
        self.run(&content, &fonts, &resources, matrix.then(space), depth);
    }

    /// Writes pieces of text, each a string, or a list of strings and shifts.
    fn show(&mut self, pen: &mut Pen<'_>, operands: &[Object]) {
        for operand in operands {
            match operand {
                Object::String(bytes, _) => self.piece(pen, bytes),
                Object::Array(parts) => {
                    for part in parts {
                        match part {
                            Object::String(bytes, _) => self.piece(pen, bytes),
                            shift => {
                                let shift = shift.as_float().unwrap_or(0.0);
                                pen.advance(-shift / 1000.0);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn piece(&mut self, pen: &mut Pen<'_>, bytes: &[u8]) {
        let Some(font) = pen.font else { return };
        let (text, width) = font.read(bytes);
        let place = pen.now.then(pen.space);
        let [_, _, c, d, x, y] = place.0;
        let height = (pen.size * c.hypot(d)).abs().max(0.1);
        if let Some((last_x, last_y, last_height)) = self.at {
            let tall = height.max(last_height);
            let is_other_line = (y - last_y).abs() > tall * 0.4 || x < last_x - tall * 4.0;
            let is_gap = x > last_x + height * 0.18;
            if is_other_line {
                self.text.push('\n');
                if (last_y - y) > tall * 2.2 {
                    self.text.push('\n');
                }
            } else if is_gap && !self.text.ends_with([' ', '\n']) && !text.starts_with(' ') {
                self.text.push(' ');
            }
        }
        self.text
            .extend(text.chars().filter(|c| !c.is_control() || *c == '\t'));
        pen.advance(width);
        let [.., x, y] = pen.now.then(pen.space).0;
        self.at = Some((x, y, height));
    }
}

impl Pen<'_> {
    /// Goes to the next line, so far from the beginning of this one.
    fn next(&mut self, x: f32, y: f32) {
        self.line = self.line.moved(x, y);
        self.now = self.line;
    }

    /// Goes on in the line by so many times the height of its letters.
    fn advance(&mut self, by: f32) {
        self.now = self.now.moved(by * self.size, 0.0);
    }
}
