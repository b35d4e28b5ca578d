//! What these tests share: a daemon, and a browser as far as its requests go.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::harness::{Answer, Client, Daemon, DaemonBuilder, send};

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A daemon with the stand-in for Codex.
pub(crate) fn builder() -> DaemonBuilder {
    DaemonBuilder::with_fake_codex().unwrap()
}

/// The same, running.
pub(crate) async fn daemon() -> Daemon {
    builder().start().await.unwrap()
}

/// A question. The stand-in reads its mode from the problem: `fake-codex: MODE`.
pub(crate) fn question(problem: &str) -> Value {
    json!({
        "problem": problem,
        "context": "three services, one database",
        "candidate_plans": [{ "name": "outbox", "description": "Write, then publish." }],
        "phase": "initial",
    })
}

/// The id of a run that was answered.
pub(crate) async fn asked(daemon: &Daemon, problem: &str) -> String {
    let answer = daemon.client().analyze(&question(problem)).await.unwrap();
    answer.body["meta"]["run_id"].as_str().unwrap_or_else(|| panic!("{:#}", answer.body)).to_owned()
}

/// The id of a run that goes on.
pub(crate) async fn started(daemon: &Daemon, problem: &str) -> String {
    let answer = daemon.client().analyze_async(&question(problem)).await.unwrap();
    answer.body["run_id"].as_str().unwrap_or_else(|| panic!("{:#}", answer.body)).to_owned()
}

/// A link of the daemon, as a program with this client's token gets it.
pub(crate) async fn link(client: &Client) -> Link {
    let answer = send(client.request(Method::POST, "/window/links")).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    Link::read(&answer.body["url"])
}

/// A link in its parts.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// Name and port.
    pub(crate) host: String,
    pub(crate) code: String,
}

impl Link {
    pub(crate) fn read(url: &Value) -> Self {
        let rest = url.as_str().and_then(|url| url.strip_prefix("http://")).unwrap();
        let (host, code) = rest.split_once("/enter?code=").unwrap();
        Self { host: host.to_owned(), code: code.to_owned() }
    }
}

/// A browser: it says where it is and where its requests come from, and keeps one cookie.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    http: reqwest::Client,
    address: String,
    /// Name and port of the page that it is on.
    pub(crate) host: String,
    pub(crate) cookie: Option<String>,
}

impl Browser {
    pub(crate) fn new(daemon: &Daemon, host: &str) -> Self {
        let http = reqwest::Client::builder().redirect(Policy::none()).no_proxy();
        let http = http.pool_idle_timeout(Duration::from_secs(1)).timeout(LIMIT).build().unwrap();
        let address = daemon.client().address().to_owned();
        Self { http, address, host: host.to_owned(), cookie: None }
    }

    /// One that has signed in with a link of this client.
    pub(crate) async fn signed_in_by(daemon: &Daemon, client: &Client) -> Self {
        let link = link(client).await;
        let mut browser = Self::new(daemon, &link.host);
        let answer = browser.enter(&link.code).await;
        assert_eq!(answer.status, 303, "{:#}", answer.body);
        browser
    }

    /// One that may see everything.
    pub(crate) async fn signed_in(daemon: &Daemon) -> Self {
        Self::signed_in_by(daemon, daemon.orchestrator()).await
    }

    /// The headers of a request that a page of ours made.
    pub(crate) fn headers(&self, method: &Method) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name: &'static str, value: &str| {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        };
        set("host", &self.host);
        set("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        set("accept-language", "en");
        if method == Method::POST {
            set("origin", &format!("http://{}", self.host));
            set("sec-fetch-site", "same-origin");
        }
        if let Some(cookie) = &self.cookie {
            set("cookie", &format!("cbw={cookie}"));
        }
        headers
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let headers = self.headers(&method);
        self.http.request(method, format!("http://{}{path}", self.address)).headers(headers)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await.unwrap()
    }

    /// A page that has to be there, as text.
    pub(crate) async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {:#}", answer.body);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        answer.body.as_str().unwrap().to_owned()
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_with(path, &body(fields), |headers| headers).await
    }

    /// The same with other headers.
    pub(crate) async fn post_with(
        &self,
        path: &str,
        body: &str,
        change: impl FnOnce(HeaderMap) -> HeaderMap,
    ) -> Answer {
        let mut headers = self.headers(&Method::POST);
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert("content-type", form);
        let request = self.http.post(format!("http://{}{path}", self.address));
        send(request.headers(change(headers)).body(body.to_owned())).await.unwrap()
    }

    /// Signs in as the page of a link does, and keeps the cookie.
    pub(crate) async fn enter(&mut self, code: &str) -> Answer {
        let page = self.page(&format!("/enter?code={code}")).await;
        let token = token(&page, "/enter");
        let answer = self.post("/enter", &[("code", code), ("token", &token)]).await;
        let cookie = answer.header("set-cookie").and_then(|line| line.strip_prefix("cbw="));
        self.cookie = cookie.and_then(|rest| rest.split(';').next()).map(str::to_owned);
        answer
    }
}

/// The fields as a form sends them; our values need no escape.
pub(crate) fn body(fields: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// The token of the form that leads to this path.
pub(crate) fn token(page: &str, action: &str) -> String {
    let form = page.split("<form").find(|form| form.contains(&format!("action=\"{action}\"")));
    let form = form.unwrap_or_else(|| panic!("no form to {action} in {page}"));
    let value = form.split("name=\"token\" value=\"").nth(1).unwrap();
    value.split('"').next().unwrap().to_owned()
}
