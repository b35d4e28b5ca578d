//! This machine, as all our programs see it: the environment, files written whole, files below a folder that may
//! hold links of another user, folders that belong to this user alone, standard streams, and the files in which
//! a daemon says where it is and what a caller has to send.
//!
//! No product's work, no HTTP, no process that starts.

pub mod agent;
pub mod environment;
pub mod error_chain;
pub mod process;
pub mod program;
pub mod project;
pub mod status_line;
pub mod streams;

pub mod atomic_file;
pub mod beneath;
pub mod file_lock;
pub mod own;

pub mod address;
pub mod daemon_process;
pub mod secret;
pub mod socket_owner;
pub mod state_dir;
pub mod token;

pub use atomic_file::{Access, Draft, Durability, create, replace};
pub use beneath::{Beneath, IGNORE_ALL, IGNORE_FILE, Link, NotPrivate};
pub use environment::{Environment, UserFolder};
pub use error_chain::ErrorChain;
pub use file_lock::{lock_until, lock_while};
pub use program::{NoSibling, find_program, installed_beside, own_program};
pub use status_line::StatusLine;
