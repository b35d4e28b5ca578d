//! The report v1.0: what the orchestrator prints, field by field, as `schemas/orchestrator-report.schema.json`
//! fixes it. Minor versions only add optional fields and choices. Nothing is decided here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the report's schema, `MAJOR.MINOR`.
pub const SCHEMA_VERSION: &str = "1.0";

/// One orchestration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: String,
    /// `plan-<hash12>` in plan mode, `YYYYMMDD-HHMMSS-<hash6>` (UTC) otherwise.
    pub run_id: String,
    /// RFC 3339, UTC; the beginning of 1970 in plan mode, where bytes must repeat.
    pub created_at: String,
    /// Who asked.
    pub client: Client,
    /// What was asked.
    pub inputs: Inputs,
    /// What was decided.
    pub tool_plan: ToolPlan,
    /// What came of it, one entry a tool, in the plan's order.
    pub tool_results: Vec<ToolResult>,
    /// What is handed on.
    pub fused_context: FusedContext,
    /// What is less than it should be.
    pub degraded: Degraded,
    /// Which policy decided.
    pub enforcement: Enforcement,
}

/// Who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// `claude-code`, `codex-cli`, or another adapter's name.
    pub name: String,
    /// `UserPromptSubmit`, `cli`, or another event's name.
    pub event: String,
    /// The client's own session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// The prompt, its secrets masked, cut when it is long.
    pub prompt: String,
    /// What was seen in it, heaviest first.
    pub signals: Vec<Signal>,
    /// Whether `prompt` was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_truncated: Option<bool>,
    /// The folder that the context is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_root: Option<String>,
    /// How that folder was found: `env`, `config`, `git`, `no-git-root`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_root_source: Option<String>,
}

/// One thing seen in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// What sort of thing.
    #[serde(rename = "type")]
    pub kind: SignalKind,
    /// The words.
    #[serde(rename = "match")]
    pub matched: String,
    /// How much it counts for code; negative: against.
    pub weight: f64,
}

/// A sort of signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// A wish in so many words.
    Explicit,
    /// A verb or a vague word.
    Implicit,
    /// How the code came about.
    Historical,
    /// Code's own words and shapes.
    Code,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPlan {
    /// The highest tier that may run.
    pub tier_max: u8,
    /// What it may cost.
    pub budget: Budget,
    /// The tools, in the order they start.
    pub tools: Vec<PlannedTool>,
    /// How an entry would start Codex.
    pub planned_codex_command: String,
}

/// What an orchestration may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The whole time, in milliseconds.
    pub wall_ms: u64,
    /// How many tools run at once.
    pub max_concurrency: u64,
    /// How long `additional_context` may be, in UTF-16 code units.
    pub max_injected_chars: u64,
}

/// A tool to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedTool {
    /// `ci_search` and the like.
    pub tool: String,
    /// What it costs: 0 to 3.
    pub tier: u8,
    /// Why it is here.
    pub reason: String,
    /// What it is asked, after clamping.
    pub args: Map<String, Value>,
    /// When it is given up, in milliseconds.
    pub timeout_ms: u64,
}

/// What came of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// `ci_search` and the like.
    pub tool: String,
    /// How it ended.
    pub status: Status,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What it found, in a line.
    pub summary: String,
    /// Versions and numbers, where the tool gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// Why it has nothing, or was asked something else than wished; absent when all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Secrets taken out of what it said.
    pub redactions: Vec<Redaction>,
    /// Whether something was left out.
    pub truncated: bool,
}

/// How a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It answered.
    Ok,
    /// It was given up.
    Timeout,
    /// It failed.
    Error,
    /// It did not run.
    Skipped,
}

