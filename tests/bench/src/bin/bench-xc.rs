//! What `xc` costs beside its peers: see [`bench::xc`].

fn main() -> std::process::ExitCode {
    bench::xc::main()
}
