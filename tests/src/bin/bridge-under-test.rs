//! The daemon for the tests: the same `main` in an executable of this package.

fn main() -> std::process::ExitCode {
    codex_bridge::main()
}
