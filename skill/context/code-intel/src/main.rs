//! The command `ci`.

use std::process::ExitCode;

/// Syntax trees are many small allocations by several threads: with this allocator, which
/// the C libraries use too, a first index takes a tenth less time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    code_intel::main()
}
