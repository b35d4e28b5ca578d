//! `xc config`: each setting with its source.

use host::{Environment, streams};
use serde_json::json;

use super::args::{FormatArgs, PlaceArgs};
use crate::config::{Config, Fault, Shown, shown};
use crate::exit::Exit;

/// Prints the settings.
pub(super) fn run(environment: &Environment, place: &PlaceArgs, args: FormatArgs) -> Exit {
    let config = match configured(environment, place) {
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
    let width = |of: fn(&Shown) -> &str| {
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

/// The settings; all faults in them are printed on standard error.
fn configured(environment: &Environment, place: &PlaceArgs) -> Result<Config, Exit> {
    Config::read(environment, place.places(environment)).map_err(|faults| {
        faults.iter().for_each(|fault: &Fault| streams::note(&format!("xc: {fault}")));
        Exit::Usage
    })
}
