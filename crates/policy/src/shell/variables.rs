//! Which variables and functions may be named without any program noticing.

/// Whether changing this variable only changes language, time zone or colour of what is printed.
pub(super) fn is_inert(name: &str, value: Option<&str>) -> bool {
    let is_known = matches!(name, "LANG" | "LANGUAGE" | "TZ" | "NO_COLOR") || name.starts_with("LC_");
    let is_plain = value.is_some_and(|value| {
        value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '+' | '-' | ':' | '/' | ','))
            && !value.contains("..")
            && !value.starts_with(['/', ':'])
    });
    is_known && is_plain
}

/// Whether a variable can be assigned without a program or the shell taking notice: short names
/// in small letters are the script's own.
pub(super) fn is_free(name: &str) -> bool {
    let is_small = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    // Small-letter names that programs or the shell read.
    is_small && !name.ends_with("_proxy") && !matches!(name, "histchars" | "auto_resume" | "_")
}

/// Whether a function may have this name without standing for a program.
pub(super) fn is_free_function(name: &str) -> bool {
    is_free(name) && !super::tables::knows(name)
}
