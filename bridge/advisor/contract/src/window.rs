//! What the daemon answers to a program that opens the pages in a browser, or closes them.

use serde::{Deserialize, Serialize};

/// What `POST /window/links` answers: a link that signs one browser in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLink {
    /// The link under the window's own host name.
    pub url: String,
    /// The same under the daemon's address, for a browser that does not resolve that name. Other servers
    /// of the machine may get the cookie then.
    pub address: String,
    /// How long it can be used, in milliseconds.
    pub expires_in_ms: u64,
}

/// What `DELETE /window/links` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowsClosed {
    /// Browsers that were signed in, and are not any more.
    pub closed: u64,
}
