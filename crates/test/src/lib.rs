//! stub
mod claims;
mod drift;

pub use claims::{ClaimFault, ClaimFaultKind, assert_honest_claims, claims_of, claims_of_at};
pub use drift::{Drift, DriftKind, assert_no_drift, drift_of};
