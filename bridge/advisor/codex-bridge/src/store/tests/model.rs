//! Random histories against a model of a few lines: the store and the model never disagree.

use std::collections::HashMap;

use contract::run::RunState;
use proptest::prelude::*;

use super::*;
use crate::session::Refusal;

/// One step of a history. An index is taken modulo what there is.
#[derive(Debug, Clone)]
enum Step {
    Open { phase: Phase, key: Option<u8>, body: u8 },
    Continue { session: usize, phase: Phase, key: Option<u8>, body: u8 },
    Start { run: usize },
    Finish { run: usize, advice: u8 },
    Pass { hours: i64 },
    Purge,
    Reopen,
}

fn phase() -> impl Strategy<Value = Phase> {
    prop_oneof![Just(Phase::Initial), Just(Phase::Final)]
}

fn key() -> impl Strategy<Value = Option<u8>> {
    prop::option::weighted(0.3, 0..3_u8)
}

fn step() -> impl Strategy<Value = Step> {
    let index = 0..16_usize;
    prop_oneof![
        3 => (phase(), key(), 0..2_u8).prop_map(|(phase, key, body)| Step::Open { phase, key, body }),
        5 => (index.clone(), phase(), key(), 0..2_u8).prop_map(|(session, phase, key, body)| {
            Step::Continue { session, phase, key, body }
        }),
        3 => index.clone().prop_map(|run| Step::Start { run }),
        6 => (index, 0..3_u8).prop_map(|(run, advice)| Step::Finish { run, advice }),
        1 => prop_oneof![Just(-2_i64), Just(13), Just(24 * 31)].prop_map(|hours| Step::Pass { hours }),
        1 => Just(Step::Purge),
        1 => Just(Step::Reopen),
    ]
}

#[derive(Debug)]
struct ModelSession {
    id: SessionId,
    opening: Phase,
    used: u8,
    created: i64,
}

#[derive(Debug)]
struct ModelRun {
    id: RunId,
    session: SessionId,
    state: RunState,
    finished: i64,
    created: i64,
}

/// What the store ought to hold.
#[derive(Debug, Default)]
struct Model {
    sessions: Vec<ModelSession>,
    runs: Vec<ModelRun>,
    keys: HashMap<u8, (u8, RunId)>,
}

/// What an acceptance ought to say.
#[derive(Debug, PartialEq)]
enum Verdict {
    New { round: u8 },
    Replayed(RunId),
    Refused(Refusal),
}

impl Model {
    fn judge(&self, new: &NewRun, key: Option<u8>, now: i64) -> Verdict {
        if let Some((body, run_id)) = key.and_then(|key| self.keys.get(&key)) {
            return match *body == new.body_hash[0] {
                true => Verdict::Replayed(*run_id),
                false => Verdict::Refused(Refusal::IdempotencyConflict { run_id: *run_id }),
            };
        }
        let Some(id) = new.request.session_id() else { return Verdict::New { round: 1 } };
        let Some(session) = self.sessions.iter().find(|session| session.id == id) else {
            return Verdict::Refused(Refusal::UnknownSession);
        };
        let expires = session.created + 24 * HOUR_MS;
        let busy = self.runs.iter().find(|run| run.session == id && !run.state.is_terminal());
        let given = new.request.phase();
        let plan: &[Phase] = match session.opening {
            Phase::Initial => &[Phase::Initial, Phase::Final],
            Phase::Final => &[Phase::Final],
        };
        match (busy, plan.get(usize::from(session.used))) {
            _ if now >= expires => Verdict::Refused(Refusal::SessionExpired {
                expired_at: Timestamp::from_millisecond(expires).unwrap(),
            }),
            (Some(run), _) => Verdict::Refused(Refusal::SessionBusy { run_id: run.id }),
            (None, None) => Verdict::Refused(Refusal::RoundLimit),
            (None, Some(expected)) if *expected != given => {
                Verdict::Refused(Refusal::PhaseOrder { expected: *expected, given })
            }
            (None, Some(_)) => Verdict::New { round: session.used + 1 },
        }
    }

    fn add(&mut self, lease: &RunLease, new: &NewRun, key: Option<u8>, now: i64) {
        if new.request.session_id().is_none() {
            let opening = new.request.phase();
            self.sessions.push(ModelSession {
                id: lease.session_id,
                opening,
                used: 0,
                created: now,
            });
        }
        self.runs.push(ModelRun {
            id: lease.run_id,
            session: lease.session_id,
            state: RunState::Queued,
            finished: 0,
            created: now,
        });
        if let Some(key) = key {
            self.keys.insert(key, (new.body_hash[0], lease.run_id));
        }
    }

    fn end(&mut self, run: usize, state: RunState, now: i64) {
        let run = &mut self.runs[run];
        run.state = state;
        run.finished = now.max(run.created);
        if state == RunState::Succeeded {
            let session = self.sessions.iter_mut().find(|session| session.id == run.session);
            session.unwrap().used += 1;
        }
    }

