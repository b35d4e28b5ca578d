//! Parses the daemon's address. Does not open sockets.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use host::address::PORT;
use http::uri::{Scheme, Uri};

/// The prefix of the path of a Unix socket.
const UNIX: &str = "unix:";

/// The daemon's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Over TCP.
    Tcp {
        /// A host name or an address, without brackets.
        host: String,
        /// The port that the daemon listens on.
        port: u16,
    },
    /// Over a Unix socket.
    Unix(PathBuf),
}

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It has an unknown form.
    #[error("{text:?} is not an address such as http://127.0.0.1:{PORT} or unix:/path/to/socket")]
    Malformed {
        /// The address as it was written.
        text: String,
    },
    /// It requires TLS.
    #[error("{text:?} asks for TLS, which the bridge does not speak; write http://")]
    Tls {
        /// The address as it was written.
        text: String,
    },
    /// It contains a path, a query or a user name.
    #[error("{text:?} says more than where the bridge is; write only http://HOST:PORT")]
    TooMuch {
        /// The address as it was written.
        text: String,
    },
}

impl Address {
    /// Parses `http://HOST[:PORT]`, `HOST:PORT`, an address alone, or `unix:PATH`.
    ///
    /// # Errors
    /// [`AddressError`], by cause.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let malformed = || AddressError::Malformed { text: text.to_owned() };
        if let Some(path) = text.strip_prefix(UNIX) {
            let path = path.strip_prefix("//").unwrap_or(path);
            return Some(PathBuf::from(path))
                .filter(|path| path.is_absolute())
                .map(Self::Unix)
                .ok_or_else(malformed);
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::Tcp { host: address.to_string(), port: PORT });
        }
        let uri: Uri = text.parse().map_err(|_| malformed())?;
        match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => {
                return Err(AddressError::Tls { text: text.to_owned() });
            }
            Some(scheme) if *scheme != Scheme::HTTP => return Err(malformed()),
            Some(_) | None => {}
        }
        let authority = uri.authority().ok_or_else(malformed)?;
        let rest = uri.path_and_query().map_or("", |rest| rest.as_str());
        if !matches!(rest, "" | "/") || authority.as_str().contains('@') {
            return Err(AddressError::TooMuch { text: text.to_owned() });
        }
        let host = authority.host();
        // Not `Authority::port`, which ignores a port that is out of range.
        let port = match authority.as_str().strip_prefix(host).unwrap_or_default() {
            "" => PORT,
            port => port.trim_start_matches(':').parse().map_err(|_| malformed())?,
        };
        let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() || port == 0 {
            return Err(malformed());
        }
        Ok(Self::Tcp { host: host.to_ascii_lowercase(), port })
    }

    /// Whether it can only be on this machine, so that a token may be sent there.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix(_) => true,
            Self::Tcp { host, .. } => Self::numbers(host).is_some_and(|numbers| {
                numbers.iter().all(|number| number.to_canonical().is_loopback())
            }),
        }
    }

    /// The addresses of a host that need no DNS lookup, in the order in which they are tried. A
    /// daemon that listens on every address is reached on loopback.
    pub(crate) fn numbers(host: &str) -> Option<Vec<IpAddr>> {
        if host == "localhost" {
            return Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let number = match host.parse().ok()? {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
            number => number,
        };
        Some(vec![number])
    }

    /// The value of the request's `Host` header.
    pub(crate) fn host_header(&self) -> String {
        match self {
            Self::Unix(_) => "localhost".to_owned(),
            Self::Tcp { host, port } => match Self::numbers(host).as_deref() {
                Some([IpAddr::V6(number)]) => format!("[{number}]:{port}"),
                Some([IpAddr::V4(number)]) => format!("{number}:{port}"),
                _ => format!("{host}:{port}"),
            },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(formatter, "{UNIX}{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => {
                write!(formatter, "http://[{host}]:{port}")
            }
            Self::Tcp { host, port } => write!(formatter, "http://{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_address_is_read_as_people_write_it() {
        let table: String = [
            "http://127.0.0.1:4517",
            "http://127.0.0.1:4517/",
            " 127.0.0.1:99 ",
            "127.0.0.1",
            "::1",
            "http://[::1]:4517",
            "HTTP://LocalHost:1",
            "http://0.0.0.0:4517",
            "unix:/run/codex-bridge.sock",
            "unix:///run/codex-bridge.sock",
            "http://10.0.0.7:4517",
            "http://127.0.0.1.evil.example:4517",
            "https://127.0.0.1:4517",
            "http://127.0.0.1:4517/analyze",
            "http://me@127.0.0.1:4517",
            "ftp://127.0.0.1",
            "unix:relative",
            "http://127.0.0.1:99999",
            "http://127.0.0.1:",
            "http://127.0.0.1:0",
            "http://",
            "not an address",
            "",
        ]
        .iter()
        .map(|text| match Address::parse(text) {
            Ok(address) => {
                let place = if address.is_local() { "local" } else { "REMOTE" };
                format!("{text} -> {address}, {place}, Host: {}\n", address.host_header())
            }
            Err(error) => format!("{error}\n"),
        })
        .collect();
        expect![[r#"
            http://127.0.0.1:4517 -> http://127.0.0.1:4517, local, Host: 127.0.0.1:4517
            http://127.0.0.1:4517/ -> http://127.0.0.1:4517, local, Host: 127.0.0.1:4517
             127.0.0.1:99  -> http://127.0.0.1:99, local, Host: 127.0.0.1:99
            127.0.0.1 -> http://127.0.0.1:4517, local, Host: 127.0.0.1:4517
            ::1 -> http://[::1]:4517, local, Host: [::1]:4517
            http://[::1]:4517 -> http://[::1]:4517, local, Host: [::1]:4517
            HTTP://LocalHost:1 -> http://localhost:1, local, Host: localhost:1
            http://0.0.0.0:4517 -> http://0.0.0.0:4517, local, Host: 127.0.0.1:4517
            unix:/run/codex-bridge.sock -> unix:/run/codex-bridge.sock, local, Host: localhost
            unix:///run/codex-bridge.sock -> unix:/run/codex-bridge.sock, local, Host: localhost
            http://10.0.0.7:4517 -> http://10.0.0.7:4517, REMOTE, Host: 10.0.0.7:4517
            http://127.0.0.1.evil.example:4517 -> http://127.0.0.1.evil.example:4517, REMOTE, Host: 127.0.0.1.evil.example:4517
            "https://127.0.0.1:4517" asks for TLS, which the bridge does not speak; write http://
            "http://127.0.0.1:4517/analyze" says more than where the bridge is; write only http://HOST:PORT
            "http://me@127.0.0.1:4517" says more than where the bridge is; write only http://HOST:PORT
            "ftp://127.0.0.1" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "unix:relative" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "http://127.0.0.1:99999" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "http://127.0.0.1:" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "http://127.0.0.1:0" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "http://" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "not an address" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
            "" is not an address such as http://127.0.0.1:4517 or unix:/path/to/socket
        "#]]
        .assert_eq(&table);
    }
}
