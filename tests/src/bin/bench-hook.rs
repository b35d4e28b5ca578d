//! What the hook costs before each prompt: see [`tests::bench_hook`].

fn main() -> std::process::ExitCode {
    tests::bench_hook::main()
}
