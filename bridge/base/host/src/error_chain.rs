//! Displays an error with its causes.

use std::error::Error;
use std::fmt;

/// Displays an error and its causes, separated by colons; a cause that the text already ends with is omitted.
pub struct ErrorChain<'e>(pub &'e (dyn Error + 'static));

impl fmt::Display for ErrorChain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let said = cause.to_string();
            if !text.ends_with(&said) {
                text.push_str(": ");
                text.push_str(&said);
            }
            source = cause.source();
        }
        formatter.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::ErrorChain;

    #[derive(Debug, thiserror::Error)]
    enum Fault {
        #[error("cannot save")]
        Silent(#[source] io::Error),
        #[error("cannot save: {0}")]
        Told(#[source] io::Error),
        #[error(transparent)]
        Same(io::Error),
    }

    #[test]
    fn every_cause_is_said_once() {
        let full = || io::Error::other("the disk is full");
        for (fault, expected) in [
            (Fault::Silent(full()), "cannot save: the disk is full"),
            (Fault::Told(full()), "cannot save: the disk is full"),
            (Fault::Same(full()), "the disk is full"),
        ] {
            assert_eq!(ErrorChain(&fault).to_string(), expected);
        }
    }
}
