//! `court accept`: the project's requests that the user has not agreed to. An agreement is for the present content
//! and is stored in the user's state folder; after a change of the file, the user is asked again.

use serde_json::json;

use super::context::CliContext;
use super::output::{Failed, Output};
use crate::asker::Terminal;
use crate::config;
use crate::fence;
use crate::manifest;
use crate::records::{Accepted, Kind, Ledger, Manifest, Own, Record as _, Wish, digest, digest_of};

/// How much of a file is shown, in characters.
const SHOWN_MAX: usize = 8_000;

/// `court accept`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to agree to; none: show it all
    what: Option<What>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// .court/court.toml: it may then loosen rules too
    Settings,
    /// .court/manifest.json: its words then count as yours
    Manifest,
    /// The anchors of .claude/historian/cal.json that the court did not write here
    Ledger,
}

/// Shows the requests, or records an agreement.
pub(super) fn accept(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    let Some(what) = args.what else { return show(desk) };
    desk.person(Terminal::Needed)?;
    let said = match what {
        What::Settings => {
            let text = settings(desk)?.ok_or_else(|| absent(".court/court.toml"))?;
            agree(desk, Wish::Settings, text.as_bytes())?;
            format!("Accepted, until the file changes:\n{}", fence::sanitize(&text, SHOWN_MAX))
        }
        What::Manifest => {
            let bytes = desk.store.court().read(Manifest::NAME, Manifest::BYTES_MAX)?;
            let bytes = bytes.ok_or_else(|| absent(".court/manifest.json"))?;
            agree(desk, Wish::Manifest, &bytes)?;
            let text = fence::sanitize(&String::from_utf8_lossy(&bytes), SHOWN_MAX);
            format!("Accepted, until the file changes:\n{text}")
        }
        What::Ledger => {
            let ledger = desk.store.read::<Ledger>()?;
            let digests: Vec<String> = ledger.anchors.iter().map(digest_of).collect();
            let count = digests.len();
            desk.store.update(|own: &mut Own| own.set(Kind::Anchor, digests))?;
            format!("All {count} anchors of the ledger count as the court's own now.")
        }
    };
    Ok(Output::done(said, json!({"accepted": word(what)})))
}

/// Records that the user agrees to this content.
pub(super) fn agree(desk: &CliContext, wish: Wish, content: &[u8]) -> Result<(), Failed> {
    let digest = digest(content);
    desk.store.update(|accepted: &mut Accepted| accepted.digests.insert(wish, digest))?;
    Ok(())
}

fn show(desk: &CliContext) -> Result<Output, Failed> {
    let accepted = desk.store.read::<Accepted>()?;
    let state = |is_accepted| if is_accepted { "accepted" } else { "not accepted" };
    let mut lines = Vec::new();
    let mut json = json!({"settings": null, "manifest": null});
    if let Some(text) = settings(desk)? {
        let is_accepted = accepted.has(Wish::Settings, &digest(&text));
        json["settings"] = json!(is_accepted);
        lines.push(format!(
            "settings  .court/court.toml: {}\n{}",
            state(is_accepted),
            fence::sanitize(&text, SHOWN_MAX)
        ));
    }
    match manifest::load(&desk.store) {
        Ok(None) => {}
        Ok(Some(manifest)) => {
            let is_accepted = accepted.has(Wish::Manifest, &manifest.digest);
            json["manifest"] = json!(is_accepted);
            let text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
            lines.push(format!(
                "manifest  .court/manifest.json: {}\n{}",
                state(is_accepted),
                fence::sanitize(&text, SHOWN_MAX)
            ));
        }
        Err(unusable) => lines.push(format!("manifest  {unusable}")),
    }
    let foreign = desk.store.ledger()?.foreign;
    json["foreign_anchors"] = json!(foreign.len());
    if !foreign.is_empty() {
        lines
            .push(format!("ledger    {} anchors that the court did not write here", foreign.len()));
    }
    lines.push(match lines.is_empty() {
        true => "The project asks for nothing.".to_owned(),
        false => "Agree with `court accept settings`, `manifest` or `ledger`.".to_owned(),
    });
    Ok(Output::done(lines.join("\n"), json))
}

fn settings(desk: &CliContext) -> Result<Option<String>, Failed> {
    config::project_text(&desk.places)
        .map_err(|why| Failed::Wrong(format!(".court/court.toml {why}")))
}

fn absent(file: &str) -> Failed {
    Failed::Input(format!("there is no {file}"))
}

fn word(what: What) -> &'static str {
    match what {
        What::Settings => "settings",
        What::Manifest => "manifest",
        What::Ledger => "ledger",
    }
}
