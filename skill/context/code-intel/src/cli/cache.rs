//! `ci cache`, and the occasional removal of unused indexes by other commands.

use std::io;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use host::Environment;
use serde_json::json;

use super::error::{CliError, Exit};
use super::options::Options;
use super::output::Output;
use crate::cache::{self, Index, Pruned};
use crate::engine::cache_folder;
use crate::root::RepoRoot;

const DAY: Duration = Duration::from_secs(86_400);

#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Every index: what it is about, its size, and when it was last used
    List,
    /// Drop indexes that nobody used for 30 days, and the oldest above 2 GiB together
    ///
    /// Every `ci` does this by itself once a day, when its answer is given.
    Prune {
        /// Only where it was not done within a day; say nothing
        #[arg(long)]
        due: bool,
    },
    /// Drop every index, or with --root the one of that folder; the next question makes it anew
    Clear,
}

pub(super) fn run(
    args: &CacheArgs,
    options: &Options,
    environment: &Environment,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let folder = cache_folder(environment)?;
    let now = SystemTime::now();
    match args.command {
        CacheCommand::List => {
            let indexes = cache::list(&folder).map_err(CliError::Cache)?;
            let bytes: u64 = indexes.iter().map(|index| index.bytes).sum();
            let value = json!({ "folder": folder, "bytes": bytes, "indexes": indexes });
            let mut lines: Vec<String> = indexes.iter().map(|index| line(index, now)).collect();
            lines.push(format!("{} in {}", counted(indexes.len(), bytes), folder.display()));
            output.lines(&value, &lines)
        }
        CacheCommand::Prune { due: true } => {
            cache::prune_if_due(&folder, now).map_err(CliError::Cache)?;
            Ok(Exit::Found)
        }
        CacheCommand::Prune { due: false } => {
            told(&cache::prune(&folder, now).map_err(CliError::Cache)?, now, output)
        }
        CacheCommand::Clear => {
            let root = options.root.as_deref().map(RepoRoot::at).transpose()?;
            let root = root.as_ref().map(RepoRoot::path);
            told(&cache::clear(&folder, root).map_err(CliError::Cache)?, now, output)
        }
    }
}

/// Removes unused indexes, at most once a day, without output, since the user did not request it.
pub(super) fn tidy(environment: &Environment) {
    if let Ok(folder) = cache_folder(environment) {
        // What cannot be removed today is tried again tomorrow.
        let _ = cache::prune_if_due(&folder, SystemTime::now());
    }
}

fn told(pruned: &Pruned, now: SystemTime, output: &mut Output) -> Result<Exit, CliError> {
    let bytes: u64 = pruned.dropped.iter().map(|index| index.bytes).sum();
    let value = json!({
        "dropped": pruned.dropped, "busy": pruned.busy, "kept": pruned.kept, "freed_bytes": bytes,
    });
    let mut lines: Vec<String> = pruned.dropped.iter().map(|index| line(index, now)).collect();
    let busy = pruned.busy.iter().map(|index| format!("in use  {}", line(index, now)));
    lines.extend(busy);
    let dropped = counted(pruned.dropped.len(), bytes);
    lines.push(format!("{dropped} dropped, {} kept", pruned.kept));
    output.lines(&value, &lines)
}

fn line(index: &Index, now: SystemTime) -> String {
    let used = SystemTime::UNIX_EPOCH + Duration::from_secs(index.used_s);
    let days = now.duration_since(used).unwrap_or_default().as_secs() / DAY.as_secs();
    let when = match days {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    };
    let root = index.root.as_deref().unwrap_or("(not readable by this version)");
    format!("{:>9}  {when:>12}  {root}", readable(index.bytes))
}

fn counted(count: usize, bytes: u64) -> String {
    let noun = if count == 1 { "index" } else { "indexes" };
    format!("{count} {noun}, {}", readable(bytes))
}

fn readable(bytes: u64) -> String {
    match bytes {
        0..=1_048_575 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..=1_073_741_823 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

impl Output {
    /// Prints one JSON object, or lines for people.
    fn lines(&mut self, value: &serde_json::Value, lines: &[String]) -> Result<Exit, CliError> {
        let print = |output: &mut Self| -> io::Result<()> {
            if output.is_json() {
                return output.line(&redact::visible_json(&value.to_string()));
            }
            lines.iter().try_for_each(|line| output.line(&redact::visible_line(line)))
        };
        print(self).map_err(CliError::Output)?;
        Ok(Exit::Found)
    }
}
