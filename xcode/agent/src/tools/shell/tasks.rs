//! Commands in the background: each outlives the call that started it, and none outlives the session. What it prints is
//! masked and kept within bounds. Absent: whether a command may run, and the tool that asks for its output.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
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
use crate::sandbox::Sandbox;

/// How many run at once. A model that starts a server for each look at it would fill the machine.
const RUNNING_MAX: usize = 8;

/// How many are remembered; of more, those are forgotten that ended first.
const KEPT_MAX: usize = 32;

/// How long one may run where the model sets no limit: longer than any session, because a run has an end.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// How long the end of all is waited for: the grace period, and what the guard needs to kill.
const END_MAX: Duration = Duration::from_millis(2_200);

/// The background tasks of one session. Clones are the same tasks; with the last one, all of them end.
#[derive(Clone, Default)]
pub struct Tasks(Arc<Inner>);

/// A task as it is told.
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
    /// By itself, with this exit code; 128 and the number of a signal that killed it, as a shell tells it.
    Exited(i32),
    /// It was ended: for the model, for the user, or with the session.
    Stopped,
    /// It had run as long as the model gave it.
    TimedOut,
    /// It had printed too much.
    Flooded,
    /// Its guard was killed from outside.
    GuardLost,
    /// With the program that ran it, before this session went on.
    Lost,
}

impl TaskEnd {
    /// Its exit code, where it ended by itself.
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

/// Something happened to a task that the session has not written down yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskNews {
    pub(crate) number: u64,
    pub(crate) command: String,
    /// How it ended; none where it has begun.
    pub(crate) end: Option<TaskEnd>,
    /// The model was told of its end.
    pub(crate) is_told: bool,
}

/// What is to run.
pub(super) struct Start {
    pub(super) guard: Guard,
    pub(super) command: Command,
    /// The command, masked.
    pub(super) shown: String,
    /// How long it may run; without one, as long as the session.
    pub(super) timeout: Option<Duration>,
    pub(super) output: Output,
    /// How long it has to react to SIGINT.
    pub(super) grace: Duration,
    /// What confines it.
    pub(super) sandbox: Option<Sandbox>,
}

/// Why a task does not run.
#[derive(Debug)]
pub(super) enum NotStarted {
    /// As many run as may.
    TooMany,
    /// The call was interrupted.
    Interrupted,
    /// It cannot be started.
    Spawn(SpawnError),
    /// The program fails inside.
    Internal,
}

/// One look at a task.
pub(super) struct Look {
    pub(super) view: TaskView,
    /// What it printed since the last look.
    pub(super) printed: String,
    /// What confines it.
    pub(super) sandbox: Option<Sandbox>,
}

#[derive(Default)]
struct Inner {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// The number that was given last.
    last: u64,
    /// Those that run or are remembered, by number.
    tasks: Vec<Arc<Task>>,
    /// What the session was not told yet, in order.
    news: Vec<TaskNews>,
    /// Are told of each end.
    followers: Vec<mpsc::UnboundedSender<TaskView>>,
}

/// One task. Its future writes `output` and `end`; `cancel` ends it.
struct Task {
    number: u64,
    command: String,
    began: Instant,
    cancel: Cancel,
    sandbox: Option<Sandbox>,
    output: Mutex<Output>,
    end: latest::Sender<Option<(TaskEnd, Instant)>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        held.tasks.iter().for_each(|task| task.cancel.cancel());
    }
}

