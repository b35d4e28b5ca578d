//! The executable of the kernel: all of it is the library's.

/// As in `ci`: the engine's syntax trees are many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    orchestrator::main()
}
