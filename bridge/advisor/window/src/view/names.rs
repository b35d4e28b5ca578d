//! The texts for the contract's values.

use contract::advice::{Advice, AssumptionStatus, Confidence, Dimension, NO_PLAN};
use contract::failure::FailureCode;
use contract::run::{RunKind, RunState};

use super::health::Level;
use super::shell::Shell;
use super::usage::Stage;
use crate::failures::{FailureWords, failure};
use crate::foreign::{Foreign, foreign};

impl Shell<'_> {
    pub(super) fn state_name(&self, state: RunState) -> &'static str {
        match state {
            RunState::Queued => self.w.queued,
            RunState::Running => self.w.running,
            RunState::Succeeded => self.w.succeeded,
            RunState::Failed => self.w.failed,
            RunState::Cancelled => self.w.cancelled,
            RunState::Interrupted => self.w.interrupted,
        }
    }

    pub(super) fn kind_name(&self, kind: RunKind) -> &'static str {
        match kind {
            RunKind::Analyze => self.w.advice,
            RunKind::Orchestrate => self.w.turn,
        }
    }

    pub(super) fn failure(&self, code: &FailureCode) -> FailureWords {
        failure(self.frame.lang, *code)
    }

    pub(super) fn confidence(&self, confidence: &Confidence) -> &'static str {
        match confidence {
            Confidence::Low => self.w.low,
            Confidence::Medium => self.w.medium,
            Confidence::High => self.w.high,
        }
    }

    pub(super) fn dimension(&self, dimension: &Dimension) -> &'static str {
        match dimension {
            Dimension::Maintainability => self.w.maintainability,
            Dimension::Risk => self.w.risk,
            Dimension::Performance => self.w.performance,
            Dimension::Consistency => self.w.consistency,
            Dimension::Complexity => self.w.complexity,
        }
    }

    pub(super) fn verdict(&self, status: &AssumptionStatus) -> &'static str {
        match status {
            AssumptionStatus::Plausible => self.w.plausible,
            AssumptionStatus::Risky => self.w.risky,
            AssumptionStatus::Invalid => self.w.invalid,
        }
    }

    /// The plan that advice prefers.
    pub(super) fn preferred(&self, advice: &Advice) -> Foreign {
        foreign(self.preferred_name(&advice.recommendation.preferred_plan))
    }

    pub(super) fn preferred_name<'t>(&self, plan: &'t str) -> &'t str {
        match plan {
            NO_PLAN => self.w.no_plan,
            plan => plan,
        }
    }

    /// CSS class and name of a level.
    pub(super) fn level(&self, level: &Level) -> (&'static str, &'static str) {
        match level {
            Level::Ok => ("ok", self.w.level_ok),
            Level::Skip => ("off", self.w.level_skip),
            Level::Warn => ("warn", self.w.level_warn),
            Level::Fail => ("bad", self.w.level_fail),
        }
    }

    pub(super) fn stage(&self, stage: &Stage) -> &'static str {
        match stage {
            Stage::Queue => self.w.queue_stage,
            Stage::FirstEvent => self.w.first_stage,
            Stage::Whole => self.w.whole_stage,
        }
    }
}
