//! Access to this machine for all our programs: the environment, atomic files, files below a folder that may
//! contain links of another user, private folders, standard streams, and the files in which
//! a daemon publishes its address and its token.
//!
//! Not here: product logic, HTTP, starting processes.

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
