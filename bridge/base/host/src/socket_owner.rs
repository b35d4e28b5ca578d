//! Determines which user owns one end of a TCP connection within this machine, by asking the kernel.
//!
//! Ports from 1024 on are open to every user, so an address does not tell who listens. The
//! kernel knows the owner of each socket and reports it for one connection by sock_diag(7), at a cost that does
//! not depend on the number of connections; if that is not permitted, `/proc/net/tcp` is read.
//!
//! The query is about the *connection*, by both of its ends, never about the listener: the listener may
//! have changed between the query and the connect.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::LazyLock;

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recvfrom, sendto, socket_with,
};

/// The owner of an end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This user id.
    User(u32),
    /// No process: it is not accepted yet, or was closed. The kernel may still report a user (the
    /// listener's, or root before Linux 6.16), so the cases are distinguished.
    Nobody,
    /// The kernel does not report it: the other end is in another network namespace or on another machine,
    /// or its user has no id in this user namespace.
    Unknown,
}

/// SOCK_DIAG_BY_FAMILY (linux/sock_diag.h).
const BY_FAMILY: u16 = 20;
/// NLM_F_REQUEST (linux/netlink.h).
const REQUEST: u16 = 1;
/// IPPROTO_TCP.
const TCP: u8 = 6;
/// `nlmsghdr` and `inet_diag_req_v2` (linux/inet_diag.h), in bytes.
const ASKED_BYTES: usize = 16 + 56;
/// `nlmsghdr` and `inet_diag_msg` (linux/inet_diag.h), in bytes.
const TOLD_BYTES: usize = 16 + 72;

/// Queries the kernel about single connections.
#[derive(Debug)]
pub struct SocketOwners {
    netlink: OwnedFd,
}

impl SocketOwners {
    /// Opens the netlink socket.
    ///
    /// # Errors
    /// The kernel does not support it, or a sandbox forbids netlink sockets.
    pub fn open() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let netlink =
            socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG))?;
        Ok(Self { netlink })
    }

    /// The owner of the end at `end` of the connection from `from`.
    #[must_use]
    pub fn of(&self, end: SocketAddr, from: SocketAddr) -> Owner {
        self.ask(end, from).ok().flatten().unwrap_or(Owner::Unknown)
    }

    fn ask(&self, end: SocketAddr, from: SocketAddr) -> io::Result<Option<Owner>> {
        let Some(request) = request(end, from) else { return Ok(None) };
        sendto(&self.netlink, &request, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        // The kernel responds within the send, so no wait is needed.
        let mut answer = [0; 512];
        let (_, length, _) = recvfrom(&self.netlink, &mut answer[..], RecvFlags::empty())?;
        let owner = answer.get(..length).and_then(|answer| told(answer, from.port()));
        if owner.is_none() {
            // A response that was not read would be taken for that of the next query.
            while recvfrom(&self.netlink, &mut answer[..], RecvFlags::empty()).is_ok() {}
        }
        Ok(owner)
    }
}

/// The same by one pass through `/proc/net/tcp`.
#[must_use]
pub fn by_table(end: SocketAddr, from: SocketAddr) -> Owner {
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .into_iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .find_map(|table| in_table(&table, end, from))
        .unwrap_or(Owner::Unknown)
}

/// The request about one connection; `None` if the two ends are of different address families.
fn request(end: SocketAddr, from: SocketAddr) -> Option<[u8; ASKED_BYTES]> {
    let (family, end_address, from_address) =
        match (end.ip().to_canonical(), from.ip().to_canonical()) {
            (IpAddr::V4(end), IpAddr::V4(from)) => {
                let widen = |number: [u8; 4]| {
                    let mut wide = [0; 16];
                    wide[..4].copy_from_slice(&number);
                    wide
                };
                (AddressFamily::INET, widen(end.octets()), widen(from.octets()))
            }
            (IpAddr::V6(end), IpAddr::V6(from)) => {
                (AddressFamily::INET6, end.octets(), from.octets())
            }
            _ => return None,
        };
    let mut message = Vec::with_capacity(ASKED_BYTES);
    message.extend((ASKED_BYTES as u32).to_ne_bytes());
    message.extend(BY_FAMILY.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    // The sequence number and our port, which the kernel fills in.
    message.extend([0; 8]);
    message.extend([family.as_raw() as u8, TCP, 0, 0]);
    // In any state.
    message.extend(u32::MAX.to_ne_bytes());
    message.extend(end.port().to_be_bytes());
    message.extend(from.port().to_be_bytes());
    message.extend(end_address);
    message.extend(from_address);
    // On any interface, under any cookie.
    message.extend(0_u32.to_ne_bytes());
    message.extend([0xff; 8]);
    message.try_into().ok()
}

/// Parses the kernel's response; `None` for its errors, and for a listener, which it reports if there is
/// no such connection.
fn told(answer: &[u8], from_port: u16) -> Option<Owner> {
    let message = answer.get(..TOLD_BYTES)?;
    let word = |at: usize| message[at..at + 4].try_into().map(u32::from_ne_bytes).ok();
    let kind = u16::from_ne_bytes(message[4..6].try_into().ok()?);
    let port = u16::from_be_bytes(message[22..24].try_into().ok()?);
    if kind != BY_FAMILY || port != from_port {
        return None;
    }
    Some(owner(word(80)?, word(84)?))
}

/// The result from one of the tables.
fn in_table(table: &str, end: SocketAddr, from: SocketAddr) -> Option<Owner> {
    let (end, from) = (written(end), written(from));
    table.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let is_it = end.iter().any(|end| Some(end.as_str()) == words.clone().nth(1))
            && from.iter().any(|from| Some(from.as_str()) == words.clone().nth(2));
        if !is_it {
            return None;
        }
        Some(owner(words.nth(7)?.parse().ok()?, words.nth(1)?.parse().ok()?))
    })
}

