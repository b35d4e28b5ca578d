//! Reports a run that ended before a request, in each output format; the formats for programs also get their `end`.

use contract::id::SessionId;
use contract::xc::{End, TokenUsage, What};
use host::streams;
use jiff::Timestamp;

use super::output::Output;
use crate::cli::args::OutputFormat;
use crate::exit::Exit;
use crate::refused::Refused;

/// Prints the reason on standard error, and in the format for programs if one was requested.
pub(super) fn told(refused: Refused, format: OutputFormat) -> Exit {
    let Refused { exit, reason, class, lines } = refused;
    lines.iter().for_each(|line| streams::note(&format!("xc: {line}")));
    let mut output = Output::new(format, SessionId::generate());
    for message in lines {
        let what = match class {
            Some(class) => What::Failure { class, message },
            None => What::Note { text: message },
        };
        output.put(Timestamp::now(), what);
    }
    let end = End {
        reason,
        exit: exit as u8,
        answer: String::new(),
        usage: TokenUsage::default(),
        cost_usd: Some(0.0),
        changed: Vec::new(),
        commands: Vec::new(),
        denied: Vec::new(),
    };
    output.put(Timestamp::now(), What::End(end));
    exit
}
