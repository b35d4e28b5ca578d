//! Finding Codex in the layouts that npm makes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn executable(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A global npm prefix with the launcher linked into `bin`; the native program goes to `native`.
fn npm_prefix(native: Option<&str>) -> (tempfile::TempDir, PathBuf) {
    let prefix = tempfile::tempdir().unwrap();
    let scope = prefix.path().canonicalize().unwrap().join("lib/node_modules/@openai");
    executable(&scope.join("codex/bin/codex.js"));
    fs::create_dir_all(prefix.path().join("bin")).unwrap();
    symlink("../lib/node_modules/@openai/codex/bin/codex.js", prefix.path().join("bin/codex"))
        .unwrap();
    if let Some(native) = native {
        executable(&scope.join(native));
    }
    (prefix, scope)
}

fn find(prefix: &tempfile::TempDir) -> Result<PathBuf, LocateError> {
    locate(None, Some(prefix.path().join("bin").as_os_str()))
}

#[test]
fn the_native_program_is_found_in_every_npm_layout() {
    let (platform, triple) = platform();
    for layout in [
        format!("{platform}/vendor/{triple}/bin/codex"),
        format!("{platform}/vendor/{triple}/codex/codex"),
        format!("codex/node_modules/@openai/{platform}/vendor/{triple}/bin/codex"),
        format!("codex/vendor/{triple}/codex/codex"),
    ] {
        let (prefix, scope) = npm_prefix(Some(&layout));
        assert_eq!(find(&prefix), Ok(scope.join(&layout)));
    }
}

#[test]
fn a_launcher_without_its_native_program_names_every_place_tried() {
    let (prefix, scope) = npm_prefix(None);
    let error = find(&prefix).unwrap_err();
    let LocateError::NativeMissing { launcher, tried } = &error else { panic!("{error}") };
    assert_eq!(launcher, &scope.join("codex/bin/codex.js"));
    assert_eq!(tried.len(), 6);
    let text = error.to_string();
    assert!(tried.iter().all(|path| text.contains(&*path.to_string_lossy())), "{text}");
}

#[test]
fn the_configured_path_wins_and_is_checked() {
    let (prefix, _) = npm_prefix(None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("my-codex");
    let path_var = prefix.path().join("bin");

    let missing = locate(Some(&path), Some(path_var.as_os_str()));
    assert_eq!(missing, Err(LocateError::ConfiguredMissing { path: path.clone() }));

    fs::write(&path, "").unwrap();
    let not_executable = locate(Some(&path), Some(path_var.as_os_str()));
    assert_eq!(not_executable, Err(LocateError::ConfiguredNotExecutable { path: path.clone() }));

    executable(&path);
    assert_eq!(locate(Some(&path), Some(path_var.as_os_str())), Ok(path));
}

#[test]
fn a_configured_launcher_is_followed() {
    let (platform, triple) = platform();
    let layout = format!("{platform}/vendor/{triple}/bin/codex");
    let (prefix, scope) = npm_prefix(Some(&layout));
    assert_eq!(locate(Some(&prefix.path().join("bin/codex")), None), Ok(scope.join(layout)));
}

#[test]
fn relative_entries_of_path_are_not_searched() {
    for path_var in [None, Some(OsStr::new("")), Some(OsStr::new(".:bin"))] {
        assert!(matches!(locate(None, path_var), Err(LocateError::NotOnPath { .. })));
    }
}
