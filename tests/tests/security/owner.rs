//! A repository of another owner, whose configuration names programs in every place that git knows: each
//! program of ours in it, as root in a user's, as a user in root's and in a third one's. (`ci` has its own
//! test, beside it.)

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use host::find_program;
use serde_json::{Value, json};
use supervise::{HelperCommand, HelperEnd, HelperOutput, run_helper_with_input};
use tempfile::TempDir;
use tests::harness::built;

const ROOT: u32 = 0;
const DAEMON: u32 = 1;
const NOBODY: u32 = 65_534;

const LIMIT: Duration = Duration::from_secs(60);

/// Where git is told to start a program.
const NAMED: [&str; 14] = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "gpg.program",
    "interactive.diffFilter",
    "pager.log",
    "pager.diff",
];

/// The folders of one user, and a repository of another's.
struct Foreign {
    folder: TempDir,
    git: PathBuf,
    user: u32,
}

impl Foreign {
    fn new(owner: u32, user: u32) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let git = find_program("git", &path).expect("git");
        // Open to everybody, unlike the folder of the build.
        let folder = tempfile::Builder::new().prefix("owner").tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let foreign = Self { folder, git, user };
        let (top, trap) = (foreign.top(), foreign.folder.path().join("trap"));
        fs::create_dir_all(top.join("src")).unwrap();
        fs::write(top.join("src/login.py"), "def retry_login(user):\n    return login(user)\n")
            .unwrap();
        fs::write(top.join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
        for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "first"]] {
            assert!(foreign.git(args).is_success(), "{args:?}");
        }
        let script = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", foreign.trace().display());
        let hooks = foreign.folder.path().join("hooks");
        fs::create_dir(&hooks).unwrap();
        let hook = |name: &str| hooks.join(name);
        for path in
            [trap.clone(), hook("post-index-change"), hook("post-checkout"), hook("pre-commit")]
        {
            fs::write(&path, &script).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
        for name in NAMED {
            assert!(foreign.git(&["config", name, trap.to_str().unwrap()]).is_success(), "{name}");
        }
        foreign.git(&["config", "core.hooksPath", hooks.to_str().unwrap()]);
        fs::write(top.join("src/login.py"), "def retry_login(user):\n    return None\n").unwrap();
        for name in ["home", "state"] {
            let own = foreign.folder.path().join(name);
            fs::create_dir(&own).unwrap();
            fs::set_permissions(&own, Permissions::from_mode(0o700)).unwrap();
            lchown(own, Some(user), Some(user)).unwrap();
        }
        give(&top, owner);
        foreign
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    /// Git with all of the repository's configuration, as this user.
    fn git(&self, args: &[&str]) -> HelperOutput {
        let ours =
            ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "safe.directory=*"];
        let args = ours.iter().chain(args).map(OsString::from).collect();
        run(&self.git, args, &self.top(), Vec::new(), b"")
    }

    /// A program of ours as the other user.
    fn ours(&self, program: &str, args: &[&str], input: &[u8]) -> HelperOutput {
        let own = |name: &str| self.folder.path().join(name).into_os_string();
        let env = vec![
            ("HOME".into(), own("home")),
            ("XDG_STATE_HOME".into(), own("state")),
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("CI_AUTO_TOOLS_BUDGET_WALL_MS".into(), "20000".into()),
            ("COURT_PACKET_DEADLINE_MS".into(), "60000".into()),
            (
                "CI_AUTO_TOOLS_ORCHESTRATOR_PATH".into(),
                built("orchestrator-under-test").unwrap().into(),
            ),
            ("CODEX_BRIDGE_URL".into(), "http://127.0.0.1:1".into()),
        ];
        let user = self.user.to_string();
        let mut words: Vec<OsString> =
            ["--reuid", &user, "--regid", &user, "--clear-groups"].map(OsString::from).into();
        words.push(built(program).unwrap().into());
        words.extend(args.iter().map(OsString::from));
        let setpriv = find_program("setpriv", "/usr/bin:/bin".as_ref()).expect("setpriv");
        run(&setpriv, words, &self.top(), env, input)
    }
}

