//! The parts of a request that the answer depends on: protocol, model, streaming or not.

use serde_json::Value;

use crate::dialect::Dialect;

/// The model named in answers if the request names none.
pub const MODEL: &str = "mock-model";

/// The supported protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's Responses API: `POST .../responses`.
    Responses,
    /// Anthropic's Messages API: `POST .../messages`.
    Messages,
    /// OpenAI's Chat Completions, and its dialects: `POST .../chat/completions`.
    Chat,
    /// Google's `POST .../models/MODEL:generateContent` and `:streamGenerateContent?alt=sse`.
    Gemini,
}

/// The form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Server-sent events.
    Events,
    /// A JSON array of the chunks, the form of `gemini` streams without `alt=sse`.
    Array,
    /// One JSON object.
    Whole,
}

/// A parsed request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The protocol, by the route.
    pub protocol: Protocol,
    /// The dialect of the `chat` protocol.
    pub dialect: Dialect,
    /// The form of the answer.
    pub form: Form,
    /// The model that the request names.
    pub model: String,
    /// The body; `null` if it is not JSON.
    pub body: Value,
    /// The request's number on this server, which makes ids unique.
    pub number: u64,
}

impl Protocol {
    /// The protocol of a path, which may have a query and any prefix.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let ends = |end| path.ends_with(end);
        if ends("/responses") {
            Some(Self::Responses)
        } else if ends("/messages") {
            Some(Self::Messages)
        } else if ends("/chat/completions") {
            Some(Self::Chat)
        } else if ends(":generateContent") || ends(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }
}

impl Asked {
    /// Parses a request with this path and body, if the path belongs to a protocol.
    #[must_use]
    pub fn read(path: &str, body: &[u8], dialect: Dialect, number: u64) -> Option<Self> {
        let protocol = Protocol::of(path)?;
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let form = match protocol {
            Protocol::Responses if body["stream"] == false => Form::Whole,
            Protocol::Responses => Form::Events,
            Protocol::Messages | Protocol::Chat if body["stream"] == true => Form::Events,
            Protocol::Messages | Protocol::Chat => Form::Whole,
            Protocol::Gemini if !path.contains(":streamGenerateContent") => Form::Whole,
            Protocol::Gemini if path.contains("alt=sse") => Form::Events,
            Protocol::Gemini => Form::Array,
        };
        let named = match protocol {
            Protocol::Gemini => model_in(path),
            _ => body["model"].as_str(),
        };
        let model = named.unwrap_or(MODEL).to_owned();
        Some(Self { protocol, dialect, form, model, body, number })
    }

    /// An empty streaming request of this protocol.
    #[must_use]
    pub fn bare(protocol: Protocol, dialect: Dialect) -> Self {
        let model = MODEL.to_owned();
        Self { protocol, dialect, form: Form::Events, model, body: Value::Null, number: 1 }
    }
}

/// The model of `.../models/MODEL:method`.
fn model_in(path: &str) -> Option<&str> {
    let last = path.split('?').next()?.rsplit('/').next()?;
    last.split_once(':').map(|(model, _)| model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_protocol_form_and_gemini_s_model() {
        for (path, body, expected) in [
            ("/v1/responses", "{}", Some((Protocol::Responses, Form::Events, MODEL))),
            (
                "/v1/messages?beta=true",
                r#"{"model":"a"}"#,
                Some((Protocol::Messages, Form::Whole, "a")),
            ),
            (
                "/x/chat/completions",
                r#"{"stream":true}"#,
                Some((Protocol::Chat, Form::Events, MODEL)),
            ),
            (
                "/v1beta/models/g-2.5:generateContent",
                "{}",
                Some((Protocol::Gemini, Form::Whole, "g-2.5")),
            ),
            (
                "/v1beta/models/g:streamGenerateContent?alt=sse",
                "{",
                Some((Protocol::Gemini, Form::Events, "g")),
            ),
            ("/models/g:streamGenerateContent", "{}", Some((Protocol::Gemini, Form::Array, "g"))),
            ("/v1/messages/count_tokens", "{}", None),
        ] {
            let asked = Asked::read(path, body.as_bytes(), Dialect::OPENAI, 1);
            let found =
                asked.as_ref().map(|asked| (asked.protocol, asked.form, asked.model.as_str()));
            assert_eq!(found, expected, "{path}");
        }
    }
}
