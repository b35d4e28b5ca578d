//! The project of a request, which limits the runs it can see.
//!
//! The header is not a security boundary: every caller with the token can omit it. It separates the projects of
//! callers that always send it, such as the advisor's command run by a model.

use contract::workspace::{WORKSPACE_HEADER, Workspace};
use http::header::{HeaderMap, HeaderName};

use crate::http::access::only;
use crate::http::analyze::header_violation;
use crate::http::failure::Rejection;

/// The project of the request; `None` if the header is absent, which allows all projects.
///
/// # Errors
/// `contract_violation` if the header occurs twice or does not contain a path.
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
