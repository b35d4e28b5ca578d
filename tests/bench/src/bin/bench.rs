//! How fast it is: see [`bench::service`].

fn main() -> std::process::ExitCode {
    bench::service::main()
}
