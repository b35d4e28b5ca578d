//! One turn: reads the prompt from the command line or standard input, and prints the answer to standard
//! output.

use std::io::{self, Read as _};

use client::exit::Exit;
use contract::failure::{Failure, FailureCode, Violation};
use contract::limits::BODY_MAX_BYTES;
use tokio::runtime::Runtime;

use super::args::Cli;
use super::conversation::Conversation;
use super::output;
use super::turn::{self, Ended};

/// Plays the one turn.
pub(super) fn run(mut conversation: Conversation, cli: &Cli, runtime: &Runtime) -> Exit {
    let form = cli.form();
    let prompt = runtime.block_on(async {
        let given = cli.given_prompt().map(str::to_owned);
        match (given, cli.stdin) {
            (Some(given), false) => Ok(given),
            (given, _) => {
                let piped = tokio::select! {
                    piped = tokio::task::spawn_blocking(read) => piped.map_err(io::Error::other),
                    () = conversation.stops.next() => return Err(cancelled()),
                };
                let piped = piped.and_then(|piped| piped).map_err(|error| unreadable(&error))?;
                Ok(joined(given.as_deref(), &piped))
            }
        }
    });
    let prompt = match prompt {
        Ok(prompt) if prompt.trim().is_empty() => return output::failure(form, &empty()),
        Ok(prompt) => prompt,
        Err(failure) => return output::failure(form, &failure),
    };
    match runtime.block_on(turn::play(&mut conversation, &prompt)) {
        Ended::Answered { report, said } => output::answer(form, &report, said.as_deref()),
        Ended::Planned(report) => output::plan(form, &report, &prompt),
        Ended::Failed(failure) => output::failure(form, &failure),
        Ended::Stopped => output::failure(form, &cancelled()),
    }
}

/// Reads standard input to its end, up to the size limit of a turn.
fn read() -> io::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(BODY_MAX_BYTES).unwrap_or(u64::MAX);
    io::stdin().lock().take(most + 1).read_to_string(&mut text)?;
    if text.len() > BODY_MAX_BYTES {
        return Err(io::Error::other(format!("it is longer than {BODY_MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn joined(given: Option<&str>, piped: &str) -> String {
    match given {
        Some(given) => format!("{given}\n\n{}", piped.trim_end()),
        None => piped.trim_end().to_owned(),
    }
}

fn refused(message: String, hint: &str) -> Failure {
    let violation = Violation::new("/prompt", message.clone()).with_hint(hint);
    Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation])
}

fn empty() -> Failure {
    refused(
        "the prompt is empty".to_owned(),
        "give one: codex-auto 'what to ask', or text on standard input",
    )
}

fn unreadable(error: &io::Error) -> Failure {
    refused(format!("standard input cannot be read: {error}"), "give text in UTF-8")
}

fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "the turn was cancelled")
}
