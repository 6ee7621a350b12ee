//! The parser's promises, one by one.

use super::*;
