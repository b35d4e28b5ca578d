//! How well it finds: see [`bench::eyes`].

fn main() -> std::process::ExitCode {
    bench::eyes::main()
}
