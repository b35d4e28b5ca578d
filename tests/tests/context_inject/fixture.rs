//! What these tests share: the entry as a process, stand-ins for the orchestrator, and a small repository.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use supervise::{Exit, HelperCommand, HelperEnd, run_helper_with_input};
use tests::harness::{StateDir, built};

/// A prompt about code.
pub(crate) const ABOUT_CODE: &str = "why does retry_login in src/login.py return nothing?";
/// Above what anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The entry with the folders of a test.
pub(crate) struct Entry {
    pub(crate) folder: StateDir,
    env: Vec<(String, OsString)>,
}

/// How a call ended and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Entry {
    /// With the real orchestrator.
    pub(crate) fn new() -> Self {
        let folder = StateDir::new().unwrap();
        let home = folder.home();
        let entry = Self { folder, env: Vec::new() };
        let orchestrator = built("orchestrator-under-test").unwrap();
        entry.with("HOME", home).with("PATH", "/usr/bin:/bin").orchestrator(&orchestrator)
    }

    /// With a stand-in: a script of `sh`.
    pub(crate) fn with_script(script: &str) -> Self {
        let entry = Self::new();
        let path = entry.write("orchestrator.sh", &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        entry.orchestrator(&path)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.retain(|(other, _)| other != name);
        self.env.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn orchestrator(self, path: &Path) -> Self {
        self.with("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", path)
    }

    /// Writes a file of the test's own.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A repository with three files, one of which is what [`ABOUT_CODE`] asks about.
    pub(crate) fn repository(&self) -> PathBuf {
        repository(&self.folder.work().join("shop"))
    }

    /// Runs the entry.
    pub(crate) fn run(&self, args: &[&str], input: &[u8]) -> Said {
        let env = self.env.iter().map(|(name, value)| (name.into(), value.clone())).collect();
        let told = run_helper_with_input(
            &HelperCommand {
                program: built("inject-under-test").unwrap(),
                args: args.iter().map(OsString::from).collect(),
                env,
                current_dir: self.folder.work(),
                deadline: Instant::now() + LIMIT,
                stdout_max: 1 << 22,
            },
            input,
        );
        let told = told.unwrap();
        let HelperEnd::Exited(Exit::Code(code)) = told.end else { panic!("{told:?}") };
        Said { code, out: String::from_utf8(told.stdout).unwrap(), err: told.stderr }
    }

    /// Runs it as Claude Code does.
    pub(crate) fn hook(&self, prompt: &str, cwd: &Path) -> Said {
        self.run(&[], call(prompt, cwd).to_string().as_bytes())
    }
}

impl Said {
    /// Standard output, which is one JSON object on one line.
    pub(crate) fn object(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "{self:?}");
        let value: Value = serde_json::from_str(&self.out).unwrap();
        assert!(value.is_object(), "{value}");
        value
    }
}

/// What Claude Code writes to the hook.
pub(crate) fn call(prompt: &str, cwd: &Path) -> Value {
    json!({
        "session_id": "00000000-0000-4000-8000-000000000001",
        "transcript_path": "/nonexistent/transcript.jsonl",
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    })
}

/// A report with this text for the model.
pub(crate) fn report(context: &str) -> Value {
    let text = include_str!("../../../schemas/examples/valid/orchestrator-report-run.json");
    let mut report: Value = serde_json::from_str(text).unwrap();
    report["fused_context"]["for_model"]["additional_context"] = json!(context);
    report["fused_context"]["for_user"]["limits_text"] = json!("");
    report
}

/// Makes a repository in a folder of its own.
pub(crate) fn repository(root: &Path) -> PathBuf {
    for folder in [".git/objects", ".git/refs", "src"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let login = "def retry_login(user):\n    \"\"\"Tries the login of a user twice.\"\"\"\n    for attempt in range(2):\n        if login(user):\n            return\n";
    let cart = "def total(items):\n    return sum(item.price for item in items)\n";
    for (file, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("src/login.py", login),
        ("src/cart.py", cart),
        ("README.md", "# A shop\n"),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
    root.to_owned()
}
