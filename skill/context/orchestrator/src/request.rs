//! The question on standard input: what was typed, where, and through which client. Bounded; fields
//! that are not known here are somebody else's.

use std::io::{self, Read};
use std::path::PathBuf;

use serde::Deserialize;
use thiserror::Error;

use crate::report::Client;

/// The longest request, in bytes: far beyond any prompt that a client takes.
pub const REQUEST_MAX: u64 = 16 * 1024 * 1024;

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What was typed.
    pub prompt: String,
    /// Who asks.
    pub client: Client,
    /// Where; `None`: the folder of this process.
    pub cwd: Option<PathBuf>,
    /// The most that the client takes, in UTF-16 code units. The user's own bound may be lower.
    pub max_injected_chars: Option<u64>,
}

/// Why a request cannot be read.
#[derive(Debug, Error)]
pub enum RequestError {
    /// Standard input broke off.
    #[error("cannot read the request from standard input")]
    Input(#[source] io::Error),
    /// It is longer than [`REQUEST_MAX`].
    #[error("the request is longer than {REQUEST_MAX} bytes: shorten the prompt")]
    TooLong,
    /// Nothing was given.
    #[error(
        "standard input is empty: give a request such as {{\"prompt\":\"fix the login\"}}, or use --prompt TEXT"
    )]
    Empty,
    /// It is not the JSON that is expected.
    #[error(
        "the request is not as expected: {0}; expected {{\"prompt\": TEXT, \"client\": {{\"name\", \"event\", \"session_id\"?}}?, \"cwd\": FOLDER?, \"max_injected_chars\": NUMBER?}}"
    )]
    Malformed(serde_json::Error),
}

#[derive(Deserialize)]
struct Wire {
    prompt: String,
    #[serde(default)]
    client: Option<WireClient>,
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    max_injected_chars: Option<u64>,
}

#[derive(Deserialize)]
struct WireClient {
    name: Option<String>,
    event: Option<String>,
    session_id: Option<String>,
}

impl Request {
    /// A question from the command line.
    #[must_use]
    pub fn typed(prompt: &str) -> Self {
        Self {
            prompt: prompt.to_owned(),
            client: command_line(),
            cwd: None,
            max_injected_chars: None,
        }
    }

    /// Reads a request to its end.
    ///
    /// # Errors
    /// As [`RequestError`] says.
    pub fn read(input: impl Read) -> Result<Self, RequestError> {
        let mut bytes = Vec::new();
        input.take(REQUEST_MAX + 1).read_to_end(&mut bytes).map_err(RequestError::Input)?;
        if bytes.len() as u64 > REQUEST_MAX {
            return Err(RequestError::TooLong);
        }
        if bytes.trim_ascii().is_empty() {
            return Err(RequestError::Empty);
        }
        let wire: Wire = serde_json::from_slice(&bytes).map_err(RequestError::Malformed)?;
        let usual = command_line();
        let client = wire.client.map_or(usual.clone(), |client| Client {
            name: client.name.unwrap_or(usual.name),
            event: client.event.unwrap_or(usual.event),
            session_id: client.session_id,
        });
        let max_injected_chars = wire.max_injected_chars;
        Ok(Self { prompt: wire.prompt, client, cwd: wire.cwd, max_injected_chars })
    }
}

/// The client where none is named.
#[must_use]
pub fn command_line() -> Client {
    Client { name: "codex-cli".to_owned(), event: "cli".to_owned(), session_id: None }
}

#[cfg(test)]
mod tests {
    use super::{REQUEST_MAX, Request, RequestError};

    #[test]
    fn a_request_may_be_short() {
        let read = |text: &str| Request::read(text.as_bytes());
        assert_eq!(read(r#"{"prompt":"hi"}"#).unwrap(), Request::typed("hi"));
        let whole = r#"{"prompt":"x","cwd":"/r","max_injected_chars":9000,"later":1,"client":{"name":"claude-code","event":"UserPromptSubmit","session_id":"s"}}"#;
        let whole = read(whole).unwrap();
        assert_eq!(
            (whole.client.name.as_str(), whole.client.session_id.as_deref()),
            ("claude-code", Some("s"))
        );
        assert_eq!(whole.cwd.as_deref(), Some(std::path::Path::new("/r")));
        assert_eq!(whole.max_injected_chars, Some(9_000));
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        assert!(matches!(Request::read(&b" \n"[..]), Err(RequestError::Empty)));
        for wrong in ["no json", "{}", r#"{"prompt":7}"#, "\u{feff}"] {
            assert!(
                matches!(Request::read(wrong.as_bytes()), Err(RequestError::Malformed(_))),
                "{wrong}"
            );
        }
        let long = std::io::Read::take(std::io::repeat(b' '), REQUEST_MAX + 9);
        assert!(matches!(Request::read(long), Err(RequestError::TooLong)));
    }
}
