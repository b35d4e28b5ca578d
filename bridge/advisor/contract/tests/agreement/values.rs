//! Generated values of the wire types: everything that the contract allows them to be.

use std::path::PathBuf;

use contract::advice::{
    Advice, Alternative, AssumptionCheck, AssumptionStatus, CodexMeta, Confidence, Dimension,
    DriverKind, Meta, Recommendation, RedactionCount, Report, Tradeoff, Usage,
};
use contract::failure::{Failure, FailureCode, Violation};
use contract::id::{RunId, SessionId, ThreadId};
use contract::input::{AdvisorInput, CandidatePlan, Options, Phase, ReasoningEffort};
use contract::run::{
    Accepted, ModelStage, RunKind, RunPage, RunProgress, RunRecord, RunState, RunSummary,
    SessionRecord,
};
use contract::workspace::Workspace;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// The plans that [`advice`] may prefer.
pub(crate) fn candidates() -> Vec<String> {
    vec!["PlanA".to_owned(), "方案 B".to_owned()]
}

pub(crate) fn question() -> impl Strategy<Value = AdvisorInput> {
    let plan = (name(), said(), texts(), texts());
    let plans = vec(plan, 1..4).prop_map(|plans| {
        plans
            .into_iter()
            .enumerate()
            .map(|(index, (name, description, assumptions, suspicions))| CandidatePlan {
                name: format!("{name}#{index} "),
                description,
                assumptions,
                suspicions,
            })
            .collect::<Vec<_>>()
    });
    let workspace = option::of("/[a-z0-9/ 方.]{0,20}".prop_map(PathBuf::from));
    let words = (said(), text(), texts(), texts());
    (words, plans, phase(), option::of(session_id()), workspace, options()).prop_map(
        |(words, candidate_plans, phase, session_id, workspace, options)| {
            let (problem, context, questions_for_codex, non_goals) = words;
            AdvisorInput {
                problem,
                context,
                candidate_plans,
                questions_for_codex,
                non_goals,
                phase,
                session_id,
                workspace,
                options,
            }
        },
    )
}

pub(crate) fn advice() -> impl Strategy<Value = Advice> {
    let checks = vec(assumption_check(), 0..3);
    let alternatives = vec(alternative(), 1..4).prop_map(|mut alternatives| {
        for (index, alternative) in alternatives.iter_mut().enumerate() {
            alternative.name = format!("{}#{index} ", alternative.name);
        }
        alternatives
    });
    let tradeoffs = vec((dimension(), text()), 0..3).prop_map(|tradeoffs| {
        let tradeoff = |(dimension, notes)| Tradeoff { dimension, notes };
        tradeoffs.into_iter().map(tradeoff).collect()
    });
    let words = (vec(text(), 0..=5), texts(), said());
    let judgement = (any::<prop::sample::Index>(), said(), confidence());
    (words, checks, alternatives, tradeoffs, judgement).prop_map(
        |(words, assumption_check, alternatives, tradeoffs, (preferred, reason, confidence))| {
            let (clarifying_questions, followup_suggestions, raw_text) = words;
            let mut plans = candidates();
            plans.extend(
                alternatives.iter().map(|alternative: &Alternative| alternative.name.clone()),
            );
            plans.push("none".to_owned());
            let preferred_plan = preferred.get(&plans).clone();
            Advice {
                clarifying_questions,
                assumption_check,
                alternatives,
                tradeoffs,
                recommendation: Recommendation { preferred_plan, reason, confidence },
                followup_suggestions,
                raw_text,
            }
        },
    )
}

pub(crate) fn report() -> impl Strategy<Value = Report> {
    (advice(), meta()).prop_map(|(advice, meta)| Report { advice, meta })
}

pub(crate) fn failure() -> impl Strategy<Value = Failure> {
    let summary = option::of("\\PC{0,60}");
    let details = vec(violation(), 0..3);
    (code(), said(), details, summary, option::of(meta())).prop_map(
        |(code, message, details, summary, meta)| {
            let mut failure = Failure::new(code, message).with_details(details);
            failure.error.summary = summary;
            failure.meta = meta.map(Box::new);
            failure
        },
    )
}

pub(crate) fn accepted() -> impl Strategy<Value = Accepted> {
    (run_id(), session_id(), state()).prop_map(|(run_id, session_id, state)| Accepted {
        run_id,
        session_id,
        state,
    })
}

fn progress() -> impl Strategy<Value = RunProgress> {
    let count = || 0..9_999_999u64;
    let seen = (option::of(count()), option::of(text()), option::of(text()));
    (select(ModelStage::ALL), count(), count(), option::of(count()), seen).prop_map(
        |(stage, events, elapsed_ms, silent_ms, (chars, field, title))| RunProgress {
            stage,
            events,
            elapsed_ms,
            silent_ms,
            chars,
            field,
            title,
        },
    )
}

pub(crate) fn record() -> impl Strategy<Value = RunRecord> {
    let outcome = prop_oneof![
        report().prop_map(|report| serde_json::to_value(report).unwrap()),
        failure().prop_map(|failure| serde_json::to_value(failure).unwrap()),
    ];
    (summary(), option::of(progress()), option::of(outcome))
        .prop_map(|(run, progress, outcome)| RunRecord { run, progress, outcome })
}

pub(crate) fn page() -> impl Strategy<Value = RunPage> {
    (vec(summary(), 0..3), option::of(run_id()))
        .prop_map(|(runs, next_before)| RunPage { runs, next_before })
}

