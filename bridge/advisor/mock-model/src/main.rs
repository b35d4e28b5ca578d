//! The `mock-model` command: see [`mock_model::cli`].

fn main() -> std::process::ExitCode {
    mock_model::main()
}
