//! The calls that begin and end plan mode: they are run by the loop itself, since they change the session's state.

use contract::xc::{CallLevel, CallStatus, DecidedBy, Entry, PlanState, Verdict, What};
use llm::{Asked, Content, Message};
use redact::Cut;
use serde_json::json;

use super::{Ending, INTERRUPTED, Turn};
use crate::host::{Answer, Ask, Plan, PlanCheck, Review};
use crate::plan::{PlanMode, Planning};
use crate::tool::Outcome;
use crate::tools::planning::{ENTER, EXIT};

/// The result for the model when no user can agree to plan mode.
const NOBODY_TO_AGREE: &str = "No user is present to agree to plan mode. Go on without it: do what was asked, as far as \
    the permissions let you, and say how you went about it.";

/// The message to the user about the model's request.
const WISH: &str = "The model wants to make a plan first. Until you have seen it, nothing but the plan is written.";

/// The message to the user while the plan is checked.
const CHECKING: &str = "The advisor checks the plan's assumptions.";

/// How much of the user's prompt is sent to the advisor, in characters.
const TASK_MAX: usize = 4_000;

/// The result of such a call.
pub(super) struct Planned {
    pub(super) outcome: Outcome,
    /// How the turn ends, if it does.
    pub(super) ending: Option<Ending>,
}

/// Whether a call is one of these, and the tool exists.
pub(super) fn is_planning(turn: &Turn<'_>, call: &Asked) -> bool {
    matches!(&*call.name, ENTER | EXIT)
        && turn.session.tools.check(&call.name, &call.arguments).is_ok()
}

/// Carries out a call.
pub(super) async fn carry_out(turn: &mut Turn<'_>, call: &Asked) -> Planned {
    let (id, tool) = (call.id.clone(), call.name.clone());
    turn.session.record.append(turn.host, Entry::Begun { id, tool });
    match &*call.name {
        ENTER => Planned { outcome: enter(turn, call).await, ending: None },
        _ => exit(turn).await,
    }
}

/// Enters plan mode if the user agrees.
async fn enter(turn: &mut Turn<'_>, call: &Asked) -> Outcome {
    if let Some(planning) = turn.session.plan.planning() {
        return Outcome::error(format!(
            "Plan mode is active already; its plan is {}.",
            planning.path()
        ));
    }
    let tell = |verdict, by| {
        let (id, level) = (call.id.clone(), CallLevel::L0);
        turn.host.tell(What::Permission { id, verdict, level, rule: None, by });
    };
    if turn.session.permit.is_headless() {
        tell(Verdict::Deny, DecidedBy::Headless);
        return denied(NOBODY_TO_AGREE);
    }
    tell(Verdict::Ask, DecidedBy::Rule);
    let ask = Ask {
        id: call.id.clone(),
        tool: call.name.clone(),
        input: json!({}),
        level: CallLevel::L0,
        reasons: vec![WISH.to_owned()],
        is_grantable: false,
        change: None,
    };
    // Both arms are cancel safe: a dropped question has no answer.
    let said = tokio::select! {
        biased;
        () = turn.cancel.cancelled() => return interrupted(),
        said = turn.host.permit(ask) => said,
    };
    if let Answer::No(words) = said {
        tell(Verdict::Deny, DecidedBy::User);
        let words = words.map(|words| format!("\n{words}")).unwrap_or_default();
        return denied(format!("The user does not want plan mode; go on without it.{words}"));
    }
    tell(Verdict::Allow, DecidedBy::User);
    turn.session.enter_plan(turn.host);
    let path = turn.session.plan.planning().map(Planning::path).unwrap_or_default();
    Outcome::ok(format!(
        "The user agreed: plan mode is active. Look at what there is, write the plan to {path} with writeFile, \
         then call {EXIT}."
    ))
}

