//! Access checks: a request has to come from this machine's own programs and carry the bearer token.
//!
//! A web page can reach a loopback port through the user's browser. It cannot set the token, it
//! cannot remove its Origin from a cross-site request, and after DNS rebinding the attacker's host name stays
//! in Host. So all three are checked, in the order Host, Origin, token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use contract::failure::FailureCode;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use http::uri::Authority;
use http::{HeaderValue, Uri};
use subtle::ConstantTimeEq;

use crate::config::Secret;
use crate::http::failure::Rejection;
use crate::http::shares::Proof;
use crate::http::state::AppState;
use crate::token::{Rights, Tokens};
use crate::window::name::WindowName;

/// Browsers set it; a page cannot forge it (W3C Fetch Metadata).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Which values of `Host` are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// `localhost` and loopback addresses.
    Loopback,
    /// `localhost` and any numeric address: for an operator who listens on more than
    /// loopback. Other names are still refused, because DNS rebinding needs one.
    AnyAddress,
}

/// What a request must present.
#[derive(Debug, Clone)]
pub struct Access {
    tokens: Tokens,
    hosts: Hosts,
    /// The host name of the pages, accepted besides `hosts`.
    window: Option<WindowName>,
}

impl Access {
    /// Access for callers with one of `tokens`. An empty token admits no caller.
    #[must_use]
    pub fn new(tokens: Tokens, hosts: Hosts) -> Self {
        Self { tokens, hosts, window: None }
    }

    /// The same, with the pages' host name accepted as well.
    #[must_use]
    pub fn with_window(self, name: WindowName) -> Self {
        Self { window: Some(name), ..self }
    }

