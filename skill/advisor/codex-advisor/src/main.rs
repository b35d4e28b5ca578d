//! The `codex-advisor` command; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    codex_advisor::main()
}
