//! Classifies addresses and host names: public network, this machine, or a private network.
//! Not here: DNS lookups.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Name endings that public DNS does not serve, or that clouds give to the machine itself.
const PRIVATE_ENDINGS: [&str; 9] = [
    ".corp",
    ".home",
    ".home.arpa",
    ".internal",
    ".intranet",
    ".lan",
    ".local",
    ".localdomain",
    ".localhost",
];

/// The network of an address's host, as far as the text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressKind {
    /// A public address, or a name that must be looked up.
    Public,
    /// This machine, named as such.
    Loopback,
    /// A private network, link-local addresses, a cloud's metadata service, or no web address at all.
    Private,
}

/// The host of a URL in its normal form: a name in lower case, or an address in its usual notation.
pub(crate) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    Some(url.host_str()?.trim_end_matches('.').to_owned())
}

/// The network of a URL's host. A text that is not a web address counts as private.
pub(crate) fn kind(url: &str) -> AddressKind {
    let Ok(url) = Url::parse(url) else { return AddressKind::Private };
    match url.host() {
        Some(Host::Domain(name)) => kind_of_name(name),
        Some(Host::Ipv4(address)) => kind_of_number(address.into()),
        Some(Host::Ipv6(address)) => kind_of_number(address.into()),
        None => AddressKind::Private,
    }
}

fn kind_of_name(name: &str) -> AddressKind {
    let name = name.trim_end_matches('.').to_lowercase();
    if name == "localhost" {
        return AddressKind::Loopback;
    }
    // A name without a dot belongs to the local network.
    let is_private = !name.contains('.')
        || name.starts_with("metadata.")
        || PRIVATE_ENDINGS.iter().any(|ending| name.ends_with(ending));
    if is_private { AddressKind::Private } else { AddressKind::Public }
}

fn kind_of_number(address: IpAddr) -> AddressKind {
    if is_loopback(address) {
        AddressKind::Loopback
    } else if is_public(address) {
        AddressKind::Public
    } else {
        AddressKind::Private
    }
}

/// Whether an address is this machine's loopback address.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
        }
    }
}

/// Whether an address belongs to the public network.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By IANA's registry of special-purpose addresses (RFC 6890 and later).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 88, 99)
            | (192, 168, _)
            | (192, 175, 48)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224..=255, _, _)
    );
    // The metadata service of one cloud has a public address.
    !is_special && address != Ipv4Addr::new(168, 63, 129, 16)
}

/// Global unicast without the special-purpose ranges. A form of an IPv4 address counts as private even
/// if that address is public: nothing on the web needs it.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    // Teredo, ORCHID, benchmarking and the like; documentation; 6to4.
    let is_special = (a == 0x2001 && b < 0x0200)
        || (a, b) == (0x2001, 0x0db8)
        || a == 0x2002
        || (0x3fff..0x4000).contains(&a);
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_network_are_public() {
        for public in
            ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.0.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:93.184.216.34",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::5db8:d822",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn a_host_is_read_as_the_web_reads_it() {
        for (url, expected) in [
            ("https://docs.rs/x", AddressKind::Public),
            ("http://93.184.216.34/", AddressKind::Public),
            ("http://localhost:3000/", AddressKind::Loopback),
            ("http://LOCALHOST./", AddressKind::Loopback),
            ("http://127.0.0.1/", AddressKind::Loopback),
            ("http://127.1/", AddressKind::Loopback),
            ("http://2130706433/", AddressKind::Loopback),
            ("http://0x7f.0.0.1/", AddressKind::Loopback),
            ("http://0177.0.0.1/", AddressKind::Loopback),
            ("http://[::1]/", AddressKind::Loopback),
            ("http://[::ffff:7f00:1]/", AddressKind::Loopback),
            ("http://①②⑦.⓪.⓪.①/", AddressKind::Loopback),
            ("http://10.0.0.1/", AddressKind::Private),
            ("http://169.254.169.254/latest/meta-data", AddressKind::Private),
            ("http://metadata.google.internal/", AddressKind::Private),
            ("http://metadata/", AddressKind::Private),
            ("http://intranet/", AddressKind::Private),
            ("http://printer.local/", AddressKind::Private),
            ("http://a.localhost/", AddressKind::Private),
            ("http://[fe80::1]/", AddressKind::Private),
            ("file:///etc/passwd", AddressKind::Private),
            ("not an address", AddressKind::Private),
        ] {
            assert_eq!(kind(url), expected, "{url}");
        }
    }
}
