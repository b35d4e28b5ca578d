//! The file system of this machine, and what a session wrote there, as the gate wants to know them. Every host of the
//! gate asks here, so that one call means the same to all of them.
//!
//! Not here: what a call means (`gate`), and where a host keeps what it knows of a session.

mod disk;
mod mounts;
mod session;

pub use disk::OnDisk;
pub use session::{Session, nanoseconds};
