//! `court init`: creates the project's own files. The client's settings belong to the user, who is told how to change
//! them; they are never written.

use host::{IGNORE_ALL, IGNORE_FILE};
use serde_json::json;

use super::context::CliContext;
use super::output::{Failed, Output};
use super::{accept, wiring};
use crate::asker::Terminal;
use crate::config::DEFAULT_FILE;
use crate::records::{Manifest, Record as _, Wish};
use crate::store::Files;

/// `court init`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also write a manifest with three phases to start from
    #[arg(long)]
    manifest: bool,
}

/// The initial manifest.
const MANIFEST: &str = include_str!("manifest.json");

/// Writes the missing files, and prints the next steps.
pub(super) fn init(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    desk.person(Terminal::Any)?;
    let (court, historian) = (desk.store.court(), desk.store.historian());
    let settings: String = DEFAULT_FILE.lines().map(commented).collect();
    // Files that a team shares are in git, all others are ignored.
    let shared = format!("{IGNORE_ALL}!court.toml\n!manifest.json\n!{IGNORE_FILE}\n");
    let mut files = vec![
        (court, "court.toml", settings.as_str()),
        (court, IGNORE_FILE, shared.as_str()),
        (historian, IGNORE_FILE, IGNORE_ALL),
    ];
    if args.manifest {
        files.push((court, Manifest::NAME, MANIFEST));
    }
    let mut lines = Vec::new();
    let mut written = Vec::new();
    for (folder, name, text) in files {
        let path = folder.path(name);
        let is_made_with_the_folder =
            name == IGNORE_FILE && is_ignoring_all(folder) && text != IGNORE_ALL;
        if folder.metadata(name).is_some() && !is_made_with_the_folder {
            lines.push(format!("kept     {}", path.display()));
            continue;
        }
        folder.replace(name, text.as_bytes())?;
        if name == Manifest::NAME {
            accept::agree(desk, Wish::Manifest, text.as_bytes())?;
        }
        lines.push(format!("written  {}", path.display()));
        written.push(path);
    }
    let wired = wiring::look(desk);
    lines.push(String::new());
    lines.push(if wired.is_complete() {
        format!("The hooks are wired ({}). Look with `court status`.", wired.place())
    } else {
        wiring::HOW.to_owned()
    });
    Ok(Output::done(lines.join("\n"), json!({"written": written, "wired": wired.is_complete()})))
}

/// Whether the folder has the original ignore file.
fn is_ignoring_all(folder: &Files) -> bool {
    let read = folder.read(IGNORE_FILE, 4 * IGNORE_ALL.len() as u64);
    read.is_ok_and(|bytes| bytes.is_some_and(|bytes| bytes == IGNORE_ALL.as_bytes()))
}

/// A setting of the default file, commented out, so that a later change of the default takes effect.
fn commented(line: &str) -> String {
    match line.is_empty() || line.starts_with(['#', '[']) {
        true => format!("{line}\n"),
        false => format!("# {line}\n"),
    }
}
