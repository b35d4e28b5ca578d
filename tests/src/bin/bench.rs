//! How fast it is: see [`tests::bench`].

fn main() -> std::process::ExitCode {
    tests::bench::main()
}