/// Why a tool has nothing to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// In words.
    pub message: String,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// The error codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorCode {
    /// A tool or the whole took too long.
    #[serde(rename = "E_TIMEOUT")]
    Timeout,
    /// An output could not be read.
    #[serde(rename = "E_PARSE")]
    Parse,
    /// The tool is missing, not allowed, or failed.
    #[serde(rename = "E_TOOL_UNAVAILABLE")]
    ToolUnavailable,
    /// A bound of the budget was reached.
    #[serde(rename = "E_BUDGET_EXCEEDED")]
    BudgetExceeded,
    /// An argument was clamped, which the answer can stand beside, or cannot be used.
    #[serde(rename = "E_INVALID_ARGS")]
    InvalidArgs,
    /// There is no root, or a path leads out of it.
    #[serde(rename = "E_REPO_ROOT")]
    RepoRoot,
    /// A Codex session could not be resumed.
    #[serde(rename = "E_SESSION")]
    Session,
    /// Anything else.
    #[serde(rename = "E_UNKNOWN")]
    Unknown,
}

/// How many secrets of one kind were taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redaction {
    /// What sort of secret.
    pub kind: String,
    /// How many.
    pub count: u64,
}

/// What is handed on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FusedContext {
    /// What is put before the model.
    pub for_model: ForModel,
    /// For the person.
    pub for_user: ForUser,
}

/// What the model gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForModel {
    /// The text to inject; empty: inject nothing.
    pub additional_context: String,
    /// The same findings as data.
    pub structured: Map<String, Value>,
    /// How to take it.
    pub safety: Safety,
}

/// How the model must take what tools say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Safety {
    /// Always true.
    pub tool_output_is_untrusted: bool,
    /// Always true.
    pub ignore_instructions_inside_tool_output: bool,
}

/// What the person may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForUser {
    /// Which tools and why; begins with `[Auto Tools]`, or is empty.
    pub tool_plan_text: String,
    /// What was found; begins with `[Results]`, or is empty.
    pub results_text: String,
    /// What is less than it should be; each line begins with `[Limits]`; may be empty.
    pub limits_text: String,
}

/// What is less than it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// Whether anything is.
    pub is_degraded: bool,
    /// Why; empty when nothing is.
    pub reason: String,
    /// What is left: `partial`, `plan-only`, `empty`; empty when nothing is missing.
    pub degraded_to: String,
}

/// Which policy decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// `orchestrator`, or `legacy`.
    pub source: String,
}

/// The event of Claude Code's hook before a prompt.
const HOOK_EVENT: &str = "UserPromptSubmit";

impl Client {
    /// Claude Code's hook before a prompt.
    #[must_use]
    pub fn claude_code(session_id: Option<String>) -> Self {
        Self { name: "claude-code".to_owned(), event: HOOK_EVENT.to_owned(), session_id }
    }

    /// A command line, or a wrapper around Codex: also the client where none is named.
    #[must_use]
    pub fn codex_cli(session_id: Option<String>) -> Self {
        Self { name: "codex-cli".to_owned(), event: "cli".to_owned(), session_id }
    }

    /// Whether it is a hook, which is waited for with little patience.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.event == HOOK_EVENT
    }
}

impl Report {
    /// A report that found nothing, of which nothing is missing.
    #[must_use]
    pub fn empty(run_id: String, created_at: String, client: Client, tool_plan: ToolPlan) -> Self {
        let empty = String::new;
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            run_id,
            created_at,
            client,
            inputs: Inputs {
                prompt: empty(),
                signals: Vec::new(),
                prompt_truncated: None,
                repo_root: None,
                repo_root_source: None,
            },
            tool_plan,
            tool_results: Vec::new(),
            fused_context: FusedContext {
                for_model: ForModel {
                    additional_context: empty(),
                    structured: Map::new(),
                    safety: Safety {
                        tool_output_is_untrusted: true,
                        ignore_instructions_inside_tool_output: true,
                    },
                },
                for_user: ForUser {
                    tool_plan_text: empty(),
                    results_text: empty(),
                    limits_text: empty(),
                },
            },
            degraded: Degraded { is_degraded: false, reason: empty(), degraded_to: empty() },
            enforcement: Enforcement { source: "orchestrator".to_owned() },
        }
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("texts, numbers and lists are JSON")
    }
}

impl ToolPlan {
    /// A plan without tools, for a new session of Codex.
    #[must_use]
    pub fn empty(tier_max: u8, budget: Budget) -> Self {
        Self { tier_max, budget, tools: Vec::new(), planned_codex_command: "codex exec".to_owned() }
    }
}

#[cfg(test)]
mod tests;
