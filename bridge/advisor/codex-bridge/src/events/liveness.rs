//! Progress of a turn's model, derived from Codex's signs of life: a stage, counts and three points in time. If
//! the driver sees the text, also the key of the advice being written and the title of the last thought, masked.
//! No other text of a prompt or an answer gets here.

use std::sync::Arc;
use std::time::Duration;

use codex_driver::Sign;
use contract::event::{LastEvent, Progress};
use contract::run::{ModelStage, RunProgress};
use tokio::time::Instant;

/// Time without text after which a model that has responded counts as quiet.
const QUIET_AFTER: Duration = Duration::from_secs(10);

/// Maximum number of stage changes that one run stores.
pub(super) const CHANGES_MAX: usize = 64;

/// Minimum time between two volatile events of a run.
const VOLATILE_EVERY: Duration = Duration::from_millis(500);

/// The same if only the ages have changed.
const AGE_EVERY: Duration = Duration::from_secs(1);

/// State of one attempt's turn.
#[derive(Debug, Clone)]
pub(super) struct Liveness {
    /// When the request was sent, or the first sign of life came.
    began: Instant,
    /// The stage of the last sign of life; `None` while Codex itself works.
    stage: Option<ModelStage>,
    /// Number of provider events so far.
    events: u64,
    /// The last provider event, or the head of the response.
    last: Option<(Instant, LastEvent)>,
    /// Time of the last piece of text, or of the head of the response.
    text: Instant,
    seen: Seen,
}

/// What the driver has seen of the text, if it sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Characters of the reasoning.
    pub thought: Option<u64>,
    /// Completed parts of the reasoning's summary.
    pub parts: Option<u64>,
    /// The first line of the last of them, masked.
    pub title: Option<Arc<str>>,
    /// Characters of the answer.
    pub answer: Option<u64>,
    /// The key of the advice that is being written.
    pub field: Option<&'static str>,
}

impl Liveness {
    /// State before any sign of life.
    pub(super) fn new(now: Instant) -> Self {
        Self { began: now, stage: None, events: 0, last: None, text: now, seen: Seen::default() }
    }

    /// What the driver has seen of the text, to be updated.
    pub(super) fn seen(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// Records a sign of life.
    pub(super) fn hear(&mut self, sign: Sign, now: Instant) {
        let (event, stage) = match sign {
            Sign::Asked => {
                self.stage = Some(ModelStage::Waiting);
                return;
            }
            Sign::Head => {
                self.stage = Some(ModelStage::Thinking);
                self.last = Some((now, LastEvent::Head));
                self.text = now;
                return;
            }
            Sign::Ended => {
                self.events += 1;
                self.stage = None;
                return;
            }
            Sign::KeepAlive => (LastEvent::KeepAlive, None),
            Sign::Event => (LastEvent::Event, None),
            Sign::Thought => (LastEvent::Delta, Some(ModelStage::Thinking)),
            Sign::Answer => (LastEvent::Delta, Some(ModelStage::Writing)),
        };
        self.events += 1;
        self.last = Some((now, event));
        let is_heard = matches!(self.stage, Some(ModelStage::Thinking | ModelStage::Writing));
        if stage.is_some() || !is_heard {
            self.text = now;
            self.stage = stage.or(Some(ModelStage::Thinking));
        }
    }

    /// The model's stage; `None` while Codex itself works.
    pub(super) fn stage(&self, now: Instant) -> Option<ModelStage> {
        let stage = self.stage?;
        let is_quiet = stage != ModelStage::Waiting && now.duration_since(self.text) >= QUIET_AFTER;
        Some(if is_quiet { ModelStage::Quiet } else { stage })
    }

    /// The progress as published in an event.
    pub(super) fn told(&self, now: Instant) -> Option<Progress> {
        let events = self.events;
        Some(match self.stage(now)? {
            ModelStage::Waiting => Progress::Waiting { elapsed_ms: millis(self.began, now) },
            ModelStage::Thinking => Progress::Thinking {
                events,
                chars: self.seen.thought,
                parts: self.seen.parts,
                title: self.seen.title.as_deref().map(ToOwned::to_owned),
            },
            ModelStage::Writing => Progress::Writing {
                events,
                chars: self.seen.answer,
                field: self.seen.field.map(ToOwned::to_owned),
            },
            ModelStage::Quiet => {
                let (at, last) = self.last.unwrap_or((self.text, LastEvent::Head));
                Progress::Quiet { silent_ms: millis(at, now), last }
            }
        })
    }

    /// The provider's last event.
    pub(super) fn last_heard(&self) -> Option<LastEvent> {
        self.last.map(|(_, last)| last)
    }

    /// The progress as stored: without the title, which is model text.
    pub(super) fn kept(&self, now: Instant) -> Option<Progress> {
        Some(match self.told(now)? {
            Progress::Thinking { events, chars, parts, .. } => {
                Progress::Thinking { events, chars, parts, title: None }
            }
            other => other,
        })
    }

    /// The progress as shown in a record.
    pub(super) fn shown(&self, now: Instant) -> Option<RunProgress> {
        let Seen { thought, title, answer, field, .. } = &self.seen;
        // A quiet model is still shown at what it did last.
        let writes = self.stage == Some(ModelStage::Writing);
        Some(RunProgress {
            stage: self.stage(now)?,
            events: self.events,
            elapsed_ms: millis(self.began, now),
            silent_ms: self.last.map(|(at, _)| millis(at, now)),
            chars: if writes { *answer } else { *thought },
            field: field.filter(|_| writes).map(ToOwned::to_owned),
            title: title.as_deref().filter(|_| !writes).map(ToOwned::to_owned),
        })
    }
}

/// Limits how often progress is published.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The last published stage.
    stage: Option<ModelStage>,
    /// Number of changes stored.
    changes: usize,
    /// Time of the last volatile event.
    volatile_at: Option<Instant>,
    /// The last published stage and count, in either kind of event.
    told: Option<(ModelStage, u64)>,
}

