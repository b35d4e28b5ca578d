//! A conversation in neutral types, independent of protocols and providers.
//!
//! The types ensure that each call has a result, and each result a call: a [`Call`]
//! contains its result. Data that a provider needs back is an [`Opaque`], which is only
//! sent to that provider.

use serde_json::{Map, Value};

use crate::id::Provider;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Text from the user, or from the program on the user's behalf.
    User(Vec<Content>),
    /// One answer of a model, with the results of its calls.
    Answer(Vec<Part>),
}

/// A part of a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image, for models that take them.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes in base64.
        base64: String,
    },
}

/// A part of a model's answer. In a conversation a call is a [`Call`] with its result; in a
/// new answer its result is missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<C = Call> {
    /// Text for the user.
    Text {
        /// The text; may be empty if there is an [`Opaque`].
        text: String,
        /// Data that the provider needs back with this piece.
        opaque: Option<Opaque>,
    },
    /// The model's reasoning. It is never sent to other providers.
    Reasoning {
        /// The text that may be shown; may be empty.
        shown: String,
        /// Data that the provider needs back.
        opaque: Option<Opaque>,
    },
    /// A call of a tool.
    Call(C),
}

/// A tool call with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's id, or a generated one.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; empty if they were not a JSON object, because a provider answers 400 to
    /// malformed arguments in a history.
    pub arguments: Map<String, Value>,
    /// Data that the provider needs back with the call.
    pub opaque: Option<Opaque>,
    /// Its result.
    pub result: CallResult,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// The tool's output.
    Done(String),
    /// Why the tool failed, was denied or was interrupted.
    Failed(String),
}

impl CallResult {
    /// The text for the model.
    pub fn text(&self) -> &str {
        match self {
            Self::Done(text) | Self::Failed(text) => text,
        }
    }

    /// Whether the call failed.
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// Data that one provider needs back unchanged: a signed thinking block, a thought signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// The provider. Requests to other providers leave it out.
    pub provider: Provider,
    /// The value, unchanged.
    pub value: Value,
}

impl Opaque {
    /// The value for a request to `provider`; `None` if it belongs to another.
    pub fn for_provider(opaque: Option<&Self>, provider: Provider) -> Option<&Value> {
        opaque.filter(|opaque| opaque.provider == provider).map(|opaque| &opaque.value)
    }
}
