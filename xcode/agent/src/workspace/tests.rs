//! Where paths lead, inside and out.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_path_of_a_model_is_absolute_or_below_the_root() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path().canonicalize().unwrap();
    let workspace = Workspace::open(&root, &[]).unwrap();
    for (path, absolute) in [
        ("a/b", root.join("a/b")),
        ("./a/../b/.", root.join("b")),
        ("", root.clone()),
        (".", root.clone()),
        ("/etc/../etc/passwd", "/etc/passwd".into()),
        ("/../..", "/".into()),
        ("../../../../../../../../etc", "/etc".into()),
        ("名/字", root.join("名/字")),
    ] {
        assert_eq!(workspace.absolute(path), absolute, "{path}");
    }
    assert_eq!(workspace.shown(&root.join("a/b")), "a/b");
    assert_eq!(workspace.shown(&root), ".");
    assert_eq!(workspace.shown(Path::new("/etc/passwd")), "/etc/passwd");
}

#[test]
fn a_path_counts_as_where_it_leads() {
    let (tree, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = tree.path().canonicalize().unwrap();
    let outside = other.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("a/b")).unwrap();
    for (target, link) in [
        ("b", "a/inward"),
        ("../../..", "a/up"),
        ("nowhere/yet", "a/dangling"),
        ("circle", "circle"),
        ("a/inward", "twice"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    symlink(&outside, root.join("out")).unwrap();
    symlink(outside.join("gone"), root.join("out-dangling")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    let workspace = Workspace::open(&root, &[]).unwrap();
    let wider = Workspace::open(&root, std::slice::from_ref(&outside)).unwrap();
    for (path, real) in [
        ("a/b/new/file", root.join("a/b/new/file")),
        ("a/inward/file", root.join("a/b/file")),
        ("twice/file", root.join("a/b/file")),
        ("a/dangling/file", root.join("a/nowhere/yet/file")),
        ("circle/file", root.join("circle/file")),
        ("out/file", outside.join("file")),
        ("out-dangling", outside.join("gone")),
        ("magic/etc/passwd", "/etc/passwd".into()),
    ] {
        let path = workspace.absolute(path);
        assert_eq!(workspace.real(&path), real);
    }
    assert!(!workspace.real(&root.join("a/up")).starts_with(&root));
    assert_eq!(wider.folders(), [root, outside]);
}

#[test]
fn a_workspace_is_of_folders_that_are_there() {
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join("file"), "").unwrap();
    symlink(".", tree.path().join("link")).unwrap();
    let open = |name: &str| Workspace::open(&tree.path().join(name), &[]);
    assert!(matches!(open("gone"), Err(WorkspaceError::Unreachable { .. })));
    assert!(matches!(open("file"), Err(WorkspaceError::NoFolder { .. })));
    assert_eq!(open("link").unwrap().root(), tree.path().canonicalize().unwrap());
    let added = Workspace::open(tree.path(), &[tree.path().join("gone")]);
    assert!(matches!(added, Err(WorkspaceError::Unreachable { .. })));
}
