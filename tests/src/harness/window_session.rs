//! A browser session, for tests that only read pages. Refusals are tested elsewhere.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};

use super::client::{Answer, Client, send};

/// More than any request takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The host name under which the pages are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowHost {
    /// The window's own.
    Name,
    /// The daemon's address.
    Address,
}

/// A session of the pages.
#[derive(Debug, Clone)]
pub struct WindowSession {
    http: reqwest::Client,
    address: String,
    host: String,
    cookie: String,
}

impl WindowSession {
    /// Signs in with a link that this client requests.
    ///
    /// # Errors
    /// The daemon serves no pages, or does not respond.
    pub async fn open(client: &Client, under: WindowHost) -> anyhow::Result<Self> {
        let link = send(client.request(Method::POST, "/window/links")).await?;
        let member = match under {
            WindowHost::Name => "url",
            WindowHost::Address => "address",
        };
        let url =
            link.body[member].as_str().with_context(|| format!("no link: {:#}", link.body))?;
        let rest = url.strip_prefix("http://").context("not over HTTP")?;
        let (host, code) = rest.split_once("/enter?code=").context("no code")?;
        let http = reqwest::Client::builder().redirect(Policy::none()).no_proxy().timeout(LIMIT);
        let http = http.pool_idle_timeout(Duration::from_secs(1)).build()?;
        let address = client.address().to_owned();
        let mut session = Self { http, address, host: host.to_owned(), cookie: String::new() };
        let page = session.get(&format!("/enter?code={code}")).await?;
        let page = page.body.as_str().unwrap_or_default();
        let token =
            page.split("name=\"token\" value=\"").nth(1).and_then(|it| it.split('"').next());
        let token = token.context("the page has no form")?;
        let entered = session.post("/enter", &format!("code={code}&token={token}")).await?;
        ensure!(entered.status == 303, "not signed in: {:#}", entered.body);
        let cookie = entered.header("set-cookie").and_then(|line| line.split(';').next());
        session.cookie = cookie.context("no cookie")?.to_owned();
        Ok(session)
    }

    /// The value of the session's `Cookie` header.
    #[must_use]
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// A request with the cookie.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("http://{}{path}", self.address));
        let request = request.header("host", &self.host).header("accept", "text/html");
        if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) }
    }

    /// `GET path`.
    ///
    /// # Errors
    /// There was no response.
    pub async fn get(&self, path: &str) -> reqwest::Result<Answer> {
        send(self.request(Method::GET, path)).await
    }

    /// Submits a form like a page of ours; `fields` is in the form encoding.
    ///
    /// # Errors
    /// There was no response.
    pub async fn post(&self, path: &str, fields: &str) -> reqwest::Result<Answer> {
        let request = self.request(Method::POST, path);
        let request = request
            .header("origin", format!("http://{}", self.host))
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded");
        send(request.body(fields.to_owned())).await
    }
}
