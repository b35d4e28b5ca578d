//! A conversation in neutral words: no protocol's names, no provider's shapes.
//!
//! The rule that each call has its result, and each result its call, is in the types: a [`Call`]
//! holds its result. What a provider must get back to go on is an [`Opaque`], which only that
//! provider ever sees again.

use serde_json::{Map, Value};

use crate::id::Provider;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user said, or the program in the user's place.
    User(Vec<Content>),
    /// One answer of a model, with the results of its calls.
    Answer(Vec<Part>),
}

/// A piece of what the user said.
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

/// A piece of a model's answer. In a conversation a call is a [`Call`] with its result; in an answer
/// that just came it is one that waits for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<C = Call> {
    /// Text for the user.
    Text {
        /// The text; it may be empty beside an [`Opaque`].
        text: String,
        /// What the provider wants back with this very piece.
        opaque: Option<Opaque>,
    },
    /// What the model thought. Other providers than its own never get it.
    Reasoning {
        /// The part that may be shown; it may be empty.
        shown: String,
        /// What the provider wants back.
        opaque: Option<Opaque>,
    },
    /// A call of a tool.
    Call(C),
}

/// A call of a tool, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's id, or one that was made for it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; empty if what came was no JSON object, because a provider answers 400 to
    /// broken arguments in a history.
    pub arguments: Map<String, Value>,
    /// What the provider wants back with the call.
    pub opaque: Option<Opaque>,
    /// What came of it.
    pub result: CallResult,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// The tool's words.
    Done(String),
    /// Why the tool failed, was denied or was interrupted.
    Failed(String),
}

impl CallResult {
    /// The words for the model.
    pub fn text(&self) -> &str {
        match self {
            Self::Done(text) | Self::Failed(text) => text,
        }
    }

    /// The call did not do what it should.
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// What one provider must get back unchanged: a signed thinking block, a thought signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// Whose it is. A request to another provider leaves it out.
    pub provider: Provider,
    /// The value, as it came.
    pub value: Value,
}

impl Opaque {
    /// The value for a request to `provider`; none if it is another's.
    pub fn for_provider(opaque: Option<&Self>, provider: Provider) -> Option<&Value> {
        opaque.filter(|opaque| opaque.provider == provider).map(|opaque| &opaque.value)
    }
}
