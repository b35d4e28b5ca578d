//! The settings of web access.

use std::time::Duration;

use super::fields::Fields;
use super::source::Sourced;

/// The settings of `webFetch`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WebConfig {
    /// Hosts that are fetched from without asking.
    pub(crate) allow: Sourced<Vec<String>>,
    /// How long a page or a search may take.
    pub(crate) timeout: Sourced<Duration>,
    /// The longest text that is read, in bytes after decompression.
    pub(crate) max_bytes: Sourced<u64>,
}

/// The values in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InFile {
    pub(super) allow: Option<Vec<String>>,
    timeout_ms: Option<u64>,
    max_bytes: Option<u64>,
}

impl InFile {
    /// Reads `webFetch`.
    pub(super) fn read(top: &mut Fields<'_>) -> Self {
        let mut inner = top.object("webFetch");
        let read = Self {
            allow: inner.texts("allow"),
            timeout_ms: inner.whole("timeoutMs", 1..=600_000),
            max_bytes: inner.whole("maxBytes", 1..=100_000_000),
        };
        inner.finish();
        read
    }
}

impl WebConfig {
    /// The file's values, else the defaults.
    pub(super) fn of(file: InFile) -> Self {
        let timeout = file.timeout_ms.map(Duration::from_millis);
        Self {
            allow: Sourced::or_default(file.allow, Vec::new()),
            timeout: Sourced::or_default(timeout, Duration::from_secs(30)),
            max_bytes: Sourced::or_default(file.max_bytes, 5 << 20),
        }
    }
}
