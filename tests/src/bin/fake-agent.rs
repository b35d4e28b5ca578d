//! An agent for tests: runs the command lines that it receives, one after the other, and
//! reports the result of each. Its own environment is that which a user would give an agent.
//!
//! A line on standard input is a [`Line`] as JSON; a line on standard output is a [`Told`] as JSON.

use std::fs::File;
use std::io::{self, BufRead as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use rustix::process::{WaitOptions, set_child_subreaper, wait};
use tests::agent::{Line, Told};

fn main() -> ExitCode {
    // Processes that a command leaves behind become children of this one.
    let adopted = set_child_subreaper(Some(rustix::process::getpid())).map_err(Into::into);
    match adopted.and_then(|()| serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "fake-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let told = run(&serde_json::from_str(&line?)?)?;
        serde_json::to_writer(&mut output, &told)?;
        output.write_all(b"\n")?;
    }
    output.flush()
}

#[expect(clippy::disallowed_methods, reason = "the test plays the agent, which starts commands")]
fn run(line: &Line) -> io::Result<Told> {
    let output = Command::new(&line.program)
        .args(&line.args)
        .env_clear()
        .envs(line.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::from(File::open(&line.stdin)?))
        .output()?;
    let mut left = 0;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => left += 1,
            // It still runs; its end is waited for, so that it is counted for this line.
            Ok(None) => match wait(WaitOptions::empty()) {
                Ok(_) => left += 1,
                Err(_) => break,
            },
            Err(_) => break,
        }
    }
    Ok(Told {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        left,
    })
}
