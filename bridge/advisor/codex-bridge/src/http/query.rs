//! Query parameters, parsed strictly: all faults are reported together.

use std::time::Duration;

use axum::extract::Query;
use contract::failure::{Failure, FailureCode, Violation};
use contract::limits::TIMEOUT_MAX_MS;
use contract::run::RunState;
use http::Uri;

use crate::http::failure::Rejection;
use crate::request::RunFilter;

/// Maximum number of runs on one page.
const PAGE_MAX: u16 = 200;

/// Maximum wait of a long poll: the longest deadline of a run.
const WAIT_MAX: Duration = Duration::from_millis(TIMEOUT_MAX_MS);

/// The filter of `GET /runs`.
///
/// # Errors
/// `contract_violation` with every fault.
pub(super) fn filter(query: Option<&str>) -> Result<RunFilter, Rejection> {
    let mut faults = Faults::default();
    let mut filter = RunFilter::default();
    for (name, value) in faults.pairs(query) {
        match name.as_str() {
            "state" => {
                filter.state = value.parse().ok();
                let known: Vec<_> = RunState::ALL.iter().map(|state| state.as_str()).collect();
                let expected = format!("expected one of {}", known.join(", "));
                faults.require(filter.state.is_some(), &name, &expected);
            }
            "code" => {
                filter.code = value.parse().ok();
                faults.require(filter.code.is_some(), &name, "expected a failure's code");
            }
            "session_id" => {
                filter.session_id = value.parse().ok();
                faults.require(filter.session_id.is_some(), &name, "expected a session's UUID");
            }
            "before" => {
                filter.before = value.parse().ok();
                faults.require(filter.before.is_some(), &name, "expected a run's UUID");
            }
            "limit" => {
                filter.limit = number(&value)
                    .and_then(|limit| u16::try_from(limit).ok())
                    .filter(|limit| (1..=PAGE_MAX).contains(limit));
                let expected = format!("expected a whole number from 1 to {PAGE_MAX}");
                faults.require(filter.limit.is_some(), &name, &expected);
            }
            _ => faults.unknown(&name, "state, code, session_id, before, limit"),
        }
    }
    faults.into_result(filter)
}

/// The wait of `GET /runs/{id}`, capped at the longest deadline of a run.
///
/// # Errors
/// `contract_violation` with every fault.
pub(super) fn wait(query: Option<&str>) -> Result<Duration, Rejection> {
    let mut faults = Faults::default();
    let mut wait = Duration::ZERO;
    for (name, value) in faults.pairs(query) {
        match name.as_str() {
            "wait" => {
                let seconds = number(&value);
                faults.require(seconds.is_some(), &name, "expected a whole number of seconds");
                wait = Duration::from_secs(seconds.unwrap_or(0)).min(WAIT_MAX);
            }
            _ => faults.unknown(&name, "wait"),
        }
    }
    faults.into_result(wait)
}

/// The pairs of a query, or of a form's body, which has the same encoding; `None` if malformed.
pub(super) fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let uri = Uri::builder().path_and_query(format!("/?{text}")).build().ok()?;
    Query::<Vec<(String, String)>>::try_from_uri(&uri).ok().map(|Query(pairs)| pairs)
}

/// Digits only: `u64::from_str` also takes a plus sign.
fn number(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// The faults found so far.
#[derive(Default)]
struct Faults(Vec<Violation>);

impl Faults {
    /// Name and value of each parameter that occurs exactly once.
    fn pairs(&mut self, query: Option<&str>) -> Vec<(String, String)> {
        let Some(pairs) = pairs(query.unwrap_or_default()) else {
            self.push("/query", "expected name=value pairs in percent encoding", None);
            return Vec::new();
        };
        let mut single: Vec<(String, String)> = Vec::new();
        for (name, value) in pairs {
            if single.iter().any(|(known, _)| *known == name) {
                self.push(&pointer(&name), "given more than once", None);
            } else {
                single.push((name, value));
            }
        }
        single
    }

    fn require(&mut self, holds: bool, name: &str, expected: &str) {
        if !holds {
            self.push(&pointer(name), expected, None);
        }
    }

    fn unknown(&mut self, name: &str, known: &str) {
        self.push(&pointer(name), "no such parameter", Some(format!("there is {known}")));
    }

    fn push(&mut self, path: &str, message: &str, hint: Option<String>) {
        self.0.push(Violation { path: path.to_owned(), message: message.to_owned(), hint });
    }

    fn into_result<T>(self, value: T) -> Result<T, Rejection> {
        if self.0.is_empty() {
            return Ok(value);
        }
        Err(Failure::new(FailureCode::ContractViolation, "the query breaks the contract")
            .with_details(self.0)
            .into())
    }
}

/// A JSON Pointer below `/query`, its name truncated to limit what a caller can have echoed.
fn pointer(name: &str) -> String {
    let name: String = name.chars().take(80).collect();
    format!("/query/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_good_filter_is_read_whole() {
        let id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        let query = format!("state=failed&code=timeout&session_id={id}&before={id}&limit=200");
        let filter = filter(Some(&query)).unwrap();
        assert_eq!(
            filter,
            RunFilter {
                state: Some(RunState::Failed),
                code: Some(FailureCode::Timeout),
                session_id: Some(id.parse().unwrap()),
                before: Some(id.parse().unwrap()),
                limit: Some(200),
                kind: None,
                workspace: None,
            }
        );
        assert_eq!(super::filter(None).unwrap(), RunFilter::default());
    }

    #[test]
    fn every_fault_is_reported() {
        let query = "state=done&code=x&session_id=1&before=2&limit=0&limit=7&stat~e/=1";
        let rejection = filter(Some(query)).unwrap_err();
        let lines: String = rejection
            .failure()
            .error
            .details
            .iter()
            .map(|fault| {
                let hint = fault.hint.as_deref().unwrap_or("-");
                format!("{}: {} ({hint})\n", fault.path, fault.message)
            })
            .collect();
        expect![[r#"
            /query/limit: given more than once (-)
            /query/state: expected one of queued, running, succeeded, failed, cancelled, interrupted (-)
            /query/code: expected a failure's code (-)
            /query/session_id: expected a session's UUID (-)
            /query/before: expected a run's UUID (-)
            /query/limit: expected a whole number from 1 to 200 (-)
            /query/stat~0e~1: no such parameter (there is state, code, session_id, before, limit)
        "#]].assert_eq(&lines);
    }

    #[test]
    fn a_wait_is_whole_seconds_and_capped() {
        for (query, seconds) in [
            ("", 0),
            ("wait=0", 0),
            ("wait=7", 7),
            ("wait=590", 590),
            ("wait=99999999999999999999", 590),
        ] {
            assert_eq!(wait(Some(query)).unwrap(), Duration::from_secs(seconds), "{query}");
        }
        for bad in
            ["wait=", "wait=-1", "wait=%2B1", "wait=0.5", "wait=1&wait=1", "for=1", "wait=%ff"]
        {
            assert!(wait(Some(bad)).is_err(), "{bad}");
        }
    }
}
