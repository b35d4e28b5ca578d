//! Requests and approvals: refused calls, and permissions to run one of them. An approval
//! covers everything that its request shows (tool, input, folders, session, the files that were read),
//! is valid for a limited time, and can be used once.

mod approval;
pub(crate) mod codex;
mod digest;
mod shown;

use claude_hooks::event::ToolUse;
use serde_json::Value;

use crate::approver::{KeyError, Moment};
use crate::config::{ApproveBy, ReviewBy};
use crate::environment;
use crate::event::HookContext;
use crate::fence;
use crate::guard::contents::contents;
use crate::guard::judged::Judged;
use crate::records::{Request, Reviewer, Reviews, SeenFile};
use crate::store::{Store, StoreError};

pub use approval::{
    Counting, Found, Grant, approve, find, is_whole_for_models, issue_ticket, refuse,
    take_approval, take_ticket,
};
pub use codex::{Advice, Unanswered, Verdict, ask};
pub use digest::{Bound, digest_of_words};
pub use shown::{SHOWN_MAX, sheet, visible, whole};

/// Maximum number of requests shown to the historian.
const WAITING_MAX: usize = 5;

/// A call that needs a review.
pub struct Asked {
    /// Digest of everything that an approval covers.
    pub digest: String,
    tool: String,
    input: Value,
    cwd: String,
    root: String,
    files: Vec<SeenFile>,
    level: String,
    rules: Vec<String>,
    session_id: String,
    agent_id: Option<String>,
    tool_use_id: Option<String>,
}

impl Asked {
    /// For a hook call.
    pub fn new(context: &HookContext<'_>, tool: &ToolUse, judged: &Judged) -> Self {
        let call = context.call;
        let mut rules: Vec<String> = judged
            .judgement
            .findings
            .iter()
            .filter(|found| found.level >= gate::Level::L2)
            .map(|found| found.rule.id.to_owned())
            .collect();
        rules.dedup();
        rules.truncate(8);
        let files = contents(&judged.judgement).into_iter();
        let files = files.map(|file| SeenFile { path: file.path, digest: file.digest });
        let files: Vec<SeenFile> = files.collect();
        let input = tool.input.clone();
        let root = context.places.identity();
        let bound = Bound {
            tool: &tool.name,
            input: &input,
            cwd: &judged.cwd,
            root,
            session: &call.session_id,
            files: &files,
        };
        Self {
            digest: bound.digest(),
            tool: tool.name.clone(),
            cwd: judged.cwd.clone(),
            files,
            root: root.to_owned(),
            input,
            level: judged.judgement.level.to_string(),
            rules,
            session_id: call.session_id.clone(),
            agent_id: call.agent.as_ref().map(|agent| agent.id.clone()),
            tool_use_id: tool.id.clone(),
        }
    }

    /// Whether it is short enough to be read by a person: a longer call cannot be approved.
    pub fn can_be_shown(&self) -> bool {
        let head = self.tool.len() + self.cwd.len() + self.session_id.len();
        let files: usize = self.files.iter().map(|file| file.path.len()).sum();
        head + files < SHOWN_MAX && whole(&self.tool, &self.input).chars().count() <= SHOWN_MAX
    }
}

/// A call as text: its command, else its input as JSON.
pub fn shown(tool: &ToolUse) -> String {
    shown_call(&tool.name, &tool.input.clone())
}

fn shown_call(tool: &str, input: &Value) -> String {
    match input.get("command").and_then(Value::as_str) {
        Some(command) => command.to_owned(),
        None => format!("{tool} {input}"),
    }
}

/// Stores a request and returns its id; a repeated call keeps its id.
///
/// # Errors
/// It cannot be stored.
pub fn request(store: &Store, asked: Asked, now_ms: u64) -> Result<String, StoreError> {
    store.update(|reviews: &mut Reviews| {
        let known = reviews.requests.iter().position(|known| known.digest == asked.digest);
        let id = match known {
            Some(at) => reviews.requests.remove(at).id,
            None => {
                reviews.last_seq += 1;
                format!("R{}", reviews.last_seq)
            }
        };
        reviews.requests.push(Request {
            id: id.clone(),
            digest: asked.digest,
            what: fence::sanitize(&shown_call(&asked.tool, &asked.input), approval::FOR_MODELS_MAX),
            tool: asked.tool,
            input: asked.input,
            cwd: asked.cwd,
            root: asked.root,
            files: asked.files,
            level: asked.level,
            rules: asked.rules,
            session_id: asked.session_id,
            agent_id: asked.agent_id,
            tool_use_id: asked.tool_use_id,
            at_ms: now_ms,
        });
        id
    })
}

