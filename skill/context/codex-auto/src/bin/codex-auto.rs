//! The `codex-auto` command.

fn main() -> std::process::ExitCode {
    codex_auto::auto::main()
}