    /// Checks that the request comes from this machine and not from a foreign page.
    pub(super) fn check_place(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Rejection> {
        let forbidden = |message: &str| Rejection::new(FailureCode::Forbidden, message);
        if uri.authority().is_some() {
            return Err(forbidden("ask with the path alone, not with a whole URL"));
        }
        let host = only(headers, &HOST)
            .ok_or_else(|| forbidden("send exactly one Host header, such as 127.0.0.1:4517"))?;
        if !self.knows(host) {
            return Err(forbidden("this Host is not ours; use 127.0.0.1, [::1] or localhost"));
        }
        if headers.contains_key(ORIGIN)
            && !only(headers, &ORIGIN).is_some_and(|origin| is_own_origin(origin, host))
        {
            return Err(forbidden("requests from web pages of another origin are refused"));
        }
        if headers
            .get_all(SEC_FETCH_SITE)
            .iter()
            .any(|site| site != "none" && site != "same-origin")
        {
            return Err(forbidden("requests from web pages of another site are refused"));
        }
        Ok(())
    }

    fn knows(&self, host: &HeaderValue) -> bool {
        let Some(authority) = host
            .to_str()
            .ok()
            .filter(|text| !text.contains('@'))
            .and_then(|text| text.parse::<Authority>().ok())
            .filter(has_sane_port)
        else {
            return false;
        };
        let name = authority.host();
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("localhost") || self.window.as_ref().is_some_and(|window| is(window.as_str())) {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        match (bare.parse::<IpAddr>(), self.hosts) {
            (Ok(address), Hosts::Loopback) => address.to_canonical().is_loopback(),
            (Ok(_), Hosts::AnyAddress) => true,
            (Err(_), _) => false,
        }
    }

    /// The rights of the request's token, if they are at least `needed`. The token of `/orchestrate`
    /// is valid for every route.
    fn check_token(&self, headers: &HeaderMap, needed: Rights) -> Result<Rights, Rejection> {
        let given = only(headers, &AUTHORIZATION).and_then(bearer);
        let is = |token: &Secret| {
            let expected = token.expose().as_bytes();
            // The length may leak; the bytes may not.
            !expected.is_empty() && given.is_some_and(|given| bool::from(given.ct_eq(expected)))
        };
        match (is(&self.tokens.orchestrate), is(&self.tokens.advisor), needed) {
            (true, ..) => Ok(Rights::Orchestrate),
            (false, true, Rights::Advisor) => Ok(Rights::Advisor),
            (false, true, Rights::Orchestrate) => Err(too_few_rights()),
            (false, false, _) => Err(Rejection::new(
                FailureCode::Unauthorized,
                "send `Authorization: Bearer TOKEN`; `codex-bridge token` prints the token, and with \
                 `--path` the path of its file",
            )),
        }
    }
}

/// The rejection for the advisor's token where the token of `/orchestrate` is needed.
pub(super) fn too_few_rights() -> Rejection {
    Rejection::new(
        FailureCode::Forbidden,
        "the advisor's token is not good for turns of your own Codex; send the other one, which \
         `codex-bridge token --orchestrate` prints",
    )
}

/// Checks that a form was sent by one of our pages. Programs may omit these headers, browsers always send them.
pub(super) fn check_form_place(headers: &HeaderMap) -> Result<(), Rejection> {
    let is_ours = only(headers, &SEC_FETCH_SITE).is_some_and(|site| site == "same-origin");
    if is_ours && headers.contains_key(ORIGIN) {
        return Ok(());
    }
    Err(Rejection::new(FailureCode::Forbidden, "forms are taken from the daemon's own pages alone"))
}

/// Layer for routes without a token.
pub(super) async fn local(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    app.access.check_place(request.uri(), request.headers())?;
    Ok(next.run(request).await)
}

/// Layer for the advisor's routes.
pub(super) async fn authorized(
    app: State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    proven(app, request, next, Rights::Advisor).await
}

/// Layer for `/orchestrate`.
pub(super) async fn orchestrating(
    app: State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    proven(app, request, next, Rights::Orchestrate).await
}

async fn proven(
    State(app): State<Arc<AppState>>,
    mut request: Request,
    next: Next,
    needed: Rights,
) -> Result<Response, Rejection> {
    app.access.check_place(request.uri(), request.headers())?;
    let granted = app.access.check_token(request.headers(), needed)?;
    if let Some(place) = request.extensions().get::<Proof>() {
        place.proven();
    }
    request.extensions_mut().insert(granted);
    Ok(next.run(request).await)
}

/// The header's value, if the header occurs exactly once.
pub(super) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"Bearer ";
    let (scheme, token) = value.as_bytes().split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(token)
}

/// Whether the origin is this daemon, which serves plain HTTP only.
fn is_own_origin(origin: &HeaderValue, host: &HeaderValue) -> bool {
    origin
        .as_bytes()
        .strip_prefix(b"http://")
        .is_some_and(|rest| rest.eq_ignore_ascii_case(host.as_bytes()))
}

/// Checks the port: `Authority` accepts an empty port and one over 65535.
fn has_sane_port(authority: &Authority) -> bool {
    authority.as_str().len() == authority.host().len() || authority.port_u16().is_some()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn verdict(hosts: Hosts, uri: &str, pairs: &[(&'static str, &str)]) -> String {
        verdict_for(Rights::Advisor, hosts, uri, pairs)
    }

    #[test]
    fn the_windows_name_is_believed_and_no_other_like_it() {
        let folder = tempfile::tempdir().unwrap();
        let name = WindowName::ensure(folder.path()).unwrap();
        let bare = Access::new(tokens("right", "more"), Hosts::Loopback);
        let access = bare.clone().with_window(name.clone());
        let knows =
            |access: &Access, host: &str| access.knows(&HeaderValue::from_str(host).unwrap());
        let name = name.as_str();
        for known in [name.to_owned(), format!("{name}:4517"), name.to_uppercase()] {
            assert!(knows(&access, &known), "{known}");
            assert!(!knows(&bare, &known), "{known}");
        }
        for other in [
            format!("{name}."),
            format!("{name}:"),
            format!("x{name}"),
            format!("x.{name}"),
            format!("{name}.evil.example"),
            format!("a@{name}"),
            "cb-00000000.localhost".to_owned(),
            ".localhost".to_owned(),
        ] {
            assert!(!knows(&access, &other), "{other}");
        }
    }

    #[test]
    fn a_form_says_that_it_comes_from_a_page_of_ours() {
        let check = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            });
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(name, value);
            }
            check_form_place(&headers).is_ok()
        };
        let (origin, site) = (("origin", "http://a"), ("sec-fetch-site", "same-origin"));
        assert!(check(&[origin, site]));
        assert!(!check(&[origin]));
        assert!(!check(&[site]));
        assert!(!check(&[origin, site, site]));
        for other in ["none", "same-site", "cross-site", ""] {
            assert!(!check(&[origin, ("sec-fetch-site", other)]), "{other}");
        }
    }

    fn tokens(advisor: &str, orchestrate: &str) -> Tokens {
        let [advisor, orchestrate] = [advisor, orchestrate].map(|it| Secret::new(it.to_owned()));
        Tokens { advisor, orchestrate }
    }

    fn verdict_for(
        needed: Rights,
        hosts: Hosts,
        uri: &str,
        pairs: &[(&'static str, &str)],
    ) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let access = Access::new(tokens("right", "more"), hosts);
        match access
            .check_place(&uri.parse().unwrap(), &headers)
            .and_then(|()| access.check_token(&headers, needed))
        {
            Ok(_) => "welcome".to_owned(),
            Err(rejection) => rejection.failure().error.code.as_str().to_owned(),
        }
    }

    fn check_hosts(hosts: Hosts, expected: Expect) {
        let table: String = [
            "127.0.0.1:4517",
            "127.0.0.1",
            "127.8.9.10:1",
            "localhost:4517",
            "LOCALHOST",
            "[::1]:4517",
            "[::ffff:127.0.0.1]",
            "10.0.0.7:4517",
            "[2001:db8::1]:4517",
            "0.0.0.0:4517",
            "evil.example:4517",
            "localhost.evil.example",
            "localhost.",
            "127.0.0.1.evil.example",
            "user@127.0.0.1",
            "127.0.0.1:99999",
            "127.0.0.1:",
            "2130706433",
            "::1",
            "127.1",
            "",
        ]
        .iter()
        .map(|host| {
            let pairs = [("host", *host), ("authorization", "Bearer right")];
            format!("{host:?}: {}\n", verdict(hosts, "/runs", &pairs))
        })
        .collect();
        expected.assert_eq(&table);
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        check_hosts(
            Hosts::Loopback,
            expect![[r#"
            "127.0.0.1:4517": welcome
            "127.0.0.1": welcome
            "127.8.9.10:1": welcome
            "localhost:4517": welcome
            "LOCALHOST": welcome
            "[::1]:4517": welcome
            "[::ffff:127.0.0.1]": welcome
            "10.0.0.7:4517": forbidden
            "[2001:db8::1]:4517": forbidden
            "0.0.0.0:4517": forbidden
            "evil.example:4517": forbidden
            "localhost.evil.example": forbidden
            "localhost.": forbidden
            "127.0.0.1.evil.example": forbidden
            "user@127.0.0.1": forbidden
            "127.0.0.1:99999": forbidden
            "127.0.0.1:": forbidden
            "2130706433": forbidden
            "::1": forbidden
            "127.1": forbidden
            "": forbidden
        "#]],
        );
        check_hosts(
            Hosts::AnyAddress,
            expect![[r#"
            "127.0.0.1:4517": welcome
            "127.0.0.1": welcome
            "127.8.9.10:1": welcome
            "localhost:4517": welcome
            "LOCALHOST": welcome
            "[::1]:4517": welcome
            "[::ffff:127.0.0.1]": welcome
            "10.0.0.7:4517": welcome
            "[2001:db8::1]:4517": welcome
            "0.0.0.0:4517": welcome
            "evil.example:4517": forbidden
            "localhost.evil.example": forbidden
            "localhost.": forbidden
            "127.0.0.1.evil.example": forbidden
            "user@127.0.0.1": forbidden
            "127.0.0.1:99999": forbidden
            "127.0.0.1:": forbidden
            "2130706433": forbidden
            "::1": forbidden
            "127.1": forbidden
            "": forbidden
        "#]],
        );
    }

    #[test]
    fn the_place_is_checked_before_the_token() {
        let check = |uri: &str, pairs: &[(&'static str, &str)], expected: &str| {
            assert_eq!(verdict(Hosts::Loopback, uri, pairs), expected, "{uri} {pairs:?}");
        };
        let host = ("host", "127.0.0.1:4517");
        let token = ("authorization", "Bearer right");
        check("/runs", &[host, token], "welcome");
        check("/runs", &[host, ("authorization", "bearer right")], "welcome");
        check("/runs", &[host], "unauthorized");
        for wrong in ["Bearer wrong", "Bearer ", "Bearer", "right", "Basic right", "Bearer right "]
        {
            check("/runs", &[host, ("authorization", wrong)], "unauthorized");
        }
        check("/runs", &[host, token, token], "unauthorized");
        check("/runs", &[token], "forbidden");
        check("/runs", &[host, host, token], "forbidden");
        check("http://127.0.0.1:4517/runs", &[host, token], "forbidden");
        check("/runs", &[host, ("origin", "https://evil.example")], "forbidden");
        check("/runs", &[host, token, ("origin", "null")], "forbidden");
        check("/runs", &[host, token, ("origin", "http://127.0.0.1:4518")], "forbidden");
        check("/runs", &[host, token, ("origin", "http://127.0.0.1:4517")], "welcome");
        check("/runs", &[host, token, ("sec-fetch-site", "cross-site")], "forbidden");
        check("/runs", &[host, token, ("sec-fetch-site", "same-site")], "forbidden");
        check("/runs", &[host, token, ("sec-fetch-site", "same-origin")], "welcome");
        check("/runs", &[host, token, ("sec-fetch-site", "none")], "welcome");
    }

    #[test]
    fn an_empty_token_admits_nobody() {
        let access = Access::new(tokens("", ""), Hosts::Loopback);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer "))]);
        for needed in [Rights::Advisor, Rights::Orchestrate] {
            assert!(access.check_token(&headers, needed).is_err());
        }
    }

    #[test]
    fn a_turn_of_the_users_codex_takes_more_than_the_advisors_token() {
        let check = |needed: Rights, token: &str, expected: &str| {
            let pairs = [("host", "127.0.0.1:4517"), ("authorization", token)];
            let verdict = verdict_for(needed, Hosts::Loopback, "/orchestrate", &pairs);
            assert_eq!(verdict, expected, "{needed:?} {token}");
        };
        check(Rights::Orchestrate, "Bearer more", "welcome");
        check(Rights::Orchestrate, "Bearer right", "forbidden");
        check(Rights::Orchestrate, "Bearer wrong", "unauthorized");
        check(Rights::Advisor, "Bearer more", "welcome");
        check(Rights::Advisor, "Bearer right", "welcome");
    }
}