/// What to publish now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing new.
    Nothing,
    /// The stage has changed: publish an event of the log.
    Change,
    /// Publish a volatile event.
    Volatile,
    /// The model has finished.
    Over,
}

impl Pace {
    /// Decides what to publish for a model with this progress.
    pub(super) fn due(&mut self, liveness: &Liveness, now: Instant) -> Due {
        let Some(stage) = liveness.stage(now) else { return self.over() };
        let told = (stage, liveness.events);
        if self.stage != Some(stage) && self.changes < CHANGES_MAX {
            self.stage = Some(stage);
            self.changes += 1;
            self.told = Some(told);
            return Due::Change;
        }
        let counts = matches!(stage, ModelStage::Thinking | ModelStage::Writing);
        let is_news = self.told != Some(told) || !counts;
        let pause = if self.told == Some(told) { AGE_EVERY } else { VOLATILE_EVERY };
        if !is_news || self.volatile_at.is_some_and(|at| now.duration_since(at) < pause) {
            return Due::Nothing;
        }
        self.stage = Some(stage);
        self.told = Some(told);
        self.volatile_at = Some(now);
        Due::Volatile
    }

    /// Decides what to publish when no model is working.
    pub(super) fn over(&mut self) -> Due {
        self.told = None;
        match self.stage.take() {
            Some(_) => Due::Over,
            None => Due::Nothing,
        }
    }
}

