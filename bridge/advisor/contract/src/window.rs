//! The daemon's responses to a program that opens the pages in a browser, or closes them.

use serde::{Deserialize, Serialize};

/// The response of `POST /window/links`: a link that signs in one browser, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLink {
    /// The link with the pages' own host name.
    pub url: String,
    /// The same with the daemon's address, for a browser that does not resolve that name. Other servers
    /// on the machine may then get the cookie.
    pub address: String,
    /// Lifetime of the link, in milliseconds.
    pub expires_in_ms: u64,
}

/// The response of `DELETE /window/links`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowsClosed {
    /// Number of browsers that were signed out.
    pub closed: u64,
}
