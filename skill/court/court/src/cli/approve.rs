//! `court approve`, `court refuse` and `court review`: the pending requests, and deciding on them.

use serde_json::{Value, json};

use super::context::CliContext;
use super::output::{Exit, Failed, Output};
use crate::approver::{self, KeyState, Locked, Moment, SecretKey, Stretch, Unread};
use crate::asker::Terminal;
use crate::clock;
use crate::config::ApproveBy;
use crate::records::{Request, Reviewer, Reviews};
use crate::review::{self, Grant, Refused, Verdict};

/// `court approve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Requests to let run once; none: list what waits
    ids: Vec<String>,
    #[command(flatten)]
    by_page: ByPage,
}

/// `court refuse`.
#[derive(Debug, clap::Args)]
pub(super) struct RefuseArgs {
    /// Requests that shall not run
    #[arg(required = true)]
    ids: Vec<String>,
    #[command(flatten)]
    by_page: ByPage,
}

/// What stands in for a terminal.
#[derive(Debug, clap::Args)]
struct ByPage {
    /// Read the approver's passphrase from standard input, not from the terminal
    #[arg(long)]
    passphrase_stdin: bool,
    /// Only if the one request still stands for what was shown under this digest
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
}

/// `court review`.
#[derive(Debug, clap::Args)]
pub(super) struct ReviewArgs {
    /// The request
    id: String,
}

/// Lists requests, or approves them.
pub(super) fn approve(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    if args.ids.is_empty() {
        return list(desk);
    }
    let by = desk.reviewer()?;
    let requests = found(desk, &args.ids, &args.by_page)?;
    let key = match by {
        Reviewer::User => key_of_user(desk, &requests, "let this run once", &args.by_page)?,
        _ if desk.resolved.config.approver == ApproveBy::User => return Err(only_user()),
        _ => None,
    };
    let lasts = lasts(desk);
    let project = &desk.places.project;
    let mut lines = Vec::new();
    for request in &requests {
        let grant = Grant { by, lasts: lasts.clone(), key: key.as_ref(), project };
        review::approve(&desk.store, request, &grant).map_err(refused)?;
        let until = clock::text(lasts.until_ms);
        lines.push(format!(
            "{}\n{} may run once until {until}.",
            review::sheet(request),
            request.id
        ));
    }
    let json = json!({
        "approved": args.ids, "by": by, "expires_ms": lasts.until_ms,
        "signed_by": key.map(|key| key.public().fingerprint()),
    });
    Ok(Output::done(lines.join("\n"), json))
}

/// Refuses requests. It needs the same proof as an approval: there is no other way to know who decides.
pub(super) fn refuse(desk: &CliContext, args: &RefuseArgs) -> Result<Output, Failed> {
    // No agent has a ticket for this.
    desk.reviewer()?;
    let requests = found(desk, &args.ids, &args.by_page)?;
    key_of_user(desk, &requests, "refuse this", &args.by_page)?;
    let lasts = lasts(desk);
    let until = clock::text(lasts.until_ms);
    let mut lines = Vec::new();
    for request in &requests {
        review::refuse(&desk.store, request, &lasts).map_err(refused)?;
        desk.note(format!(
            "the user refused {}: {}",
            request.id,
            crate::fence::sanitize_line(&request.what, 160)
        ));
        lines.push(format!(
            "{} was refused; the same call is not asked for until {until}.",
            request.id
        ));
    }
    let json = json!({"refused": args.ids, "expires_ms": lasts.until_ms});
    Ok(Output::done(lines.join("\n"), json))
}

/// The requests in their present state.
fn found(desk: &CliContext, ids: &[String], by_page: &ByPage) -> Result<Vec<Request>, Failed> {
    if by_page.digest.is_some() && ids.len() != 1 {
        return Err(Failed::Input("--digest is of one request".to_owned()));
    }
    let find = |id: &String| review::find(&desk.store, id, by_page.digest.as_deref());
    ids.iter().map(|id| find(id).map_err(refused)).collect()
}

/// The signing key, or none if there is no approver and a user seems to be present.
fn key_of_user(
    desk: &CliContext,
    requests: &[Request],
    purpose: &str,
    by_page: &ByPage,
) -> Result<Option<SecretKey>, Failed> {
    let approver = desk.places.approver();
    let key = match approver.standing() {
        KeyState::Known { key, .. } => key,
        KeyState::Broken(why) => {
            return Err(Failed::Wrong(format!("no approval counts: {why}; see `court doctor`")));
        }
        KeyState::Absent if desk.resolved.config.approver == ApproveBy::User => {
            return Err(Failed::Wrong(
                "gate.approver is \"user\" and there is no approver: `court approver init`, at a \
                 terminal, makes one"
                    .to_owned(),
            ));
        }
        KeyState::Absent if by_page.passphrase_stdin => {
            return Err(Failed::Input("there is no approver, so no passphrase".to_owned()));
        }
        KeyState::Absent => {
            desk.person(Terminal::Needed)?;
            return Ok(None);
        }
    };
    let passphrase = if by_page.passphrase_stdin {
        approver::of_stdin().map_err(unread)?
    } else {
        let sheets: Vec<String> = requests.iter().map(review::sheet).collect();
        let question = format!(
            "{}\n\nTo {purpose}, give the passphrase of {}: ",
            sheets.join("\n"),
            key.fingerprint()
        );
        approver::ask(&question).map_err(unread)?
    };
    let opened = approver.signer(&passphrase, &Moment::now());
    let ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
    opened.map(Some).map_err(|error| locked(desk, &error, &ids.join(", ")))
}

