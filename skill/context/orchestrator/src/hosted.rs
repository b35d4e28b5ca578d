//! The interface for a host that runs the tools in its own process: context for a prompt, and single tools that its
//! model calls. Plan, clamps, deadlines, masking and fence are the same as for all other entries.
//!
//! Not here: a report, because the host has its own records. All functions block until their deadline at most.

use std::path::PathBuf;

use code_intel::catalog;
use intent::root::Root;
use jiff::Timestamp;
use orchestration::parts::LIMITS_MARK;
use orchestration::report::{Client, PlannedTool};
use orchestration::request::Request;
use serde_json::{Map, Value};

use crate::clamp::{self, Allowed};
use crate::control;
use crate::environment::Environment;
use crate::fuse::{self, Traced};
use crate::limits::Limits;
use crate::orchestrate::orchestrate;
use crate::outcome;
use crate::run::{self, Outcome};
use crate::toolboxes::toolboxes;
use crate::{context, plan};

/// The orchestrator for one working folder.
#[derive(Debug, Clone)]
pub struct Hosted {
    environment: Environment,
    /// The host's working folder.
    folder: PathBuf,
}

/// Context for a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForPrompt {
    /// The text for the model: `[Auto Tools]`, `[Results]`, `[Limits]`, and the fenced block; empty if nothing was
    /// found or nothing was planned.
    pub text: String,
    /// Number of places in the text.
    pub items: usize,
    /// Restrictions, one line each.
    pub limits: Vec<String>,
}

/// The description of a tool for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it answers.
    pub about: &'static str,
    /// The schema of its arguments.
    pub schema: Map<String, Value>,
}

/// The tools that a model may call, in a fixed order.
#[must_use]
pub fn definitions() -> Vec<Definition> {
    let entry = |allowed: &Allowed| catalog::entry(allowed.tool);
    let definition = |entry: &'static catalog::Entry| Definition {
        name: entry.tool,
        about: entry.about,
        schema: entry.schema(),
    };
    clamp::ALLOWED.iter().filter_map(entry).map(definition).collect()
}

impl Hosted {
    /// For a host that works in `folder`. Reads nothing yet.
    #[must_use]
    pub fn new(environment: Environment, folder: PathBuf) -> Self {
        Self { environment, folder }
    }

    /// Whether the user has disabled everything (`CI_AUTO_TOOLS=off`).
    #[must_use]
    pub fn is_off(&self) -> bool {
        control::is_off(&self.environment)
    }

    /// The context for a prompt, within the user's budget.
    #[must_use]
    pub fn for_prompt(&self, prompt: &str) -> ForPrompt {
        let request = Request {
            prompt: prompt.to_owned(),
            client: Client { name: "xc".to_owned(), event: "prompt".to_owned(), session_id: None },
            cwd: Some(self.folder.clone()),
            max_injected_chars: None,
        };
        let tools =
            |root: &Root, servers: &[control::Server]| toolboxes(root, servers, &self.environment);
        let now = Timestamp::now();
        let (report, _) = orchestrate(&request, &self.environment, &self.folder, now, &tools);
        let fused = report.fused_context;
        let limits = fused.for_user.limits_text.lines();
        let limits =
            limits.map(|line| line.trim_start_matches(LIMITS_MARK).trim().to_owned()).collect();
        let items = fused.for_model.structured.get("items").and_then(Value::as_array);
        let items = items.map_or(0, Vec::len);
        let block = fused.for_model.additional_context;
        if block.is_empty() {
            return ForPrompt { text: String::new(), items: 0, limits };
        }
        let parts = [&fused.for_user.tool_plan_text, &fused.for_user.limits_text, &block];
        let parts: Vec<&str> =
            parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        ForPrompt { text: parts.join("\n"), items, limits }
    }

