//! What is repaired, and what is left alone.
