//! Idempotency keys: a request that is sent twice with the same key starts one run.

use std::hash::{DefaultHasher, Hash, Hasher};

use uuid::Uuid;

use crate::input::AdvisorInput;

/// Maximum length of a key, in bytes.
const MAX_BYTES: usize = 255;

/// A caller's key for a request: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A key for one call: a unique part, so that the same question asked again later is another run,
    /// and a hash of the question, so that a person can tell keys apart.
    #[must_use]
    pub fn fresh(input: &AdvisorInput) -> Self {
        // The hash is only a label; the UUID makes the key unique.
        let mut hasher = DefaultHasher::new();
        serde_json::to_vec(input).unwrap_or_default().hash(&mut hasher);
        Self(format!("{}-{:016x}", Uuid::now_v7(), hasher.finish()))
    }

    /// The key, if it is well-formed.
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
