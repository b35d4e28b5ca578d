//! The executable of the court: all of it is the library's.

fn main() -> std::process::ExitCode {
    court::main()
}
