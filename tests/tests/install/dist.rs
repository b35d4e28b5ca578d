//! `deploy/dist.sh`: the archive and the Debian package, made of the programs as the tests have them,
//! installed where no toolchain is, and removed again.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::fixture::{Fresh, Said, top};

/// What was packed.
struct Packed {
    archive: PathBuf,
    package: Option<PathBuf>,
}

/// Programs that are quickly packed: the daemon without its tables of lines, and a line of shell for
/// the others that are large.
fn programs(fresh: &Fresh) {
    for (program, built) in [
        ("codex-advisor", env!("CARGO_BIN_EXE_advisor-under-test")),
        ("codex-auto", env!("CARGO_BIN_EXE_auto-under-test")),
    ] {
        let path = fresh.programs().join(program);
        fs::remove_file(&path).unwrap();
        fs::write(&path, format!("#!/bin/sh\nexec '{built}' \"$@\"\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let daemon = fresh.programs().join("codex-bridge");
    fs::remove_file(&daemon).unwrap();
    let built = env!("CARGO_BIN_EXE_bridge-under-test");
    let stripped = fresh.run("strip".as_ref(), &["-o", daemon.to_str().unwrap(), built]);
    assert_eq!(stripped.code, Some(0), "{stripped:?}");
}

fn packed(fresh: &Fresh, output: &str) -> Packed {
    let output = fresh.folder().work().join(output);
    let programs = fresh.programs();
    let options = ["--from", programs.to_str().unwrap(), "--output", output.to_str().unwrap()];
    let said = fresh.run(top().join("deploy/dist.sh").as_os_str(), &options);
    assert_eq!(said.code, Some(0), "{said:?}");
    let sums = fresh.run(
        "sh".as_ref(),
        &["-c", &format!("cd '{}' && sha256sum --check --strict SHA256SUMS", output.display())],
    );
    assert_eq!(sums.code, Some(0), "{sums:?}");
    let names = fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().path());
    let names: Vec<PathBuf> = names.collect();
    let of_kind = |end: &str| names.iter().find(|path| path.to_str().unwrap().ends_with(end));
    let archive = of_kind(".tar.gz").unwrap().clone();
    let machine = std::env::consts::ARCH;
    let name = format!("codex-bridge-{}-{machine}-unknown-linux-gnu.tar.gz", release::VERSION);
    assert_eq!(archive.file_name().unwrap().to_str().unwrap(), name);
    Packed { archive, package: of_kind(".deb").cloned() }
}

/// Unpacks the archive; its one folder.
fn unpacked(fresh: &Fresh, packed: &Packed) -> PathBuf {
    let folder = fresh.folder().work().join("unpacked");
    fs::create_dir(&folder).unwrap();
    let (archive, to) = (packed.archive.to_str().unwrap(), folder.to_str().unwrap());
    let said = fresh.run("tar".as_ref(), &["-xzf", archive, "-C", to]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let only = entries.next().unwrap();
    assert!(entries.next().is_none());
    only
}

fn manifest_version(path: &Path) -> String {
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    manifest["version"].as_str().unwrap().to_owned()
}

#[test]
fn an_archive_installs_without_a_toolchain_and_goes_without_a_trace() {
    let fresh = Fresh::new();
    programs(&fresh);
    let archive = unpacked(&fresh, &packed(&fresh, "dist"));
    let installer = archive.join("install.sh");
    let call = |options: &[&str]| -> Said {
        fresh.run(installer.as_os_str(), &[&["--yes"], options].concat())
    };
    let before = fresh.tree();
    let said = call(&[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("==> codex-bridge doctor"), "{said:?}");
    assert!(
        said.out.contains(&format!("ok    versions        {}, as ", release::VERSION)),
        "{said:?}"
    );
    assert!(!said.out.contains("building"), "{said:?}");

    let prefix = fresh.home().join(".local").display().to_string();
    for (path, text) in [
        (
            "share/codex-bridge/systemd/codex-bridge.service",
            format!("ExecStart={prefix}/bin/codex-bridge "),
        ),
        (
            "share/codex-bridge/systemd/user/codex-bridge.service",
            format!("ExecStart={prefix}/bin/codex-bridge "),
        ),
        ("share/codex-bridge/plugin/lib/prefix", format!("{prefix}\n")),
        ("share/codex-bridge/court-plugin/lib/prefix", format!("{prefix}\n")),
        ("share/man/man1/codex-bridge-serve.1", ".SH SYNOPSIS".to_owned()),
        ("share/bash-completion/completions/ci", "ci".to_owned()),
    ] {
        let content = fs::read_to_string(fresh.installed(path)).unwrap();
        assert!(content.contains(&text), "{path}: {content}");
    }
    let manifest = fresh.installed("share/codex-bridge/plugin/.claude-plugin/plugin.json");
    assert_eq!(manifest_version(&manifest), release::VERSION);
    let mode =
        fs::metadata(fresh.installed("share/codex-bridge/plugin/bin/codex-advisor")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o755);
    let court = ["bin/court", "share/man/man1/court.1", "share/man/man1/court-hook.1"];
    assert!(court.iter().all(|path| !fresh.installed(path).exists()), "the court is opt-in");

    let installed = fresh.tree();
    assert!(call(&[]).out.contains("nothing to do"));
    assert_eq!(fresh.tree(), installed, "the second time changes nothing");
    let said = call(&["--with-court"]);
    assert!(fresh.installed("bin/court").exists(), "{said:?}");
    assert!(fresh.installed("share/man/man1/court.1").exists(), "{said:?}");

    // An archive that was damaged on its way changes nothing.
    let installed = fresh.tree();
    let page = archive.join("share/man/man1/codex-bridge.1");
    fs::write(&page, "damaged").unwrap();
    let said = call(&[]);
    assert!(said.code == Some(1) && said.err.contains("the archive is not whole"), "{said:?}");
    let said = call(&["--from", "/usr/bin"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fresh.tree(), installed);

    // The installed copy removes it, the archive gone.
    fs::remove_dir_all(&archive).unwrap();
    let own = fresh.installed("share/codex-bridge/install.sh");
    let said = fresh.run(own.as_os_str(), &["--yes", "--uninstall"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(fresh.tree(), before, "{}", said.out);
}

/// What lies below a folder of the home folder, dpkg's own records and the inodes aside.
fn below(fresh: &Fresh, root: &Path) -> BTreeMap<String, String> {
    let prefix = root.display().to_string();
    let tree = fresh.tree().into_iter();
    let ours =
        tree.filter(|(path, _)| path.starts_with(&prefix) && !path.contains("/var/lib/dpkg"));
    ours.collect()
}

#[test]
fn the_debian_package_installs_into_a_root_and_leaves_nothing() {
    let fresh = Fresh::new();
    programs(&fresh);
    let first = packed(&fresh, "first");
    let Some(package) = &first.package else {
        skipping::missing("dpkg-deb", "only Debian and its kin make Debian's packages");
        return;
    };
    // The same programs make the same archives.
    let second = packed(&fresh, "second");
    for (one, other) in
        [(&first.archive, &second.archive), (package, second.package.as_ref().unwrap())]
    {
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{} differs", one.display());
    }
    if !rustix::process::geteuid().is_root() {
        skipping::impossible("only root has dpkg install into a root folder");
        return;
    }
    let root = fresh.home().join("root");
    fs::create_dir_all(root.join("var/lib/dpkg/info")).unwrap();
    fs::create_dir_all(root.join("var/lib/dpkg/updates")).unwrap();
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let before = below(&fresh, &root);
    let at = format!("--root={}", root.display());
    let dpkg = |arguments: &[&str]| {
        // The scripts run here, and know the root by a variable; there is no C library's package in it.
        let fixed =
            [at.as_str(), "--log=/dev/null", "--force-script-chrootless", "--force-depends"];
        let said = fresh.run("dpkg".as_ref(), &[&fixed, arguments].concat());
        assert_eq!(said.code, Some(0), "{arguments:?}: {said:?}");
        said
    };
    dpkg(&["--install", package.to_str().unwrap()]);
    assert_eq!(dpkg(&["--verify", "codex-bridge"]).out, "");
    for (path, text) in [
        ("usr/lib/systemd/system/codex-bridge.service", "ExecStart=/usr/bin/codex-bridge serve"),
        ("usr/lib/systemd/user/codex-bridge.service", "ExecStart=/usr/bin/codex-bridge serve"),
        ("usr/share/codex-bridge/plugin/lib/prefix", "/usr\n"),
        ("usr/share/doc/codex-bridge/copyright", "MIT"),
        ("usr/share/zsh/vendor-completions/_codex-bridge", "#compdef codex-bridge"),
    ] {
        let content = fs::read_to_string(root.join(path)).unwrap();
        assert!(content.contains(text), "{path}: {content}");
    }
    assert!(root.join("usr/share/man/man1/codex-bridge-serve.1.gz").exists());
    // The package rcs has these.
    for path in ["bin/ci", "share/man/man1/ci.1.gz", "share/bash-completion/completions/ci"] {
        assert!(!root.join("usr").join(path).exists(), "{path}");
    }
    let asked = fresh.run(root.join("usr/bin/code-intel").as_os_str(), &["--version"]);
    assert_eq!(asked.out, format!("ci {}\n", release::VERSION));
    assert!(root.join("usr/share/man/man1/code-intel-search.1.gz").exists());
    for (path, text) in [
        ("bash-completion/completions/code-intel", " default code-intel\n"),
        ("zsh/vendor-completions/_code-intel", "#compdef code-intel\n"),
        ("fish/vendor_completions.d/code-intel.fish", "complete -c code-intel "),
    ] {
        let content = fs::read_to_string(root.join("usr/share").join(path)).unwrap();
        assert!(content.contains(text), "{path}: {content}");
        let left = ["default ci\n", "#compdef ci\n", "compdef _ci ci\n", "complete -c ci "];
        assert!(!left.iter().any(|old| content.contains(old)), "{path}: {content}");
    }
    let control = dpkg(&["--status", "codex-bridge"]).out;
    let version = format!("\nVersion: {}\n", release::VERSION.replace('-', "~"));
    assert!(control.contains(&version) && control.contains("\nDepends: libc6 (>= 2."), "{control}");
    let doctor = fresh.run(root.join("usr/bin/codex-bridge").as_os_str(), &["doctor"]);
    let all = format!("ok    versions        {}, as codex-advisor, ", release::VERSION);
    assert!(doctor.out.contains(&all) && doctor.out.contains(", ci, court"), "{doctor:?}");

    // What the service keeps outlives the removal, and not the purge.
    let state = root.join("var/lib/private/codex-bridge");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("token"), "t").unwrap();
    dpkg(&["--remove", "codex-bridge"]);
    assert!(!root.join("usr/bin/codex-bridge").exists() && state.join("token").exists());
    dpkg(&["--purge", "codex-bridge"]);
    assert!(!state.exists());
    fs::remove_dir(root.join("var/lib/private")).unwrap();
    assert_eq!(below(&fresh, &root), before);
}