/// Submits the plan to the user for review.
async fn exit(turn: &mut Turn<'_>) -> Planned {
    let outcome = |outcome| Planned { outcome, ending: None };
    let Some(planning) = turn.session.plan.planning().cloned() else {
        return outcome(Outcome::error("Plan mode is not active; there is nothing to leave."));
    };
    let path = planning.path();
    let text = match planning.read(turn.session.workspace.root()) {
        Ok(Some(text)) => turn.session.redactor.sanitize(&text, Cut::NONE).text.into_owned(),
        Ok(None) => {
            return outcome(Outcome::error(format!(
                "There is no plan in {path}. Write it there with writeFile, then call {EXIT} again."
            )));
        }
        Err(error) => return outcome(Outcome::error(format!("{path} cannot be read: {error}."))),
    };
    turn.host.tell(What::Plan { state: PlanState::Proposed });
    let check = checked(turn, &planning, &text).await;
    let plan = Plan { path: path.clone(), text: text.clone(), check };
    // Both arms are cancel safe: a dropped question has no answer.
    let review = tokio::select! {
        biased;
        () = turn.cancel.cancelled() => return outcome(interrupted()),
        review = turn.host.review(plan) => review,
    };
    match review {
        Review::Approve => {
            turn.host.tell(What::Plan { state: PlanState::Approved });
            turn.session.leave_plan(turn.host, PlanMode::Off);
            // The user may have changed the plan during the review.
            let now = planning.read(turn.session.workspace.root()).ok().flatten();
            let now = now.map(|now| turn.session.masked(&now)).filter(|now| *now != text);
            let now = now.map(|now| format!("\nThe user changed it; it says now:\n\n{now}"));
            outcome(Outcome::ok(format!(
                "The user approved the plan in {path}. Plan mode is over: carry the plan out now.{}",
                now.unwrap_or_default()
            )))
        }
        Review::Reject(words) => {
            turn.host.tell(What::Plan { state: PlanState::Rejected });
            let words = words.filter(|words| !words.trim().is_empty());
            let words = words.map(|words| format!(" The user says:\n{words}"));
            outcome(denied(format!(
                "The user did not approve the plan. Read {path} again, it may have been changed; revise it, then \
                 call {EXIT} again.{}",
                words.unwrap_or_default()
            )))
        }
        // Without a user, the plan is the answer.
        Review::Unanswered => Planned {
            outcome: Outcome::ok(format!(
                "No user is present to review the plan in {path}; it was printed. Plan mode stays active."
            )),
            ending: Some(Ending::Answered(text.trim_end().to_owned())),
        },
    }
}

/// The advisor's opinion on the plan's assumptions, if a user will read it. One call per plan.
async fn checked(turn: &mut Turn<'_>, planning: &Planning, text: &str) -> Option<PlanCheck> {
    let session = &mut *turn.session;
    let advisor = session.plan_advisor.clone().filter(|_| !session.permit.is_headless())?;
    if session.checked_plan.as_deref() == Some(planning.name()) {
        return None;
    }
    session.checked_plan = Some(planning.name().to_owned());
    turn.host.tell(What::Note { text: CHECKING.to_owned() });
    let task = last_prompt(turn.session.conversation.messages());
    advisor.check_plan(&task, text, turn.cancel).await
}

/// The user's last prompt, or its beginning.
fn last_prompt(messages: &[Message]) -> String {
    let said = |message: &Message| match message {
        Message::User(contents) => contents.iter().find_map(|content| match content {
            Content::Text(text) => Some(text.chars().take(TASK_MAX).collect()),
            Content::Image { .. } => None,
        }),
        Message::Answer(_) => None,
    };
    messages.iter().rev().find_map(said).unwrap_or_default()
}

fn denied(text: impl Into<String>) -> Outcome {
    Outcome { status: CallStatus::Denied, ..Outcome::error(text) }
}

fn interrupted() -> Outcome {
    Outcome { status: CallStatus::Interrupted, ..Outcome::error(INTERRUPTED) }
}