fn run(
    program: &Path,
    args: Vec<OsString>,
    current_dir: &Path,
    env: Vec<(OsString, OsString)>,
    input: &[u8],
) -> HelperOutput {
    let command = HelperCommand {
        program: program.to_owned(),
        args,
        env,
        current_dir: current_dir.to_owned(),
        deadline: Instant::now() + LIMIT,
        stdout_max: 1 << 22,
    };
    run_helper_with_input(&command, input).unwrap()
}

/// Gives all of a folder to a user.
fn give(path: &Path, owner: u32) {
    lchown(path, Some(owner), Some(owner)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), owner));
    }
}

fn event(name: &str, root: &Path) -> Vec<u8> {
    let call = json!({
        "session_id": "00000000-0000-4000-8000-000000000001",
        "transcript_path": root.join("transcript.jsonl"),
        "cwd": root,
        "hook_event_name": name,
        "prompt": "why does retry_login in src/login.py fail?",
        "tool_name": "Bash",
        "tool_input": {"command": "git status"},
        "last_assistant_message": "done",
    });
    call.to_string().into_bytes()
}

#[test]
fn no_program_of_another_owners_repository_is_started() {
    if !rustix::process::geteuid().is_root() {
        return skipping::impossible("only root can be another user");
    }
    for (owner, user) in [(NOBODY, ROOT), (ROOT, NOBODY), (DAEMON, NOBODY)] {
        let place = Foreign::new(owner, user);
        let root = place.top();
        let prompt = "why does retry_login in src/login.py fail?";
        let question = b"problem: p\ncontext: c\nphase: initial\ncandidate_plans:\n- name: a\n  description: b\n";
        let mut runs: Vec<(&str, Vec<&str>, Vec<u8>)> = vec![
            ("orchestrator-under-test", vec!["--prompt", prompt], vec![]),
            ("orchestrator-under-test", vec!["trust", "--yes"], vec![]),
            ("inject-under-test", vec!["--prompt", prompt], vec![]),
            ("inject-under-test", vec![], event("UserPromptSubmit", &root)),
            ("auto-under-test", vec!["--prompt", prompt], vec![]),
            ("advisor-under-test", vec!["ask", "-"], question.to_vec()),
            ("advisor-under-test", vec!["runs"], vec![]),
            ("bridge-under-test", vec!["config"], vec![]),
            ("bridge-under-test", vec!["mcp"], vec![]),
            ("court-under-test", vec!["status"], vec![]),
            ("court-under-test", vec!["doctor"], vec![]),
        ];
        for name in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"] {
            runs.push(("court-under-test", vec!["hook"], event(name, &root)));
        }
        runs.push(("court-under-test", vec!["packets", "1"], vec![]));
        let told = format!("is a repository of user {owner}, and is not");
        let mut tellers = Vec::new();
        for (program, args, input) in runs {
            let said = place.ours(program, &args, &input);
            let what = format!("user {user} in {owner}'s: {program} {args:?}");
            assert!(matches!(said.end, HelperEnd::Exited(_)), "{what}: {said:?}");
            assert!(!said.stderr.contains("panicked"), "{what}: {}", said.stderr);
            let ran = fs::read_to_string(place.trace()).unwrap_or_default();
            assert_eq!(ran, "", "{what}: a program of the repository ran");
            let out = String::from_utf8_lossy(&said.stdout).into_owned();
            if out.contains(&told) || said.stderr.contains(&told) {
                tellers.push(program);
            }
            if (program, args.len()) == ("orchestrator-under-test", 2) && args[0] == "--prompt" {
                let report: Value = serde_json::from_str(&out).unwrap();
                assert_eq!(report["inputs"]["repo_root_source"], "no-git-root", "{report:#}");
            }
        }
        // The court says it in its packets, which it can only write where the folder lets it.
        for program in ["orchestrator-under-test", "inject-under-test"] {
            assert!(
                tellers.contains(&program),
                "user {user} in {owner}'s: only {tellers:?} say it"
            );
        }
        // The trap is a real one, for the very repository.
        place.git(&["diff"]);
        assert!(place.trace().exists());
    }
}
