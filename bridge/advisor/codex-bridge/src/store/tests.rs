//! The store on real files.

mod damage;
mod medium;
mod model;
mod pages;
mod rules;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use contract::advice::Usage;
use contract::id::ThreadId;
use contract::input::{AdvisorInput, Phase};
use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;

use super::record::*;
use super::*;
use crate::request::Request;

const HOUR_MS: i64 = 3_600_000;
const START_MS: i64 = 1_700_000_000_000;

/// A state folder, its clock, and what opens a store in it.
struct Bench {
    dir: TempDir,
    now: Arc<AtomicI64>,
    settings: Settings,
}

impl Bench {
    fn new() -> Self {
        let settings = Settings {
            session_ttl: Duration::from_secs(24 * 3600),
            retention: Duration::from_secs(30 * 24 * 3600),
            bodies: true,
        };
        let now = Arc::new(AtomicI64::new(START_MS));
        Self { dir: tempfile::tempdir().unwrap(), now, settings }
    }

    fn clock(&self) -> Clock {
        let now = self.now.clone();
        Clock::reading(move || Timestamp::from_millisecond(now.load(Ordering::SeqCst)).unwrap())
    }

    fn pass(&self, milliseconds: i64) {
        self.now.fetch_add(milliseconds, Ordering::SeqCst);
    }

    async fn try_open(&self) -> Result<(Store, Recovery), OpenError> {
        Store::open(self.dir.path(), self.settings.clone(), self.clock(), |_| {}).await
    }

    async fn open(&self) -> Store {
        let (store, recovery) = self.try_open().await.unwrap();
        assert!(recovery.quarantined.is_none(), "{recovery:?}");
        store
    }
}

/// The run with a context of this length in its question.
fn with_context(mut new: NewRun, context: String) -> NewRun {
    let Request::Analyze(question) = &mut new.request else { panic!("not a question") };
    question.context = context;
    new
}

fn question(phase: Phase, session_id: Option<SessionId>) -> AdvisorInput {
    AdvisorInput {
        problem: "Where does the cache live?\nIt is slow.".to_owned(),
        context: "One process.".to_owned(),
        candidate_plans: Vec::new(),
        questions_for_codex: Vec::new(),
        non_goals: Vec::new(),
        phase,
        session_id,
        workspace: None,
        options: Default::default(),
    }
}

fn new_run(phase: Phase, session_id: Option<SessionId>) -> NewRun {
    NewRun {
        run_id: RunId::generate(),
        request: Request::Analyze(Box::new(question(phase, session_id))),
        body_hash: [0; 32],
        key: None,
        ack_mode: AckMode::AtOnce,
        workspace: None,
    }
}

fn thread() -> Thread {
    let id: ThreadId = "0199a213-81c0-7800-8aa1-bbab2a035a53".parse().unwrap();
    let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
    let last_turn = "01a207bf-3011-7373-9c6a-0a5e533b25dd".parse().ok();
    Thread { id, transcript: Transcript::Saved, usage_total: Some(usage), last_turn }
}

fn advice_finish() -> Finish {
    Finish {
        ending: Ending::Advice,
        outcome: json!({
            "clarifying_questions": [], "assumption_check": [], "alternatives": [],
            "tradeoffs": [],
            "recommendation": {"preferred_plan": "none", "reason": "r", "confidence": "low"},
            "followup_suggestions": [], "raw_text": "text", "meta": {"round": 1},
        }),
        thread: Some(thread()),
        duration: Duration::from_millis(1234),
        facts: RunFacts::default(),
    }
}

fn failed_finish(code: FailureCode) -> Finish {
    Finish {
        ending: Ending::Failure(code),
        outcome: serde_json::to_value(Failure::new(code, "words")).unwrap(),
        thread: None,
        duration: Duration::from_millis(10),
        facts: RunFacts::default(),
    }
}

async fn lease(store: &Store, new: NewRun) -> RunLease {
    match store.accept(new).await.unwrap() {
        Accept::New(lease) => lease,
        other => panic!("{other:?}"),
    }
}

async fn refusal(store: &Store, new: NewRun) -> crate::session::Refusal {
    match store.accept(new).await.unwrap() {
        Accept::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

async fn finish(store: &Store, run_id: RunId, finish: Finish) {
    store.finish(run_id, finish, LastEvents::default()).await.unwrap();
}
