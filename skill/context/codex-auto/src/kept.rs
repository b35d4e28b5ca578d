//! Records the latest prompts, masked, with their reports, so that the daemon's page `/window/context` can show
//! them: one private file per prompt. Nothing is recorded if no daemon ever had a state folder, and recording
//! never delays a prompt or makes it fail. Not here: showing them, which the daemon does.

use std::ffi::OsString;
use std::time::Duration;

use host::environment::Environment;
use host::{Beneath, state_dir};
use orchestration::kept::{EXTENSION, FILE_MAX, FOLDER, KEPT_MAX, id_of, is_run_id};
use orchestration::{parts, variables};
use serde_json::json;

use crate::enrich::Enriched;

/// Records the result for a prompt, `elapsed` after it came.
pub fn keep(enriched: &Enriched, environment: &Environment, elapsed: Duration) {
    let most = most(environment);
    let report = enriched.report.as_value();
    let run_id = parts::run_id(report);
    let says_nothing = parts::prompt(report).is_empty() && parts::limits_text(report).is_empty();
    if most == 0 || says_nothing || !is_run_id(run_id) {
        return;
    }
    let Some(state_dir) = state_dir::of_client(environment).filter(|folder| folder.is_dir()) else {
        return;
    };
    let file = format!("{run_id}{EXTENSION}");
    let mut report = report.clone();
    parts::clear_structured(&mut report);
    let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    let text = json!({ "elapsed_ms": elapsed_ms, "report": report }).to_string();
    let folder = Beneath::private(state_dir, FOLDER);
    if text.len() > FILE_MAX || folder.replace(file, text.as_bytes()).is_err() {
        return;
    }
    let mut names: Vec<OsString> = folder.names("").unwrap_or_default();
    // Skip files that another call is writing now.
    names.retain(|name| id_of(name).is_some());
    names.sort_unstable();
    let surplus = names.len().saturating_sub(most);
    for name in names.drain(..surplus) {
        // Another call may have removed it already.
        let _ = folder.remove(name);
    }
}

/// The number of files to keep. An invalid setting is not reported here, so nothing is recorded.
fn most(environment: &Environment) -> usize {
    match environment.text(variables::KEEP) {
        None => KEPT_MAX,
        Some(word) => word.trim().parse().map_or(0, |most: usize| most.min(KEPT_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use contract::orchestrate::kept::Kept;
    use orchestration::exit::Exit;
    use serde_json::Value;

    use super::*;
    use crate::report::Report;

    const RUN: &str =
        include_str!("../../../../schemas/examples/valid/orchestrator-report-run.json");

    fn enriched(run_id: &str, change: impl FnOnce(&mut Value)) -> Enriched {
        let mut report: Value = serde_json::from_str(RUN).unwrap();
        report["run_id"] = run_id.into();
        change(&mut report);
        Enriched { report: Report::of(report), exit: Exit::Done }
    }

    fn environment(state: &Path) -> Environment {
        [("CODEX_BRIDGE_STATE_DIR", state)].into_iter().collect()
    }

    fn names(state: &Path) -> Vec<String> {
        let folder = Beneath::private(state, FOLDER);
        let mut names = folder.names("").unwrap_or_default();
        names.sort_unstable();
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn the_last_prompts_are_kept_for_this_user_alone() {
        let state = tempfile::tempdir().unwrap();
        let environment = environment(state.path());
        Beneath::private(state.path(), FOLDER).replace(".draft", b"{").unwrap();
        for number in 0..KEPT_MAX + 3 {
            let run_id = format!("20261124-0900{number:02}-abcdef");
            keep(&enriched(&run_id, |_| {}), &environment, Duration::from_millis(41));
        }
        let names = names(state.path());
        assert_eq!(names.len(), KEPT_MAX + 1);
        assert_eq!(names[0], ".draft", "what another call writes stays");
        let names = &names[1..];
        assert_eq!(names[0], "20261124-090003-abcdef.json", "the oldest are gone");
        let path = state.path().join(FOLDER).join(&names[0]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let kept: Kept = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(kept.elapsed_ms, 41);
        assert_eq!(kept.report.run_id, "20261124-090003-abcdef");
        assert!(kept.report.fused_context.for_model.structured.is_empty());
        assert!(!kept.report.fused_context.for_model.additional_context.is_empty());
    }

    #[test]
    fn what_is_no_run_or_not_wanted_is_not_kept() {
        let state = tempfile::tempdir().unwrap();
        let environment = environment(state.path());
        let elapsed = Duration::ZERO;
        for run_id in ["plan-0123456789ab", "../20261124-x", "20261124-0900/../../x", ""] {
            keep(&enriched(run_id, |_| {}), &environment, elapsed);
        }
        let silent = |report: &mut Value| {
            report["inputs"]["prompt"] = "".into();
            report["fused_context"]["for_user"]["limits_text"] = "".into();
        };
        keep(&enriched("20261124-090000-abcdef", silent), &environment, elapsed);
        let usual = enriched("20261124-090000-abcdef", |_| {});
        for word in ["0", "off", "-1"] {
            keep(&usual, &environment.clone().with(variables::KEEP, word), elapsed);
        }
        let long = |report: &mut Value| report["inputs"]["prompt"] = "x".repeat(FILE_MAX).into();
        keep(&enriched("20261124-090000-abcdef", long), &environment, elapsed);
        let nowhere = state.path().join("never-made");
        keep(&usual, &self::environment(&nowhere), elapsed);
        assert!(!nowhere.exists(), "no daemon was ever there");
        assert_eq!(names(state.path()), [""; 0]);
        let environment = environment.with(variables::KEEP, "2");
        for run_id in ["20261124-090001-a", "20261124-090002-a", "20261124-090003-a"] {
            keep(&enriched(run_id, |_| {}), &environment, elapsed);
        }
        assert_eq!(names(state.path()), ["20261124-090002-a.json", "20261124-090003-a.json"]);
    }

    #[test]
    fn a_folder_of_others_is_not_written_to() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        keep(&enriched("20261124-090000-a", |_| {}), &environment(state.path()), Duration::ZERO);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
}
