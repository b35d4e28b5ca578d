//! What these tests share: a project under the court, a client that loads it as a plugin, and a record
//! of every hook's call and answer.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::claude::{Claude, Finished, claude_bin};
use tests::harness::{StateDir, built, git};
use tests::messages_api::{Agent, MessagesApi, Reply, Request, Script};

use crate::terminal::{is_below_a_client, leading, on_terminal};

/// Every event that the court hears.
const EVENTS: [&str; 10] = [
    "SessionStart",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "StopFailure",
    "Stop",
    "PreCompact",
    "SessionEnd",
];

/// Calls the court, and keeps what it was asked and what it answered.
const RECORDER: &str = "#!/bin/sh
call=$(mktemp RECORDS/call.XXXXXXXX) || exit 0
cat > \"$call\"
answer=RECORDS/answer.${call##*.}
COURT hook < \"$call\" > \"$answer\"
cat \"$answer\"
";

/// A project, a plugin, and a place for records.
pub(crate) struct Court {
    folder: StateDir,
    claude: PathBuf,
    project: PathBuf,
}

/// One call of a hook and its answer.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) call: Value,
    /// Null for silence.
    pub(crate) answer: Value,
}

impl Court {
    /// Under the court, in a git repository with one commit; `None` where there is no client or git.
    pub(crate) fn new() -> Option<Self> {
        let claude = claude_bin()?;
        let folder = StateDir::new().unwrap();
        let project = folder.root().join("project");
        let court = Self { claude, project, folder };
        fs::create_dir_all(&court.project).unwrap();
        court.git(&["init", "-q"])?;
        fs::write(court.project.join("README.md"), "a project\n").unwrap();
        court.git(&["add", "."])?;
        court.git(&["commit", "-qm", "begin"])?;
        court.plugin();
        Some(court)
    }

