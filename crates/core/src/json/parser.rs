//! From text to tree.

use std::{collections::HashSet, mem};

use bumpalo::Bump;

use super::{
    Limits, Node, Path, Segment, Stacks, SyntaxError, SyntaxFault,
    lexer::{END, Fail, Lexer},
    scratch::{items_for, members_for},
    string::Scanned,
};

/// Reads `text` into a tree in `bump`.
///
/// # Errors
///
/// What is wrong with the text, and where; see [`SyntaxFault`].
pub fn parse<'t>(
    text: &'t str,
    bump: &'t Bump,
    stacks: &mut Stacks,
    limits: &Limits,
) -> Result<Node<'t>, SyntaxError> {
    if text.len() > limits.bytes {
        let fault = SyntaxFault::TooLarge {
            bytes: text.len(),
            limit: limits.bytes,
        };
        return Err(SyntaxError::new(fault, "", 0, Path::default()));
    }
    let mut parser = Parser {
        lexer: Lexer::new(text),
        bump,
        items: items_for(mem::take(&mut stacks.items)),
        members: members_for(mem::take(&mut stacks.members)),
        unescaped: mem::take(&mut stacks.unescaped),
        depth_left: limits.depth.min(Limits::MAX_DEPTH),
        steps: Vec::new(),
    };
    let mut root = parser.value();
    if root.is_ok() && (parser.lexer.peek() != END || parser.lexer.at < text.len()) {
        root = Err(parser.lexer.trailing());
    }
    stacks.items = items_for(parser.items);
    stacks.members = members_for(parser.members);
    stacks.unescaped = parser.unescaped;
    root.map_err(|Fail| {
        let (fault, offset) = parser.lexer.into_failure();
        let fault = match fault {
            SyntaxFault::TooDeep(_) => SyntaxFault::TooDeep(limits.depth.min(Limits::MAX_DEPTH)),
            fault => fault,
        };
        SyntaxError::new(fault, text, offset, Path::from_innermost(parser.steps))
    })
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    bump: &'t Bump,
    items: Vec<Node<'t>>,
    members: Vec<(&'t str, Node<'t>)>,
    unescaped: String,
    depth_left: usize,
    /// On failure: the way to it, innermost first.
    steps: Vec<Segment>,
}

/// Up to here the names of an object are compared one by one; beyond, by a set.
const FEW_MEMBERS: usize = 24;

const VALUE: &str = "a value: an object, array, string, number, `true`, `false` or `null`";
const NAME: &str = "a field name in double quotes";

impl<'t> Parser<'t> {
    fn value(&mut self) -> Result<Node<'t>, Fail> {
        match self.lexer.peek() {
            b'"' => self.string().map(Node::String),
            b'{' => self.object(),
            b'[' => self.array(),
            b'-' | b'0'..=b'9' => self.lexer.number().map(Node::Number),
            b't' => self.lexer.word("true").map(|()| Node::Bool(true)),
            b'f' => self.lexer.word("false").map(|()| Node::Bool(false)),
            b'n' => self.lexer.word("null").map(|()| Node::Null),
            _ => Err(self.lexer.unexpected("a value", VALUE)),
        }
    }

    #[inline]
    fn string(&mut self) -> Result<&'t str, Fail> {
        match self.lexer.string()? {
            Scanned::Plain(plain) => Ok(plain),
            Scanned::Escaped(start) => {
                self.unescaped.clear();
                self.lexer.unescape(start, &mut self.unescaped)?;
                Ok(self.bump.alloc_str(&self.unescaped))
            }
        }
    }

    fn object(&mut self) -> Result<Node<'t>, Fail> {
        self.enter()?;
        let base = self.members.len();
        let mut names = None;
        if self.lexer.peek() == b'}' {
            self.lexer.at += 1;
        } else {
            loop {
                self.member(base, &mut names)?;
                match self.lexer.peek() {
                    b',' => self.lexer.at += 1,
                    b'}' => break self.lexer.at += 1,
                    _ => {
                        return Err(self
                            .lexer
                            .unexpected("an object", "`,` or `}` after a field"));
                    }
                }
            }
        }
        self.depth_left += 1;
        let members = self
            .bump
            .alloc_slice_copy(self.members.get(base..).unwrap_or_default());
        self.members.truncate(base);
        Ok(Node::Object(members))
    }

    #[inline]
    fn member(&mut self, base: usize, names: &mut Option<HashSet<&'t str>>) -> Result<(), Fail> {
        if self.lexer.peek() != b'"' {
            return Err(self.lexer.unexpected("an object", NAME));
        }
        let start = self.lexer.at;
        let name = self.string()?;
        if self.is_duplicate(name, base, names) {
            self.steps.push(Segment::Name(name.to_owned()));
            return Err(self
                .lexer
                .fail(SyntaxFault::DuplicateName(name.to_owned()), start));
        }
        self.lexer
            .take(b':', "an object", "`:` after a field name")?;
        // The name goes first, so that a later one finds it; the value takes its place when read.
        let place = self.members.len();
        self.members.push((name, Node::Null));
        match self.value() {
            Ok(value) => {
                if let Some(member) = self.members.get_mut(place) {
                    member.1 = value;
                }
                Ok(())
            }
            Err(fail) => {
                self.steps.push(Segment::Name(name.to_owned()));
                Err(fail)
            }
        }
    }

    #[inline]
    fn is_duplicate(
        &self,
        name: &'t str,
        base: usize,
        names: &mut Option<HashSet<&'t str>>,
    ) -> bool {
        let members = self.members.get(base..).unwrap_or_default();
        if members.len() <= FEW_MEMBERS {
            return members.iter().any(|(other, _)| *other == name);
        }
        let names = names.get_or_insert_with(|| members.iter().map(|(other, _)| *other).collect());
        !names.insert(name)
    }

    fn array(&mut self) -> Result<Node<'t>, Fail> {
        self.enter()?;
        let base = self.items.len();
        if self.lexer.peek() == b']' {
            self.lexer.at += 1;
        } else {
            loop {
                match self.value() {
                    Ok(value) => self.items.push(value),
                    Err(fail) => {
                        self.steps.push(Segment::Index(self.items.len() - base));
                        return Err(fail);
                    }
                }
                match self.lexer.peek() {
                    b',' => self.lexer.at += 1,
                    b']' => break self.lexer.at += 1,
                    _ => {
                        return Err(self
                            .lexer
                            .unexpected("an array", "`,` or `]` after an item"));
                    }
                }
            }
        }
        self.depth_left += 1;
        let items = self
            .bump
            .alloc_slice_copy(self.items.get(base..).unwrap_or_default());
        self.items.truncate(base);
        Ok(Node::Array(items))
    }

    #[inline]
    fn enter(&mut self) -> Result<(), Fail> {
        let at = self.lexer.at;
        self.lexer.at += 1;
        match self.depth_left.checked_sub(1) {
            Some(left) => {
                self.depth_left = left;
                Ok(())
            }
            None => Err(self.lexer.fail(SyntaxFault::TooDeep(0), at)),
        }
    }
}
