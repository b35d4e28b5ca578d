//! Schemathesis against the live daemon: see [`tests::fuzz_api`].

fn main() -> std::process::ExitCode {
    tests::fuzz_api::main()
}