    fn plugin(&self) {
        let plugin = self.root().join("plugin");
        let records = self.root().join("records");
        for folder in [
            plugin.join(".claude-plugin"),
            plugin.join("hooks"),
            plugin.join("agents"),
            records.clone(),
        ] {
            fs::create_dir_all(folder).unwrap();
        }
        let about = json!({"name": "court", "version": "0.0.1", "description": "The court under test.",
            "author": {"name": "codex-bridge"}});
        fs::write(plugin.join(".claude-plugin/plugin.json"), about.to_string()).unwrap();
        for entry in fs::read_dir(top().join("skill/court/plugin/agents")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), plugin.join("agents").join(entry.file_name())).unwrap();
        }
        let recorder = plugin.join("record.sh");
        let text = RECORDER
            .replace("RECORDS", records.to_str().unwrap())
            .replace("COURT", built("court-under-test").unwrap().to_str().unwrap());
        fs::write(&recorder, text).unwrap();
        fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755)).unwrap();
        let hook = json!([{"hooks": [{"type": "command", "command": recorder, "args": [], "timeout": 120}]}]);
        let hooks: serde_json::Map<String, Value> =
            EVENTS.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
        fs::write(plugin.join("hooks/hooks.json"), json!({"hooks": hooks}).to_string()).unwrap();
    }

    /// A client with the plugin whose user allows the ordinary tools.
    pub(crate) fn client(&self, api: &MessagesApi) -> Claude {
        self.unwatched(api).arg("--plugin-dir").arg(self.root().join("plugin"))
    }

    /// The same without the plugin: no hook is asked.
    pub(crate) fn unwatched(&self, api: &MessagesApi) -> Claude {
        Claude::new(&self.claude, &self.folder)
            .unwrap()
            .in_folder(&self.project)
            .api(api)
            // Slow machines are not what these tests are about.
            .env("COURT_DEADLINE_MS", "60000")
            .env("COURT_PACKET_DEADLINE_MS", "60000")
            // The tests print the result, as a program does; what they look at is what a person gets.
            .env("COURT_PRINT_REVIEW", "changes")
            .args(["--allowedTools", "Bash", "Write", "Edit", "Read"])
    }

    /// The same in another project.
    pub(crate) fn in_folder(mut self, project: &Path) -> Self {
        self.project = project.to_owned();
        self
    }

    /// The folder of the test.
    pub(crate) fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The folder of the test, as what else runs in it knows it.
    pub(crate) fn folder(&self) -> &StateDir {
        &self.folder
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// The client's executable.
    pub(crate) fn claude(&self) -> &Path {
        &self.claude
    }

    /// A file of the court, as JSON; null where it is absent.
    pub(crate) fn file(&self, name: &str) -> Value {
        let path = self.project.join(".claude/historian").join(name);
        fs::read(path).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap())
    }

    /// A file of the court, as text; empty where it is absent.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.project.join(".claude/historian").join(name)).unwrap_or_default()
    }

    /// The ledger's anchors of a kind, by their words.
    pub(crate) fn anchors(&self, kind: &str) -> Vec<String> {
        let ledger = self.file("cal.json");
        let anchors = ledger["anchors"].as_array().cloned().unwrap_or_default();
        let of_kind = anchors.into_iter().filter(|anchor| anchor["type"] == kind);
        of_kind.map(|anchor| anchor["content"].as_str().unwrap().to_owned()).collect()
    }

    /// How a capability stands, by its number.
    pub(crate) fn standing(&self, number: &str) -> Value {
        self.file("cal.json")["metadata"]["capabilities"][number]["standing"].clone()
    }

    /// Every call so far of an event, in no order.
    pub(crate) fn heard(&self, event: &str) -> Vec<Heard> {
        self.all().into_iter().filter(|heard| heard.call["hook_event_name"] == event).collect()
    }

    /// Every call so far, in no order. Each answer is one JSON object or nothing.
    pub(crate) fn all(&self) -> Vec<Heard> {
        let records = self.root().join("records");
        let entries = fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().path());
        let calls =
            entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("call."));
        calls
            .map(|path| {
                let id = path.extension().unwrap().to_str().unwrap().to_owned();
                let answer = fs::read(records.join(format!("answer.{id}"))).unwrap_or_default();
                let answer = match answer.is_empty() {
                    true => Value::Null,
                    false => serde_json::from_slice(&answer).unwrap(),
                };
                Heard { call: serde_json::from_slice(&fs::read(&path).unwrap()).unwrap(), answer }
            })
            .collect()
    }

    /// As [`Court::new`], where a person's terminal can be had; `None`, said, below a client.
    pub(crate) fn of_a_person() -> Option<Self> {
        Self::new().filter(|_| !is_below_a_client())
    }

    /// The user agrees to something that came with the project.
    pub(crate) fn accept(&self, what: &str) {
        let mut command = leading(built("court-under-test").unwrap());
        command.args(["accept", what]).current_dir(&self.project).env_clear();
        command.env("HOME", self.root().join("claude-home")).env("PATH", "/usr/bin:/bin");
        command.env("CLAUDE_PROJECT_DIR", &self.project);
        let said = on_terminal(command, &[]);
        assert_eq!(said.code, Some(0), "court accept {what}: {}", said.text);
    }

    /// Runs git in the project; `None`, said, where there is none.
    pub(crate) fn git(&self, args: &[&str]) -> Option<String> {
        git(&self.project, args)
    }
}

/// The top of the tree.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A sub-agent's call.
pub(crate) fn agent(kind: &str, description: &str, prompt: &str) -> Value {
    json!({"description": description, "subagent_type": kind, "prompt": prompt,
        "run_in_background": false})
}

/// A call of the shell.
pub(crate) fn bash(command: &str) -> Reply {
    Reply::tool("Bash", shell(command))
}

/// The input of a call of the shell.
pub(crate) fn shell(command: &str) -> Value {
    json!({"command": command, "description": "run it"})
}

/// The main agent says this whenever the script has nothing better: it gives in to whatever holds it.
pub(crate) fn then_stop(script: Script) -> Script {
    script.when(|request| request.agent == Agent::Main, |_| Reply::text("stopping"))
}

/// Whether this is the historian's own conversation: its prompt is the built one.
pub(crate) fn is_historian(request: &Request) -> bool {
    matches!(request.agent, Agent::Sub(_))
        && request.everything().contains("You are the historian: you review")
}

/// The run ended well.
pub(crate) fn ended_well(finished: &Finished) {
    let result = finished.result().unwrap();
    assert_eq!(result["is_error"], false, "{result:#}\n{}", finished.stderr);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

/// The requests of the main agent, in order.
pub(crate) fn of_main(api: &MessagesApi) -> Vec<Request> {
    api.requests().into_iter().filter(|request| request.agent == Agent::Main).collect()
}
