//! The four wire protocols: build a request's body, and decode a stream into neutral events.
//!
//! Both directions are pure. A body begins with everything that is unchanged since the previous request of a
//! conversation, byte for byte in the same order, followed by what was added. A decoder skips and counts
//! unknown events.

mod calls;
mod chat;
mod decoder;
mod gemini;
mod messages;
mod responses;
mod target;

use serde_json::Value;

use crate::catalogue::Protocol;
use crate::id::Provider;
use crate::request::Request;
pub(crate) use decoder::Decoder;
pub(crate) use target::Target;

/// The body of `request`, as a JSON object.
pub(crate) fn body(protocol: Protocol, target: &Target, request: &Request) -> Value {
    match protocol {
        Protocol::Messages => messages::body(target, request),
        Protocol::Chat => chat::body(target, request),
        Protocol::Gemini => gemini::body(target, request),
        Protocol::Responses => responses::body(target, request),
    }
}

/// The path of a request, relative to the base URL.
pub(crate) fn path(protocol: Protocol, name: &str) -> String {
    match protocol {
        Protocol::Messages => "/v1/messages".to_owned(),
        Protocol::Chat => "/chat/completions".to_owned(),
        Protocol::Gemini => format!("/models/{}:streamGenerateContent?alt=sse", escaped(name)),
        Protocol::Responses => "/responses".to_owned(),
    }
}

/// The path of a provider's list of models, relative to the base URL.
pub(crate) const fn list_path(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Messages => "/v1/models?limit=1000",
        Protocol::Gemini => "/models?pageSize=1000",
        Protocol::Chat | Protocol::Responses => "/models",
    }
}

/// The names in a list of models, in Google's or OpenAI's format, which the others share.
pub(crate) fn listed(list: &Value) -> Vec<String> {
    let entries = |key: &str| list[key].as_array().into_iter().flatten();
    let google =
        entries("models").filter_map(|model| model["name"].as_str()?.strip_prefix("models/"));
    let names = entries("data").filter_map(|model| model["id"].as_str()).chain(google);
    names.map(str::to_owned).collect()
}

/// `name` for a path: characters that are special in a URL are escaped.
fn escaped(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let escaped = name.bytes().map(|byte| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    escaped.collect()
}

/// A decoder for one stream. `prefix` is the prefix of generated call ids.
pub(crate) fn decoder(protocol: Protocol, provider: Provider, prefix: &str) -> Box<dyn Decoder> {
    match protocol {
        Protocol::Messages => Box::new(messages::Messages::new(provider, prefix)),
        Protocol::Chat => Box::new(chat::Chat::new(provider, prefix)),
        Protocol::Gemini => Box::new(gemini::Gemini::new(provider, prefix)),
        Protocol::Responses => Box::new(responses::Responses::new(provider, prefix)),
    }
}

#[cfg(test)]
mod tests;
