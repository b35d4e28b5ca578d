//! Runs the calls of one answer: they are checked, judged and run, and their results added to the conversation.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use contract::xc::{
    CallLevel, CallStatus, CommandRun, DecidedBy, DeniedCall, Entry, Verdict, What,
};
use futures_util::{FutureExt, StreamExt, stream};
use llm::{Answer, Arguments, Asked, CallResult, Cancel, Part};
use redact::{Cut, Redactor};
use serde_json::Value;

use super::planning::{self, Planned};
use super::{Ending, INTERRUPTED, Turn, words};
use crate::action::Action;
use crate::arguments::Checked;
use crate::change::{Change, Instead};
use crate::guard::Repetition;
use crate::host::{Answer as Said, Ask, Host};
use crate::journal::answered;
use crate::mask::masked_object;
use crate::permit::Judged;
use crate::result::{Limit, shown};
use crate::tool::{Outcome, Running};

/// How many read-only calls run concurrently; the original specification allows at most 8.
const SIDE_BY_SIDE: usize = 8;

/// How many calls of one answer are run: many times what models ask for, and a limit for those that
/// never stop.
const CALLS_MAX: usize = 128;

/// How long a call may take to end itself after an interrupt before it is dropped: the whole
/// interrupt must be over within a second.
const INTERRUPT_GRACE: Duration = Duration::from_millis(800);

/// The result for the model of calls behind one that ended the turn.
const LEFT: &str = "Not run: the turn ended with the plan.";

/// The note to the model when it repeats itself.
const STEERING: &str = "\n\n[This call gave this very result three times. Repeating it will not \
    change it: look at what the result says and do something else, or tell the user what is in the way.]";

/// A call that may run.
struct Ready {
    at: usize,
    id: String,
    admitted: Admitted,
}

/// A call with the judged action.
struct Admitted {
    checked: Checked,
    action: Action,
    /// The content that is written instead of the arguments'.
    instead: Option<Instead>,
    /// Whether it may change something on disk.
    has_effect: bool,
}

/// The result of a call, and the file it concerned.
struct Ended {
    outcome: Outcome,
    file: Option<PathBuf>,
}

impl From<Outcome> for Ended {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, file: None }
    }
}

/// Runs the calls of `answer` and adds the step to the conversation. Returns how the turn ends, if
/// it does: an answer without calls is the last one.
pub(crate) async fn carry_out(turn: &mut Turn<'_>, answer: Answer) -> Option<Ending> {
    let Answer { parts, usage, .. } = answer;
    let asked: Vec<Asked> = parts.iter().filter_map(asked).cloned().collect();
    let parts = kept(&turn.session.redactor, parts);
    let line = record(turn, &parts);
    let said = words(&parts);
    let (results, ending) = run_all(turn, &asked).await;
    let mut results = results.into_iter();
    let parts = parts.into_iter().map(|part| match part {
        Part::Text { text, opaque } => Part::Text { text, opaque },
        Part::Reasoning { shown, opaque } => Part::Reasoning { shown, opaque },
        Part::Call(asked) => {
            let result = results.next().unwrap_or_else(|| CallResult::Failed(INTERRUPTED.into()));
            Part::Call(asked.with(result))
        }
    });
    let parts = parts.collect();
    turn.session.conversation.push_step(parts, line);
    turn.session.conversation.report(&usage);
    if asked.is_empty() {
        return Some(Ending::Answered(said));
    }
    if turn.cancel.is_cancelled() {
        return Some(Ending::Interrupted);
    }
    ending
}

fn asked(part: &Part<Asked>) -> Option<&Asked> {
    match part {
        Part::Call(asked) => Some(asked),
        Part::Text { .. } | Part::Reasoning { .. } => None,
    }
}

/// The answer for journal, events and later requests: with the arguments of its calls masked. The
/// calls are executed with the original arguments.
fn kept(redactor: &Redactor, parts: Vec<Part<Asked>>) -> Vec<Part<Asked>> {
    let part = |part| match part {
        Part::Call(Asked { id, name, arguments: Arguments::Object(object), opaque }) => {
            let arguments = Arguments::Object(masked_object(redactor, object));
            Part::Call(Asked { id, name, arguments, opaque })
        }
        part => part,
    };
    parts.into_iter().map(part).collect()
}

/// Records the answer in the journal and reports its calls.
fn record(turn: &mut Turn<'_>, parts: &[Part<Asked>]) -> u64 {
    for Asked { id, name, arguments, .. } in parts.iter().filter_map(asked) {
        let input = Value::Object(arguments.object());
        turn.host.tell(What::Call { id: id.clone(), tool: name.clone(), input });
    }
    let entry = answered(turn.session.model.id(), parts);
    turn.session.record.append(turn.host, entry)
}

