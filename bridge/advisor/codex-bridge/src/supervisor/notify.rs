//! The datagram socket of the service manager (sd_notify(3)).

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The notification socket.
#[derive(Debug)]
pub(super) struct NotifySocket {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl NotifySocket {
    /// The socket of this name: a path, or `@` and an abstract name.
    ///
    /// # Errors
    /// The name is neither (systemd also knows `vsock:`, for virtual machines), or the system
    /// refuses a socket.
    pub(super) fn new(name: &OsStr) -> io::Result<Self> {
        let address = match name.as_bytes() {
            [b'@', abstract_name @ ..] => SocketAddr::from_abstract_name(abstract_name)?,
            [b'/', ..] => SocketAddr::from_pathname(name)?,
            _ => {
                let message = "NOTIFY_SOCKET is neither a path nor an abstract name";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
        };
        let socket = UnixDatagram::unbound()?;
        // A manager that does not read must not block the daemon.
        socket.set_nonblocking(true)?;
        Ok(Self { socket, address })
    }

    /// Sends one message of `NAME=value` lines.
    ///
    /// # Errors
    /// Nothing listens, or the listener does not read.
    pub(super) fn send(&self, message: &str) -> io::Result<()> {
        self.socket.send_to_addr(message.as_bytes(), &self.address).map(drop)
    }
}
