//! The environment, read once. The variable names are in `orchestration::variables`.

pub use host::Environment;
