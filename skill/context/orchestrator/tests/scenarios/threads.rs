//! Many prompts in one process, with the real toolboxes: each sees the tree as it is then, and none
//! leaves a thread behind.

use std::fs;
use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::report::Report;
use orchestration::request::Request;
use orchestrator::control;
use orchestrator::environment::Environment;
use orchestrator::limits::Limits;
use orchestrator::orchestrate::orchestrate;
use orchestrator::toolboxes::toolboxes;
use orchestrator::trust::Trust;
use tempfile::TempDir;

use crate::shop::PATIENCE;

const PROMPT: &str = "fix the bug in the login function";

/// A repository with a server that dies at once, and the user's folders.
struct House {
    repository: TempDir,
    own: TempDir,
}

impl House {
    fn new() -> Self {
        let house =
            Self { repository: tempfile::tempdir().unwrap(), own: tempfile::tempdir().unwrap() };
        house.put(".git/HEAD", "ref: refs/heads/main\n");
        house.put(".git/objects/info/packs", "");
        house.put(
            "src/login.rs",
            "pub fn login(password: &str) -> bool {\n    !password.is_empty()\n}\n",
        );
        house.put(
            "config/auto-tools.yaml",
            "servers:\n  gone: { command: [/nonexistent/server] }\n",
        );
        let environment = house.environment("5000");
        let control =
            control::resolve(&environment, house.repository.path(), &mut Limits::default());
        for server in &control.unwrap().servers {
            Trust::new(&environment).add(server).unwrap();
        }
        house
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.repository.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn environment(&self, wall_ms: &str) -> Environment {
        let own = self.own.path().to_str().unwrap();
        let pairs = [
            ("XDG_STATE_HOME", own),
            ("XDG_CACHE_HOME", own),
            ("CODE_INTEL_HISTORY", "off"),
            ("CI_AUTO_TOOLS_BUDGET_WALL_MS", wall_ms),
        ];
        Environment::from_iter(pairs)
    }

    fn ask(&self, wall_ms: &str) -> (Report, Exit) {
        let environment = self.environment(wall_ms);
        let here: &Path = self.repository.path();
        let now = Timestamp::from_second(1_790_000_000).unwrap();
        let toolboxes = |root: &_, servers: &_| toolboxes(root, servers, &environment);
        orchestrate(&Request::typed(PROMPT), &environment, here, now, &toolboxes)
    }
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn a_hundred_prompts_leave_no_thread_behind() {
    let house = House::new();
    // The pools that live as long as the process are made here.
    let (report, _) = house.ask("5000");
    let said = &report.fused_context.for_user.limits_text;
    assert!(said.contains("skipped: server gone"), "{said}");
    let begun = Instant::now();
    let before = threads();
    for number in 0..100 {
        // With a budget of a millisecond every tool is late, while the index is brought up to date.
        house.put("src/other.rs", &format!("pub fn other_{number}() {{}}\n"));
        house.ask(if number % 2 == 0 { "1" } else { "5000" });
    }
    while threads() > before {
        assert!(begun.elapsed() < PATIENCE, "{} threads, {before} before", threads());
        std::thread::yield_now();
    }
}

#[test]
fn each_prompt_sees_the_tree_as_it_is() {
    let house = House::new();
    let is_told = |path: &str| {
        let begun = Instant::now();
        // On a busy machine a tool may be late.
        loop {
            let (report, _) = house.ask("5000");
            if report.fused_context.for_model.additional_context.contains(path) {
                return true;
            }
            if begun.elapsed() > PATIENCE {
                return false;
            }
        }
    };
    assert!(is_told("src/login.rs"));
    house.put("src/sign_in.rs", "/// Fix the login here.\npub fn login_again(password: &str) {}\n");
    assert!(is_told("src/sign_in.rs"));
}
