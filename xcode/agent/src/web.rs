//! The web tools `webFetch` and `webSearch`. Only this module has network access besides that to providers.
//!
//! A fetch is judged before (`permit`); here every address of the name is checked, and the connection goes
//! to the checked address.

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

/// The access to the web.
#[derive(Clone)]
pub struct Web {
    /// Resolves names and makes connections.
    pub network: Arc<dyn Network>,
    /// Hosts that may be fetched from without a question; hosts found by a search are added.
    pub known: KnownHosts,
    /// How long a page or a search may take.
    pub timeout: Duration,
    /// The longest text of a page that is read, in bytes after decompression.
    pub max_bytes: usize,
    /// Masks the keys.
    pub redactor: Redactor,
    /// The key of the search.
    pub search_key: Option<String>,
    /// The language of the message about a missing key.
    pub language: Language,
}

/// The tools `webFetch` and `webSearch`. A malformed key counts as none.
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
