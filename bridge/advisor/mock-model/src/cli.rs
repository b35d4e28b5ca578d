//! The command line: `mock-model [--listen ADDR] [--reply REPLY] [--delay-ms N] [--pace-ms N] [--dialect NAME]`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::dialect::Dialect;
use crate::reply::{Hang, Reply};
use crate::server::MockModel;

/// Serves a scripted model provider on loopback until it is killed: Responses, Messages, Chat
/// Completions and generateContent. No model is asked.
#[derive(Debug, Parser)]
#[command(name = "mock-model", version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDR")]
    listen: SocketAddr,

    /// What to answer: advice, text:WORDS, status:CODE, failed:CODE, incomplete:REASON,
    /// refusal:WORDS, tool:NAME, empty, cut, hang, hang:after-headers or hang:mid-stream.
    #[arg(long, default_value = "advice", value_parser = parse_reply)]
    reply: Reply,

    /// How long to wait before each answer, in milliseconds.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    delay_ms: u64,

    /// Think first, then write piece by piece, with so many milliseconds before each of them. 0 sends
    /// everything at once.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    pace_ms: u64,

    /// Whose Chat Completions to speak: openai, xai, deepseek, alibaba, zhipu, moonshotai or custom.
    #[arg(long, default_value = "openai", value_parser = parse_dialect, value_name = "NAME")]
    dialect: Dialect,
}

/// Runs the command: prints the base URL as its only line, then serves.
#[must_use]
#[tokio::main]
pub async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let reply = paced(arguments.reply, Duration::from_millis(arguments.pace_ms));
    let reply = reply.after(Duration::from_millis(arguments.delay_ms));
    let mock = match MockModel::start(reply, arguments.listen).await {
        Ok(mock) => mock,
        Err(error) => {
            // If stderr is closed, the error cannot be reported.
            let _ = writeln!(std::io::stderr(), "cannot listen on {}: {error}", arguments.listen);
            return ExitCode::FAILURE;
        }
    };
    mock.set_dialect(arguments.dialect);
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{}", mock.base_url()).and_then(|()| stdout.flush());
    std::future::pending().await
}

/// The reply as a reasoning model gives it, with pauses.
fn paced(reply: Reply, every: Duration) -> Reply {
    if every.is_zero() { reply } else { reply.thought_and_written(every) }
}

fn parse_dialect(name: &str) -> Result<Dialect, String> {
    Dialect::named(name).ok_or_else(|| "unknown dialect; see --help for the list".to_owned())
}

fn parse_reply(text: &str) -> Result<Reply, String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let rest = rest.to_owned();
    Ok(match (kind, rest.as_str()) {
        ("advice", "") => Reply::Advice,
        ("text", _) => Reply::Text(rest),
        ("status", code) => {
            let code: u16 = code.parse().map_err(|_| format!("`{code}` is not a status code"))?;
            if !(200..=599).contains(&code) {
                return Err(format!("{code} is not a final status code (200 to 599)"));
            }
            Reply::error(code, "mock-model", "This failure is scripted.")
        }
        ("failed", _) => {
            Reply::Failed { code: rest, message: "This failure is scripted.".to_owned() }
        }
        ("incomplete", _) => Reply::Incomplete(rest),
        ("refusal", _) => Reply::Refusal(rest),
        ("tool", _) => Reply::ToolCall { name: rest, arguments: "{}".to_owned() },
        ("empty", "") => Reply::Empty,
        ("cut", "") => Reply::Cut,
        ("hang", "") => Reply::Hang(Hang::BeforeHeaders),
        ("hang", "after-headers") => Reply::Hang(Hang::AfterHeaders),
        ("hang", "mid-stream") => Reply::Hang(Hang::MidStream),
        _ => return Err("unknown reply; see --help for the list".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn replies_are_read_from_words() {
        for (text, expected) in [
            ("advice", Ok(Reply::Advice)),
            ("text:a:b", Ok(Reply::Text("a:b".into()))),
            ("hang", Ok(Reply::Hang(Hang::BeforeHeaders))),
            ("hang:mid-stream", Ok(Reply::Hang(Hang::MidStream))),
            ("tool:shell", Ok(Reply::ToolCall { name: "shell".into(), arguments: "{}".into() })),
            ("status:x", Err("`x` is not a status code".into())),
            ("status:99", Err("99 is not a final status code (200 to 599)".into())),
            ("nonsense", Err("unknown reply; see --help for the list".into())),
        ] {
            assert_eq!(parse_reply(text), expected, "{text}");
        }
    }

    #[test]
    fn the_help_names_every_dialect_and_each_is_read() {
        let help = Arguments::command().render_long_help().to_string();
        for (name, dialect) in Dialect::NAMED {
            assert!(help.contains(name), "{name}: {help}");
            assert_eq!(parse_dialect(name), Ok(dialect));
        }
        parse_dialect("x").unwrap_err();
    }
}
