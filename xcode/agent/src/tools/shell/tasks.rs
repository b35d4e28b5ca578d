//! Background commands: each continues after the call that started it, and none after the session. Their output is
//! masked and limited. Not here: whether a command may run, and the tool that reads its output.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use llm::Cancel;
use supervise::{
    Cause, Chunk, Command, Exit, Guard, Limits, SpawnError, WatchBounds, Watched, watch,
};
use tokio::sync::{mpsc, oneshot, watch as latest};
use tokio::time::Instant;

use super::lane::PAUSE;
use super::output::Output;
use super::report;
use crate::sandbox::{Sandbox, Unasked};

/// How many may run at once. A model that starts a server again and again would fill the machine.
const RUNNING_MAX: usize = 8;

/// How many are kept in the list; beyond that, the ones that ended first are dropped.
const KEPT_MAX: usize = 32;

/// The timeout of a task for which the model sets none: longer than any session, because the guard requires a limit.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// How long to wait for all tasks to end: the grace period, and the time that the guard needs to kill.
const END_MAX: Duration = Duration::from_millis(2_200);

/// The background tasks of one session. Clones share them; when the last clone is dropped, all tasks end.
#[derive(Clone, Default)]
pub struct Tasks(Arc<Inner>);

/// A task for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView {
    /// Its number in the session, from 1.
    pub number: u64,
    /// The command, masked.
    pub command: String,
    /// How long it ran until now, or until its end.
    pub ran: Duration,
    /// How it ended; none while it runs.
    pub end: Option<TaskEnd>,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEnd {
    /// By itself, with this exit code; 128 plus the number of a signal that killed it, as in a shell.
    Exited(i32),
    /// It was ended: by the model, by the user, or with the session.
    Stopped,
    /// It reached the timeout that the model gave.
    TimedOut,
    /// It printed too much.
    Flooded,
    /// Its guard was killed by another process.
    GuardLost,
    /// It ended with the process that ran it, before this session was resumed.
    Lost,
}

impl TaskEnd {
    /// Its exit code, if it ended by itself.
    #[must_use]
    pub const fn exit(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Stopped | Self::TimedOut | Self::Flooded | Self::GuardLost | Self::Lost => None,
        }
    }

    /// In words, for the model and the journal.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Exited(code) => format!("exit code {code}"),
            Self::Stopped => "it was ended, with everything it had started".to_owned(),
            Self::TimedOut => "its timeout, with everything it had started".to_owned(),
            Self::Flooded => format!("it printed more than {} MiB", report::OUTPUT_MAX >> 20),
            Self::GuardLost => "its guard was killed from outside".to_owned(),
            Self::Lost => "it ended with the program that ran it".to_owned(),
        }
    }

    fn of(watched: &Watched) -> Self {
        match (watched.cause, watched.exit) {
            (Cause::Deadline, _) => Self::TimedOut,
            (Cause::Cancelled, _) => Self::Stopped,
            (Cause::OutputLimit, _) => Self::Flooded,
            (Cause::GuardLost, _) => Self::GuardLost,
            (_, Exit::Code(code)) => Self::Exited(code),
            (_, Exit::Signal(signal)) => Self::Exited(128 + signal),
        }
    }
}

/// An event of a task that the session has not recorded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskNews {
    pub(crate) number: u64,
    pub(crate) command: String,
    /// How it ended; none if it has begun.
    pub(crate) end: Option<TaskEnd>,
    /// Whether the model was told of its end.
    pub(crate) is_told: bool,
}

/// The parameters of a task.
pub(super) struct Start {
    pub(super) guard: Guard,
    pub(super) command: Command,
    /// The command, masked.
    pub(super) shown: String,
    /// Its timeout; none for the duration of the session.
    pub(super) timeout: Option<Duration>,
    pub(super) output: Output,
    /// How long it has to react to SIGINT.
    pub(super) grace: Duration,
    /// Its sandbox.
    pub(super) sandbox: Option<Sandbox>,
    /// Where it may make nothing that stays.
    pub(super) unasked: Option<Unasked>,
}

/// Why a task does not run.
#[derive(Debug)]
pub(super) enum NotStarted {
    /// As many run as may.
    TooMany,
    /// The call was cancelled.
    Interrupted,
    /// It cannot be started.
    Spawn(SpawnError),
    /// An internal error.
    Internal,
}

/// The state of a task, with new output.
pub(super) struct Look {
    pub(super) view: TaskView,
    /// Its output since the last look.
    pub(super) printed: String,
    /// Its sandbox.
    pub(super) sandbox: Option<Sandbox>,
    /// What it had made where others take orders, in words; nothing while it runs.
    pub(super) put_aside: Option<String>,
}

#[derive(Default)]
struct Inner {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// The last number that was assigned.
    last: u64,
    /// The running and kept tasks, by number.
    tasks: Vec<Arc<Task>>,
    /// The events that the session has not received yet, in order.
    news: Vec<TaskNews>,
    /// Receive each end of a task.
    followers: Vec<mpsc::UnboundedSender<TaskView>>,
}

