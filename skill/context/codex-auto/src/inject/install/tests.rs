//! Real files: what is there before, meanwhile and after.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

struct Home {
    folder: TempDir,
    environment: Environment,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap();
        Self { environment: [("HOME", home)].into_iter().collect(), folder }
    }

    fn place(&self) -> InstallLocation {
        InstallLocation::of(&self.environment, None).unwrap()
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Every file with its mode and text.
    fn tree(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
                if path.is_dir() {
                    found.insert(path.clone(), "folder".to_owned());
                    folders.push(path);
                } else {
                    let text = fs::read_to_string(&path).unwrap();
                    found.insert(path, format!("{mode:o} {text}"));
                }
            }
        }
        found
    }
}

#[test]
fn installed_twice_and_removed_without_a_trace() {
    let home = Home::new();
    let done = install(&home.place()).unwrap();
    assert_eq!(done.len(), 3, "{done:?}");
    let shim = fs::read_to_string(home.place().program()).unwrap();
    let own = std::env::current_exe().unwrap();
    assert!(shim.ends_with(&format!("\nexec '{}' \"$@\"\n", own.display())), "{shim}");
    for (file, _) in home.place().files(&own) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    }
    let installed = home.tree();
    assert_eq!(install(&home.place()).unwrap(), Vec::<String>::new());
    assert_eq!(home.tree(), installed, "the second time changes nothing");
    assert!(once::claim(&home.environment, "s1", once::Prompt::Id("p1")));
    uninstall(&home.place(), &home.environment).unwrap();
    assert_eq!(home.tree(), BTreeMap::new());
    assert_eq!(uninstall(&home.place(), &home.environment).unwrap(), Vec::<String>::new());
}

#[test]
fn the_users_own_settings_come_back_to_the_byte() {
    let home = Home::new();
    let text = "{ \"model\":\"opus\",\n\n  \"hooks\": { \"Stop\": [ ] } }";
    let real = home.write("dotfiles/claude.json", text);
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(home.folder.path().join(".claude")).unwrap();
    symlink(&real, home.place().settings).unwrap();
    let before = home.tree();
    install(&home.place()).unwrap();
    let changed = fs::read_to_string(&real).unwrap();
    assert!(changed.contains("context-inject-global.sh") && changed.contains("\"opus\""));
    assert_eq!(file::mode(&real), 0o640);
    uninstall(&home.place(), &home.environment).unwrap();
    assert_eq!(home.tree(), before);
    assert!(fs::symlink_metadata(home.place().settings).unwrap().is_symlink());
}

#[test]
fn what_the_user_changed_meanwhile_stays() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\"model\": \"opus\"}\n");
    install(&home.place()).unwrap();
    let path = home.place().settings;
    let changed = fs::read_to_string(&path).unwrap().replace("\"opus\"", "\"sonnet\"");
    fs::write(&path, changed).unwrap();
    uninstall(&home.place(), &home.environment).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"sonnet\"\n}\n");
    assert_eq!(home.tree().len(), 2, "{:?}", home.tree());
}

#[test]
fn a_file_of_somebody_else_is_kept_and_comes_back() {
    let home = Home::new();
    home.write(".claude/hooks/context-inject-global.sh", "#!/bin/bash\n# theirs\n");
    home.write(".claude/hooks/other.sh", "theirs too\n");
    let before = home.tree();
    let done = install(&home.place()).unwrap();
    assert!(done[0].contains("(it was not ours)"), "{done:?}");
    uninstall(&home.place(), &home.environment).unwrap();
    assert_eq!(home.tree(), before);
}

#[test]
fn a_newer_version_takes_the_place_of_ours() {
    let home = Home::new();
    install(&home.place()).unwrap();
    let path = home.place().program();
    let older = place_of_an_older_version(&home);
    fs::write(&path, older).unwrap();
    let done = install(&home.place()).unwrap();
    assert_eq!(done, [format!("  update  {}", path.display())]);
    assert_eq!(install(&home.place()).unwrap(), Vec::<String>::new());
}

fn place_of_an_older_version(home: &Home) -> String {
    let [(_, text), _] = home.place().files(Path::new("/opt/it's old/context-inject"));
    assert!(text.contains(r"exec '/opt/it'\''s old/context-inject'"), "{text}");
    text
}

#[test]
fn one_project_alone_may_have_it() {
    let home = Home::new();
    let project = home.folder.path().join("shop");
    fs::create_dir(&project).unwrap();
    let place = InstallLocation::of(&home.environment, Some(&project)).unwrap();
    install(&place).unwrap();
    let settings = fs::read_to_string(project.join(".claude/settings.local.json")).unwrap();
    assert!(settings.contains("context-inject-global.sh"), "{settings}");
    assert!(!home.place().settings.exists());
    uninstall(&place, &home.environment).unwrap();
    assert!(!project.join(".claude").exists());
    assert!(place.program().exists(), "other projects may use it");
    uninstall(&home.place(), &home.environment).unwrap();
    assert!(!home.place().claude.exists());
    let missing = InstallLocation::of(&home.environment, Some(Path::new("/no/such/project")));
    assert!(matches!(missing, Err(InstallError::NoProject { .. })));
}

#[test]
fn broken_settings_are_left_alone_and_nothing_else_is_written() {
    let home = Home::new();
    home.write(".claude/settings.json", "{ \"hooks\": 7 }");
    let before = home.tree();
    let error = install(&home.place()).unwrap_err().to_string();
    assert!(error.contains("was left alone: expected an object at \"/hooks\""), "{error}");
    assert!(uninstall(&home.place(), &home.environment).is_err());
    assert_eq!(home.tree(), before);
}
