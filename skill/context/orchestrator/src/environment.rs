//! The environment, read once. The names in it are in `orchestration::variables`.

pub use host::Environment;
