//! Standard output, spoken to once: by the hook, by the watchdog at the deadline, or by the catcher
//! of panics; the first of them answers. It works also where panics abort.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use claude_hooks::{Answer, Event};

use crate::config::Fail;
use crate::places::Places;
use crate::records::{Capability, Standing};
use crate::store::{Change, Store};

/// The one that speaks for this process.
static STDOUT: Responder = Responder::new(Where::Stdout);

/// Before the settings are read, in milliseconds: as the default file says.
const DEADLINE_FIRST_MS: u64 = 1_000;

/// How long the note of a failure is waited for once the answer is out.
const NOTE_MAX: Duration = Duration::from_millis(200);

/// Where an answer goes, once.
pub(crate) struct Responder {
    spoken: AtomicBool,
    event: AtomicU8,
    closed: AtomicBool,
    /// When the watchdog speaks, in milliseconds after `began`.
    due_ms: AtomicU64,
    /// Why the call is denied, once that is decided: the watchdog then says no less.
    denied: OnceLock<String>,
    /// Where it is noted that the hook had no answer of its own, once that is known.
    places: OnceLock<Places>,
    to: Where,
}

enum Where {
    Stdout,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read what was said"))]
    Memory(Mutex<Vec<u8>>),
}

/// Why there is no answer of the hook's own.
#[derive(Debug)]
pub(crate) enum HookFailure {
    /// A bug.
    Panic,
    /// The deadline has come.
    Deadline(Duration),
    /// The call is not what the client sends.
    Unreadable(String),
    /// There is no thread that could keep to the deadline.
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
        // There is one hook in a process.
        let _ = self.places.set(places.clone());
    }

    /// What a fault means for a tool call.
    pub(crate) fn fail(&self, fail: Fail) {
        self.closed.store(fail == Fail::Closed, Ordering::Relaxed);
    }

    /// Which event is answered.
    pub(crate) fn event(&self, event: &Event) {
        let kind = if matches!(event, Event::PreToolUse(_)) { BEFORE_TOOL } else { OTHER };
        self.event.store(kind, Ordering::Relaxed);
    }

    /// When the watchdog speaks.
    pub(crate) fn due(&self, at: Instant) {
        let after = at.saturating_duration_since(began()).as_millis();
        self.due_ms.store(u64::try_from(after).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Says the answer, unless something was said before.
    pub(crate) fn say(&self, answer: &Answer) {
        if self.spoken.swap(true, Ordering::SeqCst) {
            return;
        }
        // A client that closed its end has no use for the answer.
        let _ = match &self.to {
            Where::Stdout => answer.write(&mut io::stdout().lock()),
            Where::Memory(said) => match said.lock() {
                Ok(mut said) => answer.write(&mut *said),
                Err(_) => Ok(()),
            },
        };
    }

    /// Says what stands in for an answer, and notes that it was needed.
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

    /// The answer where the hook has none of its own.
    fn stand_in(&self, what: &str) -> Answer {
        let event = self.event.load(Ordering::Relaxed);
        let closed = self.closed.load(Ordering::Relaxed);
        if let (Some(reason), BEFORE_TOOL) = (self.denied.get(), event) {
            let message = format!("court (degraded): {what}, after the call was denied");
            return Answer::deny(reason).with_message(&message);
        }
        // Another event takes no notice of a decision, so an unknown one may get it too.
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

    /// Leaves a note of it for the ledger. The answer is out; a folder that never answers is not waited for.
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

/// Notes that the call is denied, whatever becomes of the rest of the hook.
pub(crate) fn denied(reason: &str) {
    // The first reason is as good as the second.
    let _ = STDOUT.denied.set(reason.to_owned());
}

/// When this process began to look at the clock.
fn began() -> Instant {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    *BEGAN.get_or_init(Instant::now)
}

/// Has every panic of the process end in an answer instead of a message on standard error.
pub(crate) fn catch_panics(responder: &'static Responder) {
    std::panic::set_hook(Box::new(move |_| {
        responder.failed(&HookFailure::Panic);
        // Where panics abort, this is the last chance to end as a hook has to.
        #[cfg(not(test))]
        std::process::exit(0);
    }));
}

/// Starts the watchdog: at the deadline it answers and ends the process. Tells whether there is one.
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
            // The catcher is one for the process: the panic's own thread is caught here.
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
