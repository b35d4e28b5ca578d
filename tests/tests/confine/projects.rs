//! Small real projects, whose tests pass in the sandbox, and what the model is told of a refusal.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::{
    Action, Bounds, Fencing, Host, Outcome, Running, Sandbox, Shell, Tasks, Tool, shell_tool,
};
use contract::xc::{CallStatus, What};
use llm::Cancel;
use redact::Redactor;
use serde_json::{Value, json};
use supervise::{Confinement, Guard, Isolation, Network};
use tempfile::TempDir;

/// Hears, and is asked nothing.
struct Nobody;

impl Host for Nobody {
    fn tell(&self, _: What) {}
}

/// A workspace that lies in no folder for temporary files.
struct Project {
    folder: TempDir,
    tool: Arc<dyn Tool>,
}

impl Project {
    fn new((isolation, confinement): (Isolation, Confinement), files: &[(&str, &str)]) -> Self {
        let folder = tests::xc::lasting_folder(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap();
        let root = folder.path().canonicalize().unwrap().join("app");
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(&root).unwrap();
        let sandbox = Sandbox {
            folders: vec![root.clone()],
            home: home(),
            write: Vec::new(),
            hide: Vec::new(),
            temporary: None,
            servers: Vec::new(),
            network: Network::Closed,
            confinement,
        };
        let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into())
            .with_isolation(isolation)
            .with_confinement(confinement);
        let tool = shell_tool(Shell {
            guard,
            program: "/bin/bash".into(),
            env: environment(),
            timeout: Duration::from_secs(300),
            max_timeout: Duration::from_secs(600),
            redactor: Redactor::new(),
            root,
            fencing: Fencing::On(sandbox),
            tasks: Tasks::default(),
        });
        Self { folder, tool }
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("outside")
    }

    async fn call(&self, arguments: Value) -> Outcome {
        let arguments = arguments.as_object().unwrap();
        let action = &self.tool.action(arguments);
        let (host, cancel) = (&Nobody, &Cancel::new());
        self.tool.run(Running { id: "c", arguments, action, instead: None, host, cancel }).await
    }
}

fn home() -> PathBuf {
    std::env::home_dir().unwrap()
}

/// What a developer's shell has: the tools of this machine.
fn environment() -> Vec<(OsString, OsString)> {
    let kept = ["PATH", "HOME", "CARGO", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
    let kept = kept.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/venv/bin/python");
    kept.chain(python.is_file().then(|| ("PYTHON".into(), python.into()))).collect()
}

const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"small\"\nedition = \"2021\"\n\n[workspace]\n"),
    (
        "src/lib.rs",
        "pub fn add(a: u8, b: u8) -> u8 { a + b }\n#[test]\nfn adds() {\n    \
         std::fs::write(std::env::temp_dir().join(format!(\"small-{}\", std::process::id())), \"x\").unwrap();\n    \
         assert_eq!(add(1, 2), 3);\n}\n",
    ),
];

const NODE: &[(&str, &str)] = &[
    (
        "package.json",
        "{\"name\": \"small\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}",
    ),
    (
        "add.test.js",
        "const test = require('node:test'), assert = require('node:assert'), http = require('node:http');\n\
         test('serves', async () => {\n  const server = http.createServer((_, r) => r.end('5'));\n  \
         await new Promise((done) => server.listen(0, '127.0.0.1', done));\n  \
         const answer = await fetch(`http://127.0.0.1:${server.address().port}`);\n  \
         assert.equal(await answer.text(), '5');\n  server.close();\n});\n",
    ),
];

const PYTHON: &[(&str, &str)] = &[(
    "test_add.py",
    "import multiprocessing, tempfile\n\ndef test_add(tmp_path):\n    (tmp_path / 'a').write_text('x')\n    \
     with multiprocessing.Lock():\n        assert 2 + 3 == 5\n",
)];

#[tokio::test]
async fn the_tests_of_real_projects_pass_in_the_sandbox() {
    for means in super::means().await {
        for (program, files, command, passed) in [
            (
                "\"${CARGO:-cargo}\" --version",
                RUST,
                "\"${CARGO:-cargo}\" test --offline",
                "1 passed",
            ),
            ("npm --version", NODE, "npm test", "pass 1"),
            (
                "\"${PYTHON:-python3}\" -m pytest --version",
                PYTHON,
                "\"${PYTHON:-python3}\" -m pytest",
                "1 passed",
            ),
        ] {
            let project = Project::new(means, files);
            if !project.call(json!({"command": program})).await.text.starts_with("exit code: 0") {
                skipping::missing(program, "it does not run; for pytest: `make python`");
                continue;
            }
            // Without mounts a closed network has no loopback.
            if command == "npm test" && means.1 == Confinement::Landlock {
                continue;
            }
            let outcome = project.call(json!({"command": command})).await;
            assert_eq!(outcome.status, CallStatus::Ok, "{means:?}: {}", outcome.text);
            assert!(outcome.text.contains(passed), "{means:?}: {}", outcome.text);
        }
    }
}

