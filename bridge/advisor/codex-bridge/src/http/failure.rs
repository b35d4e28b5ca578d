//! The one place where a failure code becomes an HTTP status.

use axum::Json;
use axum::response::{IntoResponse, Response};
use contract::failure::{Failure, FailureCode, Violation};
use http::{HeaderValue, StatusCode, header};

/// Nginx's status for "the client closed the request"; there is no registered one.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// A failure as an HTTP response.
#[derive(Debug)]
pub(super) struct Rejection {
    failure: Box<Failure>,
    status: StatusCode,
}

impl Rejection {
    pub(super) fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Failure::new(code, message).into()
    }

    /// The same rejection with masked details, which quote the caller's input.
    pub(super) fn masked(mut self, mask: impl Fn(Violation) -> Violation) -> Self {
        let details = std::mem::take(&mut self.failure.error.details);
        self.failure.error.details = details.into_iter().map(mask).collect();
        self
    }

    /// The failure, for tests.
    #[cfg(test)]
    pub(super) fn failure(&self) -> &Failure {
        &self.failure
    }
}

impl From<Failure> for Rejection {
    fn from(failure: Failure) -> Self {
        let status = status(failure.error.code);
        Self { failure: Box::new(failure), status }
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let code = self.failure.error.code;
        let known = self.failure.retry_after.map(|after| after.as_secs());
        let mut response = (self.status, Json(self.failure)).into_response();
        if let Some(seconds) = known.or_else(|| retry_after(code)) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if code == FailureCode::Unauthorized {
            let challenge = HeaderValue::from_static("Bearer realm=\"codex-bridge\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        // For the request's log line and counter.
        response.extensions_mut().insert(code);
        response
    }
}

/// The status of each code; its class depends on who has to act.
#[must_use]
pub fn status(code: FailureCode) -> StatusCode {
    use FailureCode as Code;
    match code {
        Code::InvalidJson => StatusCode::BAD_REQUEST,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::ContractViolation => StatusCode::UNPROCESSABLE_ENTITY,
        Code::UnknownSession | Code::NotFound => StatusCode::NOT_FOUND,
        Code::SessionExpired => StatusCode::GONE,
        Code::SessionBusy | Code::PhaseOrder | Code::RoundLimit | Code::IdempotencyConflict => {
            StatusCode::CONFLICT
        }
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::Overloaded
        | Code::Draining
        | Code::CodexNotFound
        | Code::CodexIncompatible
        | Code::CodexMisconfigured
        | Code::CodexHomeUnusable
        | Code::SpawnFailed
        // Made by the client itself; the daemon never returns it.
        | Code::BridgeUnreachable => StatusCode::SERVICE_UNAVAILABLE,
        Code::StoreFailed | Code::Interrupted | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Auth
        | Code::Quota
        | Code::RateLimited
        | Code::ContextLength
        | Code::ModelUnavailable
        | Code::UpstreamError
        | Code::Network
        | Code::BadRequest
        | Code::Refused
        | Code::BadOutput
        | Code::OutputLimit
        | Code::Crashed
        | Code::SessionLost => StatusCode::BAD_GATEWAY,
        Code::Timeout | Code::Stalled => StatusCode::GATEWAY_TIMEOUT,
        Code::Cancelled => StatusCode::from_u16(CLIENT_CLOSED_REQUEST)
            .expect("a number from 100 to 999 is a status code"),
    }
}

/// Seconds after which the same request may succeed, for transient failures.
#[must_use]
pub fn retry_after(code: FailureCode) -> Option<u64> {
    match code {
        // A queue of short runs moves in seconds.
        FailureCode::Overloaded => Some(2),
        // Longer than the default drain (8 s), after which a supervisor starts the next daemon.
        FailureCode::Draining => Some(10),
        // Providers count per minute.
        FailureCode::RateLimited => Some(60),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_code_has_its_status() {
        let table: String = FailureCode::ALL
            .iter()
            .map(|&code| {
                let retry = retry_after(code).map(|s| format!(" after {s} s")).unwrap_or_default();
                format!("{} {}{retry}\n", status(code).as_u16(), code.as_str())
            })
            .collect();
        expect![[r#"
            400 invalid_json
            415 unsupported_media_type
            413 body_too_large
            422 contract_violation
            404 unknown_session
            410 session_expired
            409 session_busy
            409 phase_order
            409 round_limit
            409 idempotency_conflict
            401 unauthorized
            403 forbidden
            404 not_found
            405 method_not_allowed
            503 overloaded after 2 s
            503 draining after 10 s
            503 codex_not_found
            503 codex_incompatible
            503 codex_misconfigured
            503 codex_home_unusable
            503 spawn_failed
            500 store_failed
            500 interrupted
            500 internal
            503 bridge_unreachable
            502 auth
            502 quota
            502 rate_limited after 60 s
            502 context_length
            502 model_unavailable
            502 upstream_error
            502 network
            502 bad_request
            502 refused
            502 bad_output
            502 output_limit
            502 crashed
            502 session_lost
            504 timeout
            504 stalled
            499 cancelled
        "#]]
        .assert_eq(&table);
    }
}
