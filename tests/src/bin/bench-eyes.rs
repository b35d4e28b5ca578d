//! How well it finds: see [`tests::bench_eyes`].

fn main() -> std::process::ExitCode {
    tests::bench_eyes::main()
}
