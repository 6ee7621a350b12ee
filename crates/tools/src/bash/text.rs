//! What a command printed, as text for a model.

/// The output as text: without the codes that colour it, with what a bar of progress showed last.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = without_codes(&text);
    let mut lines = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body.strip_suffix('\r').unwrap_or(body), "\n"),
            None => (line, ""),
        };
        lines.push_str(
            body.rsplit('\r')
                .find(|part| !part.is_empty())
                .unwrap_or(""),
        );
        lines.push_str(end);
    }
    lines
}

/// Takes out the escape sequences of terminals: `ESC [ … letter` and `ESC ] … BEL`.
fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match letters.next() {
            Some('[') => while letters.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            Some(']') => {
                while let Some(c) = letters.next() {
                    let ends =
                        c == '\u{7}' || (c == '\u{1b}' && letters.next_if_eq(&'\\').is_some());
                    if ends {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    plain
}
