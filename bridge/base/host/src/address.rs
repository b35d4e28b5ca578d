//! The file in which a daemon publishes its address. Addresses are interpreted by `client`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The daemon's default port.
pub const PORT: u16 = 4517;

/// The name of the file in the state folder with the address of a running daemon.
const FILE_NAME: &str = "address";

/// The address file of a state folder.
#[must_use]
pub fn file(state_dir: &Path) -> PathBuf {
    state_dir.join(FILE_NAME)
}

/// The address that a daemon left in the state folder, such as `http://127.0.0.1:4517`: the file's first line.
/// [`DaemonProcess`](crate::daemon_process::DaemonProcess) tells whether that daemon still runs.
#[must_use]
pub fn read(state_dir: &Path) -> Option<String> {
    let text = fs::read_to_string(file(state_dir)).ok()?;
    let address = text.lines().next().map(str::trim)?;
    Some(address.to_owned()).filter(|address| !address.is_empty())
}

/// The address for a caller on this machine: an unspecified address is replaced by loopback.
#[must_use]
pub fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        ip if !ip.is_unspecified() => listen,
        IpAddr::V4(_) => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        IpAddr::V6(_) => (Ipv6Addr::LOCALHOST, listen.port()).into(),
    }
}