/// One task. Its future writes `output`, `put_aside` and `end`; `cancel` ends it.
struct Task {
    number: u64,
    command: String,
    began: Instant,
    cancel: Cancel,
    sandbox: Option<Sandbox>,
    output: Mutex<Output>,
    put_aside: OnceLock<String>,
    end: latest::Sender<Option<(TaskEnd, Instant)>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        held.tasks.iter().for_each(|task| task.cancel.cancel());
    }
}

impl Tasks {
    /// All tasks in the list, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<TaskView> {
        self.held().tasks.iter().map(|task| task.view()).collect()
    }

    /// The end of a task's output so far, without taking anything from the model.
    #[must_use]
    pub fn recent_output(&self, number: u64) -> Option<String> {
        Some(guarded(&self.find(number)?.output).recent())
    }

    /// Ends a task, and everything that it started. Returns whether it was running; its end is sent to the followers.
    #[must_use]
    pub fn end(&self, number: u64) -> bool {
        let task = self.find(number).filter(|task| task.end.borrow().is_none());
        task.iter().for_each(|task| task.cancel.cancel());
        task.is_some()
    }

    /// A channel for the tasks that end from now on.
    #[must_use]
    pub fn follow(&self) -> mpsc::UnboundedReceiver<TaskView> {
        // Unbounded: there are few tasks, and sending must not block.
        let (sender, receiver) = mpsc::unbounded_channel();
        self.held().followers.push(sender);
        receiver
    }

    /// Continues after an earlier process of the session: its task numbers are not assigned again, and its tasks without
    /// a recorded end are reported as ended.
    pub(crate) fn go_on(&self, last: u64, left: Vec<(u64, String)>) {
        let mut held = self.held();
        held.last = last;
        held.news.extend(left.into_iter().map(|(number, command)| TaskNews {
            number,
            command,
            end: Some(TaskEnd::Lost),
            is_told: false,
        }));
    }

    /// The events since the last call.
    pub(crate) fn news(&self) -> Vec<TaskNews> {
        std::mem::take(&mut self.held().news)
    }

    /// Ends all running tasks, and waits until they have ended. Returns them.
    ///
    /// # Cancel safety
    /// If the future is dropped, they end nevertheless.
    pub(crate) async fn end_all(&self) -> Vec<TaskView> {
        let running: Vec<Arc<Task>> = {
            let held = self.held();
            held.tasks.iter().filter(|task| task.end.borrow().is_none()).cloned().collect()
        };
        running.iter().for_each(|task| task.cancel.cancel());
        let all = futures_util::future::join_all(running.iter().map(|task| task.ended()));
        // A task whose guard does not end is killed with this process.
        let _ = tokio::time::timeout(END_MAX, all).await;
        running.iter().map(|task| task.view()).collect()
    }

    /// Starts a command, and returns its number when it runs.
    ///
    /// # Errors
    /// Why it is not running.
    ///
    /// # Cancel safety
    /// If the future is dropped, the command is not run.
    pub(super) async fn start(&self, start: Start, cancel: &Cancel) -> Result<u64, NotStarted> {
        let Start { guard, command, shown, timeout, output, grace, sandbox, unasked } = start;
        let task = self.enter(shown, output, sandbox).ok_or(NotStarted::TooMany)?;
        let bounds = WatchBounds {
            deadline: task.began + timeout.unwrap_or(LONGEST),
            output_max: report::OUTPUT_MAX,
            grace,
            limits: Limits::NONE,
        };
        let mut entered = Entered { inner: Arc::downgrade(&self.0), task: Some(Arc::clone(&task)) };
        let (sender, started) = oneshot::channel();
        let inner = Arc::downgrade(&self.0);
        let run = run((guard, unasked), command, bounds, Arc::clone(&task), inner, sender);
        let handle = tokio::spawn(run);
        // Both arms are cancel safe: `entered` ends a task whose start was dropped.
        let is_started = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(NotStarted::Interrupted),
            started = started => started.is_ok(),
        };
        if !is_started {
            return Err(match handle.await {
                Ok(Some(error)) => NotStarted::Spawn(error),
                Ok(None) | Err(_) => NotStarted::Internal,
            });
        }
        entered.task = None;
        let (number, command) = (task.number, task.command.clone());
        let mut held = self.held();
        let begun = TaskNews { number, command, end: None, is_told: true };
        // A short task may have ended by now: its start is reported first.
        let at = held.news.iter().position(|news| news.number == number);
        let at = at.unwrap_or(held.news.len());
        held.news.insert(at, begun);
        Ok(number)
    }

    /// Waits until a task has ended, up to a time limit or until `cancel`.
    pub(super) async fn wait(&self, number: u64, most: Duration, cancel: &Cancel) {
        let Some(task) = self.find(number) else { return };
        // All arms are cancel safe.
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = task.ended() => {}
            () = tokio::time::sleep(most) => {}
        }
    }

    /// The state of a task, and its output since the last look; none if there is no such task.
    pub(super) fn look(&self, number: u64) -> Option<Look> {
        let task = self.find(number)?;
        // The state is read first, so that the look that reports the end has all output.
        let view = task.view();
        let printed = guarded(&task.output).unread();
        if view.end.is_some() {
            for news in &mut self.held().news {
                news.is_told |= news.number == number;
            }
        }
        let put_aside = task.put_aside.get().cloned();
        Some(Look { view, printed, sandbox: task.sandbox.clone(), put_aside })
    }

    /// Assigns a number to a task, if another one may run.
    fn enter(
        &self,
        command: String,
        output: Output,
        sandbox: Option<Sandbox>,
    ) -> Option<Arc<Task>> {
        let mut held = self.held();
        let running = held.tasks.iter().filter(|task| task.end.borrow().is_none()).count();
        if running >= RUNNING_MAX {
            return None;
        }
        held.last = held.last.saturating_add(1);
        let task = Arc::new(Task {
            number: held.last,
            command,
            began: Instant::now(),
            cancel: Cancel::new(),
            sandbox,
            output: Mutex::new(output),
            put_aside: OnceLock::new(),
            end: latest::Sender::new(None),
        });
        held.tasks.push(Arc::clone(&task));
        if held.tasks.len() > KEPT_MAX
            && let Some(first) = held.tasks.iter().position(|task| task.end.borrow().is_some())
        {
            held.tasks.remove(first);
        }
        Some(task)
    }

    fn find(&self, number: u64) -> Option<Arc<Task>> {
        self.held().tasks.iter().find(|task| task.number == number).cloned()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held()
    }
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, Held> {
        guarded(&self.held)
    }
}

