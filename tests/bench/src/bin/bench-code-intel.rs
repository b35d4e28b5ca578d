//! Measures how well code-intel finds code: see [`bench::code_intel`].

fn main() -> std::process::ExitCode {
    bench::code_intel::main()
}
