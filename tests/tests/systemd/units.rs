//! What `systemd-analyze` says of the unit files. It needs no running systemd.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::fixture::unit;

/// Exposure at most, in tenths: the advisor, which executes nothing.
const ADVISOR: u32 = 12;

/// The same with Codex's read-only shell.
const SHELL: u32 = 21;

/// A folder with the system units, started from an executable that exists.
fn system_units() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["codex-bridge.service", "codex-bridge.socket"] {
        let text = unit(name).replace("/usr/local/bin/codex-bridge", "/bin/true");
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The same with the drop-in for the read-only shell.
fn with_shell() -> TempDir {
    let folder = system_units();
    let drop_ins = folder.path().join("codex-bridge.service.d");
    fs::create_dir(&drop_ins).unwrap();
    fs::write(drop_ins.join("shell.conf"), unit("shell.conf")).unwrap();
    folder
}

/// `systemd-analyze ARGUMENTS` with these units before the system's own; `None` says that the test
/// is skipped.
#[expect(clippy::disallowed_methods, reason = "a test asks what systemd says")]
fn analyze(units: &Path, arguments: &[&str]) -> Option<Output> {
    // A user's service manager looks there; nothing needs to be in it.
    let mut path = units.as_os_str().to_owned();
    path.push(":");
    let output = Command::new("systemd-analyze")
        .args(arguments)
        .env("SYSTEMD_UNIT_PATH", path)
        .env("XDG_RUNTIME_DIR", units)
        .env("LC_ALL", "C")
        .output();
    if output.is_err() {
        skipping::missing("systemd-analyze", "run `make debian`");
    }
    output.ok()
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

#[test]
fn systemd_finds_no_fault_in_the_units() {
    for folder in [system_units(), with_shell()] {
        let names = ["codex-bridge.service", "codex-bridge.socket"];
        let paths = names.map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        let Some(output) = analyze(folder.path(), &["verify", &paths[0], &paths[1]]) else {
            return;
        };
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(said(&output), "", "systemd warns");
    }
}

#[test]
fn systemd_finds_no_fault_in_the_unit_of_a_user() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("codex-bridge.service");
    let text = unit("user/codex-bridge.service").replace("%h/.local/bin/codex-bridge", "/bin/true");
    fs::write(&path, text).unwrap();
    let arguments = ["--user", "verify", path.to_str().unwrap()];
    let Some(output) = analyze(folder.path(), &arguments) else { return };
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "", "systemd warns");
}

#[test]
fn the_exposure_is_at_most_what_is_documented() {
    for (folder, most) in [(system_units(), ADVISOR), (with_shell(), SHELL)] {
        let path = folder.path().join("codex-bridge.service");
        let exposure = |threshold: u32| {
            let threshold = format!("--threshold={threshold}");
            let arguments =
                ["security", "--offline=true", "--no-pager", &threshold, path.to_str().unwrap()];
            analyze(folder.path(), &arguments)
        };
        let Some(output) = exposure(most) else { return };
        assert!(output.status.success(), "over {most} tenths:\n{}", said(&output));
        // The gate closes: nothing is as low as this.
        assert!(!exposure(1).unwrap().status.success());
    }
}

/// The port, the drain and the folders are those of the daemon's own defaults.
#[test]
fn the_units_fit_the_defaults_of_the_daemon() {
    let defaults: toml::Table = toml::from_str(codex_bridge::config::default_file()).unwrap();
    let listen = defaults["listen"].as_str().unwrap();
    assert!(unit("codex-bridge.socket").contains(&format!("\nListenStream={listen}\n")));
    let drain_ms = defaults["limits"]["drain_ms"].as_integer().unwrap();
    for name in ["codex-bridge.service", "user/codex-bridge.service"] {
        let unit = unit(name);
        let value = |key: &str| {
            let line = unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_else(|| panic!("{name}: no {key}")).to_owned()
        };
        let stop = value("TimeoutStopSec").trim_end_matches('s').parse::<i64>().unwrap();
        assert!(stop * 1000 >= drain_ms + 4000, "{name}: killed before it has drained");
        assert_eq!(value("RestartPreventExitStatus"), "2 78");
        assert_eq!(value("KillMode"), "mixed");
        assert_eq!(value("Type"), "notify");
    }
}
