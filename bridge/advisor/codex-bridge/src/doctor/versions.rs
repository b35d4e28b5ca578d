//! Checks that all versions agree: the programs beside this one, the plugins in Claude Code, and
//! the Codex of the daemon.

use std::path::Path;

use super::{Finding, Level, daemon};

/// The programs and the plugins. `settings` is Claude Code's settings file.
pub(super) fn examine(settings: Option<&Path>) -> Vec<Finding> {
    match release::compare(settings.and_then(Path::parent)) {
        Ok(line) => vec![Finding::ok("versions", line)],
        Err(strays) => strays
            .into_iter()
            .map(|stray| Finding::warn("versions", stray.message, stray.mend))
            .collect(),
    }
}

/// A finding if the daemon uses another Codex than the one found here.
pub(super) fn another_codex(here: &[Finding], daemon: &[Finding]) -> Option<Finding> {
    let told = |findings: &[Finding], name| {
        let found = findings.iter().find(|each| each.name == name && each.level == Level::Ok)?;
        Some(found.message.clone())
    };
    let (here, its) = (told(here, "codex_version")?, told(daemon, daemon::CODEX)?);
    (here != its).then(|| {
        let message = format!("the daemon uses Codex {its}, and {here} is found here");
        Finding::warn("versions", message, "restart the daemon, or set `codex.bin` for both")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_with_another_codex_is_told() {
        let here = [Finding::ok("codex_version", "0.169.0")];
        let its = |version: &str| [Finding::ok(daemon::CODEX, version)];
        let message = |daemon: &[Finding]| Some(another_codex(&here, daemon)?.message);
        assert_eq!(
            message(&its("0.155.0")).as_deref(),
            Some("the daemon uses Codex 0.155.0, and 0.169.0 is found here")
        );
        assert_eq!(message(&its("0.169.0")), None);
        assert_eq!(message(&[]), None, "it does not run, or does not say");
        let hidden = [Finding::fail("codex_version", "not looked at", "")];
        assert_eq!(another_codex(&hidden, &its("0.155.0")), None);
    }
}
