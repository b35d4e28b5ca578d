//! What is built before it is installed: what is told of it, and which version it gets.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::fixture::{Fresh, top};

/// A cargo that has built everything already, and notes which version it was told.
const CARGO: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    --profile) profile=$2 ;;
    --bin) program=$2 ;;
    esac
    shift
done
mkdir -p "$CARGO_TARGET_DIR/$profile"
ln "PROGRAMS/$program" "$CARGO_TARGET_DIR/$profile/$program"
echo "$program $profile $CODEX_BRIDGE_BUILD_VERSION" >> "$CARGO_TARGET_DIR/built"
"#;

fn with_cargo(fresh: Fresh) -> Fresh {
    let cargo = fresh.folder().work().join("cargo");
    let script = CARGO.replace("PROGRAMS", fresh.programs().to_str().unwrap());
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let target = fresh.folder().work().join("target");
    fs::create_dir(&target).unwrap();
    fresh.with_program("cargo", &cargo).env("CARGO_TARGET_DIR", target)
}

#[test]
fn a_build_tells_how_far_it_is_and_gives_its_version() {
    let fresh = with_cargo(Fresh::new());
    let said = fresh.call(&["--yes"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for line in [
        "==> building 7 programs of codex-bridge ",
        "  [1/7] codex-bridge (profile lto, after ",
        "  [2/7] codex-advisor (profile client, after ",
        "  [7/7] xc (profile lto, after ",
        "  built in ",
    ] {
        assert!(said.out.contains(line), "{line}: {said:?}");
    }
    let version = fresh.run(top().join("deploy/version.sh").as_os_str(), &[]).out;
    let version = version.trim();
    let built = fs::read_to_string(fresh.folder().work().join("target/built")).unwrap();
    assert_eq!(built.lines().count(), 7, "{built}");
    assert!(built.lines().all(|line| line.ends_with(&format!(" {version}"))), "{built}");
    assert!(said.out.contains(&format!("codex-bridge {version};")), "{version}: {said:?}");
}

#[test]
fn quiet_is_quiet() {
    let fresh = with_cargo(Fresh::new());
    let said = fresh.call(&["--yes", "--quiet"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.out, "");
    // Here is no Codex.
    assert_eq!(said.err, "installed; codex-bridge doctor names what to mend\n");
    assert!(fresh.installed("bin/ci").exists());
    let said = fresh.call(&["--yes", "--quiet", "--uninstall"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), "", ""));
}

/// The installer and the programs have one list.
#[test]
fn every_program_of_a_release_is_installed_and_prints_its_version() {
    let fresh = Fresh::new();
    fresh.installs(&["--with-court"]);
    for program in release::PROGRAMS {
        let said = fresh.run(fresh.installed("bin").join(program).as_os_str(), &["--version"]);
        assert_eq!(said.out, format!("{program} {}\n", release::VERSION), "{said:?}");
        let page = fresh.installed("share/man/man1").join(format!("{program}.1"));
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!(".TH {program} 1")), "{page}");
    }
    let doctor = fresh.run(fresh.installed("bin/codex-bridge").as_os_str(), &["doctor"]).out;
    let line = format!(
        "{}, as codex-advisor, codex-auto, auto-tool-orchestrator, context-inject, ci, court, xc\n",
        release::VERSION
    );
    assert!(doctor.contains(&line), "{doctor}");
    let others = fs::read_dir(fresh.installed("bin")).unwrap();
    let others = others.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others: Vec<String> =
        others.filter(|name| !release::PROGRAMS.contains(&name.as_str())).collect();
    assert_eq!(
        BTreeSet::from_iter(others),
        BTreeSet::from(["mine".to_owned(), "x-code".to_owned()])
    );
    let said = fresh.run(fresh.installed("bin/x-code").as_os_str(), &["--version"]);
    assert_eq!(said.out, format!("xc {}\n", release::VERSION));
}

