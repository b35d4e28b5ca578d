//! The benchmarks: what docs/BENCHMARKS.md tells is measured here. A package of its own, which no test
//! builds; it starts the programs as the tests do.

pub mod code_intel;
pub mod hook;
pub mod service;
pub mod xc;
