//! The benchmarks: they measure the numbers in docs/BENCHMARKS.md. A separate package, which no test
//! builds; it starts the programs as the tests do.

pub mod code_intel;
pub mod hook;
pub mod service;
pub mod xc;
