//! The request on the orchestrator's standard input: what was typed, where, and through which client.
//! Bounded; fields that are not known here are ignored.

use std::io::{self, Read};
use std::path::PathBuf;

use contract::orchestrate::report::Client;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest request, in bytes: far beyond any prompt that a client takes.
pub const REQUEST_MAX: u64 = 16 * 1024 * 1024;

/// What an entry asks the orchestrator: one JSON object on its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What was typed.
    pub prompt: String,
    /// Who asks.
    pub client: Client,
    /// Where; `None`: the folder of the orchestrator's process.
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

/// A request as JSON. Everything but the prompt may be absent.
#[derive(Serialize, Deserialize)]
struct Wire {
    prompt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<WireClient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_injected_chars: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct WireClient {
    name: Option<String>,
    event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
}

impl Request {
    /// A request from the command line.
    #[must_use]
    pub fn typed(prompt: &str) -> Self {
        Self {
            prompt: prompt.to_owned(),
            client: Client::codex_cli(None),
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
        let usual = Client::codex_cli(None);
        let client = wire.client.map_or(usual.clone(), |client| Client {
            name: client.name.unwrap_or(usual.name),
            event: client.event.unwrap_or(usual.event),
            session_id: client.session_id,
        });
        let cwd = wire.cwd.map(PathBuf::from);
        Ok(Self { prompt: wire.prompt, client, cwd, max_injected_chars: wire.max_injected_chars })
    }

    /// The request as [`Request::read`] takes it. Of a folder's name that is not UTF-8, the other bytes
    /// are replaced.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Client { name, event, session_id } = self.client.clone();
        let wire = Wire {
            prompt: self.prompt.clone(),
            client: Some(WireClient { name: Some(name), event: Some(event), session_id }),
            cwd: self.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()),
            max_injected_chars: self.max_injected_chars,
        };
        serde_json::to_vec(&wire).expect("texts and numbers are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_may_be_short() {
        let read = |text: &str| Request::read(text.as_bytes());
        assert_eq!(read(r#"{"prompt":"hi"}"#).unwrap(), Request::typed("hi"));
        assert_eq!(read(r#"{"prompt":"hi","client":{}}"#).unwrap(), Request::typed("hi"));
        let whole = r#"{"prompt":"x","cwd":"/r","max_injected_chars":9000,"later":1,"client":{"name":"claude-code","event":"UserPromptSubmit","session_id":"s"}}"#;
        let expected = Request {
            prompt: "x".to_owned(),
            client: Client::claude_code(Some("s".to_owned())),
            cwd: Some("/r".into()),
            max_injected_chars: Some(9_000),
        };
        assert_eq!(read(whole).unwrap(), expected);
    }

    #[test]
    fn what_is_written_is_read() {
        let whole = Request {
            prompt: "修复 \"it\"\n\u{1}".to_owned(),
            client: Client::claude_code(Some("s".to_owned())),
            cwd: Some("/源".into()),
            max_injected_chars: Some(9_000),
        };
        for request in [Request::typed("hi"), whole] {
            assert_eq!(Request::read(&*request.to_bytes()).unwrap(), request);
        }
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
