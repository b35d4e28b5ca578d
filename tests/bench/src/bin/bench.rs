//! Measures the speed of the daemon: see [`bench::service`].

fn main() -> std::process::ExitCode {
    bench::service::main()
}
