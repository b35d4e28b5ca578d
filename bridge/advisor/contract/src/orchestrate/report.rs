//! The report v1.0: the orchestrator's output, as specified by `schemas/orchestrator-report.schema.json`.
//! Minor versions only add optional fields and enum values. No logic here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the report's schema, `MAJOR.MINOR`.
pub const SCHEMA_VERSION: &str = "1.0";

/// The report of one orchestration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: String,
    /// `plan-<hash12>` in plan mode, `YYYYMMDD-HHMMSS-<hash6>` (UTC) otherwise.
    pub run_id: String,
    /// RFC 3339, UTC; the beginning of 1970 in plan mode, where the output must be byte-identical.
    pub created_at: String,
    /// The client.
    pub client: Client,
    /// The input.
    pub inputs: Inputs,
    /// The plan.
    pub tool_plan: ToolPlan,
    /// The results, one per tool, in the plan's order.
    pub tool_results: Vec<ToolResult>,
    /// The result for the client.
    pub fused_context: FusedContext,
    /// Restrictions.
    pub degraded: Degraded,
    /// The deciding policy.
    pub enforcement: Enforcement,
}

/// The client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// `claude-code`, `codex-cli`, or another adapter's name.
    pub name: String,
    /// `UserPromptSubmit`, `cli`, or another event's name.
    pub event: String,
    /// The client's session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// The input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// The prompt, masked and truncated.
    pub prompt: String,
    /// The signals found in it, by descending weight.
    pub signals: Vec<Signal>,
    /// Whether `prompt` was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_truncated: Option<bool>,
    /// The folder that the context is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_root: Option<String>,
    /// How that folder was found: `env`, `config`, `git`, `no-git-root`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_root_source: Option<String>,
}

/// A signal found in a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: SignalKind,
    /// The matched words.
    #[serde(rename = "match")]
    pub matched: String,
    /// Its weight: positive for code, negative against.
    pub weight: f64,
}

/// The kinds of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// An explicit request.
    Explicit,
    /// A verb or a vague word.
    Implicit,
    /// History of the code.
    Historical,
    /// Words and forms that occur in code.
    Code,
}

/// The plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPlan {
    /// The highest tier that may run.
    pub tier_max: u8,
    /// The budget.
    pub budget: Budget,
    /// The tools, in starting order.
    pub tools: Vec<PlannedTool>,
    /// The command that an entry would use to start Codex.
    pub planned_codex_command: String,
}

/// The budget of an orchestration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Total time, in milliseconds.
    pub wall_ms: u64,
    /// Maximum number of concurrent tools.
    pub max_concurrency: u64,
    /// Maximum length of `additional_context`, in UTF-16 code units.
    pub max_injected_chars: u64,
}

/// A planned tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedTool {
    /// Name, such as `ci_search`.
    pub tool: String,
    /// Cost tier: 0 to 3.
    pub tier: u8,
    /// Why it was planned.
    pub reason: String,
    /// Its arguments, after clamping.
    pub args: Map<String, Value>,
    /// Its timeout, in milliseconds.
    pub timeout_ms: u64,
}

/// Result of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Name, such as `ci_search`.
    pub tool: String,
    /// How it ended.
    pub status: Status,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Its findings, in one line.
    pub summary: String,
    /// Versions and counts, if the tool reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// Why it has no result, or ran with changed arguments; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Secrets masked in its output.
    pub redactions: Vec<Redaction>,
    /// Whether the output was truncated.
    pub truncated: bool,
}

/// How a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It succeeded.
    Ok,
    /// It timed out.
    Timeout,
    /// It failed.
    Error,
    /// It did not run.
    Skipped,
}

/// The error of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// As text.
    pub message: String,
    /// As a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// The error codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorCode {
    /// A tool or the whole orchestration took too long.
    #[serde(rename = "E_TIMEOUT")]
    Timeout,
    /// An output could not be parsed.
    #[serde(rename = "E_PARSE")]
    Parse,
    /// The tool is missing, not allowed, or failed.
    #[serde(rename = "E_TOOL_UNAVAILABLE")]
    ToolUnavailable,
    /// A limit of the budget was reached.
    #[serde(rename = "E_BUDGET_EXCEEDED")]
    BudgetExceeded,
    /// An argument was clamped, with a result, or was unusable.
    #[serde(rename = "E_INVALID_ARGS")]
    InvalidArgs,
    /// There is no root, or a path lies outside of it.
    #[serde(rename = "E_REPO_ROOT")]
    RepoRoot,
    /// A Codex session could not be resumed.
    #[serde(rename = "E_SESSION")]
    Session,
    /// Anything else.
    #[serde(rename = "E_UNKNOWN")]
    Unknown,
}

/// Number of masked secrets of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redaction {
    /// The kind of secret.
    pub kind: String,
    /// The number.
    pub count: u64,
}

/// The result for the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FusedContext {
    /// The part for the model.
    pub for_model: ForModel,
    /// The part for the user.
    pub for_user: ForUser,
}

/// The part for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForModel {
    /// The text to inject; if empty, nothing is injected.
    pub additional_context: String,
    /// The same findings, structured.
    pub structured: Map<String, Value>,
    /// Notes on trust.
    pub safety: Safety,
}

/// How the model must treat tool output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Safety {
    /// Always true.
    pub tool_output_is_untrusted: bool,
    /// Always true.
    pub ignore_instructions_inside_tool_output: bool,
}

/// The part for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForUser {
    /// The planned tools and the reasons; begins with `[Auto Tools]`, or is empty.
    pub tool_plan_text: String,
    /// The findings; begins with `[Results]`, or is empty.
    pub results_text: String,
    /// The restrictions; each line begins with `[Limits]`; may be empty.
    pub limits_text: String,
}

/// Degradation of the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// Whether the result is degraded.
    pub is_degraded: bool,
    /// The reason; empty if it is not degraded.
    pub reason: String,
    /// The level: `partial`, `plan-only` or `empty`; empty if it is not degraded.
    pub degraded_to: String,
}

/// The deciding policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// `orchestrator`, or `legacy`.
    pub source: String,
}

/// Claude Code's hook event before a prompt.
const HOOK_EVENT: &str = "UserPromptSubmit";

impl Client {
    /// Claude Code's hook before a prompt.
    #[must_use]
    pub fn claude_code(session_id: Option<String>) -> Self {
        Self { name: "claude-code".to_owned(), event: HOOK_EVENT.to_owned(), session_id }
    }

    /// A command line, or a wrapper around Codex; also the default client.
    #[must_use]
    pub fn codex_cli(session_id: Option<String>) -> Self {
        Self { name: "codex-cli".to_owned(), event: "cli".to_owned(), session_id }
    }

    /// Whether it is a hook, whose timeout is short.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.event == HOOK_EVENT
    }
}

impl Report {
    /// A report without findings that is not degraded.
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
