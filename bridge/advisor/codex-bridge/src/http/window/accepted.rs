//! Whether the caller wants a page or JSON.

use http::header::{ACCEPT, HeaderMap};

/// Browsers accept HTML by name; programs do not, and get the failure as JSON.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let mut types = lines.flat_map(|line| line.split(','));
    types.any(|accepted| accepted.split(';').next().is_some_and(|it| it.trim() == "text/html"))
}
