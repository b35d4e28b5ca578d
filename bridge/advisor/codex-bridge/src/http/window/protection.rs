//! The headers that keep a page to itself: nothing foreign runs in it, frames it, or hears of it.

use http::HeaderValue;
use http::header::{
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS,
};

/// Everything is the daemon's own, and nothing stands inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds them to the head of an answer. With `no-referrer` a browser would send forms with the Origin
/// `null`, which is refused (measured with Chromium).
pub(crate) fn protect(headers: &mut HeaderMap) {
    let own = HeaderValue::from_static("same-origin");
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, own.clone());
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), own.clone());
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), own);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}
