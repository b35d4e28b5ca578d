//! Checks whether the provider can be reached, with a connection that is closed again at once.

use std::time::Duration;

use llm::{Catalogue, ModelId};
use tokio::net::TcpStream;

use super::check::Check;
use crate::config::Config;

/// How long the connection may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Connects to the host that serves `id`, or to the proxy for it.
pub(super) async fn check(config: &Config, id: &ModelId) -> Check {
    let provider = config.provider(id.provider());
    let own = provider.base_url.as_ref().map(|url| &*url.value);
    let usual = Catalogue::built_in().provider(id.provider()).base_url.as_deref();
    let url = own.or(usual);
    let proxy = config
        .proxy()
        .filter(|proxy| url.and_then(|url| url.parse().ok()).is_some_and(|url| proxy.serves(&url)));
    let proxy = proxy.as_ref().map(|proxy| &*proxy.address);
    let Some((host, port)) = proxy.or(url).and_then(host_and_port) else {
        return Check::failed("network", "the address of the provider is not known", "set baseURL");
    };
    let shown = format!("{host}:{port}");
    // Cancel safe: an unfinished connection is dropped.
    let connected = tokio::time::timeout(TIMEOUT, TcpStream::connect((&*host, port))).await;
    let mend = "check the connection, HTTPS_PROXY, or the baseURL of the provider";
    match connected {
        Ok(Ok(_)) => Check::ok("network", format!("{shown} answers")),
        Ok(Err(error)) => Check::failed("network", format!("{shown}: {error}"), mend),
        Err(_) => Check::failed("network", format!("{shown}: nothing within 5 s"), mend),
    }
}

/// The host and the port of a URL that was checked before.
fn host_and_port(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let authority = rest.split('/').next()?;
    let usual = if scheme.eq_ignore_ascii_case("http") { 80 } else { 443 };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, usual),
    };
    Some((host.trim_matches(['[', ']']).to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::host_and_port;

    #[test]
    fn hosts_and_ports_are_read() {
        let read = |url| host_and_port(url).map(|(host, port)| format!("{host} {port}"));
        for (url, expected) in [
            ("https://api.anthropic.com", "api.anthropic.com 443"),
            ("http://127.0.0.1:8080/v1", "127.0.0.1 8080"),
            ("http://[::1]/v1", "::1 80"),
            ("https://[::1]:8443", "::1 8443"),
        ] {
            assert_eq!(read(url).as_deref(), Some(expected), "{url}");
        }
        assert_eq!(read("nothing"), None);
    }
}
