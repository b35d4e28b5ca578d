//! A real pseudo-terminal whose other end is held by this test, as by a user's terminal program.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// How long a question is waited for.
const LIMIT: Duration = Duration::from_secs(120);

/// What a command said on its terminal, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) text: String,
}

/// A command that will lead a session of its own on its terminal.
pub(crate) fn leading(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait"]).arg(program);
    command
}

/// Runs a command whose standard input, output and error are a terminal.
pub(crate) fn on_terminal(mut command: Command, answers: &[(&str, &str)]) -> Said {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let path = std::path::Path::new(OsStr::from_bytes(name.as_bytes()));
    let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
    let open = || OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).unwrap();
    command.stdin(open()).stdout(open()).stderr(open());
    let mut child = command.spawn().unwrap();
    // The parent's copies of the other end would keep the terminal open for ever.
    drop(command);

    let mut master = File::from(master);
    let heard = listen(master.try_clone().unwrap());
    let mut text = String::new();
    let mut asked = 0;
    for (question, answer) in answers {
        while !text[asked..].contains(question) {
            match heard.recv_timeout(LIMIT) {
                Ok(part) => text.push_str(&part),
                Err(_) => break,
            }
        }
        asked = text.len();
        // The command may have ended before it asked.
        let _ = master.write_all(format!("{answer}\r").as_bytes());
    }
    let code = child.wait().unwrap().code();
    while let Ok(part) = heard.recv_timeout(LIMIT) {
        text.push_str(&part);
    }
    Said { code, text }
}

fn listen(mut master: File) -> Receiver<String> {
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        // The end of a terminal is an error.
        while let Ok(length) = master.read(&mut part) {
            if length == 0
                || tell.send(String::from_utf8_lossy(&part[..length]).into_owned()).is_err()
            {
                break;
            }
        }
    });
    heard
}

/// Whether these tests run below a client: then nothing they start is a person, and that is right.
pub(crate) fn is_below_a_client() -> bool {
    let environment = court::environment::Environment::of([]);
    let doubt = court::asker::doubt(&environment, court::asker::Terminal::Any);
    if let Some(doubt) = &doubt {
        skipping::missing(
            "a person's terminal",
            &format!("these tests run below a client: {doubt}"),
        );
    }
    doubt.is_some()
}
