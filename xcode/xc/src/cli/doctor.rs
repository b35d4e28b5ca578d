//! `xc doctor`: prints the results of its checks. It fails if a problem keeps `xc` from working.

use host::{Environment, streams};
use serde_json::json;

use super::args::{FormatArgs, PlaceArgs};
use crate::doctor::{State, examine};
use crate::exit::Exit;
use crate::runtime;

/// Runs the checks and prints the results.
pub(super) fn run(environment: &Environment, place: &PlaceArgs, args: FormatArgs) -> Exit {
    let checks = match runtime::block_on(examine(environment, place.places(environment))) {
        Ok(checks) => checks,
        Err(exit) => return exit,
    };
    let is_broken = checks.iter().any(|check| check.state == State::Failed);
    if args.json {
        let version = release::VERSION;
        let document = json!({ "version": version, "ok": !is_broken, "checks": checks });
        streams::print_json(&format!("{document:#}"));
    } else {
        streams::print(&format!("xc {}", release::VERSION));
        for check in &checks {
            let mark = match check.state {
                State::Ok => "ok",
                State::Warning => "note",
                State::Failed => "FAIL",
            };
            streams::print(&format!("{mark:4}  {:13}  {}", check.name, check.found));
            if let Some(mend) = &check.mend {
                streams::print(&format!("{:21}-> {mend}", ""));
            }
        }
    }
    if is_broken { Exit::Internal } else { Exit::Answered }
}
