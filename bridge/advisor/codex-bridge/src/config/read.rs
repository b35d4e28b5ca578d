//! Parses untyped values into types. Each error says what was expected and how to fix it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

use super::layer::Value;

/// Why a value was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// What is wrong.
    pub(super) problem: String,
    /// How to fix it.
    pub(super) mend: String,
    /// Whether the value may be shown.
    pub(super) shown: bool,
}

impl Problem {
    /// A problem with a value that may be shown.
    pub(super) fn new(problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { problem: problem.into(), mend: mend.into(), shown: true }
    }
}

/// A text of at least one character.
pub(super) fn text(value: &Value) -> Result<String, Problem> {
    match value {
        Value::Word(text) | Value::Text(text) if !text.trim().is_empty() => {
            Ok(text.trim().to_owned())
        }
        Value::Word(_) | Value::Text(_) => {
            Err(Problem::new("it is empty", "give a value or leave the setting out"))
        }
        _ => Err(Problem::new("it is not a text", "put it in double quotes")),
    }
}

/// A whole number within inclusive bounds.
pub(super) fn whole(value: &Value, (least, most): (u64, u64)) -> Result<u64, Problem> {
    let expected = format!("expected a whole number from {least} to {most}");
    let number = match value {
        Value::Word(word) => word.trim().parse::<u64>().ok(),
        Value::Whole(number) => u64::try_from(*number).ok(),
        Value::Text(text) if text.trim().parse::<u64>().is_ok() => {
            return Err(Problem::new(expected, "write it without quotes"));
        }
        _ => None,
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        Some(number) if number < least => {
            Err(Problem::new(expected, format!("use at least {least}")))
        }
        Some(_) => Err(Problem::new(expected, format!("use at most {most}"))),
        None => Err(Problem::new(expected, "write digits only")),
    }
}

/// A duration given as a whole number of milliseconds, within bounds in milliseconds.
pub(super) fn milliseconds(value: &Value, bounds: (u64, u64)) -> Result<Duration, Problem> {
    whole(value, bounds).map(Duration::from_millis).map_err(|problem| {
        // Suggest the value in milliseconds for input such as "5 min".
        match duration(value, Duration::ZERO, Duration::MAX) {
            Ok(meant) if matches!(value, Value::Word(_) | Value::Text(_)) => {
                let mend = format!("it is in milliseconds: write {}", meant.as_millis());
                Problem { mend, ..problem }
            }
            _ => problem,
        }
    })
}

/// A duration with its unit, such as `24h`, `30 days` or `500ms`.
pub(super) fn duration(
    value: &Value,
    least: Duration,
    most: Duration,
) -> Result<Duration, Problem> {
    let malformed = || {
        Problem::new(
            "expected a duration with its unit",
            r#"write it as "90s", "24h", "30 days" or "2 weeks""#,
        )
    };
    let (Value::Word(text) | Value::Text(text)) = value else { return Err(malformed()) };
    let span: Span = text.trim().parse().map_err(|_| malformed())?;
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| malformed())?;
    let duration = Duration::try_from(signed).map_err(|_| malformed())?;
    let named = |bound: Duration| match bound.as_secs() / 60 {
        minutes if minutes >= 24 * 60 => format!("{} days", minutes / (24 * 60)),
        minutes => format!("{minutes} minute(s)"),
    };
    if duration < least {
        Err(Problem::new("it is too short", format!("use at least {}", named(least))))
    } else if duration > most {
        Err(Problem::new("it is too long", format!("use at most {}", named(most))))
    } else {
        Ok(duration)
    }
}

/// `true` or `false`.
pub(super) fn switch(value: &Value) -> Result<bool, Problem> {
    match value {
        Value::Switch(switch) => Ok(*switch),
        Value::Word(word) if word == "true" => Ok(true),
        Value::Word(word) if word == "false" => Ok(false),
        _ => Err(Problem::new("expected true or false", "write true or false, without quotes")),
    }
}

/// One of a fixed list of words.
pub(super) fn choice<T: Copy>(value: &Value, words: &[(&'static str, T)]) -> Result<T, Problem> {
    let found = match value {
        Value::Word(text) | Value::Text(text) => {
            words.iter().find(|(word, _)| *word == text.trim()).map(|(_, choice)| *choice)
        }
        _ => None,
    };
    found.ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        let meant = match value {
            Value::Word(text) | Value::Text(text) => {
                super::key::nearest(text, words.iter().map(|(word, _)| *word))
            }
            _ => None,
        };
        let mend = match meant {
            Some(word) => format!("did you mean {word:?}?"),
            None => "use one of these words".to_owned(),
        };
        Problem::new(format!("expected {}", known.join(" or ")), mend)
    })
}

