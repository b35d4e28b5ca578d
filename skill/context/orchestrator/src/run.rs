//! Runs a plan: tools run concurrently up to the limit, each until its timeout, all until the time budget. A late
//! tool is not waited for; it stops by itself when its answer is due, and its thread ends.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use orchestration::report::{PlannedTool, ToolPlan};

use crate::redaction::{self, Sanitized};
use crate::tool::{Args, Found, ToolFault, Toolbox};

/// How a planned tool ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Its name.
    pub tool: String,
    /// Its start, relative to the start of the run.
    pub started: Duration,
    /// How long it ran, or was waited for.
    pub took: Duration,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A sanitized answer.
    Found(Sanitized),
    /// A fault.
    Fault(ToolFault),
    /// It reached its timeout or the end of the budget.
    Timeout,
    /// The budget was used up before its turn.
    NoBudget,
    /// No toolbox offers it.
    Missing,
}

struct Running {
    index: usize,
    started: Instant,
    due: Instant,
}

type Answer = (usize, Result<Sanitized, ToolFault>);

/// Runs the tools of a plan. The results are in the plan's order.
#[must_use]
pub fn run(plan: &ToolPlan, toolboxes: &[Arc<dyn Toolbox>]) -> Vec<Ended> {
    let begun = Instant::now();
    let wall = begun + Duration::from_millis(plan.budget.wall_ms);
    let at_once = usize::try_from(plan.budget.max_concurrency).unwrap_or(1).max(1);
    let mut ended: Vec<Option<Ended>> = vec![None; plan.tools.len()];
    let mut waiting: VecDeque<usize> = (0..plan.tools.len()).collect();
    let mut running: Vec<Running> = Vec::new();
    // Unbounded, but each tool sends at most one message.
    let (sender, receiver) = channel();
    let end = |index: usize, started: Instant, outcome| Ended {
        tool: plan.tools[index].tool.clone(),
        started: started - begun,
        took: started.elapsed(),
        outcome,
    };
    loop {
        while running.len() < at_once && Instant::now() < wall {
            let Some(index) = waiting.pop_front() else { break };
            let tool = &plan.tools[index];
            let started = Instant::now();
            let due = wall.min(started + Duration::from_millis(tool.timeout_ms));
            let able = toolboxes.iter().filter(|toolbox| toolbox.offers(&tool.tool));
            let able: Vec<Arc<dyn Toolbox>> = able.cloned().collect();
            if able.is_empty() {
                ended[index] = Some(end(index, started, Outcome::Missing));
            } else {
                start(index, tool, due, able, sender.clone());
                running.push(Running { index, started, due });
            }
        }
        let Some(due) = running.iter().map(|running| running.due).min() else { break };
        if let Some((index, answer)) = next(&receiver, due) {
            // An answer after the timeout is dropped.
            if let Some(place) = running.iter().position(|running| running.index == index) {
                let done = running.swap_remove(place);
                let outcome = answer.map_or_else(Outcome::Fault, Outcome::Found);
                ended[index] = Some(end(index, done.started, outcome));
            }
        }
        let now = Instant::now();
        running.retain(|late| {
            let is_late = late.due <= now;
            if is_late {
                ended[late.index] = Some(end(late.index, late.started, Outcome::Timeout));
            }
            !is_late
        });
    }
    let left = |(index, ended): (usize, Option<Ended>)| {
        ended.unwrap_or_else(|| end(index, Instant::now(), Outcome::NoBudget))
    };
    ended.into_iter().enumerate().map(left).collect()
}

fn start(
    index: usize,
    tool: &PlannedTool,
    due: Instant,
    able: Vec<Arc<dyn Toolbox>>,
    sender: Sender<Answer>,
) {
    let (name, args) = (tool.tool.clone(), tool.args.clone());
    let work = move || {
        // Sanitize here, in parallel, while other tools are still running.
        let answer = ask(&able, &name, &args, due).map(redaction::sanitize);
        // The receiver is dropped when the budget is used up.
        let _ = sender.send((index, answer));
    };
    thread::spawn(work);
}

/// Calls toolboxes one after the other until one answers. Missing or broken ones are skipped, which the answer
/// mentions.
fn ask(
    able: &[Arc<dyn Toolbox>],
    name: &str,
    args: &Args,
    due: Instant,
) -> Result<Found, ToolFault> {
    let mut passed: Vec<ToolFault> = Vec::new();
    for toolbox in able {
        let call = || toolbox.call(name, args, due);
        let crashed = |_| Err(ToolFault::Crashed("it crashed".to_owned()));
        match catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(crashed) {
            Ok(mut found) => {
                let said = passed.into_iter().map(|why| format!("skipped: {why}"));
                found.limits.extend(said);
                return Ok(found);
            }
            Err(fault @ (ToolFault::InvalidArgs(_) | ToolFault::TooSlow)) => return Err(fault),
            Err(fault) => passed.push(fault),
        }
    }
    let why = passed.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    // A fault other than a missing tool is reported first.
    Err(match passed.iter().find(|fault| !matches!(fault, ToolFault::Unavailable(_))) {
        Some(ToolFault::Crashed(_)) => ToolFault::Crashed(why),
        Some(ToolFault::Unreadable(_)) => ToolFault::Unreadable(why),
        _ => ToolFault::Unavailable(why),
    })
}

fn next(receiver: &Receiver<Answer>, due: Instant) -> Option<Answer> {
    receiver.recv_timeout(due.saturating_duration_since(Instant::now())).ok()
}