/// One that was left behind by an update is named by every doctor.
#[test]
fn a_program_of_another_version_is_told_by_every_doctor() {
    let fresh = Fresh::new().with_entry();
    // The court looks upwards for a project, and this one is in a checkout.
    let project = fresh.folder().work();
    let fresh = fresh.env("CLAUDE_PROJECT_DIR", project);
    fs::remove_file(fresh.programs().join("court")).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_court-under-test"), fresh.programs().join("court")).unwrap();
    fresh.installs(&["--with-hook", "--with-court"]);
    let stale = fresh.installed("bin/codex-auto");
    fs::remove_file(&stale).unwrap();
    fs::write(&stale, "#!/bin/sh\necho codex-auto 0.0.1\n").unwrap();
    fs::set_permissions(&stale, fs::Permissions::from_mode(0o755)).unwrap();
    let plugins = fresh.home().join(".claude/plugins");
    fs::create_dir_all(&plugins).unwrap();
    let list = r#"{"version": 2, "plugins": {"court@codex-bridge": [{"version": "0.0.2"}]}}"#;
    fs::write(plugins.join("installed_plugins.json"), list).unwrap();
    let here = release::VERSION;
    for (program, arguments) in
        [("codex-bridge", ["doctor"]), ("court", ["doctor"]), ("context-inject", ["verify"])]
    {
        let said = fresh.run(fresh.installed("bin").join(program).as_os_str(), &arguments);
        for stray in [
            format!("the program codex-auto is 0.0.1, this is {here}"),
            format!("the plugin court@codex-bridge is 0.0.2, this is {here}"),
        ] {
            assert!(said.out.contains(&stray), "{program}: {said:?}");
        }
        assert!(said.out.contains("claude plugin update court@codex-bridge"), "{said:?}");
    }
}

fn git(fresh: &Fresh, folder: &Path, arguments: &[&str]) {
    let fixed = ["-C", folder.to_str().unwrap(), "-c", "user.name=A", "-c", "user.email=a@b"];
    let said = fresh.run("git".as_ref(), &[&fixed, arguments].concat());
    assert_eq!(said.code, Some(0), "{arguments:?}: {said:?}");
}

#[test]
fn the_version_is_told_by_the_tag_and_the_commit() {
    let fresh = Fresh::new();
    let checkout = fresh.folder().work().join("checkout");
    fs::create_dir_all(checkout.join("deploy")).unwrap();
    let script = checkout.join("deploy/version.sh");
    fs::copy(top().join("deploy/version.sh"), &script).unwrap();
    let manifest =
        "[package]\nversion = \"9.9.9\"\n[workspace.package]\nversion = \"1.2.3\"\n[x]\n";
    fs::write(checkout.join("Cargo.toml"), manifest).unwrap();
    let version = || fresh.run(script.as_os_str(), &[]).out.trim().to_owned();
    // The abbreviated commit is the only part that is not known before.
    let shape = || {
        let said = version();
        match said.split_once(".g") {
            Some((before, commit)) => format!("{before}.g{}", &commit[commit.len().min(7)..]),
            None => said,
        }
    };
    assert_eq!(shape(), "1.2.3", "an unpacked source archive");
    git(&fresh, &checkout, &["init", "--quiet"]);
    assert_eq!(shape(), "1.2.3", "without a commit");
    git(&fresh, &checkout, &["add", "."]);
    git(&fresh, &checkout, &["commit", "--quiet", "--message=one"]);
    assert_eq!(shape(), "1.2.3-dev.1.g");
    git(&fresh, &checkout, &["tag", "v1.3.0-rc.1"]);
    assert_eq!(shape(), "1.3.0-rc.1");
    fs::write(checkout.join("Cargo.toml"), format!("{manifest}# changed\n")).unwrap();
    assert_eq!(shape(), "1.3.0-rc.1+0.g.dirty");
    git(&fresh, &checkout, &["commit", "--quiet", "--all", "--message=two"]);
    assert_eq!(shape(), "1.3.0-rc.1+1.g");
    git(&fresh, &checkout, &["tag", "nightly"]);
    assert_eq!(shape(), "1.3.0-rc.1+1.g", "a tag that is no version");
}
