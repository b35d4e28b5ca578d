//! Inputs of a protocol's body: the target model, and the parts of an answer.

use crate::catalogue::{Limits, Quirks};
use crate::id::ModelId;
use crate::message::{Call, Part};

/// The model for which a body is built.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    pub(crate) id: ModelId,
    /// Deviations of its provider.
    pub(crate) quirks: Quirks,
    /// Its limits.
    pub(crate) limits: Limits,
}

/// The id of the call at `place` of a message at `at`, in a form that every provider accepts:
/// letters, digits, `_` and `-`, at most 40. Other ids are replaced by their position.
pub(super) fn plain_id(id: &str, at: usize, place: usize) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !id.is_empty() && id.len() <= 40 && id.bytes().all(is_plain) {
        id.to_owned()
    } else {
        format!("call_{at}_{place}")
    }
}

/// The calls among `parts`.
pub(super) fn calls(parts: &[Part]) -> impl Iterator<Item = &Call> {
    parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        Part::Text { .. } | Part::Reasoning { .. } => None,
    })
}

/// The text among `parts`, joined.
pub(super) fn text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(&**text),
        Part::Call(_) | Part::Reasoning { .. } => None,
    });
    texts.collect()
}