/// An address as the tables write it: words in native byte order, in both families.
fn written(address: SocketAddr) -> Vec<String> {
    let words = |octets: &[u8]| -> String {
        let word = |four: &[u8]| {
            let word = u32::from_ne_bytes(four.try_into().expect("chunks of four bytes"));
            format!("{word:08X}")
        };
        octets.chunks_exact(4).map(word).collect()
    };
    let hosts = match address.ip().to_canonical() {
        IpAddr::V4(host) => {
            vec![words(&host.octets()), words(&host.to_ipv6_mapped().octets())]
        }
        IpAddr::V6(host) => vec![words(&Ipv6Addr::octets(&host))],
    };
    hosts.into_iter().map(|host| format!("{host}:{:04X}", address.port())).collect()
}

/// A socket without an inode belongs to no process.
fn owner(user: u32, inode: u32) -> Owner {
    if inode == 0 {
        Owner::Nobody
    } else if is_blurred(user) {
        Owner::Unknown
    } else {
        Owner::User(user)
    }
}

/// Whether an id may stand for any user: in a user namespace, all users without an id there share
/// this one (user_namespaces(7)).
#[must_use]
pub fn is_blurred(user: u32) -> bool {
    /// The kernel's default for `/proc/sys/kernel/overflowuid`.
    const OVERFLOW: u32 = 65_534;
    /// Read once: the map of a process's own namespace is written once, and a caller may open thousands of
    /// connections.
    static EVERY_USER_HAS_A_NUMBER: LazyLock<bool> = LazyLock::new(|| {
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        map.split_ascii_whitespace().eq(["0", "0", "4294967295"])
    });
    user == OVERFLOW && !*EVERY_USER_HAS_A_NUMBER
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn us() -> Owner {
        Owner::User(rustix::process::geteuid().as_raw())
    }

    /// Both methods give the same result for the far end of `near`.
    #[track_caller]
    fn check(near: &TcpStream, expected: Owner) {
        let (end, from) = (near.peer_addr().unwrap(), near.local_addr().unwrap());
        assert_eq!(by_table(end, from), expected, "{from} to {end}, by table");
        let owners = SocketOwners::open().unwrap();
        assert_eq!(owners.of(end, from), expected, "{from} to {end}, by sock_diag");
    }

    #[test]
    fn an_end_is_nobodys_until_it_is_accepted_and_after_it_is_closed() {
        for address in ["127.0.0.1:0", "[::1]:0", "127.0.0.2:0", "[::]:0"] {
            let listener = TcpListener::bind(address).unwrap();
            let mut at = listener.local_addr().unwrap();
            if at.ip().is_unspecified() {
                // A socket of the later family that an address of the earlier one reaches.
                at.set_ip([127, 0, 0, 1].into());
            }
            let near = TcpStream::connect(at).unwrap();
            check(&near, Owner::Nobody);
            let (far, _) = listener.accept().unwrap();
            check(&near, us());
            check(&far, us());
            drop(far);
            check(&near, Owner::Nobody);
        }
    }

    #[test]
    fn a_listener_is_not_taken_for_a_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (end, from) = (listener.local_addr().unwrap(), "127.0.0.1:9".parse().unwrap());
        assert_eq!(by_table(end, from), Owner::Unknown);
        assert_eq!(SocketOwners::open().unwrap().of(end, from), Owner::Unknown);
        let other_family = "[::1]:9".parse().unwrap();
        assert_eq!(SocketOwners::open().unwrap().of(end, other_family), Owner::Unknown);
    }

    #[test]
    fn an_answer_that_is_cut_or_of_another_kind_tells_nothing() {
        assert_eq!(told(&[], 9), None);
        assert_eq!(told(&[0; TOLD_BYTES - 1], 9), None);
        assert_eq!(told(&[0; TOLD_BYTES], 0), None);
        assert_eq!(
            in_table(
                "sl local rem\n 0: 0100007F:0009\n\n",
                ([127, 0, 0, 1], 9).into(),
                ([127, 0, 0, 1], 8).into()
            ),
            None
        );
    }
}
