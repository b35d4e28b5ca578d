//! Reads a request body: checks its type and size, parses it and validates it against the contract.

use std::time::Duration;

use axum::body::Body;
use contract::failure::{Failure, FailureCode};
use contract::input::InputFault;
use contract::limits::BODY_MAX_BYTES;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};

use crate::http::access::only;
use crate::http::failure::Rejection;

/// Memory for all bodies in flight, in KiB: enough for 42 of the largest, while small
/// ones hardly wait. Bounds the memory that callers with a token can occupy.
pub(super) const BUDGET_KIB: usize = 32 * 1024;

/// Maximum pause within a body. On loopback a body arrives in milliseconds.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// Maximum time for a whole body, the wait for memory included: 768 KiB at 50 KiB/s, a
/// slow line behind a tunnel.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Reads and validates the body.
///
/// # Errors
/// `unsupported_media_type`, `body_too_large`, `invalid_json` (also for a body that did not arrive
/// in time, because it is incomplete JSON), `contract_violation`, `overloaded` if the memory for bodies is used up.
pub(super) async fn read<T>(
    headers: &HeaderMap,
    body: Body,
    budget: &Semaphore,
    parse: impl FnOnce(&[u8]) -> Result<T, InputFault>,
) -> Result<T, Rejection> {
    check_type(headers)?;
    let declared = check_declared_size(headers)?;
    let deadline = Instant::now() + BODY_TIMEOUT;
    let _memory = reserve(budget, declared.unwrap_or(BODY_MAX_BYTES), deadline).await?;
    let bytes = collect(body, declared, deadline).await?;
    parse(&bytes).map_err(refuse)
}

fn refuse(fault: InputFault) -> Rejection {
    let message = fault.to_string();
    match fault {
        InputFault::InvalidJson { .. } => Rejection::new(FailureCode::InvalidJson, message),
        InputFault::Violations(violations) => {
            Failure::new(FailureCode::ContractViolation, message).with_details(violations).into()
        }
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Rejection> {
    let is_json = only(headers, &CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(is_json_type);
    if !is_json {
        return Err(Rejection::new(
            FailureCode::UnsupportedMediaType,
            "send `content-type: application/json`, in UTF-8",
        ));
    }
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(Rejection::new(
            FailureCode::UnsupportedMediaType,
            "send the body as it is, without a content-encoding",
        ));
    }
    Ok(())
}

fn is_json_type(value: &str) -> bool {
    let mut parts = value.split(';').map(str::trim);
    parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            // Other parameters have no meaning for JSON (RFC 8259, section 11).
            _ => true,
        })
}

/// The declared size; `None` for a chunked body.
fn check_declared_size(headers: &HeaderMap) -> Result<Option<usize>, Rejection> {
    let Some(declared) = only(headers, &CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok())
    else {
        return Ok(None);
    };
    usize::try_from(declared)
        .ok()
        .filter(|size| *size <= BODY_MAX_BYTES)
        .map(Some)
        .ok_or_else(|| too_large(&format!("the body has {declared} bytes")))
}

fn too_large(what: &str) -> Rejection {
    Rejection::new(
        FailureCode::BodyTooLarge,
        format!("{what}; at most {BODY_MAX_BYTES} are accepted: shorten `context`, or the prompt"),
    )
}

async fn reserve(
    budget: &Semaphore,
    bytes: usize,
    deadline: Instant,
) -> Result<SemaphorePermit<'_>, Rejection> {
    let kib = u32::try_from(bytes.div_ceil(1024)).expect("a body is below 4 TiB: checked above");
    match timeout_at(deadline, budget.acquire_many(kib)).await {
        Ok(permit) => Ok(permit.expect("the budget is never closed")),
        Err(_) => Err(Rejection::new(
            FailureCode::Overloaded,
            "too many large requests arrive at once; ask again",
        )),
    }
}

/// Reads the body's bytes within the limits of size, pause and time.
async fn collect(
    mut body: Body,
    declared: Option<usize>,
    deadline: Instant,
) -> Result<Vec<u8>, Rejection> {
    let mut bytes = Vec::with_capacity(declared.unwrap_or(0));
    loop {
        let next = timeout_at(deadline, timeout(SILENCE_MAX, body.frame())).await;
        let Ok(Ok(frame)) = next else {
            return Err(Rejection::new(
                FailureCode::InvalidJson,
                format!(
                    "the body stopped after {} bytes; send it whole and ask again",
                    bytes.len()
                ),
            ));
        };
        let Some(frame) = frame else { return Ok(bytes) };
        let frame = frame.map_err(|_| {
            Rejection::new(FailureCode::InvalidJson, "the body's framing is broken or it was cut")
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > BODY_MAX_BYTES {
            return Err(too_large(&format!("the body has more than {BODY_MAX_BYTES} bytes")));
        }
        bytes.extend_from_slice(&data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_in_utf_8_is_json() {
        for good in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json; profile=x",
        ] {
            assert!(is_json_type(good), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/jsonx",
            "application/json, text/plain",
            "application/ld+json",
            "application/json; charset=latin1",
            "multipart/form-data; boundary=application/json",
        ] {
            assert!(!is_json_type(bad), "{bad}");
        }
    }
}