impl Task {
    fn view(&self) -> TaskView {
        let end = *self.end.borrow();
        TaskView {
            number: self.number,
            command: self.command.clone(),
            ran: end.map_or_else(Instant::now, |(_, at)| at) - self.began,
            end: end.map(|(end, _)| end),
        }
    }

    /// Returns when it has ended.
    async fn ended(&self) {
        // The sender lives as long as the task.
        let _ = self.end.subscribe().wait_for(Option::is_some).await;
    }
}

/// A task that may not be running yet: if this is dropped, the task is ended and forgotten.
struct Entered {
    inner: Weak<Inner>,
    task: Option<Arc<Task>>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let Some(task) = self.task.take() else { return };
        task.cancel.cancel();
        if let Some(inner) = self.inner.upgrade() {
            let mut held = inner.held();
            held.tasks.retain(|known| known.number != task.number);
            held.news.retain(|news| news.number != task.number);
        }
    }
}

/// Runs a task until it ends. Returns why it did not run, if so; `started` is dropped then.
async fn run(
    (guard, unasked): (Guard, Option<Unasked>),
    command: Command,
    bounds: WatchBounds,
    task: Arc<Task>,
    inner: Weak<Inner>,
    started: oneshot::Sender<()>,
) -> Option<SpawnError> {
    let mut started = Some(started);
    let on_chunk = |chunk: Chunk<'_>| match chunk {
        Chunk::Started(_) => {
            // If the call was dropped, nobody receives this; the task is being ended then.
            let _ = started.take().map(|started| started.send(()));
        }
        Chunk::Stdout(bytes) => guarded(&task.output).stdout(bytes),
        Chunk::Stderr(bytes) => guarded(&task.output).stderr(bytes),
    };
    let watched = {
        let run = watch(&guard, command, bounds, &task.cancel, on_chunk);
        tokio::pin!(run);
        loop {
            tokio::select! {
                ended = &mut run => break ended,
                () = tokio::time::sleep(PAUSE) => guarded(&task.output).pause(),
            }
        }
    };
    guarded(&task.output).finish();
    if let Some(said) = unasked.and_then(|unasked| unasked.put_aside()) {
        // It is written here alone.
        let _ = task.put_aside.set(said);
    }
    let (end, error) = match watched {
        Ok(watched) => (TaskEnd::of(&watched), None),
        Err(error) => (TaskEnd::Stopped, Some(error)),
    };
    let is_told = error.is_some();
    let ended_at = Instant::now();
    if let (Some(inner), false) = (inner.upgrade(), is_told) {
        let mut held = inner.held();
        let (number, command) = (task.number, task.command.clone());
        // A task that was forgotten because its call was dropped is not reported.
        if held.tasks.iter().any(|known| known.number == number) {
            let view = TaskView {
                number,
                command: command.clone(),
                ran: ended_at - task.began,
                end: Some(end),
            };
            held.followers.retain(|follower| follower.send(view.clone()).is_ok());
            held.news.push(TaskNews { number, command, end: Some(end), is_told: false });
        }
    }
    task.end.send_replace(Some((end, ended_at)));
    error
}

/// Locks the mutex. No code panics while it is locked.
fn guarded<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
