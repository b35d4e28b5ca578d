//! The request on the orchestrator's standard input: the prompt, the folder, and the client.
//! Limited in size; unknown fields are ignored.

use std::io::{self, Read};
use std::path::PathBuf;

use contract::orchestrate::report::Client;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest request, in bytes: far longer than any prompt that a client accepts.
pub const REQUEST_MAX: u64 = 16 * 1024 * 1024;

/// The request of an entry to the orchestrator: one JSON object on its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The prompt.
    pub prompt: String,
    /// The client.
    pub client: Client,
    /// The folder; `None` for that of the orchestrator's process.
    pub cwd: Option<PathBuf>,
    /// The longest context that the client accepts, in UTF-16 code units. The user's own limit may be lower.
    pub max_injected_chars: Option<u64>,
}

/// Why a request cannot be parsed.
#[derive(Debug, Error)]
pub enum RequestError {
    /// Standard input failed.
    #[error("cannot read the request from standard input")]
    Input(#[source] io::Error),
    /// It is longer than [`REQUEST_MAX`].
    #[error("the request is longer than {REQUEST_MAX} bytes: shorten the prompt")]
    TooLong,
    /// The input is empty.
    #[error(
        "standard input is empty: give a request such as {{\"prompt\":\"fix the login\"}}, or use --prompt TEXT"
    )]
    Empty,
    /// It is not the expected JSON.
    #[error(
        "the request is not as expected: {0}; expected {{\"prompt\": TEXT, \"client\": {{\"name\", \"event\", \"session_id\"?}}?, \"cwd\": FOLDER?, \"max_injected_chars\": NUMBER?}}"
    )]
    Malformed(serde_json::Error),
}

/// A request as JSON. All fields except the prompt are optional.
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

    /// Reads and parses a request.
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

    /// The request in the form that [`Request::read`] parses. In a folder name that is not UTF-8, invalid bytes
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
