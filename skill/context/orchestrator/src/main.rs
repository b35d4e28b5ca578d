//! The executable of the kernel: all of it is the library's.

fn main() -> std::process::ExitCode {
    orchestrator::main()
}
