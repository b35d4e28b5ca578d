//! The command `ci`.

use std::process::ExitCode;

fn main() -> ExitCode {
    code_intel::main()
}
