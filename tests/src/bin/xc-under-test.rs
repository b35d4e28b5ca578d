//! The program `xc` for the tests: the same `main` in an executable of this package. With `PANIC_WHEN_THERE`, one of its
//! threads panics when that file exists.

use std::path::Path;
use std::thread;
use std::time::Duration;

fn main() -> std::process::ExitCode {
    if let Some(file) = std::env::var_os("PANIC_WHEN_THERE") {
        thread::spawn(move || {
            while !Path::new(&file).exists() {
                // Nothing unparks this thread: it is a pause between two checks.
                thread::park_timeout(Duration::from_millis(5));
            }
            panic!("a planted fault");
        });
    }
    xc::main()
}