/// The results of all calls in their order, and how the turn ends, if it does.
async fn run_all(turn: &mut Turn<'_>, asked: &[Asked]) -> (Vec<CallResult>, Option<Ending>) {
    let limit = Limit::new(turn.session.model.limits().window, asked.len().min(CALLS_MAX));
    let mut results: Vec<Option<CallResult>> = asked.iter().map(|_| None).collect();
    let mut is_repetition = false;
    let mut ending = None;
    let mut from = 0;
    while from < asked.len() && ending.is_none() && !turn.cancel.is_cancelled() {
        if from < CALLS_MAX && planning::is_planning(turn, &asked[from]) {
            let Planned { outcome, ending: ends } = planning::carry_out(turn, &asked[from]).await;
            let (result, repeats) = conclude(turn, (asked, from), outcome, limit);
            is_repetition |= repeats;
            results[from] = Some(result);
            ending = ends;
            from += 1;
            continue;
        }
        // Consecutive read-only calls run concurrently; a call that changes something waits for
        // all before it, and all after it wait for that call.
        let reads =
            asked[from..].iter().take_while(|call| turn.session.tools.is_reading(&call.name));
        let to = from + reads.count().max(1);
        let mut ready = Vec::new();
        for (at, call) in (from..to).zip(&asked[from..to]) {
            let admitted = match at < CALLS_MAX {
                true => admit(turn, call).await,
                false => Err(Outcome::error(format!(
                    "Not run: of one answer at most {CALLS_MAX} calls are."
                ))),
            };
            match admitted {
                Ok(admitted) => ready.push(Ready { at, id: call.id.clone(), admitted }),
                Err(outcome) => {
                    let (result, repeats) = conclude(turn, (asked, at), outcome, limit);
                    is_repetition |= repeats;
                    results[at] = Some(result);
                }
            }
        }
        if turn.cancel.is_cancelled() {
            break;
        }
        if ready.iter().any(|one| one.admitted.has_effect) {
            turn.keep_files().await;
        }
        for one in &ready {
            let tool = asked[one.at].name.clone();
            turn.session.record.append(turn.host, Entry::Begun { id: one.id.clone(), tool });
        }
        let (host, cancel) = (turn.host, turn.cancel);
        let mut running = stream::iter(ready)
            .map(|one| async move {
                let (at, file) = (one.at, one.admitted.action.file());
                (at, Ended { outcome: run(one, host, cancel).await, file })
            })
            .buffer_unordered(SIDE_BY_SIDE);
        while let Some((at, ended)) = running.next().await {
            let (result, repeats) = conclude(turn, (asked, at), ended, limit);
            is_repetition |= repeats;
            results[at] = Some(result);
        }
        from = to;
    }
    let left = match ending {
        Some(_) => Outcome::error(LEFT),
        None => interrupted(),
    };
    let results = results.into_iter().enumerate().map(|(at, result)| {
        result.unwrap_or_else(|| conclude(turn, (asked, at), left.clone(), limit).0)
    });
    let results = results.collect();
    (results, ending.or_else(|| is_repetition.then_some(Ending::Repetition)))
}

/// Whether a call may run.
///
/// # Errors
/// The result of the call if not: an error in the call, a denial, an interrupt.
async fn admit(turn: &mut Turn<'_>, call: &Asked) -> Result<Admitted, Outcome> {
    let Asked { id, name, arguments, .. } = call;
    let checked = turn.session.tools.check(name, arguments).map_err(Outcome::error)?;
    let action = checked.tool.action(&checked.arguments);
    let judged = turn.session.permit.judge(name, &action);
    let mut verdict = judged.verdict;
    let mut by = judged.by;
    let (mut words, mut instead) = (None, None);
    if verdict == Verdict::Ask {
        tell_permission(turn.host, id, &judged, Verdict::Ask, by);
        if turn.cancel.is_cancelled() {
            return Err(interrupted());
        }
        let change = checked.tool.change(&checked.arguments, &action, turn.cancel).await;
        let shown = change.as_ref().map(|change| masked_change(&turn.session.redactor, change));
        let is_divisible = shown.as_ref().is_some_and(|change| change.is_divisible);
        let ask = Ask {
            id: id.clone(),
            tool: name.clone(),
            input: Value::Object(masked_object(&turn.session.redactor, checked.arguments.clone())),
            level: judged.level,
            reasons: judged.reasons.clone(),
            is_grantable: judged.is_grantable,
            change: shown,
        };
        // Both arms are cancel safe: a dropped question has no answer.
        let said = tokio::select! {
            biased;
            () = turn.cancel.cancelled() => return Err(interrupted()),
            said = turn.host.permit(ask) => said,
        };
        by = DecidedBy::User;
        verdict = Verdict::Allow;
        match said {
            Said::Once => {}
            Said::Session if judged.is_grantable => turn.session.permit.grant(name, &action),
            // If it cannot be granted for the session, it is allowed once.
            Said::Session => {}
            Said::Hunks(taken) => match change.filter(|_| is_divisible) {
                Some(change) if !taken.is_empty() => instead = Some(change.in_part(&taken)),
                _ => verdict = Verdict::Deny,
            },
            Said::No(why) => {
                verdict = Verdict::Deny;
                words = why;
            }
        }
    }
    tell_permission(turn.host, id, &judged, verdict, by);
    if verdict == Verdict::Allow {
        let has_effect = judged.level > CallLevel::L0 && !checked.tool.is_reading();
        return Ok(Admitted { checked, action, instead, has_effect });
    }
    turn.evidence.denied.push(DeniedCall {
        id: id.clone(),
        tool: name.clone(),
        level: judged.level,
        rule: judged.rule.clone(),
    });
    let mut text = judged.denial();
    if let Some(words) = words {
        text = format!("{text}\n{words}");
    }
    Err(Outcome { status: CallStatus::Denied, ..Outcome::error(text) })
}

