//! Which project a request speaks for, and what it so may see.
//!
//! The header is no secret: every caller with the token can leave it out. It keeps apart what callers that
//! always send it may see, such as the advisor's command under a model's hands.

use contract::workspace::{WORKSPACE_HEADER, Workspace};
use http::header::{HeaderMap, HeaderName};

use crate::http::access::only;
use crate::http::analyze::header_violation;
use crate::http::failure::Rejection;

/// The project of the request; `None` where it names none, and so sees all.
///
/// # Errors
/// `contract_violation` where the header is there twice, or holds no path.
pub(super) fn workspace(headers: &HeaderMap) -> Result<Option<Workspace>, Rejection> {
    let name = HeaderName::from_static(WORKSPACE_HEADER);
    if !headers.contains_key(&name) {
        return Ok(None);
    }
    let value = only(headers, &name).and_then(|value| value.to_str().ok());
    value.and_then(Workspace::decode).map(Some).ok_or_else(|| {
        header_violation(
            "/header/codex-bridge-workspace",
            "expected the absolute path of a folder, once, in percent encoding",
            "leave the header out to see the runs of every project",
        )
    })
}
