//! Randomised faults: see [`tests::soak`].

fn main() -> std::process::ExitCode {
    tests::soak::main()
}
