//! What stays as it is in a workspace because git reads it as settings or hooks: beside the usual places the pointer of a
//! linked work tree, the repositories of submodules, and hooks that the settings put elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// The longest file of settings that is read, in bytes.
const SETTINGS_MAX: u64 = 1 << 20;

/// How deep submodules are looked for in one another.
const DEPTH_MAX: usize = 4;

/// How many folders are looked at for them.
const LOOKED_AT_MAX: usize = 512;

/// The places of git in a folder of the workspace beside the usual ones; some may not exist.
pub(super) fn kept(folder: &Path, home: &Path) -> Vec<PathBuf> {
    let git = folder.join(".git");
    let mut kept = Vec::new();
    if !git.is_dir() {
        // It says where the repository is.
        kept.push(git);
    } else {
        modules(&git.join("modules"), &mut kept);
    }
    let settings =
        [folder.join(".git/config"), home.join(".gitconfig"), home.join(".config/git/config")];
    let named = settings.iter().flat_map(|file| hooks_paths(file));
    kept.extend(named.map(|path| folder.join(path)));
    kept
}

/// Settings and hooks of the repositories below a folder.
fn modules(folder: &Path, kept: &mut Vec<PathBuf>) {
    let mut folders = vec![(folder.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop()
        && looked_at < LOOKED_AT_MAX
    {
        looked_at += 1;
        if folder.join("HEAD").is_file() {
            kept.extend(["config", "config.worktree", "hooks"].map(|name| folder.join(name)));
            folders.push((folder.join("modules"), depth));
            continue;
        }
        if depth < DEPTH_MAX {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(entries.map(|entry| (entry.path(), depth + 1)));
        }
    }
}

/// Where a file of settings says that hooks are. Read more widely than git does: what is kept for nothing costs little.
fn hooks_paths(file: &Path) -> Vec<PathBuf> {
    if !fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= SETTINGS_MAX) {
        return Vec::new();
    }
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(hooks_path).collect()
}

fn hooks_path(line: &str) -> Option<PathBuf> {
    const KEY: &str = "hookspath";
    let at = line.to_ascii_lowercase().find(KEY)?;
    let value = line.get(at + KEY.len()..)?.trim_start().strip_prefix('=')?;
    let value = value.trim().trim_matches('"');
    let value = value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches('"');
    // A home folder is no place of the workspace.
    (!value.is_empty() && !value.starts_with('~')).then(|| PathBuf::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_kept_where_the_settings_say_that_they_are() {
        for (line, expected) in [
            ("\thooksPath = .githooks", Some(".githooks")),
            ("[core] HooksPath=\"tools/hooks\" # ours", Some("tools/hooks")),
            ("hookspath = .husky/_", Some(".husky/_")),
            ("hooksPath = ~/hooks", None),
            ("hooksPath =", None),
            ("fsmonitor = x", None),
        ] {
            assert_eq!(hooks_path(line), expected.map(PathBuf::from), "{line}");
        }
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".git/config"), "[core]\n\thooksPath = .githooks\n").unwrap();
        fs::write(home.path().join(".gitconfig"), "[core]\n\thooksPath = every/where\n").unwrap();
        let places = kept(folder.path(), home.path());
        assert_eq!(places, [".githooks", "every/where"].map(|name| folder.path().join(name)));
    }

    #[test]
    fn the_pointer_of_a_work_tree_and_the_settings_of_submodules_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (root, home) = (folder.path(), Path::new("/nowhere"));
        fs::write(root.join(".git"), "gitdir: ../x\n").unwrap();
        assert_eq!(kept(root, home), [root.join(".git")]);
        fs::remove_file(root.join(".git")).unwrap();
        for module in ["a", "b/c", "b/c/modules/d"] {
            let module = root.join(".git/modules").join(module);
            fs::create_dir_all(&module).unwrap();
            fs::write(module.join("HEAD"), "").unwrap();
        }
        let places = kept(root, home);
        for module in ["a", "b/c", "b/c/modules/d"] {
            for name in ["config", "hooks"] {
                let place = root.join(".git/modules").join(module).join(name);
                assert!(places.contains(&place), "{}", place.display());
            }
        }
    }
}
