//! An orchestrator over stub tools, in a repository of its own.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use contract::schema::ORCHESTRATOR_REPORT;
use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::report::{Report, ToolResult};
use orchestration::request::Request;
use orchestrator::environment::Environment;
use orchestrator::orchestrate::orchestrate;
use orchestrator::tool::{Args, Finding, Found, ToolFault, Toolbox};
use tempfile::TempDir;

/// How a stub tool behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It answers.
    Answer,
    /// It says that it is broken.
    Fault,
    /// It says something that cannot be read.
    Garbage,
    /// It does not take the arguments.
    Refuse,
    /// It panics.
    Panic,
    /// It comes back only when everything is over.
    Hang,
}

/// Every tool, one of which may behave otherwise.
pub(crate) struct Stub {
    pub(crate) odd: &'static str,
    pub(crate) way: Way,
    pub(crate) rest: Way,
    pub(crate) findings: Vec<Finding>,
    pub(crate) calls: AtomicUsize,
}

impl Stub {
    pub(crate) fn answering(findings: Vec<Finding>) -> Self {
        Self { odd: "", way: Way::Answer, rest: Way::Answer, findings, calls: AtomicUsize::new(0) }
    }

    pub(crate) fn odd(odd: &'static str, way: Way, rest: Way) -> Self {
        Self { odd, way, rest, ..Self::answering(vec![finding("src/a.rs", "run", "why")]) }
    }
}

impl Toolbox for Stub {
    fn offers(&self, tool: &str) -> bool {
        tool.starts_with("ci_")
    }

    fn call(&self, tool: &str, _: &Args, due: Instant) -> Result<Found, ToolFault> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match if tool == self.odd { self.way } else { self.rest } {
            Way::Answer => Ok(Found {
                version: "stub 1".to_owned(),
                summary: "places".to_owned(),
                findings: if tool == "ci_index_status" {
                    Vec::new()
                } else {
                    self.findings.clone()
                },
                ..Found::default()
            }),
            Way::Fault => Err(ToolFault::Unavailable("boom".to_owned())),
            Way::Garbage => Err(ToolFault::Unreadable("no known form".to_owned())),
            Way::Refuse => Err(ToolFault::InvalidArgs("no such symbol".to_owned())),
            Way::Panic => panic!("a tool that panics"),
            Way::Hang => {
                // Longer than anyone waits; the thread ends with the process.
                let _ = std::sync::mpsc::channel::<()>().1.recv_timeout(Duration::ZERO);
                let late = due.saturating_duration_since(Instant::now()) + Duration::from_secs(600);
                std::thread::park_timeout(late);
                Err(ToolFault::TooSlow)
            }
        }
    }
}

pub(crate) fn finding(path: &str, symbol: &str, summary: &str) -> Finding {
    Finding {
        path: Some(path.to_owned()),
        symbol: Some(symbol.to_owned()),
        summary: summary.to_owned(),
        lines: (3, 9),
        confidence: 0.8,
        snippet: Some(format!("fn {symbol}() {{}}")),
        ..Finding::default()
    }
}

/// A repository, an environment, and the orchestrator over both.
pub(crate) struct Orchestrator {
    pub(crate) folder: TempDir,
    pub(crate) pairs: Vec<(&'static str, &'static str)>,
    pub(crate) stub: Arc<Stub>,
}

impl Orchestrator {
    /// An orchestrator in a git repository with this configuration file.
    pub(crate) fn new(file: &str, pairs: &[(&'static str, &'static str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(".git/HEAD", "ref: refs/heads/main\n");
        put(".git/objects/info/packs", "");
        put("src/a.rs", "fn run() {}\n");
        if !file.is_empty() {
            put("config/auto-tools.yaml", file);
        }
        let stub = Stub::answering(vec![finding("src/a.rs", "run", "fits the prompt")]);
        Self { folder, pairs: pairs.to_vec(), stub: Arc::new(stub) }
    }

    pub(crate) fn with(mut self, stub: Stub) -> Self {
        self.stub = Arc::new(stub);
        self
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Asks, and holds the report against its schema.
    pub(crate) fn ask(&self, prompt: &str) -> (Report, Exit) {
        let environment = Environment::from_iter(self.pairs.iter().copied());
        let now = Timestamp::from_second(1_790_000_000).unwrap();
        let toolboxes = |_: &_, _: &_| vec![Arc::clone(&self.stub) as Arc<dyn Toolbox>];
        let request = Request::typed(prompt);
        let (report, exit) =
            orchestrate(&request, &environment, self.folder.path(), now, &toolboxes);
        let value = serde_json::to_value(&report).unwrap();
        assert_eq!(ORCHESTRATOR_REPORT.violations(&value), [], "{value:#}");
        assert_eq!(serde_json::from_value::<Report>(value).unwrap(), report);
        (report, exit)
    }
}

pub(crate) fn limits(report: &Report) -> &str {
    &report.fused_context.for_user.limits_text
}

pub(crate) fn context(report: &Report) -> &str {
    &report.fused_context.for_model.additional_context
}

pub(crate) fn result<'r>(report: &'r Report, tool: &str) -> &'r ToolResult {
    report.tool_results.iter().find(|result| result.tool == tool).unwrap()
}