    /// Runs one tool: its answer as data, followed by restrictions.
    ///
    /// # Errors
    /// A message: the tool does not exist, the settings have faults, or it did not answer in time.
    pub fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<String, String> {
        let allowed = clamp::allowed(tool).ok_or_else(|| format!("There is no tool {tool}."))?;
        let root =
            Root::find(&self.environment, &self.folder).map_err(|error| error.to_string())?;
        let mut limits = Limits::default();
        let control =
            control::resolve(&self.environment, &root.path, &mut limits).map_err(|faults| {
                faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            })?;
        let mut plan = plan::empty(&control).tool_plan;
        plan.budget.wall_ms = plan.budget.wall_ms.max(allowed.timeout_ms);
        plan.tools.push(PlannedTool {
            tool: allowed.tool.to_owned(),
            tier: allowed.tier,
            reason: "the model asks".to_owned(),
            args: allowed.clamp(arguments, &mut limits),
            timeout_ms: allowed.timeout_ms,
        });
        let begun = Timestamp::now();
        let boxes = toolboxes(&root, &control.servers, &self.environment);
        let ended = run::run(&plan, &boxes).into_iter().next();
        let ended = ended.ok_or_else(|| "It did not run.".to_owned())?;
        let at = outcome::moment(begun, ended.started);
        let answered = match ended.outcome {
            Outcome::Found(answered) => answered,
            other => {
                let took = ended.took;
                let failed =
                    outcome::failed(tool, &at, took, &other, allowed.timeout_ms, &mut limits);
                return Err(failed.error.map(|error| error.message).unwrap_or_default());
            }
        };
        answered.found.limits.iter().for_each(|limit| limits.say(limit));
        let result = outcome::answered(tool, &at, ended.took, &answered, None);
        let version = answered.found.version.clone();
        let findings = answered.found.findings.into_iter().map(|finding| Traced {
            tool: tool.to_owned(),
            version: version.clone(),
            at: at.clone(),
            finding,
        });
        let fused = fuse::fuse(fuse::shares(findings.collect()));
        let known = answered.found.context.map(|known| *known).unwrap_or_default();
        let room = control.budget.max_injected_chars;
        let block = context::block(&fused, known, &[result], room);
        let mut text = match block.text.is_empty() {
            true => fence::block(&answered.found.summary),
            false => block.text,
        };
        if !limits.lines().is_empty() {
            text.push('\n');
            text.push_str(&limits.text());
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn hosted(variables: &[(&'static str, &str)]) -> (tempfile::TempDir, Hosted) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("app");
        fs::create_dir_all(root.join("src")).unwrap();
        let code = "/// Adds up the prices of a cart.\npub fn cart_total(prices: &[u32]) -> u32 {\n    \
                    prices.iter().sum()\n}\n\npub fn checkout() -> u32 {\n    cart_total(&[1, 2])\n}\n";
        fs::write(root.join("src/cart.rs"), code).unwrap();
        let cache = folder.path().join("cache");
        let start = Environment::default()
            .with("HOME", folder.path())
            .with("CODE_INTEL_CACHE_DIR", cache)
            .with("CODE_INTEL_HISTORY", "off");
        let environment =
            variables.iter().fold(start, |all, (name, value)| all.with(*name, *value));
        let hosted = Hosted::new(environment, root);
        (folder, hosted)
    }

    #[test]
    fn a_prompt_gets_its_code_with_plan_limits_and_fence() {
        let (_folder, hosted) = hosted(&[]);
        let found = hosted.for_prompt("fix the bug in cart_total: it forgets a price");
        assert!(found.text.starts_with("[Auto Tools]"), "{}", found.text);
        for part in [fence::OPEN, fence::PREFACE, "src/cart.rs", "[Limits]"] {
            assert!(found.text.contains(part), "{part}: {}", found.text);
        }
        assert!(found.text.ends_with(fence::CLOSE) && found.items > 0);
        assert!(found.limits.iter().all(|line| !line.starts_with('[')), "{:?}", found.limits);
        assert_eq!(hosted.for_prompt("what is the weather").text, "");
    }

    #[test]
    fn nothing_is_read_where_it_is_switched_off() {
        let (folder, hosted) = hosted(&[("CI_AUTO_TOOLS", "off")]);
        assert!(hosted.is_off());
        assert_eq!(hosted.for_prompt("fix the bug in cart_total"), ForPrompt::default());
        assert!(!folder.path().join("cache").exists());
    }

    #[test]
    fn each_tool_answers_as_data_within_its_clamps() {
        let (_folder, hosted) = hosted(&[]);
        let call = |tool: &str, arguments: Value| hosted.call(tool, arguments.as_object().unwrap());
        let names: Vec<&str> = definitions().iter().map(|definition| definition.name).collect();
        assert_eq!(names.len(), 8, "{names:?}");
        for (tool, arguments) in [
            ("ci_index_status", json!({})),
            ("ci_search", json!({"query": "cart_total", "limit": 99})),
            ("ci_graph_rag", json!({"query": "total of the cart"})),
            ("ci_call_chain", json!({"symbol": "cart_total"})),
            ("ci_complexity", json!({})),
        ] {
            let text = call(tool, arguments).unwrap();
            assert!(text.contains(fence::OPEN) && text.contains(fence::CLOSE), "{tool}: {text}");
        }
        let text = call("ci_search", json!({"query": "cart_total", "limit": 99})).unwrap();
        assert!(text.contains("src/cart.rs") && text.contains("limit clamped to 10"), "{text}");
        assert_eq!(call("ci_write", json!({})).unwrap_err(), "There is no tool ci_write.");
    }

    /// A session calls it a hundred times in one process.
    #[test]
    fn a_hundred_prompts_leave_no_thread_behind() {
        let threads = || fs::read_dir("/proc/self/task").unwrap().count();
        let (_folder, hosted) = hosted(&[]);
        // The pools of the engine are made once.
        let _ = hosted.for_prompt("fix cart_total");
        let before = threads();
        for turn in 0..100 {
            let _ = hosted.for_prompt(&format!("fix the bug in cart_total, attempt {turn}"));
        }
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while threads() > before && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert!(threads() <= before, "{} threads, {before} before", threads());
    }
}
