//! The scenarios of the specification that concern the orchestrator, each by its number, and what a caller
//! may rely on when tools fail. The tools here are stubs of the one seam; the engine has its own tests.

#![expect(clippy::unwrap_used, reason = "tests")]

mod own_tools;
mod program;
mod servers;
mod shop;
mod specification;
mod stub;
mod threads;
mod trouble;
