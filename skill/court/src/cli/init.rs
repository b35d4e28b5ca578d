//! `court init`: the project's own files. The client's settings are the user's; they are told what to
//! do and never written.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::desk::Desk;
use super::output::{Failed, Output};
use super::wiring;
use crate::config::DEFAULT_FILE;
use crate::records::Folder;
use crate::store::{StoreError, replace};

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
    desk.person()?;
    let court = desk.store.prepare(Folder::Court)?.to_path_buf();
    let historian = desk.store.prepare(Folder::Historian)?.to_path_buf();
    let settings: String = DEFAULT_FILE.lines().map(commented).collect();
    let ignored =
        "# Written by the court while you work.\n*\n!court.toml\n!manifest.json\n!.gitignore\n";
    let mut files = vec![
        (court.join("court.toml"), settings.as_str()),
        (court.join(".gitignore"), ignored),
        (historian.join(".gitignore"), "# Written by the court while you work.\n*\n"),
    ];
    if args.manifest {
        files.push((court.join("manifest.json"), MANIFEST));
    }
    let mut lines = Vec::new();
    let mut written = Vec::new();
    for (path, text) in files {
        if is_there(&path)? {
            lines.push(format!("kept     {}", path.display()));
        } else {
            replace(&path, text.as_bytes())?;
            lines.push(format!("written  {}", path.display()));
            written.push(path);
        }
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

fn is_there(path: &Path) -> Result<bool, Failed> {
    let there = fs::symlink_metadata(path);
    match there {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::Io { path: path.to_path_buf(), source }.into()),
    }
}
