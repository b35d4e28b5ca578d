//! Calls that require many look-ups: many, deep, cyclic, and without a response. The verdict never depends on
//! the time they take; the deadline here is a minute.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use serde_json::Value;

use crate::fixture::{Fixture, decision, message};

fn is_judged(said: &Value) -> bool {
    !message(said).contains("could not judge")
}

#[test]
fn six_thousand_files_are_asked_about_or_judged() {
    let fixture = Fixture::new();
    let mut words = String::new();
    for number in 0..6_000 {
        fs::write(fixture.project().join(format!("f{number}")), "x").unwrap();
        write!(words, " f{number}").unwrap();
    }
    for (command, least) in
        [(format!("cat{words}"), "silence"), (format!("rm -rf ~;cat{words}"), "deny")]
    {
        let said = fixture.hook(&fixture.bash(&command));
        assert!(decision(&said) == least || !is_judged(&said) && decision(&said) != "silence");
    }
}

#[test]
fn the_last_of_four_thousand_scripts_counts() {
    let fixture = Fixture::new();
    fixture.hook(&fixture.call("SessionStart", serde_json::json!({"source": "startup"})));
    let mut command = String::new();
    for number in 0..4_000 {
        fixture.write(&format!("s{number}"), "#!/bin/sh\necho ok\n");
        write!(command, "sh s{number};").unwrap();
    }
    fixture.write("s3999", "#!/bin/sh\nrm -rf ~\n");
    let said = fixture.hook(&fixture.bash(&command));
    assert_ne!(decision(&said), "silence", "{said}");
    let said = fixture.hook(&fixture.bash("sh s1; sh s2; sh s3"));
    assert_eq!(decision(&said), "silence", "{said}");
}

#[test]
fn folders_of_four_thousand_levels_are_not_walked_to_their_end() {
    let fixture = Fixture::new();
    let mut folder = File::open(fixture.project()).unwrap();
    for _ in 0..4_000 {
        mkdirat(&folder, "a", Mode::RWXU).unwrap();
        folder =
            openat(&folder, "a", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap().into();
    }
    let said = fixture.hook(&fixture.bash(&format!("cat {}x", "a/".repeat(4_000))));
    assert_ne!(decision(&said), "silence", "{said}");
    let said = fixture.hook(&fixture.bash(&format!("cat {}x", "b/".repeat(4_000))));
    assert_eq!(decision(&said), "silence", "{said}");
    // Too deep for what removes the folder of the test.
    let at = |name: &str| fixture.project().join(name);
    while fs::rename(at("a/a"), at("next")).is_ok() {
        fs::remove_dir(at("a")).unwrap();
        fs::rename(at("next"), at("a")).unwrap();
    }
}

#[test]
fn links_of_the_system_that_go_in_circles_are_followed_to_an_end() {
    let fixture = Fixture::new();
    let circle = "/sys/class/net/lo/subsystem";
    if !Path::new(circle).exists() {
        return skipping::impossible("there is no circle of links in /sys here");
    }
    let path = format!("{circle}{}", "/lo/subsystem".repeat(300));
    for (command, least) in
        [(format!("cat {path}"), "silence"), (format!("cat {path}; rm -rf ~"), "deny")]
    {
        let said = fixture.hook(&fixture.bash(&command));
        assert!(decision(&said) == least || !is_judged(&said) && decision(&said) != "silence");
    }
}

/// A file system whose server takes every question and never answers.
struct Silent(PathBuf);

impl Silent {
    /// Mounts it; none where this user may not.
    fn mount(at: PathBuf) -> Option<Self> {
        fs::create_dir(&at).unwrap();
        let mut device = File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let user = rustix::process::getuid().as_raw();
        let told = format!("fd={},rootmode=40000,user_id={user},group_id=0", device.as_raw_fd());
        let told = std::ffi::CString::new(told).unwrap();
        mount("silent", &at, "fuse.silent", MountFlags::empty(), told.as_c_str()).ok()?;
        std::thread::spawn(move || {
            let mut question = vec![0; 1 << 16];
            // It ends when the mount does.
            while let Ok(length) = device.read(&mut question) {
                let number =
                    |at: usize| u32::from_le_bytes(question[at..at + 4].try_into().unwrap());
                // `FUSE_INIT` of protocol 7.31: length, error, the question's number; version, then sizes.
                if length >= 16 && number(4) == 26 {
                    let mut said = vec![0; 80];
                    said[..4].copy_from_slice(&80_u32.to_le_bytes());
                    said[8..16].copy_from_slice(&question[8..16]);
                    said[16..20].copy_from_slice(&7_u32.to_le_bytes());
                    said[20..24].copy_from_slice(&31_u32.to_le_bytes());
                    said[36..40].copy_from_slice(&4096_u32.to_le_bytes());
                    device.write_all(&said).unwrap();
                }
            }
        });
        Some(Self(at))
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = unmount(&self.0, UnmountFlags::DETACH | UnmountFlags::FORCE);
    }
}

#[test]
fn a_folder_that_never_answers_is_not_asked() {
    let fixture = Fixture::new();
    let Some(silent) = Silent::mount(fixture.home().join("silent")) else {
        return skipping::impossible("this user may not mount a file system");
    };
    std::os::unix::fs::symlink(&silent.0, fixture.project().join("link")).unwrap();
    let path = silent.0.display();
    for command in [
        format!("cat {path}/x"),
        format!("{path}/x approve R1"),
        format!("sh {path}/run.sh"),
        format!("cd {path} && make"),
        format!("python3 {path}/x.py; ls"),
        format!("cp {path}/court /tmp/c && /tmp/c approve R1"),
        "cat link/a/b".to_owned(),
        "make -C link".to_owned(),
        "echo x > link/a".to_owned(),
    ] {
        let said = fixture.hook(&fixture.bash(&command));
        assert_ne!(decision(&said), "silence", "{command}: {said}");
    }
    let said = fixture.hook(
        &fixture
            .before("Write", serde_json::json!({"file_path": format!("{path}/x"), "content": "x"})),
    );
    assert_ne!(decision(&said), "silence", "{said}");
    assert_eq!(decision(&fixture.hook(&fixture.bash("cargo build && ls ~"))), "silence");
    assert_eq!(decision(&fixture.hook(&fixture.bash("rm -rf ~"))), "deny");
}
