//! The `court` command; everything is in the library.

fn main() -> std::process::ExitCode {
    court::main()
}
