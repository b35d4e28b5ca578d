//! Requests, approvals and tickets: what was refused, who let it through, and for which call alone.
//! An approval is bound to tool, input and working folder, holds for a while, and is used once.

mod codex;
mod digest;

use claude_hooks::event::ToolUse;
use gate::Judgement;
use serde_json::Value;

use crate::config::ReviewBy;
use crate::environment;
use crate::fence;
use crate::hook::Hearing;
use crate::records::{Approval, Request, Reviewer, Reviews};
use crate::store::{Store, StoreError};

pub use codex::{Advice, Unanswered, Verdict, ask};
pub use digest::{digest, digest_of_words};

/// How long the historian's ticket holds, in milliseconds: the client may ask the user first.
const TICKET_MS: u64 = 120_000;
/// The longest command that a request shows, in characters.
const SHOWN_MAX: usize = 2_000;

/// How many requests the historian is shown.
const WAITING_MAX: usize = 5;

/// A call that needs a review.
pub struct Asked {
    /// What an approval is bound to.
    pub digest: String,
    tool: String,
    what: String,
    cwd: String,
    level: String,
    rules: Vec<String>,
    session_id: String,
    agent_id: Option<String>,
    tool_use_id: Option<String>,
}

impl Asked {
    /// Of a hook's call.
    pub fn new(hearing: &Hearing<'_>, tool: &ToolUse, judgement: &Judgement) -> Self {
        let call = hearing.call;
        let cwd = call.cwd.to_string_lossy().into_owned();
        let mut rules: Vec<String> = judgement
            .findings
            .iter()
            .filter(|found| found.level >= gate::Level::L2)
            .map(|found| found.rule.id.to_owned())
            .collect();
        rules.dedup();
        rules.truncate(8);
        Self {
            digest: digest(&tool.name, &tool.input, &cwd),
            tool: fence::tame_line(&tool.name, 100),
            what: fence::tame(&shown(tool), SHOWN_MAX),
            cwd,
            level: judgement.level.to_string(),
            rules,
            session_id: call.session_id.clone(),
            agent_id: call.agent.as_ref().map(|agent| agent.id.clone()),
            tool_use_id: tool.id.clone(),
        }
    }
}

/// A call as people read it: its command, else its input as JSON.
pub fn shown(tool: &ToolUse) -> String {
    match tool.input.get("command").and_then(Value::as_str) {
        Some(command) => command.to_owned(),
        None => format!("{} {}", tool.name, tool.input),
    }
}

/// Writes a request down and returns its id; the same call asked again keeps its id.
///
/// # Errors
/// When it cannot be written.
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
            tool: asked.tool,
            what: asked.what,
            cwd: asked.cwd,
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

/// Uses up an approval of this call, if there is one that still holds.
///
/// # Errors
/// When it is there and cannot be used up.
pub fn take_approval(
    store: &Store,
    digest: &str,
    now_ms: u64,
) -> Result<Option<Reviewer>, StoreError> {
    let holds = |approval: &Approval| approval.digest == digest && approval.expires_ms > now_ms;
    if !store.read::<Reviews>()?.approvals.iter().any(holds) {
        return Ok(None);
    }
    store.update(|reviews: &mut Reviews| {
        let at = reviews.approvals.iter().position(holds)?;
        let approval = reviews.approvals.remove(at);
        reviews.requests.retain(|request| request.digest != digest);
        Some(approval.by)
    })
}

/// Why a request cannot be approved.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// There is no such request.
    #[error("no request `{id}` waits{}", open.as_ref().map(|open| format!(" (waiting: {open})")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        id: String,
        /// Those that wait.
        open: Option<String>,
    },
    /// The files cannot be changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Approves a request, and returns it.