/// Why a request cannot be approved.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// There is no such request.
    #[error("no request `{id}` waits{}", open.as_ref().map(|open| format!(" (waiting: {open})")).unwrap_or_default())]
    Unknown {
        /// The requested id.
        id: String,
        /// The waiting requests.
        open: Option<String>,
    },
    /// Its content does not match its digest: it was modified.
    #[error("request `{id}` was altered after it was written down; make the call again")]
    Altered {
        /// The request.
        id: String,
    },
    /// The model was not shown all of it.
    #[error(
        "request `{id}` is too long for a model, or parts of it are masked; the user can approve it"
    )]
    NotWhole {
        /// The request.
        id: String,
    },
    /// It cannot be signed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The files cannot be changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The calls that wait for a review, as lines for the historian; newest last.
pub fn waiting(store: &Store) -> String {
    let reviews = store.read::<Reviews>().unwrap_or_default();
    let now = Moment::now();
    let waits = |request: &&Request| reviews.approved(request, &now).is_none();
    let waiting: Vec<&Request> = reviews.requests.iter().filter(waits).collect();
    let newest = &waiting[waiting.len().saturating_sub(WAITING_MAX)..];
    let line = |request: &&Request| {
        let head = format!(
            "- {} {} ({}) in {}",
            request.id,
            request.level,
            request.rules.join(", "),
            fence::sanitize_line(&request.cwd, 200),
        );
        if !is_whole_for_models(request) {
            return format!("{head}: too long or partly masked; only the user can approve it");
        }
        let call = whole(&request.tool, &request.input);
        format!(
            "{head}:\n    {}",
            fence::sanitize(&call, approval::FOR_MODELS_MAX).replace('\n', "\n    ")
        )
    };
    let mut lines: Vec<String> = newest.iter().map(line).collect();
    if !lines.is_empty() {
        lines.push("To approve one, run alone in the shell: court approve ID".to_owned());
    }
    lines.join("\n")
}

/// Instructions for a review, for the model.
pub fn way(context: &HookContext<'_>, request: Option<&str>) -> String {
    let Some(id) = request else {
        return "The request could not be written down, so it cannot be reviewed: ask the user."
            .to_owned();
    };
    let approve = format!("ask the user to run `court approve {id}` in a terminal of their own");
    let rest = format!(
        "Then make exactly the same call again, in the same folder, within {} s; an approval is used \
         once. A call that does less may need no review.",
        context.config.review_expires.as_secs()
    );
    if context.config.approver == ApproveBy::User {
        return format!(
            "It waits as request {id}. Only the user can let it run: {approve}. {rest}"
        );
    }
    // Agents of a plugin have the plugin's name as a prefix.
    let plugin = context.environment.folder("CLAUDE_PLUGIN_ROOT").is_some();
    let name = context.config.historian_agents.first().map_or("historian", String::as_str);
    let agent =
        if plugin && !name.contains(':') { format!("court:{name}") } else { name.to_owned() };
    let codex = match context.config.reviewer {
        ReviewBy::Codex => format!("run `court review {id}` (it asks Codex), or "),
        ReviewBy::Historian => String::new(),
    };
    format!(
        "It waits as request {id}. To have it reviewed, {codex}call the Agent tool with \
         subagent_type \"{agent}\" (it is shown the request), or {approve}. {rest}"
    )
}

/// The message for a call that is too long for a person to read.
pub fn too_long() -> String {
    format!(
        "It is too long to be shown whole ({SHOWN_MAX} characters at most), so it cannot be approved. \
         Make it shorter, or ask the user to do it."
    )
}

/// A reviewer as a noun phrase.
pub fn word(by: Reviewer) -> &'static str {
    match by {
        Reviewer::User => "user",
        Reviewer::Historian => "historian",
        Reviewer::Codex => "advisor (Codex)",
    }
}

/// Whether this process was started by the tools of any agent.
pub fn inside_client(environment: &environment::Environment) -> bool {
    mark(environment).is_some()
}

/// The mark of an agent in this process's environment.
pub fn mark(environment: &environment::Environment) -> Option<&'static str> {
    environment::marks().find(|name| environment.text(name).is_some())
}
