//! stub
#[doc(hidden)]
pub use toolpost_core::__private;
pub use toolpost_core::*;
#[cfg(feature = "macros")]
pub use toolpost_macros::tool;
#[cfg(feature = "run")]
pub use toolpost_run::*;
