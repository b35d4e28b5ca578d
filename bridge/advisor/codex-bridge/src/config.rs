//! The configuration: plain values, passed as arguments, resolved once from flags, environment,
//! file and the default file.

mod credentials;
mod document;
mod fault;
mod key;
mod layer;
mod merge;
mod price;
mod read;
mod resolve;
mod show;
#[cfg(test)]
mod tests;
pub(crate) mod values;

pub use document::{default_file, table};
pub use fault::{Fault, Faults, Source};
pub use host::environment::{self, Environment};
pub use host::secret::Secret;
pub use key::Key;
pub use resolve::{Flags, Resolved, Setting, resolve};
pub use values::{
    CodexConfig, Config, DriverChoice, Limits, LogConfig, LogFormat, Price, StoreConfig,
    WindowConfig,
};
