//! Properties of every write: atomic, with mode and owner preserved, through no link, and never over another program's changes.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::*;
use crate::workspace::open::Fault;
use crate::workspace::stop::Stop;
use crate::workspace::whole::Held;

fn write(path: impl AsRef<Path>, content: &str) -> Value {
    json!({ "filePath": path.as_ref(), "content": content })
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "filePath": path, "oldString": old, "newString": new })
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// Runs on a thread that files' modes bind, as they bind every user but root.
fn as_a_user(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let user = scope.spawn(|| {
            let mut sets = capabilities(None).unwrap();
            sets.effective.remove(
                CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH | CapabilitySet::CHOWN,
            );
            set_capabilities(None, sets).unwrap();
            work();
        });
        user.join().unwrap();
    });
}

#[test]
fn a_file_is_made_with_its_folders_or_replaced() {
    let tree = Tree::new().with("old.sh", "one\n");
    fs::set_permissions(tree.root.join("old.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let made = tree.call("writeFile", write("new/deep/文.txt", "a\nb\n"));
    assert_eq!(made.text, "Created new/deep/文.txt: 2 lines, 4 bytes.");
    assert_eq!(made.changed, [tree.root.join("new/deep/文.txt")]);
    assert_eq!(tree.bytes("new/deep/文.txt"), b"a\nb\n");
    assert_eq!(tree.ok("writeFile", write("old.sh", "")), "Replaced old.sh: 0 lines, 0 bytes.");
    assert_eq!(tree.bytes("old.sh"), b"");
    assert_eq!(mode(&tree.root.join("old.sh")), 0o750);
    // What was written is known: it may be edited.
    tree.ok("edit", edit("new/deep/文.txt", "a", "c"));
    assert_eq!(tree.names(), ["new", "old.sh"]);
    let through = tree.error("writeFile", write("old.sh/file", ""));
    assert_eq!(through, "old.sh/file cannot exist: a part of its path is a file.");
}

#[test]
fn a_name_is_a_name_whatever_is_in_it() {
    let tree = Tree::new();
    let names =
        ["a b", "$(id)", "-f", "'\"`", "line\nfeed", "*", "~", "a;b|c&d", "back\\slash", "名 é"];
    for name in names {
        let path = format!("{name}/{name}");
        tree.ok("writeFile", write(&path, "one\n"));
        tree.ok("edit", edit(&path, "one", "two"));
        assert_eq!(tree.read(&path), "1\ttwo");
        assert_eq!(tree.ok("listDir", json!({ "path": name })), name);
        assert_eq!(
            tree.ok("grep", json!({ "pattern": "two", "path": name })),
            format!("{path}:1:two")
        );
    }
    let mut expected = names.map(str::to_owned);
    expected.sort();
    assert_eq!(tree.names(), expected);
}

#[test]
fn mode_and_owner_stay() {
    let is_root = rustix::process::geteuid().is_root();
    let tree = Tree::new();
    for bits in [0o600, 0o644, 0o755, 0o666] {
        let tree = &tree;
        let path = tree.root.join("f");
        fs::write(&path, "one\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        if is_root {
            chown(&path, Some(1234), Some(4321)).unwrap();
        }
        let before = fs::metadata(&path).unwrap();
        tree.read("f");
        tree.ok("edit", edit("f", "one", "two"));
        tree.ok("writeFile", write("f", "three\n"));
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(mode(&path), bits);
        fs::remove_file(&path).unwrap();
    }
    // A file that others run with its owner's rights is no longer such a one after its content changed.
    let path = tree.root.join("suid");
    fs::write(&path, "one\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
    tree.ok("writeFile", write("suid", "two\n"));
    assert_eq!(mode(&path), 0o755);
}

#[test]
fn an_access_list_and_notes_stay() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use rustix::io::Errno;
    let tree = Tree::new().with("f", "one\n");
    let path = tree.root.join("f");
    // Version 2; then tag, permissions, id: owner rw, user 1234 rw, group r, mask rw, others none.
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 6, 1234), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend(
            [&tag.to_le_bytes()[..], &permissions.to_le_bytes(), &id.to_le_bytes()].concat(),
        );
    }
    let attributes = [("system.posix_acl_access", list), ("user.note", b"kept".to_vec())];
    let mut set = Vec::new();
    for (name, value) in &attributes {
        match setxattr(&path, *name, value, XattrFlags::empty()) {
            // The file system has no such attributes: there is nothing to lose.
            Err(Errno::OPNOTSUPP) => {}
            done => {
                done.unwrap();
                set.push((name, value));
            }
        }
    }
    let before = mode(&path);
    tree.read("f");
    tree.ok("edit", edit("f", "one", "two"));
    for (name, value) in set {
        let mut kept = [0; 1024];
        let length = getxattr(&path, *name, &mut kept[..]).unwrap();
        assert_eq!(&kept[..length], value, "{name}");
    }
    assert_eq!(mode(&path), before);
    assert_eq!(tree.bytes("f"), b"two\n");
}

