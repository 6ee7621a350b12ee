//! What a tool gives back to a model: blocks of content.
//!
//! The blocks are those that every provider can carry in some form. How each provider spells
//! them is the business of `toolpost-wire`.

use serde::{Deserialize, Serialize};

/// One block of an outcome's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text {
        /// The text itself.
        text: String,
    },
    /// A picture.
    Image {
        /// The picture's bytes in base64.
        data: String,
        /// Its media type, such as `image/png`.
        mime_type: String,
    },
    /// A document that a model may read whole, such as a PDF.
    Document {
        /// The document's bytes in base64.
        data: String,
        /// Its media type, such as `application/pdf`.
        mime_type: String,
        /// A name to show, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// A pointer to something that can be fetched or read by another call.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// A short name.
        name: String,
    },
}

impl Content {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text of this block, when it is one of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}
