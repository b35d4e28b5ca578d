//! `court approve` and `court review`: what waits, and who lets it run.

use serde_json::json;

use super::desk::Desk;
use super::output::{Exit, Failed, Output};
use crate::clock;
use crate::records::{Request, Reviewer, Reviews};
use crate::review::{self, Refused, Verdict};

/// `court approve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Requests to let run once; none: list what waits
    ids: Vec<String>,
}

/// `court review`.
#[derive(Debug, clap::Args)]
pub(super) struct ReviewArgs {
    /// The request
    id: String,
}

/// Lists, or approves.
pub(super) fn approve(desk: &Desk, args: &Args) -> Result<Output, Failed> {
    if args.ids.is_empty() {
        return list(desk);
    }
    let by = desk.reviewer()?;
    let expires = desk.resolved.config.review_expires;
    let until = desk.now_ms + u64::try_from(expires.as_millis()).unwrap_or(u64::MAX / 2);
    let mut lines = Vec::new();
    for id in &args.ids {
        let request = review::approve(&desk.store, id, by, until).map_err(refused)?;
        lines.push(format!(
            "{} may run once in {} until {}:\n  {}",
            request.id,
            request.cwd,
            clock::text(until),
            request.what.replace('\n', "\n  ")
        ));
    }
    let json = json!({"approved": args.ids, "by": by, "expires_ms": until});
    Ok(Output::done(lines.join("\n"), json))
}

/// Has Codex look at a request. Only a clear recommendation approves it.
pub(super) fn review(desk: &Desk, args: &ReviewArgs) -> Result<Output, Failed> {
    let reviews = desk.store.read::<Reviews>()?;
    let wanted = |request: &&Request| request.id.eq_ignore_ascii_case(&args.id);
    let Some(request) = reviews.requests.iter().find(wanted) else {
        return Err(Failed::Input(format!("no request `{}` waits", args.id)));
    };
    let advice = review::ask(&desk.places, &desk.environment, request);
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
    let expires = desk.resolved.config.review_expires;
    let until = clock::now_ms() + u64::try_from(expires.as_millis()).unwrap_or(u64::MAX / 2);
    review::approve(&desk.store, &request.id, Reviewer::Codex, until).map_err(refused)?;
    let text = format!(
        "Codex approved {}: {reason}\nMake exactly the same call again, in the same folder, before {}.",
        request.id,
        clock::text(until)
    );
    Ok(Output::done(text, json))
}

fn list(desk: &Desk) -> Result<Output, Failed> {
    let reviews = desk.store.read::<Reviews>()?;
    let approved = |request: &Request| {
        reviews
            .approvals
            .iter()
            .any(|approval| approval.digest == request.digest && approval.expires_ms > desk.now_ms)
    };
    let line = |request: &Request| {
        let state = if approved(request) { "approved, not used yet" } else { "waits" };
        format!(
            "{}  {}  {} {}  ({state})\n    in {}\n    {}",
            request.id,
            clock::text(request.at_ms),
            request.level,
            request.rules.join(", "),
            request.cwd,
            request.what.replace('\n', "\n    ")
        )
    };
    let text = match reviews.requests.is_empty() {
        true => "Nothing waits for a review.".to_owned(),
        false => reviews.requests.iter().rev().map(line).collect::<Vec<_>>().join("\n"),
    };
    Ok(Output::done(text, json!({"requests": reviews.requests, "approvals": reviews.approvals})))
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
    }
}
