//! A process that edits a file is killed with SIGKILL at any moment: the file has either the old or the new content.
//!
//! The test starts itself as that process; the folder in its environment tells which of the two it is.

#![expect(
    clippy::disallowed_methods,
    reason = "the writer is started and killed, at moments that nothing tells"
)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use agent::{Host, Running, Tool, Workspace, file_tools};
use contract::xc::{CallStatus, What};
use llm::Cancel;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

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

/// Replaces every line of the file.
struct Writer {
    tools: Vec<Arc<dyn Tool>>,
    runtime: Runtime,
    words: [&'static str; 2],
}

impl Writer {
    /// One that has read the file.
    fn new(folder: &Path) -> Self {
        let tools = file_tools(&Workspace::open(folder, &[]).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut writer = Self { tools, runtime, words: ["old", "new"] };
        if writer.call("readFile", json!({ "filePath": "f", "limit": 1 })) != "1\told" {
            writer.words.reverse();
        }
        writer
    }

    fn edit(&mut self) {
        let [old, new] = self.words;
        let arguments =
            json!({ "filePath": "f", "oldString": old, "newString": new, "replaceAll": true });
        self.call("edit", arguments);
        self.words.reverse();
    }

    fn call(&self, name: &str, arguments: Value) -> String {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).unwrap();
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
        let outcome = self.runtime.block_on(tool.run(call));
        assert_eq!(outcome.status, CallStatus::Ok, "{}", outcome.text);
        outcome.text
    }
}

fn write_for_ever(folder: &Path) -> ! {
    let mut writer = Writer::new(folder);
    // Behind what the test's own harness printed.
    println!("\n{READY}");
    loop {
        writer.edit();
    }
}

/// What lies beside the file, made as old as what a killed writer left long ago.
fn left(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name != "f");
    for name in &names {
        assert!(name.starts_with(".f.") && name.ends_with(".new"), "{name}");
        let file = File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
    }
    names
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
    let (mut seen, mut unfinished) = ([0, 0], BTreeSet::new());
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
        unfinished.extend(left(folder.path()));
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both were there: {seen:?}");
    assert!(!unfinished.is_empty(), "no kill came while a file was written");
    Writer::new(folder.path()).edit();
    assert_eq!(left(folder.path()), Vec::<String>::new(), "what the killed left goes with a write");
}