    fn purge(&mut self, now: i64) {
        let oldest = now - 30 * 24 * HOUR_MS;
        self.runs.retain(|run| !run.state.is_terminal() || run.finished >= oldest);
        self.keys.retain(|_, (_, run_id)| self.runs.iter().any(|run| run.id == *run_id));
        self.sessions.retain(|session| {
            let expired = session.created + 24 * HOUR_MS <= now && session.created < oldest;
            !expired || self.runs.iter().any(|run| run.session == session.id)
        });
    }
}

/// The store beside its model.
struct Pair {
    bench: Bench,
    store: Store,
    model: Model,
    /// Every session there ever was, so that purged ones are asked for as well.
    sessions: Vec<SessionId>,
}

impl Pair {
    fn now(&self) -> i64 {
        self.bench.now.load(Ordering::SeqCst)
    }

    async fn accept(&mut self, question: AdvisorInput, key: Option<u8>, body: u8) {
        let new = NewRun {
            run_id: RunId::generate(),
            request: Request::Analyze(Box::new(question)),
            body_hash: [body; 32],
            key: key.map(|key| IdempotencyKey::parse(&format!("key-{key}")).unwrap()),
            ack_mode: AckMode::AtOnce,
            workspace: None,
        };
        let expected = self.model.judge(&new, key, self.now());
        let found = match self.store.accept(new.clone()).await.unwrap() {
            Accept::New(lease) => {
                self.model.add(&lease, &new, key, self.now());
                self.sessions.push(lease.session_id);
                Verdict::New { round: lease.round.number }
            }
            Accept::Replayed(run_id) => Verdict::Replayed(run_id),
            Accept::Refused(refusal) => Verdict::Refused(refusal),
        };
        assert_eq!(found, expected);
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Open { phase, key, body } => self.accept(question(phase, None), key, body).await,
            Step::Continue { session, phase, key, body } => {
                let count = self.sessions.len();
                let id = self.sessions.get(session % count.max(1)).copied();
                let id = id.unwrap_or_else(SessionId::generate);
                self.accept(question(phase, Some(id)), key, body).await;
            }
            Step::Start { run } => {
                let Some(index) = run.checked_rem(self.model.runs.len()) else { return };
                let started = self.store.start(self.model.runs[index].id).await;
                let run = &mut self.model.runs[index];
                assert_eq!(started.is_ok(), !run.state.is_terminal());
                if started.is_ok() {
                    run.state = RunState::Running;
                }
            }
            Step::Finish { run, advice } => {
                let Some(index) = run.checked_rem(self.model.runs.len()) else { return };
                let (end, state) = match advice {
                    0 => (failed_finish(FailureCode::Crashed), RunState::Failed),
                    _ => (advice_finish(), RunState::Succeeded),
                };
                let run = &self.model.runs[index];
                let open = !run.state.is_terminal();
                let ended = self.store.finish(run.id, end, LastEvents::default()).await;
                assert_eq!(ended.is_ok(), open);
                if open {
                    self.model.end(index, state, self.now());
                }
            }
            Step::Pass { hours } => self.bench.pass(hours * HOUR_MS),
            Step::Purge => {
                self.store.purge().await.unwrap();
                self.model.purge(self.now());
            }
            Step::Reopen => self.reopen().await,
        }
    }

    async fn reopen(&mut self) {
        self.store.close().await;
        let (store, recovery) = self.bench.try_open().await.unwrap();
        assert!(recovery.quarantined.is_none());
        self.store = store;
        let now = self.now();
        let mut interrupted = Vec::new();
        for index in 0..self.model.runs.len() {
            if !self.model.runs[index].state.is_terminal() {
                interrupted.push(self.model.runs[index].id);
                self.model.end(index, RunState::Interrupted, now);
            }
        }
        assert_eq!(recovery.interrupted, interrupted);
    }

    async fn compare(&self) {
        let filter = RunFilter { limit: Some(200), ..RunFilter::default() };
        let page = self.store.runs(filter).await.unwrap();
        let found: Vec<_> =
            page.runs.iter().rev().map(|run| (run.run_id, run.session_id, run.state)).collect();
        let expected: Vec<_> =
            self.model.runs.iter().map(|run| (run.id, run.session, run.state)).collect();
        assert_eq!(found, expected);
        for id in &self.sessions {
            let found = self.store.session(*id).await.unwrap().map(|found| found.rounds_used);
            let expected = self.model.sessions.iter().find(|session| session.id == *id);
            assert_eq!(found, expected.map(|session| session.used));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_store_agrees_with_its_model(steps in prop::collection::vec(step(), 1..50)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let bench = Bench::new();
            let store = bench.open().await;
            let (model, sessions) = (Model::default(), Vec::new());
            let mut pair = Pair { bench, store, model, sessions };
            for step in steps {
                pair.step(step).await;
                pair.compare().await;
            }
            pair.reopen().await;
            pair.compare().await;
        });
    }
}