/// A change for display. A change with a secret cannot be applied in part, since the shown text is not what is written.
fn masked_change(redactor: &Redactor, change: &Change) -> Change {
    let is_plain = |text: &str| redactor.sanitize(text, Cut::NONE).counts.is_empty();
    let shown = |text: &str| redactor.sanitize(text, Cut::NONE).text.into_owned();
    let is_plain = change.old.as_deref().is_none_or(is_plain) && is_plain(&change.new);
    Change {
        path: shown(&change.path),
        old: change.old.as_deref().map(shown),
        new: shown(&change.new),
        is_divisible: change.is_divisible && is_plain,
    }
}

fn tell_permission(host: &dyn Host, id: &str, judged: &Judged, verdict: Verdict, by: DecidedBy) {
    let (id, level, rule) = (id.to_owned(), judged.level, judged.rule.clone());
    host.tell(What::Permission { id, verdict, level, rule, by });
}

/// Runs a call until it ends, or until the grace period after an interrupt is over. A panic of a tool
/// is a failure of the call.
async fn run(ready: Ready, host: &dyn Host, cancel: &Cancel) -> Outcome {
    if cancel.is_cancelled() {
        return interrupted();
    }
    let Ready { id, admitted, .. } = ready;
    let Admitted { checked: Checked { tool, arguments }, action, instead, .. } = admitted;
    let (arguments, action, instead) = (&arguments, &action, instead.as_ref());
    let call = Running { id: &id, arguments, action, instead, host, cancel };
    let whole = AssertUnwindSafe(async { tool.run(call).await }).catch_unwind();
    let late = async {
        cancel.cancelled().await;
        tokio::time::sleep(INTERRUPT_GRACE).await;
    };
    // When a call is dropped, nothing of it continues: `Tool::run` requires that.
    tokio::select! {
        biased;
        outcome = whole => {
            outcome.unwrap_or_else(|_| Outcome::error("The tool failed: an internal error."))
        }
        () = late => interrupted(),
    }
}

fn interrupted() -> Outcome {
    Outcome { status: CallStatus::Interrupted, ..Outcome::error(INTERRUPTED) }
}

/// Records the result of a call. Returns the text for the model, and whether the loop must stop.
fn conclude(
    turn: &mut Turn<'_>,
    (asked, at): (&[Asked], usize),
    ended: impl Into<Ended>,
    limit: Limit,
) -> (CallResult, bool) {
    let call = &asked[at];
    let Ended { outcome, file } = ended.into();
    let Outcome { status, text, changed, command } = outcome;
    let text = match status {
        CallStatus::Interrupted if !text.starts_with(INTERRUPTED) => {
            format!("{INTERRUPTED}\n{text}").trim_end().to_owned()
        }
        _ => text,
    };
    let redactor = turn.session.redactor.clone();
    let mut shown = shown(&redactor, &text, limit);
    let arguments = format!("{:?}", call.arguments);
    let repetition = match status {
        CallStatus::Interrupted => Repetition::None,
        _ => turn.guard.push(&call.name, &arguments, &shown.text),
    };
    if repetition == Repetition::Note {
        shown.text.push_str(STEERING);
    }
    let below =
        file.as_deref().and_then(|file| file.strip_prefix(turn.session.workspace.root()).ok());
    if let Some(below) = below.filter(|_| status == CallStatus::Ok) {
        shown.text.push_str(&turn.session.rules.behind(below));
    }
    // Once per step: the model gets its results in one message.
    if at + 1 == asked.len() {
        shown.text.push_str(&turn.session.plan.behind_results());
        shown.text.push_str(&turn.hear_of_tasks());
    }
    let changed: Vec<String> =
        changed.iter().map(|path| turn.session.workspace.shown(path).into_owned()).collect();
    let command = command.map(|run| CommandRun {
        command: redactor.sanitize(&run.command, Cut::NONE).text.into_owned(),
        ..run
    });
    let chars = u64::try_from(shown.text.chars().count()).unwrap_or(u64::MAX);
    let (id, truncated) = (call.id.clone(), shown.is_truncated);
    turn.session.record.append(
        turn.host,
        Entry::Result {
            id: id.clone(),
            status,
            text: shown.text.clone(),
            truncated,
            changed: changed.clone(),
            command: command.clone(),
        },
    );
    turn.host.tell(What::Result { id, status, chars, truncated });
    changed.into_iter().for_each(|file| turn.evidence.changed(file));
    turn.evidence.commands.extend(command);
    let result = match status {
        CallStatus::Ok => CallResult::Done(shown.text),
        CallStatus::Error | CallStatus::Denied | CallStatus::Timeout | CallStatus::Interrupted => {
            CallResult::Failed(shown.text)
        }
    };
    (result, repetition == Repetition::Stop)
}
