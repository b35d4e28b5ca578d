//! Writes the response to standard output exactly once: by the hook, by the watchdog at the deadline, or by the panic
//! handler; the first of them wins. Also works in builds where panics abort.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use claude_hooks::{Answer, Event};

use crate::config::Fail;
use crate::places::Places;
use crate::records::{Capability, Standing};
use crate::store::{Change, Store};

/// The responder of this process.
static STDOUT: Responder = Responder::new(Where::Stdout);

/// Deadline before the settings are read, in milliseconds: the default file's value.
const DEADLINE_FIRST_MS: u64 = 1_000;

/// Time limit for recording a failure after the response is written.
const NOTE_MAX: Duration = Duration::from_millis(200);

/// Writes one response.
pub(crate) struct Responder {
    spoken: AtomicBool,
    event: AtomicU8,
    closed: AtomicBool,
    /// When the watchdog answers, in milliseconds after `began`.
    due_ms: AtomicU64,
    /// Why the call is denied, once decided: the watchdog then denies it too.
    denied: OnceLock<String>,
    /// Where a failure of the hook is recorded, once known.
    places: OnceLock<Places>,
    to: Where,
}

enum Where {
    Stdout,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read what was said"))]
    Memory(Mutex<Vec<u8>>),
}

/// Why the hook itself has no response.
#[derive(Debug)]
pub(crate) enum HookFailure {
    /// A bug.
    Panic,
    /// The deadline passed.
    Deadline(Duration),
    /// The call does not have the client's format.
    Unreadable(String),
    /// No watchdog thread could be started.
    Unwatched,
}

const UNKNOWN: u8 = 0;
const BEFORE_TOOL: u8 = 1;
const OTHER: u8 = 2;

impl Responder {
    const fn new(to: Where) -> Self {
        Self {
            spoken: AtomicBool::new(false),
            event: AtomicU8::new(UNKNOWN),
            closed: AtomicBool::new(false),
            due_ms: AtomicU64::new(DEADLINE_FIRST_MS),
            denied: OnceLock::new(),
            places: OnceLock::new(),
            to,
        }
    }

