//! `xc config`: each setting with where it is from.

use host::{Environment, streams};
use serde_json::json;

use super::args::{FormatArgs, PlaceArgs};
use crate::config::shown;
use crate::exit::Exit;

/// Shows them.
pub(super) fn run(environment: &Environment, place: &PlaceArgs, args: FormatArgs) -> Exit {
    let config = match super::configured(environment, place) {
        Ok(config) => config,
        Err(exit) => return exit,
    };
    let settings = shown(&config);
    if args.json {
        let file = config.path.display().to_string();
        let document = json!({ "file": file, "settings": settings, "notes": config.notes });
        streams::print_json(&format!("{document:#}"));
        return Exit::Answered;
    }
    let width = |of: fn(&crate::config::Shown) -> &str| {
        settings.iter().map(|one| of(one).chars().count()).max().unwrap_or_default()
    };
    let (keys, values) = (width(|one| &one.key), width(|one| &one.value).min(48));
    streams::print(&format!("file: {}", config.path.display()));
    for one in &settings {
        streams::print(&format!("{:keys$}  {:values$}  {}", one.key, one.value, one.source));
    }
    config.notes.iter().for_each(|note| streams::note(&format!("xc: {note}")));
    Exit::Answered
}
