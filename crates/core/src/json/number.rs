//! A number of JSON, and when it counts as an integer.

/// A number, in the smallest of three forms that holds it; the same values that
/// `serde_json::Number` can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer that fits `i64`.
    Signed(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    /// Written with a fraction or an exponent, as `-0`, or too large for the others. Finite.
    Float(f64),
}

/// Below this every integral double stands for one integer only: 2^53.
const EXACT: u64 = 1 << 53;
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

impl Number {
    /// Whether JSON Schema takes it for an integer: `3.0` and `1e2` are.
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self {
            Self::Float(value) => value.fract() == 0.0,
            Self::Signed(_) | Self::Unsigned(_) => true,
        }
    }

    /// An integral float as the integer it stands for, where one fits.
    #[must_use]
    pub fn integral(self) -> Self {
        match self {
            Self::Float(value)
                if value.fract() == 0.0 && (-TWO_POW_63..TWO_POW_63).contains(&value) =>
            {
                Self::Signed(value as i64)
            }
            Self::Float(value) if value.fract() == 0.0 && (0.0..TWO_POW_64).contains(&value) => {
                Self::Unsigned(value as u64)
            }
            other => other,
        }
    }

    /// What a reader that did not say which kind of number it wants is offered: an integral
    /// float as an integer as long as that is exact. Tagged and untagged enums read this way.
    #[must_use]
    pub fn offered(self) -> Self {
        match self.integral() {
            Self::Signed(value) if value.unsigned_abs() < EXACT => Self::Signed(value),
            _ => self,
        }
    }

    /// The nearest double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Signed(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The same number for `serde_json`.
    #[must_use]
    pub fn to_number(&self) -> serde_json::Number {
        match *self {
            Self::Signed(value) => value.into(),
            Self::Unsigned(value) => value.into(),
            // The parser makes finite floats only, so there always is one.
            Self::Float(value) => serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into()),
        }
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        if let Some(value) = number.as_i64() {
            Self::Signed(value)
        } else if let Some(value) = number.as_u64() {
            Self::Unsigned(value)
        } else {
            Self::Float(number.as_f64().unwrap_or_default())
        }
    }
}
