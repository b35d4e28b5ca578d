//! A stand-in for `codex` 0.169: behaves the same, and misbehaves on request (see `mode`).

mod cli;
mod mode;
mod server;
mod stream;
mod thread;
mod trouble;
mod turn;

fn main() -> std::process::ExitCode {
    cli::main()
}
