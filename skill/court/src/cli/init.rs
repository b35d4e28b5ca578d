//! `court init`: the project's own files. The client's settings are the user's; they are told what to
//! do and never written.

use serde_json::json;

use super::desk::Desk;
use super::output::{Failed, Output};
use super::{accept, wiring};
use crate::asker::Terminal;
use crate::config::DEFAULT_FILE;
use crate::records::{Manifest, Record as _, Wish};

/// `court init`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also write a manifest with three phases to start from
    #[arg(long)]
    manifest: bool,
}

/// A manifest to start from.
const MANIFEST: &str = include_str!("manifest.json");

/// Writes what is absent, and says what is next.
pub(super) fn init(desk: &Desk, args: &Args) -> Result<Output, Failed> {
    desk.person(Terminal::Any)?;
    let (court, historian) = (desk.store.court(), desk.store.historian());
    let settings: String = DEFAULT_FILE.lines().map(commented).collect();
    let ignored =
        "# Written by the court while you work.\n*\n!court.toml\n!manifest.json\n!.gitignore\n";
    let mut files = vec![
        (court, "court.toml", settings.as_str()),
        (court, ".gitignore", ignored),
        (historian, ".gitignore", "# Written by the court while you work.\n*\n"),
    ];
    if args.manifest {
        files.push((court, Manifest::NAME, MANIFEST));
    }
    let mut lines = Vec::new();
    let mut written = Vec::new();
    for (folder, name, text) in files {
        let path = folder.path(name);
        if folder.metadata(name).is_some() {
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

/// Every setting of the default file, switched off: a default that changes later still holds.
fn commented(line: &str) -> String {
    match line.is_empty() || line.starts_with(['#', '[']) {
        true => format!("{line}\n"),
        false => format!("# {line}\n"),
    }
}