///
/// # Errors
/// [`Refused::Unknown`] without such a request.
pub fn approve(store: &Store, id: &str, by: Reviewer, expires_ms: u64) -> Result<Request, Refused> {
    store.update(|reviews: &mut Reviews| {
        let found = reviews.requests.iter().find(|request| request.id.eq_ignore_ascii_case(id));
        let request = found.cloned();
        if let Some(request) = &request {
            reviews.approvals.retain(|approval| approval.digest != request.digest);
            reviews.approvals.push(Approval {
                digest: request.digest.clone(),
                request: Some(request.id.clone()),
                by,
                expires_ms,
            });
        }
        let open: Vec<&str> = reviews.requests.iter().map(|request| request.id.as_str()).collect();
        let open = (!open.is_empty()).then(|| open.join(", "));
        request.ok_or(Refused::Unknown { id: id.to_owned(), open })
    })?
}

/// Lets one command of the historian through.
///
/// # Errors
/// When it cannot be written down.
pub fn issue_ticket(store: &Store, digest: String, now_ms: u64) -> Result<(), StoreError> {
    store.update(|reviews: &mut Reviews| {
        reviews.tickets.retain(|ticket| ticket.expires_ms > now_ms);
        reviews.tickets.push(Approval {
            digest,
            request: None,
            by: Reviewer::Historian,
            expires_ms: now_ms + TICKET_MS,
        });
    })
}

/// Uses up the historian's ticket for a command.
///
/// # Errors
/// When the files cannot be changed.
pub fn take_ticket(store: &Store, digest: &str, now_ms: u64) -> Result<bool, StoreError> {
    store.update(|reviews: &mut Reviews| {
        let holds = |ticket: &Approval| ticket.digest == digest && ticket.expires_ms > now_ms;
        let at = reviews.tickets.iter().position(holds);
        at.map(|at| reviews.tickets.remove(at)).is_some()
    })
}

/// What waits for a review, in lines for the historian; the newest last.
pub fn waiting(store: &Store, now_ms: u64) -> String {
    let reviews = store.read::<Reviews>().unwrap_or_default();
    let approved = |request: &&Request| {
        reviews
            .approvals
            .iter()
            .any(|approval| approval.digest == request.digest && approval.expires_ms > now_ms)
    };
    let waiting: Vec<&Request> =
        reviews.requests.iter().filter(|request| !approved(request)).collect();
    let newest = &waiting[waiting.len().saturating_sub(WAITING_MAX)..];
    let line = |request: &&Request| {
        format!(
            "- {} {} ({}) in {}: {}",
            request.id,
            request.level,
            request.rules.join(", "),
            fence::tame_line(&request.cwd, 200),
            fence::tame_line(&request.what, 600)
        )
    };
    let mut lines: Vec<String> = newest.iter().map(line).collect();
    if !lines.is_empty() {
        lines.push("To approve one, run alone in the shell: court approve ID".to_owned());
    }
    lines.join("\n")
}

/// The way to a review, in words for the model.
pub fn way(hearing: &Hearing<'_>, request: Option<&str>) -> String {
    let Some(id) = request else {
        return "The request could not be written down, so it cannot be reviewed: ask the user."
            .to_owned();
    };
    // The agents of a plugin have its name before their own.
    let plugin = hearing.environment.path("CLAUDE_PLUGIN_ROOT").is_some();
    let name = hearing.config.historian_agents.first().map_or("historian", String::as_str);
    let agent =
        if plugin && !name.contains(':') { format!("court:{name}") } else { name.to_owned() };
    let codex = match hearing.config.reviewer {
        ReviewBy::Codex => format!("run `court review {id}` (it asks Codex), or "),
        ReviewBy::Historian => String::new(),
    };
    format!(
        "It waits as request {id}. To have it reviewed, {codex}call the Agent tool with \
         subagent_type \"{agent}\" (it is shown the request), or ask the user to run `court approve {id}` \
         in a terminal. Then make exactly the same call again, in the same folder, within {} s; an \
         approval is used once. A call that does less may need no review.",
        hearing.config.review_expires.as_secs()
    )
}

/// A reviewer in a sentence.
pub fn word(by: Reviewer) -> &'static str {
    match by {
        Reviewer::User => "user",
        Reviewer::Historian => "historian",
        Reviewer::Codex => "advisor (Codex)",
    }
}

/// Whether this process was started by the client's tools.
pub fn inside_client(environment: &environment::Environment) -> bool {
    environment.text(environment::INSIDE_CLIENT).is_some()
}