impl Tasks {
    /// All tasks that are remembered, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<TaskView> {
        self.held().tasks.iter().map(|task| task.view()).collect()
    }

    /// The end of what a task printed so far, without taking anything from the model.
    #[must_use]
    pub fn recent_output(&self, number: u64) -> Option<String> {
        Some(guarded(&self.find(number)?.output).recent())
    }

    /// Ends a task, and everything that it started. Returns whether it ran; its end comes to who follows.
    #[must_use]
    pub fn end(&self, number: u64) -> bool {
        let task = self.find(number).filter(|task| task.end.borrow().is_none());
        task.iter().for_each(|task| task.cancel.cancel());
        task.is_some()
    }

    /// The tasks that end from now on, one after the other.
    #[must_use]
    pub fn follow(&self) -> mpsc::UnboundedReceiver<TaskView> {
        // Without a bound: there are few tasks, and who follows is not waited for.
        let (sender, receiver) = mpsc::unbounded_channel();
        self.held().followers.push(sender);
        receiver
    }

    /// Goes on behind the tasks of an earlier program: their numbers are not given again, and those whose end was not
    /// written are told as ended.
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

    /// What happened since this was asked last.
    pub(crate) fn news(&self) -> Vec<TaskNews> {
        std::mem::take(&mut self.held().news)
    }

    /// Ends all that run, and waits until nothing of them is left. Returns those that ran.
    ///
    /// # Cancel safety
    /// Dropped half way, they end all the same.
    pub(crate) async fn end_all(&self) -> Vec<TaskView> {
        let running: Vec<Arc<Task>> = {
            let held = self.held();
            held.tasks.iter().filter(|task| task.end.borrow().is_none()).cloned().collect()
        };
        running.iter().for_each(|task| task.cancel.cancel());
        let all = futures_util::future::join_all(running.iter().map(|task| task.ended()));
        // One whose guard does not end is killed with this program.
        let _ = tokio::time::timeout(END_MAX, all).await;
        running.iter().map(|task| task.view()).collect()
    }

    /// Starts a command, and returns its number once it runs.
    ///
    /// # Errors
    /// Why it does not run.
    ///
    /// # Cancel safety
    /// Dropped half way, it does not run.
    pub(super) async fn start(&self, start: Start, cancel: &Cancel) -> Result<u64, NotStarted> {
        let Start { guard, command, shown, timeout, output, grace, sandbox } = start;
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
        let run = run(guard, command, bounds, Arc::clone(&task), inner, sender);
        let handle = tokio::spawn(run);
        // Both arms are cancel safe: what is dropped is ended by `entered`.
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
        // A short one may have ended by now: that it began comes before.
        let at = held.news.iter().position(|news| news.number == number);
        let at = at.unwrap_or(held.news.len());
        held.news.insert(at, begun);
        Ok(number)
    }

    /// Waits until a task has ended, for so long at most or until `cancel`.
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

    /// What a task is now, and what it printed since the last look; none where there is no such task.
    pub(super) fn look(&self, number: u64) -> Option<Look> {
        let task = self.find(number)?;
        // The end first: what is printed until then is in the look that tells of it.
        let view = task.view();
        let printed = guarded(&task.output).unread();
        if view.end.is_some() {
            for news in &mut self.held().news {
                news.is_told |= news.number == number;
            }
        }
        Some(Look { view, printed, sandbox: task.sandbox.clone() })
    }

    /// Gives a task its number, where one more may run.
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

    /// Returns once it has ended.
    async fn ended(&self) {
        // The sender lives as long as this.
        let _ = self.end.subscribe().wait_for(Option::is_some).await;
    }
}

/// A task whose start is not known yet: dropped so, it is ended and forgotten.
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

/// Runs a task to its end. Returns why it did not run, where it did not; `started` is dropped then.
async fn run(
    guard: Guard,
    command: Command,
    bounds: WatchBounds,
    task: Arc<Task>,
    inner: Weak<Inner>,
    started: oneshot::Sender<()>,
) -> Option<SpawnError> {
    let mut started = Some(started);
    let on_chunk = |chunk: Chunk<'_>| match chunk {
        Chunk::Started(_) => {
            // No caller waits where the call was dropped; the task is being ended then.
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
    let (end, error) = match watched {
        Ok(watched) => (TaskEnd::of(&watched), None),
        Err(error) => (TaskEnd::Stopped, Some(error)),
    };
    let is_told = error.is_some();
    let ended_at = Instant::now();
    if let (Some(inner), false) = (inner.upgrade(), is_told) {
        let mut held = inner.held();
        let (number, command) = (task.number, task.command.clone());
        // One that was forgotten because its call was dropped is no news.
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

/// No panic happens while one of these is held.
fn guarded<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
