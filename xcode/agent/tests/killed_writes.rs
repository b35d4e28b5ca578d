//! A process that edits a file is ended by SIGKILL at any moment: the file is the old one or the new one, whole.
//!
//! The test starts itself as that process; the folder in its environment tells which of both it is.

#![expect(
    clippy::disallowed_methods,
    reason = "the writer is started and killed, at moments that nothing tells"
)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use agent::{Host, Running, Workspace, file_tools};
use contract::xc::{CallStatus, What};
use llm::Cancel;
use serde_json::{Value, json};

/// How often the writer is killed.
const KILLS: u32 = 200;

/// Names the folder to the writer.
const FOLDER: &str = "KILLED_WRITES_FOLDER";

/// What the writer says before it begins.
const READY: &str = "the writer is ready";

/// Lines of the file: enough that it is not written at once.
const LINES: usize = 20_000;

struct Nobody;

impl Host for Nobody {
    fn tell(&self, _: What) {}
}

fn content(word: &str) -> String {
    format!("{word}\n").repeat(LINES)
}

/// Replaces every line of the file again and again.
fn write_for_ever(folder: &Path) -> ! {
    let tools = file_tools(&Workspace::open(folder, &[]).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let call = |name: &str, arguments: Value| {
        let tool = tools.iter().find(|tool| tool.definition().name == name).unwrap();
        let arguments = arguments.as_object().unwrap();
        let (action, cancel) = (tool.action(arguments), Cancel::new());
        let call = Running {
            id: "1",
            arguments,
            action: &action,
            instead: None,
            host: &Nobody,
            cancel: &cancel,
        };
        let outcome = runtime.block_on(tool.run(call));
        assert_eq!(outcome.status, CallStatus::Ok, "{}", outcome.text);
        outcome.text
    };
    let read = call("readFile", json!({ "filePath": "f", "limit": 1 }));
    let (mut old, mut new) = if read == "1\told" { ("old", "new") } else { ("new", "old") };
    // Behind what the test's own harness printed.
    println!("\n{READY}");
    loop {
        call(
            "edit",
            json!({ "filePath": "f", "oldString": old, "newString": new, "replaceAll": true }),
        );
        (old, new) = (new, old);
    }
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_file_whole() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        write_for_ever(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    fs::write(&file, content("old")).unwrap();
    let both = ["old", "new"].map(|word| content(word).into_bytes());
    let (mut seen, mut unfinished) = ([0, 0], 0);
    for kill in 0..KILLS {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_kill_at_any_moment_leaves_the_old_or_the_new_file_whole"])
            .arg("--nocapture")
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == READY), "the writer failed");
        // From before the first write to behind some.
        std::thread::sleep(Duration::from_micros(u64::from(kill % 50) * 300));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let now = fs::read(&file).unwrap();
        let which = both.iter().position(|whole| *whole == now);
        seen[which.unwrap_or_else(|| panic!("kill {kill}: {} bytes of neither", now.len()))] += 1;
        for entry in fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "f" {
                assert!(name.starts_with(".f.") && name.ends_with(".new"), "{name}");
                fs::remove_file(folder.path().join(name)).unwrap();
                unfinished += 1;
            }
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both were there: {seen:?}");
    assert!(unfinished > 0, "no kill came while a file was written");
}
