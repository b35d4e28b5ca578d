//! A project, a model that has the shell count, and `xc` as a process between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use contract::xc::{Header, Line};
use mock_model::{MockModel, Recorded, Reply, Script, Turn};
use serde_json::{Value, json};
use tests::harness::{StateDir, Survivor, survivors};
use tokio::process::Command;

/// How long one run may take on a machine that is busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// How often the model has the shell do something.
pub(crate) const STEPS: usize = 5;

/// Where the steps are counted, below the project.
const EFFECTS: &str = "effects.txt";

/// Whether the model has something run in the background, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Nothing,
    Task,
}

/// Where `xc` runs. Fails in `Drop` if a process of a run is left.
pub(crate) struct Place {
    folder: StateDir,
    pub(crate) mock: MockModel,
}

impl Place {
    pub(crate) async fn new(background: Background) -> Self {
        let script = Script::choose(move |request| Reply::Turn(next(request, background)));
        let mock = MockModel::local(script).await.unwrap();
        Self { folder: StateDir::new().unwrap(), mock }
    }

    /// `xc` with these words, in the project.
    pub(crate) fn xc(&self, words: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_xc-under-test");
        let base_url = self.mock.base_url();
        let mut command = tests::xc::command(program.as_ref(), words, &self.folder, &base_url);
        command.stderr(Stdio::null());
        command
    }

    /// Runs it to its end: its exit code and its answer.
    pub(crate) async fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let ended = tokio::time::timeout(LIMIT, self.xc(words).output()).await.unwrap().unwrap();
        (ended.status.code(), String::from_utf8(ended.stdout).unwrap())
    }

    /// How often each step was done.
    pub(crate) fn effects(&self) -> BTreeMap<String, u32> {
        let text = fs::read_to_string(self.folder.work().join(EFFECTS)).unwrap_or_default();
        let mut effects = BTreeMap::new();
        for step in text.lines() {
            *effects.entry(step.to_owned()).or_default() += 1;
        }
        effects
    }

    /// The lines of the journal; none where there is none with a line. The last one may be cut, and no
    /// other.
    pub(crate) fn journal(&self) -> Option<Vec<Line>> {
        let folder = self.folder.work().join(".x-code/sessions");
        let entries = fs::read_dir(folder).ok()?;
        let mut journals: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        journals.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        assert!(journals.len() <= 1, "a session that goes on stays in its journal: {journals:?}");
        let text = fs::read_to_string(journals.first()?).unwrap();
        let (whole, _cut) = text.rsplit_once('\n')?;
        let mut lines = whole.lines();
        let header: Header = serde_json::from_str(lines.next()?).unwrap();
        assert!(header.is_known());
        let lines: Vec<Line> = lines.map(|line| Line::parse(line).unwrap()).collect();
        (!lines.is_empty()).then_some(lines)
    }

    /// What is alive of the runs: the folder's name is in their environment.
    pub(crate) fn alive(&self) -> Vec<Survivor> {
        let name = self.folder.root().file_name().unwrap().to_str().unwrap();
        survivors(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.alive(), []);
        }
    }
}

/// The step after those that the conversation has: the model never asks for one again, whatever came of it.
fn next(request: &Recorded, background: Background) -> Turn {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let calls: Vec<&Value> = calls.collect();
    if calls.is_empty() && background == Background::Task {
        let command = "trap '' INT TERM; (setsid sleep 600 > /dev/null 2>&1 &); sleep 600";
        return Turn::call("shell", &json!({ "command": command, "background": true }));
    }
    let step = calls.len() - usize::from(background == Background::Task);
    if step >= STEPS {
        return Turn::text("All counted.");
    }
    // What stays behind of each has to go with the command.
    let command =
        format!("echo {step} >> {EFFECTS}; sleep 600 > /dev/null 2>&1 & sleep 0.05; echo counted");
    Turn::call("shell", &json!({ "command": command }))
}
