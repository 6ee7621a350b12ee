//! A Jupyter notebook as the text that it is, with its cells found in it.
//!
//! Nothing is read into a form from which the file would be written anew: each cell is known by
//! where it is in the text, so that a change of one leaves all other bytes as they are.

mod change;
mod object;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use change::NewCell;
pub(crate) use object::Object;

/// A notebook.
pub(crate) struct Notebook<'a> {
    pub(crate) text: &'a str,
    /// The list of the cells, brackets included.
    pub(crate) list: Range<usize>,
    pub(crate) cells: Vec<Cell<'a>>,
    /// The version of its form, such as 4 and 5.
    pub(crate) version: (u64, u64),
}

/// A cell of a notebook.
pub(crate) struct Cell<'a> {
    pub(crate) object: Object<'a>,
}

/// Which cell a name means, or why none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    One(usize),
    None,
    Several,
}

impl<'a> Notebook<'a> {
    /// Finds the cells in the text of a notebook. The error says what is wrong with it.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let whole: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let whole = Object::parse(text, whole)?;
        let number = |key: &str| whole.get(key).and_then(|raw| raw.get().parse::<u64>().ok());
        let version = number("nbformat").ok_or("it has no number `nbformat`")?;
        if version < 4 {
            return Err(format!(
                "it is of the old form {version}; convert it with `jupyter nbconvert --to notebook`"
            ));
        }
        let list = whole.get("cells").ok_or("it has no list `cells`")?;
        let raw: Vec<&RawValue> =
            serde_json::from_str(list.get()).map_err(|_| "`cells` is no list".to_owned())?;
        let cells = raw
            .into_iter()
            .map(|raw| Object::parse(text, raw).map(|object| Cell { object }))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            text,
            list: object::place(text, list.get()),
            cells,
            version: (version, number("nbformat_minor").unwrap_or(0)),
        })
    }

    /// What a cell is called: its id, or `cell-` and its place, counted from 0.
    pub(crate) fn name(&self, index: usize) -> String {
        let id = self.cells.get(index).and_then(Cell::id);
        id.unwrap_or_else(|| format!("cell-{index}"))
    }

    /// The cell with this id or place.
    pub(crate) fn find(&self, name: &str) -> Named {
        let mut with_id =
            (0..self.cells.len()).filter(|index| self.cell_id(*index).as_deref() == Some(name));
        match (with_id.next(), with_id.next()) {
            (Some(only), None) => return Named::One(only),
            (Some(_), Some(_)) => return Named::Several,
            (None, _) => {}
        }
        let index = name
            .strip_prefix("cell-")
            .and_then(|number| number.parse().ok());
        match index {
            Some(index) if index < self.cells.len() => Named::One(index),
            _ => Named::None,
        }
    }

    fn cell_id(&self, index: usize) -> Option<String> {
        self.cells.get(index)?.id()
    }
}

impl Cell<'_> {
    pub(crate) fn id(&self) -> Option<String> {
        self.text_of("id")
    }

    /// `code`, `markdown` or `raw`; nothing where it does not say.
    pub(crate) fn kind(&self) -> String {
        self.text_of("cell_type").unwrap_or_default()
    }

    pub(crate) fn source(&self) -> String {
        self.text_of("source").unwrap_or_default()
    }

    /// A text that is given as one string or as a list of its lines.
    fn text_of(&self, key: &str) -> Option<String> {
        let value: Value = serde_json::from_str(self.object.get(key)?.get()).ok()?;
        joined(&value)
    }

    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.object.get(key)?.get()).ok()
    }
}

/// A text that is given as one string or as a list of its lines.
pub(crate) fn joined(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