fn millis(since: Instant, now: Instant) -> u64 {
    u64::try_from(now.duration_since(since).as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is published for signs of life, each after so many milliseconds; a check without a sign is `None`.
    fn told(signs: &[(u64, Option<Sign>)]) -> Vec<String> {
        let began = Instant::now();
        let (mut liveness, mut pace) = (Liveness::new(began), Pace::default());
        let mut told = Vec::new();
        for (after, sign) in signs {
            let now = began + Duration::from_millis(*after);
            if let Some(sign) = sign {
                liveness.hear(*sign, now);
            }
            let due = pace.due(&liveness, now);
            if due != Due::Nothing {
                told.push(format!("{after} {due:?} {:?}", liveness.told(now)));
            }
        }
        told
    }

    #[test]
    fn a_turn_is_told_from_its_begin_to_its_end() {
        let (delta, alive) = (Some(Sign::Thought), Some(Sign::KeepAlive));
        let signs = [
            (0, Some(Sign::Asked)),
            (400, None),
            (1_400, None),
            (1_500, Some(Sign::Head)),
            (1_501, Some(Sign::Event)),
            (1_900, delta),
            (2_100, delta),
            (2_200, None),
            (2_500, None),
            (2_600, None),
            (3_200, None),
            (9_000, alive),
            (12_100, None),
            (12_300, None),
            (12_400, None),
            (13_400, alive),
            (13_500, Some(Sign::Answer)),
            (13_600, Some(Sign::Answer)),
            (13_601, Some(Sign::Ended)),
            (14_000, None),
        ];
        expect_test::expect![[r#"
            0 Change Some(Waiting { elapsed_ms: 0 })
            400 Volatile Some(Waiting { elapsed_ms: 400 })
            1400 Volatile Some(Waiting { elapsed_ms: 1400 })
            1500 Change Some(Thinking { events: 0, chars: None, parts: None, title: None })
            1900 Volatile Some(Thinking { events: 2, chars: None, parts: None, title: None })
            2500 Volatile Some(Thinking { events: 3, chars: None, parts: None, title: None })
            9000 Volatile Some(Thinking { events: 4, chars: None, parts: None, title: None })
            12100 Change Some(Quiet { silent_ms: 3100, last: KeepAlive })
            12300 Volatile Some(Quiet { silent_ms: 3300, last: KeepAlive })
            13400 Volatile Some(Quiet { silent_ms: 0, last: KeepAlive })
            13500 Change Some(Writing { events: 6, chars: None, field: None })
            13601 Over None"#]]
        .assert_eq(&told(&signs).join("\n"));
    }

    #[test]
    fn a_head_is_a_sign_of_thinking_and_then_of_silence() {
        let signs = [(0, Some(Sign::Head)), (9_999, None), (10_000, None)];
        let expected = [
            "0 Change Some(Thinking { events: 0, chars: None, parts: None, title: None })",
            "10000 Change Some(Quiet { silent_ms: 10000, last: Head })",
        ];
        assert_eq!(told(&signs), expected);
    }

    #[test]
    fn a_flood_is_told_twice_a_second_and_changes_are_stored_64_times() {
        let signs: Vec<_> = (0..20_000)
            .map(|n| (n, Some(if n % 2 == 0 { Sign::Thought } else { Sign::Answer })))
            .collect();
        let told = told(&signs);
        let count = |kind: &str| told.iter().filter(|line| line.contains(kind)).count();
        assert_eq!(count("Change"), CHANGES_MAX);
        assert!((39..=40).contains(&count("Volatile")), "20 s: {}", count("Volatile"));
    }

    fn record(stage: ModelStage) -> RunProgress {
        RunProgress {
            stage,
            events: 0,
            elapsed_ms: 0,
            silent_ms: None,
            chars: None,
            field: None,
            title: None,
        }
    }

    #[test]
    fn what_a_driver_sees_is_told_and_the_title_not_kept() {
        let now = Instant::now();
        let mut liveness = Liveness::new(now);
        liveness.hear(Sign::Thought, now);
        *liveness.seen() = Seen {
            thought: Some(40),
            parts: Some(1),
            title: Some("Weighing both".into()),
            answer: Some(7),
            field: Some("tradeoffs"),
        };
        let title = Some("Weighing both".to_owned());
        let thinking =
            Progress::Thinking { events: 1, chars: Some(40), parts: Some(1), title: title.clone() };
        assert_eq!(liveness.told(now), Some(thinking));
        let kept = Progress::Thinking { events: 1, chars: Some(40), parts: Some(1), title: None };
        assert_eq!(liveness.kept(now), Some(kept));
        let shown = liveness.shown(now).unwrap();
        assert_eq!((shown.chars, shown.title, shown.field), (Some(40), title, None));
        liveness.hear(Sign::Answer, now);
        let field = Some("tradeoffs".to_owned());
        let writing = Progress::Writing { events: 2, chars: Some(7), field: field.clone() };
        assert_eq!(
            (liveness.told(now), liveness.kept(now)),
            (Some(writing.clone()), Some(writing))
        );
        let shown = liveness.shown(now).unwrap();
        assert_eq!((shown.chars, shown.title, shown.field), (Some(7), None, field));
    }

    #[test]
    fn the_record_has_the_count_and_both_ages() {
        let began = Instant::now();
        let mut liveness = Liveness::new(began);
        let at = |ms| began + Duration::from_millis(ms);
        assert_eq!(liveness.shown(at(5)), None);
        liveness.hear(Sign::Asked, at(5));
        let waiting = RunProgress { elapsed_ms: 10, ..record(ModelStage::Waiting) };
        assert_eq!(liveness.shown(at(10)), Some(waiting));
        liveness.hear(Sign::Head, at(10));
        liveness.hear(Sign::Answer, at(20));
        let writing = RunProgress {
            events: 1,
            elapsed_ms: 50,
            silent_ms: Some(30),
            ..record(ModelStage::Writing)
        };
        assert_eq!(liveness.shown(at(50)), Some(writing));
        liveness.hear(Sign::Ended, at(60));
        assert_eq!(liveness.shown(at(70)), None);
    }
}
