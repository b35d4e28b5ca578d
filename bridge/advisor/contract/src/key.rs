//! The name of a request, so that sending it twice starts one run.

use std::hash::{DefaultHasher, Hash, Hasher};

use uuid::Uuid;

use crate::input::AdvisorInput;

/// Longest key, in bytes.
const MAX_BYTES: usize = 255;

/// A caller's name for a request: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A key for one call: a fresh part, so that the same question asked again later is another run,
    /// and a part of the question's content, so that a person can tell keys apart.
    #[must_use]
    pub fn fresh(input: &AdvisorInput) -> Self {
        // The hash only labels; the UUID is what makes the key unique.
        let mut hasher = DefaultHasher::new();
        serde_json::to_vec(input).unwrap_or_default().hash(&mut hasher);
        Self(format!("{}-{:016x}", Uuid::now_v7(), hasher.finish()))
    }

    /// The key, if it has the right form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=MAX_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
