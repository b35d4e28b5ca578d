//! The command `context-inject` as the tests start it: the same `main` in an executable of this package.

fn main() -> std::process::ExitCode {
    codex_auto::inject::main()
}
