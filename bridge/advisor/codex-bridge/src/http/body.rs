//! One request body, from its declared type to a request that keeps the contract.

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

/// Memory that bodies in flight may take together, in KiB: 42 of the largest at once, while small
/// ones, which are the rule, hardly wait. It bounds what callers with a token can make us hold.
pub(super) const BUDGET_KIB: usize = 32 * 1024;

/// Longest silence inside a body. On loopback a body arrives in milliseconds.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// Longest time for a whole body, the wait for memory included: 768 KiB at 50 KiB/s, which is a
/// poor line behind a tunnel.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Reads the body and has it checked.
///
/// # Errors
/// `unsupported_media_type`, `body_too_large`, `invalid_json` (also for a body that did not arrive
/// in time: what has arrived is not JSON either), `contract_violation`, `overloaded` where the memory for bodies is taken.
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

/// The size the caller declared; absent for a chunked body.
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

/// The body's bytes, bounded in size, in silence and in time.
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
