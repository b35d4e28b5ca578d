//! The root compared with git's own answer, and folders that must not become a root.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Root, RootError, Source};
use host::Environment;

fn git(cwd: &Path, args: &[&str]) -> Option<String> {
    let program = host::find_program("git", "/usr/local/bin:/usr/bin:/bin".as_ref())?;
    let told = supervise::run_helper(&supervise::HelperCommand {
        program,
        args: args.iter().map(OsString::from).collect(),
        env: [("HOME", cwd.as_os_str()), ("PATH", "/usr/local/bin:/usr/bin:/bin".as_ref())]
            .map(|(name, value)| (name.into(), value.to_owned()))
            .to_vec(),
        current_dir: cwd.to_owned(),
        deadline: Instant::now() + Duration::from_secs(60),
        stdout_max: 65_536,
    });
    let told = told.unwrap();
    told.is_success().then(|| String::from_utf8(told.stdout).unwrap().trim().to_owned())
}

#[test]
fn the_root_is_what_git_says() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for path in ["plain/a", "main/sub/deep", "broken/.git", "main/inner"] {
        fs::create_dir_all(top.join(path)).unwrap();
    }
    if git(&top.join("main"), &["init", "-q"]).is_none() {
        skipping::missing("git", "install it");
        return;
    }
    git(&top.join("main/inner"), &["init", "-q"]).unwrap();
    let author =
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"];
    git(&top.join("main"), &author).unwrap();
    git(&top.join("main"), &["worktree", "add", "-q", "../linked"]).unwrap();
    for path in [
        "plain/a",
        "main",
        "main/sub/deep",
        "main/inner",
        "main/.git",
        "main/.git/refs",
        "broken",
        "linked",
    ] {
        let cwd = top.join(path);
        let root = Root::find(&Environment::default(), &cwd).unwrap();
        match git(&cwd, &["rev-parse", "--show-toplevel"]) {
            Some(said) => {
                assert_eq!((root.path, root.source), (PathBuf::from(said), Source::Git), "{path}");
            }
            None => assert_eq!((root.path, root.source), (cwd, Source::WorkingDirectory), "{path}"),
        }
    }
}

#[test]
fn what_the_user_sets_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("repo/.git/objects")).unwrap();
    fs::write(top.join("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir_all(top.join("repo/part")).unwrap();
    fs::create_dir_all(top.join("other")).unwrap();
    std::os::unix::fs::symlink(top.join("other"), top.join("repo/link")).unwrap();
    let other = top.join("other");
    let set = Environment::from_iter([("CI_AUTO_TOOLS_REPO_ROOT", other.to_str().unwrap())]);
    let root = Root::find(&set, &top.join("repo/part")).unwrap();
    assert_eq!((root.path.clone(), root.source), (other, Source::Environment));
    assert_eq!(root.clone().narrowed(Path::new("x")), Ok(root));

    let wrong = Environment::from_iter([("CI_AUTO_TOOLS_REPO_ROOT", "/no/such/folder")]);
    assert!(matches!(Root::find(&wrong, &top), Err(RootError::NoFolder { .. })));

    let root = Root::find(&Environment::default(), &top.join("repo")).unwrap();
    let part = root.clone().narrowed(Path::new("part")).unwrap();
    assert_eq!((part.path, part.source), (top.join("repo/part"), Source::File));
    for outside in ["..", "../other", "link", "/"] {
        let narrowed = root.clone().narrowed(Path::new(outside));
        assert!(matches!(narrowed, Err(RootError::Outside { .. })), "{outside}");
    }
}

#[test]
fn a_path_from_a_prompt_stays_below_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("repo/src")).unwrap();
    fs::write(top.join("repo/src/a.rs"), "").unwrap();
    fs::write(top.join("secret"), "").unwrap();
    std::os::unix::fs::symlink("../../secret", top.join("repo/src/link")).unwrap();
    let root = Root { path: top.join("repo"), source: Source::Git };
    assert_eq!(root.relative(Path::new("src/a.rs")).as_deref(), Some("src/a.rs"));
    assert_eq!(root.relative(&top.join("repo/src/a.rs")).as_deref(), Some("src/a.rs"));
    for path in ["../secret", "src/../../secret", "src/link", "/etc/passwd"] {
        assert_eq!(root.relative(Path::new(path)), None, "{path}");
        assert!(root.is_outside(Path::new(path)), "{path}");
    }
    assert!(!root.is_outside(Path::new("src/none.rs")));
}
