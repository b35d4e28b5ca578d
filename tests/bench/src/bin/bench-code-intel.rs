//! How well it finds: see [`bench::code_intel`].

fn main() -> std::process::ExitCode {
    bench::code_intel::main()
}
