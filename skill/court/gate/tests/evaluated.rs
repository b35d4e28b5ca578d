//! What bash evaluates behind a plain word: subscripts, arithmetic, prompts, references. Each form is given to the real
//! bash with a harmless payload; what bash executes there, the gate must see.

#![expect(clippy::disallowed_methods, reason = "bash is asked what it evaluates")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gate::Level;

mod shell;

fn judge(command: &str) -> gate::Judgement {
    shell::judge(command, &gate::NoDisk)
}

/// The forms, with `COMMAND` where the payload stands; `⏎` is the end of a line.
const FORMS: &str = include_str!("evaluated.txt");

fn forms() -> Vec<String> {
    FORMS.lines().map(|line| line.replace('⏎', "\n")).collect()
}

/// Whether bash executes the payload of a form; none without a bash.
fn executes(form: &str, folder: &Path) -> Option<bool> {
    let marker = folder.join("marker");
    let _ = fs::remove_file(&marker);
    let script = form.replace("COMMAND", &format!(">{}", marker.display()));
    let ended = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ended.ok().map(|_| marker.exists())
}

fn folder() -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("evaluated-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_bash_evaluates_is_seen() {
    let folder = folder();
    let (mut executed, mut missed) = (0, Vec::new());
    for form in forms() {
        let Some(executes) = executes(&form, &folder) else {
            skipping::missing("bash", "install it");
            return;
        };
        executed += usize::from(executes);
        let judgement = judge(&form.replace("COMMAND", "rm -rf ~"));
        if executes && judgement.level < Level::L2 {
            missed.push(form);
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    eprintln!("bash executes {executed} of {} forms", forms().len());
    assert!(executed >= 140, "bash executed {executed} forms alone");
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The same forms with a harmless value are ordinary.
#[test]
fn plain_values_are_left_alone() {
    for form in forms() {
        let plain = form
            .replace("a[$(COMMAND)]", "a[0]")
            .replace("a[`COMMAND`]", "a[1]")
            .replace("a[\\$(COMMAND)]", "a[2]");
        if plain.contains("COMMAND") || plain.contains("PS4") {
            continue;
        }
        let judgement = judge(&plain);
        assert!(judgement.level < Level::L2, "{plain}: {:?}", judgement.findings);
    }
}