#[test]
fn what_may_not_be_written_is_told_and_left() {
    let tree = Tree::new().with("folder/f", "one\n").with("f", "one\n").with("secret", "one\n");
    let set = |path: &str, bits: u32| {
        fs::set_permissions(tree.root.join(path), fs::Permissions::from_mode(bits)).unwrap();
    };
    tree.read("folder/f");
    tree.read("f");
    set("folder", 0o555);
    set("f", 0o444);
    set("secret", 0o200);
    as_a_user(|| {
        for (name, arguments, told) in [
            (
                "edit",
                edit("folder/f", "one", "two"),
                "folder/f: permission denied by the file system.",
            ),
            (
                "writeFile",
                write("folder/new", "two"),
                "folder/new: permission denied by the file system.",
            ),
            (
                "writeFile",
                write("folder/sub/new", "two"),
                "folder/sub/new: permission denied by the file system.",
            ),
            ("edit", edit("f", "one", "two"), "f is read-only by its mode; it is not changed."),
            ("writeFile", write("f", "two"), "f is read-only by its mode; it is not changed."),
            ("writeFile", write("secret", "two"), "secret: permission denied by the file system."),
            (
                "readFile",
                json!({ "filePath": "secret" }),
                "secret: permission denied by the file system.",
            ),
        ] {
            assert_eq!(tree.error(name, arguments), told);
        }
    });
    set("folder", 0o755);
    assert_eq!(tree.bytes("folder/f"), b"one\n");
    assert_eq!(tree.bytes("f"), b"one\n");
    assert_eq!(tree.names(), ["f", "folder", "secret"]);
    if rustix::process::geteuid().is_root() {
        let path = tree.root.join("theirs");
        fs::write(&path, "one\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        chown(&path, Some(1234), Some(4321)).unwrap();
        as_a_user(|| {
            assert_eq!(
                tree.error("writeFile", write("theirs", "two\n")),
                "theirs is not changed: its owner, group or access list could not be kept."
            );
        });
        assert_eq!(tree.names(), ["f", "folder", "secret", "theirs"]);
    }
}

#[test]
fn nothing_but_a_file_is_written_or_waited_for() {
    let tree = Tree::new().with("folder/f", "");
    fifo(&tree.root.join("fifo"));
    let _socket = UnixListener::bind(tree.root.join("socket")).unwrap();
    for (path, told) in [
        ("fifo", "fifo is a fifo, not a file; it is not touched."),
        ("socket", "socket is a socket, not a file; it is not touched."),
        ("/dev/full", "/dev/full is a device, not a file; it is not touched."),
        ("folder", "folder is a folder, not a file; listDir shows what is in it."),
    ] {
        assert_eq!(tree.error("writeFile", write(path, "x")), told);
        assert_eq!(tree.error("edit", edit(path, "x", "y")), told);
    }
    // Nor is one of the name of an ignore file.
    fifo(&tree.root.join(".gitignore"));
    assert_eq!(tree.ok("glob", json!({ "pattern": "folder/*" })), "folder/f");
}

#[test]
fn another_name_of_a_file_keeps_its_content() {
    let tree = Tree::new();
    let theirs = tree.outside.join("theirs");
    fs::write(&theirs, "one\n").unwrap();
    fs::hard_link(&theirs, tree.root.join("ours")).unwrap();
    tree.read("ours");
    tree.ok("edit", edit("ours", "one", "two"));
    assert_eq!(fs::read(&theirs).unwrap(), b"one\n");
    assert_eq!(tree.bytes("ours"), b"two\n");
}

#[test]
fn a_link_that_leads_inside_stays_a_link() {
    let tree = Tree::new().with("real", "one\n");
    symlink("real", tree.root.join("link")).unwrap();
    symlink("later", tree.root.join("dangling")).unwrap();
    tree.read("link");
    assert_eq!(tree.ok("edit", edit("link", "one", "two")), "Replaced 1 match in real (line 1).");
    tree.ok("writeFile", write("dangling", "new\n"));
    assert_eq!(tree.bytes("real"), b"two\n");
    assert_eq!(tree.bytes("later"), b"new\n");
    assert!(tree.root.join("link").is_symlink() && tree.root.join("dangling").is_symlink());
}

#[test]
fn what_another_wrote_meanwhile_is_not_lost() {
    let tree = Tree::new().with("f", "one\n");
    let path = tree.root.join("f");
    let cancel = Cancel::new();
    let stop = Stop::new(cancel.clone(), Duration::from_secs(600));
    // In its place, and by a new file of that name.
    let held = Held::open(&path).unwrap().unwrap();
    fs::write(&path, "theirs\n").unwrap();
    assert!(matches!(held.replace(b"ours\n", &stop), Err(Fault::Changed)));
    let held = Held::open(&path).unwrap().unwrap();
    fs::write(tree.root.join("g"), "new\n").unwrap();
    fs::rename(tree.root.join("g"), &path).unwrap();
    assert!(matches!(held.replace(b"ours\n", &stop), Err(Fault::Changed)));
    let held = Held::open(&path).unwrap().unwrap();
    fs::remove_file(&path).unwrap();
    assert!(matches!(held.replace(b"ours\n", &stop), Err(Fault::Changed)));
    // Where nothing was, whoever comes first has it.
    fs::write(&path, "theirs\n").unwrap();
    let made = crate::workspace::whole::create(&path, b"ours\n", &stop);
    assert!(matches!(made, Err(Fault::Changed)));
    // Nor is anything written for a call that was cancelled meanwhile.
    let held = Held::open(&path).unwrap().unwrap();
    cancel.cancel();
    assert!(matches!(held.replace(b"ours\n", &stop), Err(Fault::Stopped)));
    let made = crate::workspace::whole::create(&tree.root.join("g"), b"ours\n", &stop);
    assert!(matches!(made, Err(Fault::Stopped)));
    assert_eq!(tree.bytes("f"), b"theirs\n");
    assert_eq!(tree.names(), ["f"]);
    let theirs = fs::File::open(&path).unwrap();
    theirs.lock().unwrap();
    tree.read("f");
    assert_eq!(
        tree.error("edit", edit("f", "theirs", "ours")),
        "f is being changed by another program; read it again."
    );
}

#[test]
fn of_two_writers_each_change_is_kept_or_refused() {
    const ROUNDS: usize = 200;
    let tree = Tree::new().with("f", "0\n");
    let count = || {
        let session = file_tools(&tree.workspace);
        let [read, _, edit, ..] = &session[..] else { panic!("the tools changed") };
        let call = |tool: &Arc<dyn Tool>, arguments: Value| {
            let arguments = arguments.as_object().unwrap();
            run(&**tool, arguments, &tool.action(arguments), &Cancel::new())
        };
        let mut kept = 0;
        for _ in 0..ROUNDS {
            let text = call(read, json!({ "filePath": "f" })).text;
            let now: usize = text.strip_prefix("1\t").unwrap().parse().unwrap();
            let (old, new) = (format!("{now}\n"), format!("{}\n", now + 1));
            let edited = call(edit, json!({ "filePath": "f", "oldString": old, "newString": new }));
            if edited.status == CallStatus::Ok {
                kept += 1;
                continue;
            }
            let told = edited.text;
            let is_loser = told.starts_with("f changed since it was read")
                || told.starts_with("f is being changed");
            assert!(is_loser, "{told}");
        }
        kept
    };
    let kept: usize = std::thread::scope(|scope| {
        let writers = [scope.spawn(count), scope.spawn(count)];
        writers.map(|writer| writer.join().unwrap()).into_iter().sum()
    });
    assert_eq!(tree.bytes("f"), format!("{kept}\n").as_bytes());
    assert!(kept > 0, "both lost every time");
}

#[test]
fn a_cancelled_call_changes_nothing() {
    let tree = Tree::new().with("f", "one\n");
    tree.read("f");
    let cancel = Cancel::new();
    cancel.cancel();
    for (name, arguments) in [
        ("edit", edit("f", "one", "two")),
        ("writeFile", write("g", "")),
        ("grep", json!({ "pattern": "one" })),
        ("glob", json!({ "pattern": "*" })),
    ] {
        let action = tree.judged(name, &arguments);
        let outcome = run(tree.tool(name), arguments.as_object().unwrap(), &action, &cancel);
        assert_eq!(outcome.status, CallStatus::Interrupted, "{name}");
    }
    assert_eq!(tree.names(), ["f"]);
    assert_eq!(tree.bytes("f"), b"one\n");
}
