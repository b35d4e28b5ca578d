//! What a session knows from its beginning.

/// What a session knows from its beginning. It stays for the whole session.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// The end of the system prompt; empty where nothing is known.
    pub(crate) text: String,
}
