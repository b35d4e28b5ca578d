//! A repository on disk, and the real orchestrator as a process over it.

use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::Value;
use supervise::{Exit, HelperCommand, HelperEnd, run_helper};
use tempfile::TempDir;

/// How often an answer in time is asked for: the timeouts are the product's own, and a machine may be
/// busy.
const TRIES: usize = 20;
/// Long enough for what ends by itself.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A repository whose file names servers.
pub(crate) struct Shop {
    pub(crate) folder: TempDir,
    state: TempDir,
    pub(crate) tier: &'static str,
}

impl Shop {
    pub(crate) fn new(servers: &str) -> Self {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(".git/HEAD", "ref: refs/heads/main\n");
        put(".git/objects/info/packs", "");
        put(
            "src/login.rs",
            "/// Checks a password.\npub fn login(password: &str) -> bool {\n    !password.is_empty()\n}\n",
        );
        put("src/other.rs", "pub fn other() {}\n");
        put("config/auto-tools.yaml", servers);
        Self { folder, state, tier: "1" }
    }

    pub(crate) fn trusted(servers: &str) -> Self {
        let shop = Self::new(servers);
        let (code, out, err) = shop.run(&["trust", "--yes"]);
        assert_eq!(code, 0, "{out} {err}");
        shop
    }

    pub(crate) fn run(&self, args: &[&str]) -> (i32, String, String) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            ("XDG_STATE_HOME".into(), self.state.path().into()),
            ("XDG_CACHE_HOME".into(), self.state.path().into()),
            ("CI_AUTO_TOOLS_BUDGET_WALL_MS".into(), "20000".into()),
            ("CI_AUTO_TOOLS_TIER_MAX".into(), self.tier.into()),
        ];
        let told = run_helper(&HelperCommand {
            program: env!("CARGO_BIN_EXE_auto-tool-orchestrator").into(),
            args: args.iter().map(OsString::from).collect(),
            env,
            current_dir: self.folder.path().to_owned(),
            deadline: Instant::now() + PATIENCE,
            stdout_max: 1 << 20,
        })
        .unwrap();
        let HelperEnd::Exited(Exit::Code(code)) = told.end else { panic!("{:?}", told.end) };
        (code, String::from_utf8(told.stdout).unwrap(), told.stderr)
    }

    pub(crate) fn ask(&self) -> (i32, Value) {
        self.prompt("fix the bug in the login function")
    }

    pub(crate) fn prompt(&self, prompt: &str) -> (i32, Value) {
        let (code, out, _) = self.run(&["--prompt", prompt]);
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(ORCHESTRATOR_REPORT.violations(&report), [], "{report:#}");
        (code, report)
    }

    /// Asks until these tools have answered in time.
    pub(crate) fn ask_until(&self, prompt: &str, tools: &[&str]) -> (i32, Value) {
        let mut last = None;
        for _ in 0..TRIES {
            let (code, report) = self.prompt(prompt);
            let states: Vec<&Value> =
                tools.iter().map(|tool| &result(&report, tool)["status"]).collect();
            if states.iter().all(|state| *state == "ok") {
                return (code, report);
            }
            let is_fine = |state: &&&Value| **state == "ok" || **state == "timeout";
            assert_eq!(states.iter().filter(is_fine).count(), states.len(), "{report:#}");
            last = Some(report);
        }
        panic!("never in time: {last:#?}");
    }
}

/// The result of a tool.
pub(crate) fn result<'r>(report: &'r Value, tool: &str) -> &'r Value {
    let results = report["tool_results"].as_array().unwrap();
    results.iter().find(|result| result["tool"] == tool).unwrap()
}

/// The result of `ci_search`.
pub(crate) fn search(report: &Value) -> &Value {
    result(report, "ci_search")
}

pub(crate) fn limits(report: &Value) -> &str {
    report["fused_context"]["for_user"]["limits_text"].as_str().unwrap()
}

pub(crate) fn context(report: &Value) -> &str {
    report["fused_context"]["for_model"]["additional_context"].as_str().unwrap()
}
