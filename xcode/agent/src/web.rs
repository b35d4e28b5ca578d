//! The web: `webFetch` and `webSearch`. This room alone reaches a network beside the provider's.
//!
//! What is fetched is judged before (`permit`); here every address that a name has is checked, and the connection goes
//! to the one that was.

mod client;
mod fetch;
mod fetch_tool;
mod quote;
mod search_tool;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use redact::Redactor;
use url::Url;

pub use client::{Network, SystemNetwork};

use self::fetch::Fetcher;
use self::fetch_tool::WebFetch;
use self::search_tool::{SEARCH, WebSearch};
use crate::knowledge::Language;
use crate::known_hosts::KnownHosts;
use crate::tool::Tool;

/// How the web is reached.
#[derive(Clone)]
pub struct Web {
    /// Looks names up and makes connections.
    pub network: Arc<dyn Network>,
    /// Hosts that may be fetched from without a question; those that a search finds are added.
    pub known: KnownHosts,
    /// How long a page or a search may take.
    pub timeout: Duration,
    /// The longest text of a page that is read, unpacked, in bytes.
    pub max_bytes: usize,
    /// Knows the keys.
    pub redactor: Redactor,
    /// The key of the search.
    pub search_key: Option<String>,
    /// The language in which a missing key is told.
    pub language: Language,
}

/// The tools `webFetch` and `webSearch`. A key of the wrong form counts as no key.
#[must_use]
pub fn web_tools(web: Web) -> Vec<Arc<dyn Tool>> {
    let Web { network, known, timeout, max_bytes, redactor, search_key, language } = web;
    let key = search_key.and_then(|key| {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.trim())).ok()?;
        value.set_sensitive(true);
        Some(value)
    });
    let fetcher = Fetcher { network, known, timeout, max_bytes };
    let fetch = WebFetch { fetcher: fetcher.clone(), redactor: redactor.clone() };
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if let Ok(server) = Url::parse(SEARCH) {
        tools.push(Arc::new(WebSearch { fetcher, redactor, key, server, language }));
    }
    tools.push(Arc::new(fetch));
    tools
}
