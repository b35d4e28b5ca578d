//! The addresses of requests, validated before a key is sent there.

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::proxy::matcher::Matcher;

/// Why a base URL or a proxy is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    /// `custom` has no address of its own.
    #[error("the provider needs a base URL")]
    Missing,
    /// It is not a URL with `http` or `https` and a host. It is not shown, because it may contain a password.
    #[error("the base URL is not of the form https://host[:port][/path]")]
    NoUrl,
    /// A key would be sent unencrypted over a network.
    #[error("plain http is spoken to this machine only, not to `{host}`; use https")]
    PlainHttp {
        /// The host.
        host: String,
    },
    /// The URL contains a user or a password.
    #[error("the base URL for `{host}` holds a user name; configure the key instead")]
    UserInfo {
        /// The host.
        host: String,
    },
    /// The proxy is not a URL with `http` and a host.
    #[error("the proxy is not of the form http://host:port")]
    Proxy,
}

/// An HTTP proxy for providers. Loopback is always reached directly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// Such as `http://127.0.0.1:7890`.
    pub address: String,
    /// Hosts that are reached directly, as in `NO_PROXY`: names with their subdomains, addresses, networks, `*`;
    /// separated by commas.
    pub except: String,
}

impl Proxy {
    /// Whether this URL is reached through the proxy.
    #[must_use]
    pub fn serves(&self, url: &Uri) -> bool {
        let is_here = url.host().is_some_and(is_loopback);
        let matcher = Matcher::builder().all(self.address.trim()).no(&*self.except).build();
        !is_here && matcher.intercept(url).is_some()
    }
}

/// The address of a model, and its proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    uri: Uri,
    proxy: Option<Uri>,
    is_tls: bool,
}

impl Address {
    /// The address of `path` below `base_url`.
    pub(super) fn new(
        base_url: Option<&str>,
        path: &str,
        proxy: Option<&Proxy>,
    ) -> Result<Self, InvalidAddress> {
        let base_url = base_url.ok_or(InvalidAddress::Missing)?.trim().trim_end_matches('/');
        if base_url.contains(['?', '#']) {
            return Err(InvalidAddress::NoUrl);
        }
        // A base URL often includes the version with which the path begins.
        let base_url = match path.starts_with("/v1/") {
            true => base_url.strip_suffix("/v1").unwrap_or(base_url),
            false => base_url,
        };
        let uri: Uri = format!("{base_url}{path}").parse().map_err(|_| InvalidAddress::NoUrl)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(InvalidAddress::NoUrl)?;
        let host = host.to_owned();
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(InvalidAddress::UserInfo { host });
        }
        let is_tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(InvalidAddress::NoUrl),
        };
        let is_here = is_loopback(&host);
        if !is_tls && !is_here {
            return Err(InvalidAddress::PlainHttp { host });
        }
        let address =
            proxy.filter(|_| !is_here).map(|proxy| parse_proxy(&proxy.address)).transpose()?;
        let proxy = address.filter(|_| proxy.is_some_and(|proxy| proxy.serves(&uri)));
        Ok(Self { uri, proxy, is_tls })
    }

    pub(super) const fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The proxy of this address.
    pub(super) const fn proxy(&self) -> Option<&Uri> {
        self.proxy.as_ref()
    }

    pub(super) const fn is_tls(&self) -> bool {
        self.is_tls
    }
}

fn parse_proxy(text: &str) -> Result<Uri, InvalidAddress> {
    let uri: Uri = text.trim().parse().map_err(|_| InvalidAddress::Proxy)?;
    let is_usable = uri.scheme() == Some(&Scheme::HTTP)
        && uri.host().is_some_and(|host| !host.is_empty())
        && !uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    if is_usable { Ok(uri) } else { Err(InvalidAddress::Proxy) }
}

/// Whether `host` is this machine, by name or address.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{Address, InvalidAddress, Proxy};

    fn made(base_url: &str) -> Result<String, InvalidAddress> {
        Address::new(Some(base_url), "/chat/completions", None)
            .map(|address| address.uri().to_string())
    }

    #[test]
    fn a_path_is_put_behind_the_base_url() {
        let volces = "https://ark.cn-beijing.volces.com/api/v3";
        assert_eq!(made(volces).unwrap(), format!("{volces}/chat/completions"));
        assert_eq!(made("http://[::1]:8080/v1/").unwrap(), "http://[::1]:8080/v1/chat/completions");
        for base_url in ["https://api.anthropic.com", "https://api.anthropic.com/v1/"] {
            let address = Address::new(Some(base_url), "/v1/messages", None).unwrap();
            assert_eq!(address.uri(), "https://api.anthropic.com/v1/messages");
        }
    }

    #[test]
    fn plain_http_is_for_loopback_only() {
        for host in ["127.0.0.1:1", "127.9.9.9", "localhost:8080", "LOCALHOST", "[::1]"] {
            assert!(made(&format!("http://{host}")).is_ok(), "{host}");
        }
        for host in
            ["10.0.0.1", "0.0.0.0", "localhost.example.com", "127.0.0.1.example.com", "[::]"]
        {
            let refused = made(&format!("http://{host}"));
            assert!(
                matches!(refused, Err(InvalidAddress::PlainHttp { .. })),
                "{host}: {refused:?}"
            );
        }
    }

    #[test]
    fn what_is_no_usable_url_is_refused_without_repeating_a_password() {
        for text in ["", "api.x.ai/v1", "ftp://x", "https://", "https://a/b?c=d", "https://a b"] {
            assert_eq!(made(text), Err(InvalidAddress::NoUrl), "{text}");
        }
        let error = made("https://me:hunter2@example.com").unwrap_err();
        assert_eq!(error, InvalidAddress::UserInfo { host: "example.com".into() });
        assert_eq!(Address::new(None, "/x", None), Err(InvalidAddress::Missing));
    }

    #[test]
    fn a_proxy_is_for_other_machines_only() {
        let proxied = |base_url, address: &str, except: &str| {
            let proxy = Proxy { address: address.to_owned(), except: except.to_owned() };
            Address::new(Some(base_url), "/x", Some(&proxy)).map(|made| made.proxy().is_some())
        };
        let through = |base_url, proxy| proxied(base_url, proxy, "");
        let proxy = "http://127.0.0.1:7890";
        for (except, is_proxied) in [
            ("example.com", true),
            ("corp.example,.x.ai", false),
            ("x.ai", false),
            ("*", false),
            ("10.0.0.0/8", true),
        ] {
            assert_eq!(proxied("https://api.x.ai/v1", proxy, except), Ok(is_proxied), "{except}");
        }
        assert_eq!(proxied("https://10.1.2.3", proxy, "10.0.0.0/8"), Ok(false));
        assert_eq!(through("https://api.x.ai/v1", "http://127.0.0.1:7890"), Ok(true));
        assert_eq!(through("http://127.0.0.1:1", "http://127.0.0.1:7890"), Ok(false));
        for proxy in ["socks5://127.0.0.1:1", "127.0.0.1", "http://a:b@c", ""] {
            assert_eq!(
                through("https://api.x.ai/v1", proxy),
                Err(InvalidAddress::Proxy),
                "{proxy}"
            );
        }
    }
}