/// An IP address with a port; `localhost` is 127.0.0.1.
pub(super) fn address(value: &Value) -> Result<SocketAddr, Problem> {
    let malformed = |mend: String| Err(Problem::new("expected an IP address and a port", mend));
    let text = match value {
        Value::Word(text) | Value::Text(text) => text.trim(),
        Value::Whole(port) => return malformed(format!("write \"127.0.0.1:{port}\"")),
        _ => return malformed("write \"127.0.0.1:4517\"".to_owned()),
    };
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    if let Ok(address) = numeric.as_deref().unwrap_or(text).parse() {
        return Ok(address);
    }
    let port = text.strip_prefix(':').unwrap_or(text).parse::<u16>();
    malformed(match (text.parse(), port) {
        (Ok(std::net::IpAddr::V4(ip)), _) => format!("add the port: \"{ip}:4517\""),
        (Ok(std::net::IpAddr::V6(ip)), _) => format!("add the port: \"[{ip}]:4517\""),
        (Err(_), Ok(port)) => format!("write \"127.0.0.1:{port}\""),
        (Err(_), Err(_)) => "write \"127.0.0.1:4517\"".to_owned(),
    })
}

/// An `http` or `https` URL without credentials, query or fragment.
pub(super) fn base_url(value: &Value) -> Result<String, Problem> {
    let text = text(value)?;
    let mend = "write it as \"https://api.example.com/v1\"";
    if text.contains(['@', '?', '#']) {
        return Err(Problem {
            shown: false,
            ..Problem::new(
                "it holds credentials, a query or a fragment",
                "give the key through `codex.api_key_env` and only the URL here",
            )
        });
    }
    let Ok(uri) = text.parse::<http::Uri>() else {
        return Err(Problem::new("it is not a URL", mend));
    };
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err(Problem::new("expected an http or https URL", mend)),
    }
}

/// The name of an environment variable.
pub(super) fn variable_name(value: &Value) -> Result<String, Problem> {
    let text = text(value)?;
    let fits = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit());
    if fits {
        return Ok(text);
    }
    // Most likely the key itself; do not show it.
    Err(Problem {
        shown: false,
        ..Problem::new(
            "it is not the name of an environment variable",
            "put the key into a variable and give that variable's name, such as OPENAI_API_KEY",
        )
    })
}

/// A token, as checked by [`crate::token::is_token`].
pub(super) fn token(value: &Value) -> Result<String, Problem> {
    let text = text(value)?;
    if crate::token::is_token(&text) {
        return Ok(text);
    }
    Err(Problem::new(
        format!("expected {}", crate::token::FORM),
        "make one with `openssl rand -hex 32`, or leave it out to have one made",
    ))
}

/// A path. `~/` stands for the home folder; a relative path is resolved against `base`.
pub(super) fn path(value: &Value, base: &Path, home: Option<&Path>) -> Result<PathBuf, Problem> {
    let text = text(value)?;
    if text.contains('\0') {
        return Err(Problem::new("a path cannot hold a NUL", "remove it"));
    }
    if let Some(rest) = text.strip_prefix('~') {
        let rest = match rest.strip_prefix('/') {
            Some(rest) => rest,
            None if rest.is_empty() => "",
            None => {
                return Err(Problem::new(
                    "another user's home is not looked up",
                    "write the path out",
                ));
            }
        };
        return match home {
            Some(home) => Ok(home.join(rest)),
            None => {
                Err(Problem::new("HOME is not set, so `~` means nothing", "write the path out"))
            }
        };
    }
    Ok(base.join(text))
}

/// A list of paths: a list in the file, a string separated by colons elsewhere.
pub(super) fn paths(
    value: &Value,
    base: &Path,
    home: Option<&Path>,
) -> Result<Vec<PathBuf>, Problem> {
    let items: Vec<Value> = match value {
        Value::Word(text) => {
            text.split(':').filter(|p| !p.is_empty()).map(|p| Value::Word(p.to_owned())).collect()
        }
        Value::List(items) => items.clone(),
        _ => {
            return Err(Problem::new(
                "expected a list of folders",
                r#"write ["/home/me/project"]"#,
            ));
        }
    };
    items.iter().map(|item| path(item, base, home)).collect()
}
