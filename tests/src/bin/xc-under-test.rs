//! The program `xc` as the tests start it: the same `main` in an executable of this package.

fn main() -> std::process::ExitCode {
    xc::main()
}
