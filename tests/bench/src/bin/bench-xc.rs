//! Measures the cost of `xc` compared with its peers: see [`bench::xc`].

fn main() -> std::process::ExitCode {
    bench::xc::main()
}
