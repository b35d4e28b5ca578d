//! Fetches a web page: resolves its name, connects to a checked address, follows redirects, and decodes the
//! text. Not here: whether it may be fetched (`permit`), and the result for the model.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{Method, StatusCode};
use tokio::time::timeout;
use url::{Host, Url};

use super::client::{self, Answered, Asked, Failed, Network};
use crate::address::{self, AddressKind};
use crate::known_hosts::KnownHosts;

/// How many redirects are followed.
const REDIRECTS_MAX: usize = 5;

/// Fetches pages.
#[derive(Clone)]
pub(super) struct Fetcher {
    pub network: Arc<dyn Network>,
    /// Hosts that a redirect may lead to.
    pub known: KnownHosts,
    /// The time limit for everything: names, connections, responses.
    pub timeout: Duration,
    /// The longest text that is read, in bytes after decompression.
    pub max_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Page {
    /// Its URL after redirects.
    pub url: Url,
    pub body: Vec<u8>,
    pub is_html: bool,
    pub is_cut: bool,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoPage {
    #[error("It is no address of the web: only http:// and https:// without a user are fetched.")]
    Address,
    #[error(
        "{0} is an address of a private network, of this machine or of a cloud's metadata. It is not fetched."
    )]
    Private(String),
    #[error("{0} has no address: {1}")]
    Unknown(String, String),
    #[error("It moved to another host: {0}. Call webFetch with that address; it is judged anew.")]
    OtherHost(Url),
    #[error("It moved more than {REDIRECTS_MAX} times.")]
    Redirects,
    #[error("It moved, and does not say where to.")]
    Nowhere,
    #[error("The server answered {0}.")]
    Status(StatusCode),
    #[error("It is no text: {0}.")]
    NoText(String),
    #[error("Nothing came within {} ms.", .0.as_millis())]
    Late(Duration),
    #[error("It could not be fetched: {0}.")]
    Failed(#[from] Failed),
}

impl Fetcher {
    /// Fetches a page.
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed.
    pub(super) async fn fetch(&self, url: &str) -> Result<Page, NoPage> {
        timeout(self.timeout, self.follow(url)).await.map_err(|_| NoPage::Late(self.timeout))?
    }

    async fn follow(&self, url: &str) -> Result<Page, NoPage> {
        let mut url = checked(url)?;
        for _ in 0..=REDIRECTS_MAX {
            let to = self.locate(&url).await?;
            let uri = url.as_str().split('#').next().unwrap_or_default();
            let uri = uri.parse().map_err(|_| NoPage::Address)?;
            let asked = Asked { method: Method::GET, uri, headers: Vec::new(), body: Bytes::new() };
            let answer = client::ask(&self.network, to, asked, self.max_bytes).await?;
            if !answer.status.is_redirection() || answer.status == StatusCode::NOT_MODIFIED {
                return page(url, answer);
            }
            let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok());
            let next = checked(next.ok_or(NoPage::Nowhere)?.as_str())?;
            let is_same = next.host() == url.host()
                && next.port_or_known_default().is_some_and(|port| {
                    Some(port) == url.port_or_known_default()
                        || (port, url.scheme()) == (443, "http")
                });
            // A server must not redirect to an address that may not be fetched, nor from https to http.
            let is_open = address::kind(next.as_str()) == AddressKind::Public
                && self.known.has(next.as_str());
            if !is_same && !is_open || next.scheme() == "http" && url.scheme() == "https" {
                return Err(NoPage::OtherHost(next));
            }
            url = next;
        }
        Err(NoPage::Redirects)
    }

    /// The address to connect to: all addresses of the name must be public, or this machine's own if the user agreed to a
    /// URL of this machine.
    async fn locate(&self, url: &Url) -> Result<SocketAddr, NoPage> {
        let private = || NoPage::Private(url.host_str().unwrap_or_default().to_owned());
        let port = url.port_or_known_default().ok_or(NoPage::Address)?;
        let found = match url.host().ok_or(NoPage::Address)? {
            Host::Ipv4(address) => vec![SocketAddr::new(address.into(), port)],
            Host::Ipv6(address) => vec![SocketAddr::new(address.into(), port)],
            Host::Domain(name) => {
                let unknown = |why: String| NoPage::Unknown(name.to_owned(), why);
                let found = self.network.resolve(name, port).await;
                found.map_err(|error| unknown(error.to_string()))?
            }
        };
        let may: fn(IpAddr) -> bool = match address::kind(url.as_str()) {
            AddressKind::Public => address::is_public,
            AddressKind::Loopback => address::is_loopback,
            AddressKind::Private => return Err(private()),
        };
        if !found.iter().all(|address| may(address.ip())) {
            return Err(private());
        }
        let first = found.into_iter().next();
        first.ok_or_else(|| NoPage::Unknown(url.to_string(), "the name has none".to_owned()))
    }
}

/// A URL that may be fetched, as far as its form tells.
fn checked(url: &str) -> Result<Url, NoPage> {
    let url = Url::parse(url).map_err(|_| NoPage::Address)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none();
    if is_plain { Ok(url) } else { Err(NoPage::Address) }
}

fn page(url: Url, answer: Answered) -> Result<Page, NoPage> {
    let Answered { status, headers, body, is_cut } = answer;
    if !status.is_success() {
        return Err(NoPage::Status(status));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is_html = matches!(&*kind, "text/html" | "application/xhtml+xml");
    let is_text = kind.is_empty()
        || kind.starts_with("text/")
        || is_html
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(
            &*kind,
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/x-javascript"
                | "application/toml"
                | "application/yaml"
                | "application/x-yaml"
                | "application/x-ndjson"
        );
    // Text contains no zero byte, whatever its declared type is.
    if !is_text || body.contains(&0) {
        let kind = if is_text { "it has zero bytes".to_owned() } else { kind };
        return Err(NoPage::NoText(redact::sanitize(&kind, redact::Cut::chars(80))));
    }
    Ok(Page { url, body, is_html, is_cut })
}
