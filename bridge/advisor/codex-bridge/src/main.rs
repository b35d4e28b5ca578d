//! The `codex-bridge` command; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    codex_bridge::main()
}