#[tokio::test]
async fn the_model_is_told_of_a_refusal_and_may_ask_to_be_let_out() {
    for means in super::means().await {
        let project = Project::new(means, &[]);
        let outside = project.outside();
        let command = format!("echo x > '{}'", outside.display());
        let outcome = project.call(json!({"command": command})).await;
        let line = "[sandbox: writing outside the workspace is off]";
        assert_eq!(outcome.status, CallStatus::Error);
        assert!(outcome.text.ends_with(line), "{means:?}: {}", outcome.text);
        assert!(!outside.exists());
        let failed = project.call(json!({"command": "echo no >&2; exit 3"})).await;
        assert!(!failed.text.contains("[sandbox"), "{}", failed.text);
        // Whether it may is judged before: see the permissions.
        let arguments = json!({"command": command, "unsandboxed": true});
        let action = project.tool.action(arguments.as_object().unwrap());
        assert!(matches!(action, Action::Shell { bounds: Bounds::Lifted, .. }));
        assert_eq!(project.call(arguments).await.status, CallStatus::Ok);
        assert!(outside.exists());
    }
}

/// A hook that a command leaves would run with the user's rights the next time.
#[tokio::test]
async fn with_mounts_git_works_and_its_hooks_stay() {
    for means in super::means().await {
        if means.1 != Confinement::LandlockAndMounts {
            continue;
        }
        let project = Project::new(means, &[("a.txt", "a"), (".x-code/config.json", "{}")]);
        let run = async |command: &str| project.call(json!({"command": command})).await;
        let made =
            run("git init -q . && git config user.email a@b && git config user.name a").await;
        assert_eq!(made.status, CallStatus::Ok, "{}", made.text);
        let commit = run("git add -A && git commit -qm one && git log --oneline | wc -l").await;
        assert_eq!(commit.status, CallStatus::Ok, "{}", commit.text);
        for command in [
            "echo x > .git/hooks/pre-commit",
            "git config core.pager evil",
            "echo {} > .x-code/config.json",
            "mv .git .git2",
        ] {
            let outcome = run(command).await;
            assert_eq!(outcome.status, CallStatus::Error, "{command}: {}", outcome.text);
        }
        assert!(Path::new(&project.outside()).parent().unwrap().join("app/.git/HEAD").exists());
    }
}

/// Another agent would execute it the next time that it starts.
#[tokio::test]
async fn what_another_agent_takes_orders_from_is_put_aside_and_kept() {
    for means in super::means().await {
        let project = Project::new(means, &[("a.txt", "a")]);
        let run = async |command: &str| project.call(json!({"command": command})).await;
        let made = run("mkdir .claude && echo {} > .claude/settings.json").await;
        let said = "renamed to .claude/settings.json.set-aside";
        assert!(made.text.contains(said), "{means:?}: {}", made.text);
        let settings = project.outside().with_file_name("app").join(".claude/settings.json");
        assert!(!settings.exists(), "{means:?}");
        let again = run("echo {} > .claude/settings.json").await;
        if means.1 == Confinement::LandlockAndMounts {
            assert_eq!(again.status, CallStatus::Error, "{}", again.text);
        }
        assert!(!settings.exists(), "{means:?}");
    }
}

#[tokio::test]
async fn a_sandbox_that_must_be_and_is_not_runs_no_command() {
    let root = tempfile::tempdir().unwrap();
    let tool = shell_tool(Shell {
        guard: Guard::new(env!("CARGO_BIN_EXE_guard").into()),
        program: "/bin/bash".into(),
        env: environment(),
        timeout: Duration::from_secs(30),
        max_timeout: Duration::from_secs(30),
        redactor: Redactor::new(),
        root: root.path().to_owned(),
        fencing: Fencing::Missing,
        tasks: Tasks::default(),
    });
    let arguments = json!({"command": "touch ran"});
    let arguments = arguments.as_object().unwrap();
    let action = &tool.action(arguments);
    let (host, cancel) = (&Nobody, &Cancel::new());
    let outcome =
        tool.run(Running { id: "c", arguments, action, instead: None, host, cancel }).await;
    assert!(outcome.text.contains("the settings require a sandbox"), "{}", outcome.text);
    assert!(!root.path().join("ran").exists());
}
