//! The log: one event per line on standard error, as JSON or readable text. Log errors never stop the daemon.
//!
//! A supervisor may close our standard error (pm2 7 does when its daemon is killed). The
//! subscriber's own error printing panics then, so it is switched off.

mod json_lines;
mod log_file;

use std::io::IsTerminal;
use std::path::Path;

use tracing_subscriber::filter::{EnvFilter, ParseError};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry};

use crate::config::values::{LogConfig, LogFormat};
use json_lines::JsonLines;
use log_file::LogWriter;

/// Why the log could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is malformed; the configuration checks it before.
    #[error("the log filter cannot be read")]
    Filter(#[from] ParseError),
    /// The process already has a log.
    #[error("the log was set up before")]
    Twice(#[from] TryInitError),
}

/// Parses a level or filter.
///
/// # Errors
/// The level or filter is malformed.
pub fn filter(level: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::builder().parse(level)
}

/// Sets up the log of this process on standard error.
///
/// # Errors
/// [`LogError`], by cause.
pub fn init(config: &LogConfig) -> Result<(), LogError> {
    init_with(config, LogWriter::stderr())
}

/// The same for a daemon whose standard error is a file at `path`, which is rotated to limit
/// its size.
///
/// # Errors
/// [`LogError`], by cause.
pub fn init_in(config: &LogConfig, path: &Path) -> Result<(), LogError> {
    init_with(config, LogWriter::file(path))
}

fn init_with(config: &LogConfig, writer: LogWriter) -> Result<(), LogError> {
    let json = match config.format {
        LogFormat::Json => true,
        LogFormat::Pretty => false,
        LogFormat::Auto => !std::io::stderr().is_terminal(),
    };
    let lines: Box<dyn Layer<Registry> + Send + Sync> = if json {
        Box::new(json_layer(move || writer.clone()))
    } else {
        let colours = std::io::stderr().is_terminal();
        let layer = tracing_subscriber::fmt::layer().log_internal_errors(false);
        if colours {
            // The layer escapes what it prints, and colours it.
            Box::new(layer.with_ansi(true).with_writer(std::io::stderr))
        } else {
            let visible = move || redact::VisibleWriter::new(writer.clone());
            Box::new(layer.with_ansi(false).with_writer(visible))
        }
    };
    let filter = filter(&config.level)?;
    tracing_subscriber::registry().with(lines.with_filter(filter)).try_init()?;
    Ok(())
}

/// JSON lines to a writer.
fn json_layer<S, W>(writer: W) -> impl Layer<S> + Send + Sync
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .fmt_fields(JsonFields::new())
        .event_format(JsonLines)
        .with_writer(writer)
        .log_internal_errors(false)
}

#[cfg(test)]
mod tests;
