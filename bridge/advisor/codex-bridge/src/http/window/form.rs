//! Reads and checks the form of a page: origin, type, size and token.

use std::mem;
use std::time::Duration;

use axum::body::Body;
use contract::failure::FailureCode;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt as _, Limited};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::config::Secret;
use crate::http::access::{check_form_place, only};
use crate::http::failure::Rejection;
use crate::http::query;
use crate::window::sign_in::SignIn;

/// Maximum size of a form: two secrets and a passphrase in percent encoding, and a reserve.
const BODY_MAX_BYTES: usize = 4096;

/// Timeout for reading a form.
const BODY_TIMEOUT: Duration = Duration::from_secs(3);

/// Name of the field with the form's token.
const TOKEN: &str = "token";

/// The fields of a form.
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form sent by one of our pages.
    ///
    /// # Errors
    /// `forbidden` if another page may have sent it, `unsupported_media_type`, `body_too_large`, and
    /// `contract_violation` if it is malformed.
    pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Self, Rejection> {
        check_form_place(headers)?;
        let form = "application/x-www-form-urlencoded";
        let kind = only(headers, &CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.and_then(|value| value.split(';').next()).map(str::trim);
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case(form)) {
            let message = format!("send `content-type: {form}`");
            return Err(Rejection::new(FailureCode::UnsupportedMediaType, message));
        }
        let broken = |what: &str| Rejection::new(FailureCode::ContractViolation, what);
        let collected = timeout(BODY_TIMEOUT, Limited::new(body, BODY_MAX_BYTES).collect()).await;
        let collected = match collected {
            Ok(Ok(collected)) => collected.to_bytes(),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                let message = format!("the form has more than {BODY_MAX_BYTES} bytes");
                return Err(Rejection::new(FailureCode::BodyTooLarge, message));
            }
            Ok(Err(_)) | Err(_) => return Err(broken("the form did not arrive whole")),
        };
        let text = std::str::from_utf8(&collected).ok();
        let pairs = text.and_then(query::pairs).ok_or_else(|| broken("this is no form"))?;
        Ok(Self(pairs))
    }

    /// A field that occurs exactly once.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(known, _)| known == name);
        values.next().filter(|_| values.next().is_none()).map(|(_, value)| value.as_str())
    }

    /// Removes a field and returns it, so that no copy stays; empty unless it occurs exactly once.
    pub(super) fn take_secret(&mut self, name: &str) -> Zeroizing<String> {
        let is_named = |pair: &&mut (String, String)| pair.0 == name;
        let taken =
            self.0.iter_mut().filter(is_named).map(|pair| Zeroizing::new(mem::take(&mut pair.1)));
        let mut taken: Vec<Zeroizing<String>> = taken.collect();
        if taken.len() == 1 { taken.remove(0) } else { Zeroizing::default() }
    }

    /// Checks that the form's token belongs to this `secret` and `path`.
    ///
    /// # Errors
    /// `forbidden`.
    pub(super) fn check_token(
        &self,
        sign_in: &SignIn,
        secret: &Secret,
        path: &str,
    ) -> Result<(), Rejection> {
        let given = self.field(TOKEN).unwrap_or_default();
        if sign_in.is_form_token(given, secret.expose(), path) {
            return Ok(());
        }
        Err(Rejection::new(
            FailureCode::Forbidden,
            "this form is not of your session; load the page again",
        ))
    }
}
