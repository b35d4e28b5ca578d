//! The run guard alone, for tests of `supervise` that need no daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    supervise::guard_main(std::env::args_os()).map_or(ExitCode::FAILURE, ExitCode::from)
}
