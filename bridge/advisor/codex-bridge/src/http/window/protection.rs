//! The security headers of a page: no foreign content, no framing, no referrer to foreign sites.

use http::HeaderValue;
use http::header::{
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS,
};

/// Only content from the daemon itself, and no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers to a response. With `no-referrer` a browser would send forms with the Origin
/// `null`, which is refused (measured with Chromium).
pub(crate) fn protect(headers: &mut HeaderMap) {
    let own = HeaderValue::from_static("same-origin");
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, own.clone());
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), own.clone());
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), own);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}