    /// The process's standard output.
    pub(crate) fn to_stdout() -> &'static Self {
        began();
        &STDOUT
    }

    /// Where the court's files are.
    pub(crate) fn places(&self, places: &Places) {
        // There is one hook per process.
        let _ = self.places.set(places.clone());
    }

    /// Sets the response to a tool call if the hook fails.
    pub(crate) fn fail(&self, fail: Fail) {
        self.closed.store(fail == Fail::Closed, Ordering::Relaxed);
    }

    /// Sets the event.
    pub(crate) fn event(&self, event: &Event) {
        let kind = if matches!(event, Event::PreToolUse(_)) { BEFORE_TOOL } else { OTHER };
        self.event.store(kind, Ordering::Relaxed);
    }

    /// Sets the time at which the watchdog answers.
    pub(crate) fn due(&self, at: Instant) {
        let after = at.saturating_duration_since(began()).as_millis();
        self.due_ms.store(u64::try_from(after).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Writes the response, unless one was written before.
    pub(crate) fn say(&self, answer: &Answer) {
        if self.spoken.swap(true, Ordering::SeqCst) {
            return;
        }
        // A client that closed its end does not need the response.
        let _ = match &self.to {
            Where::Stdout => answer.write(&mut io::stdout().lock()),
            Where::Memory(said) => match said.lock() {
                Ok(mut said) => answer.write(&mut *said),
                Err(_) => Ok(()),
            },
        };
    }

    /// Writes the fallback response, and records that it was needed.
    pub(crate) fn failed(&self, failure: &HookFailure) {
        if self.spoken.load(Ordering::SeqCst) {
            return;
        }
        let what = match failure {
            HookFailure::Panic => "an error in the court itself".to_owned(),
            HookFailure::Deadline(after) => format!("no answer within {} ms", after.as_millis()),
            HookFailure::Unreadable(why) => crate::fence::sanitize_line(why, 300),
            HookFailure::Unwatched => "no thread could be started".to_owned(),
        };
        self.say(&self.stand_in(&what));
        self.note(what);
    }

    /// The fallback response.
    fn stand_in(&self, what: &str) -> Answer {
        let event = self.event.load(Ordering::Relaxed);
        let closed = self.closed.load(Ordering::Relaxed);
        if let (Some(reason), BEFORE_TOOL) = (self.denied.get(), event) {
            let message = format!("court (degraded): {what}, after the call was denied");
            return Answer::deny(reason).with_message(&message);
        }
        // Other events ignore a decision, so an unknown event may get one too.
        match (event, closed) {
            (OTHER, _) => Answer::silent()
                .with_message(&format!("court (degraded): {what}. See `court doctor`.")),
            (_, true) => {
                let reason = format!(
                    "The court could not judge this call: {what}. It is denied because `court.fail` is \
                     \"closed\". The user can find out more with `court doctor`."
                );
                let message = format!("court: could not judge: {what}; denied");
                Answer::deny(&reason).with_message(&message)
            }
            (_, false) => {
                let reason = format!(
                    "The court could not judge this call: {what}. So it is for the user to decide; a call \
                     that is shorter or plainer may be judged."
                );
                let message =
                    format!("court (degraded): could not judge: {what}. See `court doctor`.");
                Answer::ask(&reason).with_message(&message)
            }
        }
    }

    /// Records the failure for the ledger. The response is already written, so a folder that does not respond is not waited for.
    fn note(&self, why: String) {
        let Some(places) = self.places.get().cloned() else { return };
        let _ = io::stdout().lock().flush();
        let (done, noted) = mpsc::channel();
        let writer = std::thread::Builder::new().name("note".to_owned());
        let writer = writer.spawn(move || {
            let (capability, standing) = (Capability::Hook, Standing::Degraded);
            let change = Change::CapabilitySeen { capability, standing, why };
            let _ = Store::new(&places, Instant::now()).leave(&[change]);
            let _ = done.send(());
        });
        if writer.is_ok() {
            let _ = noted.recv_timeout(NOTE_MAX);
        }
    }
}

/// Records that the call is denied, even if the rest of the hook fails.
pub(crate) fn denied(reason: &str) {
    // The first reason is kept.
    let _ = STDOUT.denied.set(reason.to_owned());
}

/// The time at which this process started its clock.
fn began() -> Instant {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    *BEGAN.get_or_init(Instant::now)
}

/// Makes every panic of the process end with a response instead of a message on standard error.
pub(crate) fn catch_panics(responder: &'static Responder) {
    std::panic::set_hook(Box::new(move |_| {
        responder.failed(&HookFailure::Panic);
        // In builds where panics abort, this is the last chance to exit as a hook must.
        #[cfg(not(test))]
        std::process::exit(0);
    }));
}

/// Starts the watchdog, which at the deadline answers and exits the process. Returns whether it was started.
pub(crate) fn watch(responder: &'static Responder) -> bool {
    let watchdog = std::thread::Builder::new().name("watchdog".to_owned()).stack_size(256 << 10);
    let started = watchdog.spawn(move || {
        loop {
            let due = Duration::from_millis(responder.due_ms.load(Ordering::Relaxed));
            let left = due.saturating_sub(began().elapsed());
            if left.is_zero() {
                if !responder.spoken.load(Ordering::SeqCst) {
                    responder.failed(&HookFailure::Deadline(due));
                    let _ = io::stdout().lock().flush();
                    std::process::exit(0);
                }
                return;
            }
            std::thread::park_timeout(left);
        }
    });
    started.is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use claude_hooks::{Answer, Event, event::ToolUse};

    use super::{Duration, HookFailure, Instant, Responder, Where};
    use crate::config::Fail;
    use crate::environment::Environment;
    use crate::places::Places;
    use crate::records::{Capability, Standing};
    use crate::store::{Change, Store};

    fn said(responder: &Responder) -> String {
        let Where::Memory(said) = &responder.to else { return String::new() };
        String::from_utf8(said.lock().unwrap().clone()).unwrap()
    }

    fn responder() -> &'static Responder {
        Box::leak(Box::new(Responder::new(Where::Memory(Mutex::default()))))
    }

    fn before_tool() -> Event {
        Event::PreToolUse(ToolUse { name: "Bash".into(), input: serde_json::json!({}), id: None })
    }

    #[test]
    fn only_the_first_is_heard() {
        let responder = responder();
        responder.event(&before_tool());
        responder.say(&Answer::deny("no"));
        responder.failed(&HookFailure::Panic);
        responder.say(&Answer::deny("again"));
        assert_eq!(said(responder).lines().count(), 1);
        assert!(said(responder).contains("\"no\""));
    }

    #[test]
    fn what_was_denied_stays_denied_when_the_time_is_over() {
        let responder = responder();
        responder.event(&before_tool());
        responder.denied.set("it erases the home folder".to_owned()).unwrap();
        responder.failed(&HookFailure::Deadline(std::time::Duration::from_millis(5)));
        assert!(said(responder).contains("\"deny\"") && said(responder).contains("erases"));
    }

    #[test]
    fn what_stood_in_for_an_answer_is_noted_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        let environment = Environment::of([("CLAUDE_PROJECT_DIR", root), ("HOME", root)]);
        let places = Places::find(&environment, folder.path());
        let responder = responder();
        responder.places(&places);
        responder.event(&before_tool());
        responder.failed(&HookFailure::Panic);
        responder.failed(&HookFailure::Panic);
        let store = Store::new(&places, Instant::now() + Duration::from_secs(60));
        store.record(&[Change::KeptAside { path: "x".into() }]).unwrap();
        let seen = &store.ledger().unwrap().metadata.capabilities[&Capability::Hook];
        assert_eq!((seen.standing, seen.times), (Standing::Degraded, 1));
        assert_eq!(seen.why, "an error in the court itself");
    }

    #[test]
    fn a_panic_is_never_a_yes() {
        for (fail, event, expected) in [
            (Fail::Open, Some(before_tool()), "ask"),
            (Fail::Closed, Some(before_tool()), "deny"),
            (Fail::Closed, None, "deny"),
            (Fail::Closed, Some(Event::SubagentStart), ""),
            (Fail::Open, Some(Event::SubagentStart), ""),
            (Fail::Open, None, "ask"),
        ] {
            let responder = responder();
            responder.fail(fail);
            if let Some(event) = &event {
                responder.event(event);
            }
            // There is one panic handler per process: the panicking thread is caught here.
            let caught = std::thread::spawn(move || {
                std::panic::catch_unwind(|| -> () { panic!("a bug, made for this test") })
                    .map_err(|_| responder.failed(&HookFailure::Panic))
            });
            assert!(caught.join().unwrap().is_err());
            let answer: serde_json::Value = serde_json::from_str(&said(responder)).unwrap();
            let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str();
            assert_eq!(decision.unwrap_or_default(), expected, "{fail:?} {event:?}: {answer}");
            assert!(answer["systemMessage"].as_str().unwrap().starts_with("court"), "{answer}");
        }
    }
}
