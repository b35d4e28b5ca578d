//! What the hook costs before each prompt: see [`bench::hook`].

fn main() -> std::process::ExitCode {
    bench::hook::main()
}
