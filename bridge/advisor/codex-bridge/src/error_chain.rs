//! The one adapter that prints an error with its causes.

use std::error::Error;
use std::fmt;

/// Displays an error and, after colons, every cause below it.
pub struct ErrorChain<'e>(pub &'e (dyn Error + 'static));

impl fmt::Display for ErrorChain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(formatter, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
