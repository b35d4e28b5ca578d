//! The executable of the orchestrator: all of it is the library's.

fn main() -> std::process::ExitCode {
    orchestrator::main()
}
