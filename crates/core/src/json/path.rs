//! A place in a JSON value, written as a JSON pointer.

use std::fmt;

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into a member of an object.
    Name(String),
    /// Into an item of an array, counted from 0.
    Index(usize),
}

/// The steps from the whole value to a place, outermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(Vec<Segment>);

impl Path {
    /// A path whose steps were collected on the way up, innermost first.
    #[must_use]
    pub fn from_innermost(mut steps: Vec<Segment>) -> Self {
        steps.reverse();
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.0 {
            match segment {
                Segment::Name(name) => {
                    write!(f, "/{}", name.replace('~', "~0").replace('/', "~1"))?
                }
                Segment::Index(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}
