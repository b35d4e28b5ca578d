//! The command `context-inject`; everything is in the library.

fn main() -> std::process::ExitCode {
    codex_auto::inject::main()
}
