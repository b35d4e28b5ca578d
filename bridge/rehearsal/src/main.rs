//! The `rehearsal` command: see [`rehearsal::cli`].

fn main() -> std::process::ExitCode {
    rehearsal::main()
}