/// Why the key was not decrypted; a wrong passphrase is recorded in the ledger.
pub(super) fn locked(desk: &CliContext, error: &Locked, what: &str) -> Failed {
    if matches!(error, Locked::Wrong { .. } | Locked::Out { .. }) {
        desk.note(format!("approver: no passphrase opened the key for {what}: {error}"));
    }
    Failed::Wrong(error.to_string())
}

/// Why no passphrase was read.
pub(super) fn unread(why: Unread) -> Failed {
    Failed::Wrong(why.to_string())
}

/// Lets Codex review a request. Only a clear recommendation approves it.
pub(super) fn review(desk: &CliContext, args: &ReviewArgs) -> Result<Output, Failed> {
    let request = review::find(&desk.store, &args.id, None).map_err(refused)?;
    if desk.reviewer()? == Reviewer::User {
        desk.person(Terminal::Any)?;
    }
    if !review::is_whole_for_models(&request) {
        return Err(refused(Refused::NotWhole { id: request.id }));
    }
    let advice = review::ask(&desk.places, &desk.environment, &request);
    let (verdict, reason) = match advice {
        Ok(advice) => (advice.verdict, advice.reason),
        Err(unanswered) => {
            let text = format!(
                "Codex did not review {}: {unanswered}.\nThe historian reviews instead: call the Agent \
                 tool with subagent_type \"court:historian\", or ask the user to run `court approve {}`.",
                request.id, request.id
            );
            let json = json!({
                "request": request.id, "verdict": null, "reviewer": "historian",
                "why": unanswered.to_string(),
            });
            return Ok(Output { text, json, exit: Exit::Wrong });
        }
    };
    let json = json!({
        "request": request.id, "verdict": word(verdict), "reviewer": "codex", "reason": reason,
    });
    if verdict == Verdict::Refuse {
        let text = format!("Codex advises against {}: {reason}", request.id);
        return Ok(Output { text, json, exit: Exit::Wrong });
    }
    if desk.resolved.config.approver == ApproveBy::User {
        let text = format!(
            "Codex would approve {}: {reason}\nIt does not count here: the user decides, with `court \
             approve {}`.",
            request.id, request.id
        );
        return Ok(Output { text, json, exit: Exit::Wrong });
    }
    let grant =
        Grant { by: Reviewer::Codex, lasts: lasts(desk), key: None, project: &desk.places.project };
    review::approve(&desk.store, &request, &grant).map_err(refused)?;
    let text = format!(
        "Codex approved {}: {reason}\nMake exactly the same call again, in the same folder, before {}.",
        request.id,
        clock::text(grant.lasts.until_ms)
    );
    Ok(Output::done(text, json))
}

fn lasts(desk: &CliContext) -> Stretch {
    let length = desk.resolved.config.review_expires.as_millis();
    Stretch::from(&Moment::now(), u64::try_from(length).unwrap_or(u64::MAX / 2))
}

fn list(desk: &CliContext) -> Result<Output, Failed> {
    let reviews = desk.store.read::<Reviews>()?;
    let now = Moment::now();
    // Output for a model is masked; the user is shown exactly what the approval covers.
    let inside = review::inside_client(&desk.environment);
    let line = |request: &Request| {
        let is_approved = reviews.approved(request, &now).is_some();
        let state = if is_approved { "approved, not used yet" } else { "waits" };
        let text = match inside {
            true => format!("{}  {}", request.id, crate::fence::sanitize_line(&request.what, 600)),
            false => review::sheet(request),
        };
        format!("{text}\n  ({state})")
    };
    let text = match reviews.requests.is_empty() {
        true => "Nothing waits for a review.".to_owned(),
        false => reviews.requests.iter().rev().map(line).collect::<Vec<_>>().join("\n"),
    };
    let json = json!({"requests": briefs(&reviews), "approvals": reviews.approvals});
    Ok(Output::done(text, json))
}

/// The requests for programs: masked and truncated.
pub(super) fn briefs(reviews: &Reviews) -> Vec<Value> {
    let brief = |request: &Request| {
        let mut value = json!(request);
        if let Some(fields) = value.as_object_mut() {
            fields.remove("input");
        }
        value
    };
    reviews.requests.iter().map(brief).collect()
}

fn only_user() -> Failed {
    Failed::Wrong("gate.approver is \"user\": only the user's own approvals count".to_owned())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approve => "approve",
        Verdict::Refuse => "refuse",
    }
}

fn refused(refused: Refused) -> Failed {
    match refused {
        Refused::Unknown { .. } => Failed::Input(refused.to_string()),
        Refused::Store(error) => Failed::Store(error),
        other => Failed::Wrong(other.to_string()),
    }
}
