//! Properties of a page request: its language, and whether HTML is wanted. Also the layer that renders
//! a rejection as a page for browsers.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, SET_COOKIE};
use http::{HeaderValue, Method, StatusCode, Uri};
use jiff::Timestamp;
use window::view::{Refusal, Refused};
use window::{Frame, Lang, Viewer, Waiting};

use super::accepted::wants_page;
use super::cookies;
use super::session::Session;
use super::state::Pages;
use crate::config::Secret;
use crate::http::query;

/// The type of every page.
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Maximum length of `Accept-Language` that is read, in bytes.
const LANGUAGES_MAX_BYTES: usize = 256;

/// The language and path of a page request; an extension of every page request.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) lang: Lang,
    /// Path and query of the request.
    path: String,
}

impl Visitor {
    fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let lang = asked_language(uri).or_else(|| cookies::language(headers));
        let accepted = || {
            let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
            Lang::accepted(header.filter(|it| it.len() <= LANGUAGES_MAX_BYTES).unwrap_or_default())
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Self { lang: lang.unwrap_or_else(accepted), path }
    }

    /// The same visitor with another path.
    pub(super) fn at(self, path: String) -> Self {
        Self { path, ..self }
    }

    /// A page for a signed-in browser.
    pub(super) fn page(
        &self,
        pages: &Pages,
        session: &Session,
        html: impl FnOnce(&Frame<'_>) -> String,
    ) -> Response {
        self.framed(pages, Viewer::User, &session.cookie, &session.waits.projects, html)
    }

    /// A page for a browser that is not signed in. The tokens of its forms are derived from `secret`.
    pub(super) fn guest_page(
        &self,
        pages: &Pages,
        secret: &Secret,
        html: impl FnOnce(&Frame<'_>) -> String,
    ) -> Response {
        self.framed(pages, Viewer::Guest, secret, &[], html)
    }

    fn framed(
        &self,
        pages: &Pages,
        viewer: Viewer,
        secret: &Secret,
        waits: &[Waiting],
        html: impl FnOnce(&Frame<'_>) -> String,
    ) -> Response {
        let form_token = |path: &str| pages.window.sign_in.form_token(secret.expose(), path);
        let frame = Frame {
            lang: self.lang,
            path: &self.path,
            now_ms: Timestamp::now().as_millisecond(),
            viewer,
            waits,
            form_token: &form_token,
        };
        ([(CONTENT_TYPE, HTML)], html(&frame)).into_response()
    }
}

/// The language in the query.
fn asked_language(uri: &Uri) -> Option<Lang> {
    let pairs = query::pairs(uri.query()?)?;
    pairs.into_iter().find(|(name, _)| name == "lang").and_then(|(_, tag)| Lang::from_tag(&tag))
}

/// Outermost layer of the pages: determines the visitor, stores a chosen language, and renders a
/// rejection as a page if a page was requested.
pub(super) async fn shown(
    State(pages): State<Arc<Pages>>,
    mut request: Request,
    next: Next,
) -> Response {
    let visitor = Visitor::of(request.uri(), request.headers());
    let asked = asked_language(request.uri()).filter(|_| request.method() == Method::GET);
    let is_page = wants_page(request.headers());
    request.extensions_mut().insert(visitor.clone());
    let mut response = next.run(request).await;
    if let Some(code) = response.extensions().get::<FailureCode>().copied()
        && is_page
    {
        let why = response.extensions().get::<Refusal>().copied();
        let why = why.unwrap_or_else(|| refusal(code, response.status()));
        let none = Secret::new(String::new());
        let page = visitor.guest_page(&pages, &none, |frame| Refused { why }.html(frame));
        *response.body_mut() = page.into_body();
        response.headers_mut().insert(CONTENT_TYPE, HTML);
    } else if let Some(lang) = asked
        && response.status() == StatusCode::OK
    {
        response.headers_mut().append(SET_COOKIE, cookies::keep_language(lang));
    }
    response
}

/// Content of the page for a failure.
fn refusal(code: FailureCode, status: StatusCode) -> Refusal {
    match code {
        FailureCode::Unauthorized => Refusal::SignIn,
        FailureCode::Overloaded => Refusal::TooMany,
        FailureCode::NotFound | FailureCode::UnknownSession => Refusal::NotFound,
        _ if status.is_client_error() => Refusal::Forbidden,
        _ => Refusal::Fault,
    }
}
