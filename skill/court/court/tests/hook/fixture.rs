//! A project in a folder of its own, and the executable as the client starts it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Fixture {
    folder: TempDir,
    /// Variables beside the client's own.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// The executable.
    program: PathBuf,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        fs::create_dir_all(folder.path().join("project/src")).unwrap();
        // A loaded machine must not bring on what is tested elsewhere.
        let variables = vec![
            ("COURT_DEADLINE_MS", "60000".to_owned()),
            ("COURT_PACKET_DEADLINE_MS", "60000".to_owned()),
        ];
        let program = env!("CARGO_BIN_EXE_court").into();
        let fixture = Self { folder, variables, program };
        let line = json!({"type": "user", "message": {"role": "user", "content": "hello"}});
        fixture.write("transcript.jsonl", &format!("{line}\n"));
        fixture
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn court(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args);
        self.dress(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The folder and the variables of this project's user.
    pub(crate) fn dress(&self, command: &mut Command) {
        command.current_dir(self.project()).env_clear();
        command.env("HOME", self.home()).env("PATH", "/usr/bin:/bin");
        command.env("CLAUDE_PROJECT_DIR", self.project());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// The same, installed in a folder without another program of ours; that folder.
    pub(crate) fn installed(mut self) -> (Self, PathBuf) {
        let folder = self.folder.path().canonicalize().unwrap().join("installed");
        fs::create_dir(&folder).unwrap();
        let program = folder.join("court");
        if fs::hard_link(&self.program, &program).is_err() {
            fs::copy(&self.program, &program).unwrap();
        }
        self.program = program;
        (self, folder)
    }

    /// A command of a person.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.court(args).output().unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        let output = self.run(&args);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
    }

    pub(crate) fn start(&self, call: &Value) -> Child {
        self.start_bytes(call.to_string().as_bytes())
    }

    pub(crate) fn start_bytes(&self, call: &[u8]) -> Child {
        let mut child = self.court(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
        // A hook that has answered before it has read all is free to go.
        let _ = child.stdin.take().unwrap().write_all(call);
        child
    }

    /// The hook's answer: one object, or null for silence.
    pub(crate) fn hook(&self, call: &Value) -> Value {
        answer(self.start(call))
    }

    pub(crate) fn call(&self, event: &str, fields: Value) -> Value {
        let mut call = json!({
            "session_id": "11111111-2222-4333-8444-555555555555",
            "transcript_path": self.project().join("transcript.jsonl"),
            "cwd": self.project(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            call[name] = value.clone();
        }
        call
    }

    pub(crate) fn before(&self, tool: &str, input: Value) -> Value {
        self.call(
            "PreToolUse",
            json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1"}),
        )
    }

    pub(crate) fn bash(&self, command: &str) -> Value {
        self.before("Bash", json!({"command": command, "description": "d"}))
    }

    pub(crate) fn after_agent(&self, id: &str, result: &str) -> Value {
        self.call(
            "PostToolUse",
            json!({
                "tool_name": "Agent", "tool_use_id": id,
                "tool_input": {
                    "description": format!("task {id}"), "prompt": "p", "subagent_type": "worker",
                },
                "tool_response": {
                    "status": "completed", "agentId": format!("agent-{id}"), "totalTokens": 5,
                    "content": [{"type": "text", "text": result}],
                    "toolStats": {"readCount": 1}, "totalToolUseCount": 1, "totalDurationMs": 3,
                },
            }),
        )
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.project().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.file(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file that grants something: it lies in the user's state folder.
    pub(crate) fn grant(&self, name: &str) -> PathBuf {
        PathBuf::from(self.json(&["status"])["state"].as_str().unwrap()).join(name)
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Value {
        let path = self.project().join(path);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        serde_json::from_str(&text).unwrap()
    }
}

/// What a hook says: exit code 0 and one object, or nothing.
pub(crate) fn answer(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(!said.contains("\"allow\""), "{said}");
    if said.is_empty() {
        return Value::Null;
    }
    assert_eq!(said.lines().count(), 1, "{said}");
    serde_json::from_str(&said).unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn decision(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("silence")
}

pub(crate) fn reason(answer: &Value) -> String {
    let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
    reason.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn context(answer: &Value) -> String {
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn message(answer: &Value) -> String {
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// Whether files can be kept from this user by their mode: root is not kept from anything.
pub(crate) fn modes_count(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let probe = folder.join("probe");
    fs::create_dir(&probe).unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o555)).unwrap();
    let kept = fs::write(probe.join("x"), "").is_err();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(&probe).unwrap();
    kept
}