pub(crate) fn session() -> impl Strategy<Value = SessionRecord> {
    let times = (time(), time());
    (session_id(), 0..=2u8, option::of(thread_id()), times, vec(summary(), 0..3)).prop_map(
        |(session_id, rounds_used, thread_id, (created_at, expires_at), runs)| SessionRecord {
            session_id,
            rounds_used,
            rounds_left: 2 - rounds_used,
            thread_id,
            created_at,
            expires_at,
            runs,
        },
    )
}

fn summary() -> impl Strategy<Value = RunSummary> {
    let ids = (run_id(), session_id());
    let times = (time(), option::of(time()), option::of(any::<u64>()));
    let kind = select(vec![RunKind::Analyze, RunKind::Orchestrate]);
    let workspace = option::of(text().prop_map(Workspace::from_stored));
    (
        ids,
        (kind, workspace, 1..=2u8),
        phase(),
        state(),
        option::of(code()),
        times,
        option::of(text()),
    )
        .prop_map(
            |(
                (run_id, session_id),
                (kind, workspace, round),
                phase,
                state,
                code,
                times,
                problem,
            )| {
                let (created_at, finished_at, duration_ms) = times;
                RunSummary {
                    run_id,
                    session_id,
                    kind,
                    workspace,
                    round,
                    phase,
                    state,
                    code,
                    created_at,
                    finished_at,
                    duration_ms,
                    problem,
                }
            },
        )
}

fn meta() -> impl Strategy<Value = Meta> {
    let driver = prop_oneof![Just(DriverKind::Exec), Just(DriverKind::AppServer)];
    let codex =
        (option::of(text()), option::of(text()), option::of(thread_id()), option::of(driver))
            .prop_map(|(version, model, thread_id, driver)| CodexMeta {
                version,
                model,
                thread_id,
                driver,
            });
    let usage =
        any::<(u64, u64, u64, u64)>().prop_map(|(input, cached, output, reasoning)| Usage {
            input_tokens: input,
            cached_input_tokens: cached,
            output_tokens: output,
            reasoning_output_tokens: reasoning,
        });
    let redactions = vec((text(), any::<u32>()), 0..3).prop_map(|counts| {
        counts.into_iter().map(|(kind, count)| RedactionCount { kind, count }).collect()
    });
    let ids = (run_id(), session_id());
    let counts = (1..=2u8, 0..=2u8, 0..=2u8, any::<u64>(), any::<u64>());
    (ids, counts, phase(), codex, option::of(usage), texts(), redactions).prop_map(
        |((run_id, session_id), counts, phase, codex, usage, limits, redactions)| {
            let (round, rounds_left, attempts, duration_ms, queue_ms) = counts;
            Meta {
                run_id,
                session_id,
                round,
                rounds_left,
                phase,
                attempts,
                duration_ms,
                queue_ms,
                codex,
                usage,
                limits,
                redactions,
            }
        },
    )
}

fn alternative() -> impl Strategy<Value = Alternative> {
    (name(), said(), texts(), texts(), text()).prop_map(
        |(name, description, pros, cons, applicable_when)| Alternative {
            name,
            description,
            pros,
            cons,
            applicable_when,
        },
    )
}

fn assumption_check() -> impl Strategy<Value = AssumptionCheck> {
    (said(), select(AssumptionStatus::ALL), text())
        .prop_map(|(text, status, comment)| AssumptionCheck { text, status, comment })
}

fn violation() -> impl Strategy<Value = Violation> {
    let path = "(/([a-z_]{1,8}|[0-9]|~0|~1)){0,3}";
    (path, said(), option::of(text())).prop_map(|(path, message, hint)| Violation {
        path,
        message,
        hint,
    })
}

fn options() -> impl Strategy<Value = Options> {
    let model = "[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,20}";
    (option::of(1_000..=590_000u64), option::of(model), option::of(select(ReasoningEffort::ALL)))
        .prop_map(|(timeout_ms, model, reasoning_effort)| Options {
            timeout_ms,
            model,
            reasoning_effort,
        })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        any::<String>(),
        Just(String::new()),
        Just("a\u{0}\n\u{2028}\u{feff}".to_owned()),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..4)
}

/// A text that is not blank.
fn said() -> impl Strategy<Value = String> {
    (text(), "[a-z方é🤔]", text()).prop_map(|(before, core, after)| before + &core + &after)
}

/// A name that a number at its end makes unique.
fn name() -> &'static str {
    "[ ]{0,2}[a-zA-Z0-9方案é/~\"\\\\.\u{a0}-]{1,12}"
}

fn phase() -> impl Strategy<Value = Phase> {
    select(Phase::ALL)
}

fn dimension() -> impl Strategy<Value = Dimension> {
    select(Dimension::ALL)
}

fn confidence() -> impl Strategy<Value = Confidence> {
    select(Confidence::ALL)
}

fn state() -> impl Strategy<Value = RunState> {
    select(RunState::ALL)
}

fn code() -> impl Strategy<Value = FailureCode> {
    select(FailureCode::ALL)
}

fn time() -> &'static str {
    "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z"
}

const UUID: &str = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

fn run_id() -> impl Strategy<Value = RunId> {
    UUID.prop_map(|text| text.parse().unwrap())
}

fn session_id() -> impl Strategy<Value = SessionId> {
    UUID.prop_map(|text| text.parse().unwrap())
}

fn thread_id() -> impl Strategy<Value = ThreadId> {
    UUID.prop_map(|text| text.parse().unwrap())
}
