//! Measures the cost of the hook before each prompt: see [`bench::hook`].

fn main() -> std::process::ExitCode {
    bench::hook::main()
}
