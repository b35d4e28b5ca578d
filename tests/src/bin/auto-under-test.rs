//! `codex-auto` for the tests: the same `main` in an executable of this package.

fn main() -> std::process::ExitCode {
    codex_auto::auto::main()
}
