//! The `auto-tool-orchestrator` command; everything is in the library.

fn main() -> std::process::ExitCode {
    orchestrator::main()
}
