//! A consultation over scripted attempts: what is asked, how often, and what comes out.

use std::collections::VecDeque;
use std::sync::Mutex;

use codex_driver::{Reach, Retry};
use contract::advice::Advice;
use contract::input::AdvisorInput;
use contract::orchestrate::CONTINUITY_LOST;
use serde_json::json;

use super::prompt::FirstRound;
use super::question::Question;
use super::subject::{Earlier, Inquiry, RESTATED};
use super::turn::Turn;
use super::*;

/// Answers each attempt with the next scripted end, and keeps what it was asked.
struct Scripted {
    ends: Mutex<VecDeque<AttemptEnd>>,
    asked: Mutex<Vec<(Conversation, String)>>,
}

impl Attempts for Scripted {
    async fn attempt(
        &self,
        attempt: Attempt,
        _cancel: &CancellationToken,
        _progress: &mut (dyn FnMut(Progress) + Send),
    ) -> AttemptEnd {
        self.asked.lock().unwrap().push((attempt.conversation, attempt.prompt));
        self.ends.lock().unwrap().pop_front().expect("no further attempt was scripted")
    }
}

fn thread(last: char) -> ThreadId {
    format!("0199a213-81c0-7800-8aa1-bbab2a035a5{last}").parse().unwrap()
}

fn usage(input_tokens: u64) -> Usage {
    Usage {
        input_tokens,
        cached_input_tokens: 0,
        output_tokens: input_tokens / 10,
        reasoning_output_tokens: 0,
    }
}

fn advice(preferred: &str) -> String {
    json!({
        "clarifying_questions": [],
        "assumption_check": [],
        "alternatives": [{ "name": "Alt", "description": "d", "pros": [], "cons": [], "applicable_when": "w" }],
        "tradeoffs": [{ "dimension": "risk", "notes": "PlanA has less of it" }],
        "recommendation": { "preferred_plan": preferred, "reason": "r", "confidence": "low" },
        "followup_suggestions": [],
        "raw_text": "t",
    })
    .to_string()
}

fn first_round(problem: &str) -> Earlier {
    let question = serde_json::from_value(json!({
        "problem": problem,
        "context": "c",
        "candidate_plans": [{ "name": "PlanA", "description": "d" }],
        "phase": "initial",
    }))
    .unwrap();
    let advice = serde_json::from_str(&advice("PlanA")).unwrap();
    Earlier::Kept(Box::new(FirstRound { question, advice }))
}

fn end(
    outcome: Result<codex_driver::Answer, AttemptFailure>,
    last: char,
    total: Option<u64>,
) -> AttemptEnd {
    AttemptEnd {
        outcome,
        driver: DriverKind::Exec,
        turn_id: None,
        refused_requests: 0,
        thread_id: Some(thread(last)),
        usage_total: total.map(usage),
        transcript_saved: true,
        warnings: Vec::new(),
        reach: Reach::Asked,
        first_event: None,
        log_records: 0,
        duration: Duration::ZERO,
        exit: None,
        signal: None,
        stdout_bytes: 0,
        skipped_lines: 0,
    }
}

fn answered(text: String, last: char, total: u64) -> AttemptEnd {
    end(Ok(codex_driver::Answer { text }), last, Some(total))
}

fn failed(code: FailureCode, retry: Retry) -> AttemptEnd {
    let failure = AttemptFailure { code, message: "m".into(), raw: "said".into(), retry };
    end(Err(failure), '9', None)
}

fn consultation(opening: Opening, earlier: Earlier) -> Consultation<Inquiry> {
    let input: AdvisorInput = serde_json::from_value(json!({
        "problem": "p",
        "context": "c",
        "candidate_plans": [{ "name": "PlanA", "description": "d" }],
        "phase": if matches!(earlier, Earlier::None) { "initial" } else { "final" },
    }))
    .unwrap();
    let question = Question::mask(input, &Redactor::new());
    let subject = Inquiry { question, earlier, output_schema: PathBuf::new() };
    about(subject, opening)
}

fn about<S>(subject: S, opening: Opening) -> Consultation<S> {
    Consultation {
        run_id: RunId::generate(),
        subject,
        opening,
        usage_before: Some(usage(100)),
        model: None,
        reasoning_effort: None,
        workdir: PathBuf::new(),
        temp_dir: PathBuf::new(),
        sandbox: SandboxMode::ReadOnly,
        deadline: Instant::now() + Duration::from_secs(60),
        stall: Duration::from_secs(10),
    }
}

async fn play<S: Subject>(
    consultation: &Consultation<S>,
    ends: Vec<AttemptEnd>,
) -> (Consulted<S::Answer>, Vec<(Conversation, String)>) {
    let codex = Scripted { ends: Mutex::new(ends.into()), asked: Mutex::default() };
    let cancel = CancellationToken::new();
    let consulted = consult(&codex, &Redactor::new(), consultation, &cancel, &mut |_| {}).await;
    assert!(codex.ends.lock().unwrap().is_empty(), "not every scripted attempt was made");
    let asked = codex.asked.lock().unwrap().clone();
    (consulted, asked)
}

#[tokio::test(start_paused = true)]
async fn a_good_first_answer_is_advice() {
    let (consulted, asked) =
        play(&consultation(Opening::New, Earlier::None), vec![answered(advice("PlanA"), '1', 300)])
            .await;
    assert_eq!(preferred(&consulted.result.unwrap()), "PlanA");
    assert_eq!(
        consulted.thread,
        Some(KeptThread { thread_id: thread('1'), usage_total: usage(300), last_turn: None })
    );
    assert_eq!(consulted.usage, Some(usage(300)));
    assert_eq!((consulted.attempts, asked[0].0), (1, Conversation::Fresh));
    assert_eq!(consulted.limits, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_unusable_answer_is_repaired_in_its_own_thread() {
    let (consulted, asked) = play(
        &consultation(Opening::New, Earlier::None),
        vec![answered(advice("PlanZ"), '1', 300), answered(advice("PlanA"), '1', 500)],
    )
    .await;
    assert!(consulted.result.is_ok());
    assert_eq!(asked[1].0, Conversation::Resume(thread('1')));
    assert!(asked[1].1.contains("/recommendation/preferred_plan"), "{}", asked[1].1);
    assert_eq!(consulted.usage, Some(usage(500)), "both turns of this run are its own");
    assert_eq!(consulted.attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn two_unusable_answers_are_bad_output_with_what_was_said() {
    let (consulted, _) = play(
        &consultation(Opening::New, Earlier::None),
        vec![
            answered("I would rather chat.".into(), '1', 1),
            answered("Still chatting.".into(), '1', 2),
        ],
    )
    .await;
    let failure = consulted.result.unwrap_err();
    assert_eq!(failure.error.code, FailureCode::BadOutput);
    assert_eq!(failure.error.summary.as_deref(), Some("Still chatting."));
    assert!(!failure.error.details.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_failed_first_round_starts_anew() {
    let (consulted, asked) = play(
        &consultation(Opening::New, Earlier::None),
        vec![failed(FailureCode::UpstreamError, Retry::Now), answered(advice("none"), '2', 300)],
    )
    .await;
    assert!(consulted.result.is_ok());
    assert_eq!(asked[1].0, Conversation::Fresh);
    assert_eq!(asked[0].1, asked[1].1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_second_round_forks_and_never_resumes_the_failed_turn() {
    let opening =
        Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: false };
    let (consulted, asked) = play(
        &consultation(opening, Earlier::NotKept),
        vec![failed(FailureCode::Crashed, Retry::Now), answered(advice("Alt"), '2', 400)],
    )
    .await;
    assert!(consulted.result.is_ok());
    assert_eq!(asked[0].0, Conversation::Resume(thread('1')));
    assert_eq!(asked[1].0, Conversation::Fork { thread: thread('1'), last_turn: None });
    assert_eq!(consulted.usage, Some(usage(300)), "the thread had 100 before this round");
    assert_eq!(consulted.thread.unwrap().thread_id, thread('2'));
}

#[tokio::test(start_paused = true)]
async fn a_lost_thread_is_restated_and_said() {
    let opening =
        Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: false };
    let earlier = first_round("round one");
    let (consulted, asked) = play(
        &consultation(opening, earlier),
        vec![failed(FailureCode::SessionLost, Retry::Never), answered(advice("PlanA"), '2', 200)],
    )
    .await;
    assert!(consulted.result.is_ok());
    assert_eq!(asked[1].0, Conversation::Fresh);
    assert!(asked[1].1.contains("round one"));
    assert!(!asked[0].1.contains("round one"));
    assert_eq!(consulted.limits, [RESTATED]);
    assert_eq!(consulted.usage, Some(usage(200)), "a new thread counts from nothing");
}

#[tokio::test(start_paused = true)]
async fn a_final_failure_is_not_tried_again() {
    for code in [FailureCode::Auth, FailureCode::Quota, FailureCode::Timeout, FailureCode::Refused]
    {
        let (consulted, _) =
            play(&consultation(Opening::New, Earlier::None), vec![failed(code, Retry::Never)])
                .await;
        assert_eq!(consulted.result.unwrap_err().error.code, code);
        assert_eq!(consulted.attempts, 1);
        assert_eq!(consulted.thread, None);
    }
}

#[tokio::test(start_paused = true)]
async fn the_second_failure_is_the_answer() {
    let (consulted, _) = play(
        &consultation(Opening::New, Earlier::None),
        vec![
            failed(FailureCode::Network, Retry::Now),
            failed(FailureCode::RateLimited, Retry::Now),
        ],
    )
    .await;
    assert_eq!(consulted.result.unwrap_err().error.code, FailureCode::RateLimited);
    assert_eq!(consulted.attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_long_summary_is_cut_at_a_character() {
    let raw = "二".repeat(2000);
    let failure = AttemptFailure {
        code: FailureCode::Crashed,
        message: "m".into(),
        raw,
        retry: Retry::Never,
    };
    let (consulted, _) =
        play(&consultation(Opening::New, Earlier::None), vec![end(Err(failure), '1', None)]).await;
    let summary = consulted.result.unwrap_err().error.summary.unwrap();
    assert!(summary.len() <= SUMMARY_MAX_BYTES && summary.ends_with('…'), "{}", summary.len());
}

#[tokio::test(start_paused = true)]
async fn a_thread_touched_by_a_failed_try_is_forked_from_the_start() {
    let opening =
        Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: true };
    let (consulted, asked) = play(
        &consultation(opening, first_round("round one")),
        vec![answered(advice("PlanA"), '2', 300)],
    )
    .await;
    assert!(consulted.result.is_ok());
    assert_eq!(asked[0].0, Conversation::Fork { thread: thread('1'), last_turn: None });
    assert!(!asked[0].1.contains("round one"), "a fork remembers round 1");
}

#[tokio::test(start_paused = true)]
async fn round_two_may_recommend_an_alternative_of_round_one() {
    let opening =
        Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: false };
    let mut earlier = first_round("round one");
    if let Earlier::Kept(round) = &mut earlier {
        round.advice.alternatives[0].name = "OutboxFirst".into();
    }
    let (consulted, _) =
        play(&consultation(opening, earlier), vec![answered(advice("OutboxFirst"), '1', 300)])
            .await;
    assert_eq!(preferred(&consulted.result.unwrap()), "OutboxFirst");
}

fn preferred(advice: &Advice) -> &str {
    &advice.recommendation.preferred_plan
}

fn turn(opening: Opening) -> Consultation<Turn> {
    let input = serde_json::from_value(json!({
        "prompt": "go on with sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
        "workspace": "/shop",
        "mode": "exec",
    }))
    .unwrap();
    about(Turn::mask(input, &Redactor::new()), opening)
}

fn continued() -> Opening {
    Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: false }
}

#[tokio::test(start_paused = true)]
async fn any_text_answers_a_turn_and_no_secret_leaves_in_it() {
    let ends = vec![answered("It is in `login`.".into(), '1', 300)];
    let (consulted, asked) = play(&turn(continued()), ends).await;
    assert_eq!(consulted.result.unwrap(), "It is in `login`.");
    assert_eq!(consulted.usage, Some(usage(200)), "its own tokens only");
    assert_eq!((asked.len(), asked[0].0), (1, Conversation::Resume(thread('1'))));
    assert!(asked[0].1.starts_with("go on with ") && !asked[0].1.contains("abcdef"), "{asked:?}");
    assert!(consulted.limits.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_thread_is_lost_begins_a_new_one_and_says_so() {
    let ends =
        vec![failed(FailureCode::SessionLost, Retry::Never), answered("Fresh.".into(), '2', 80)];
    let (consulted, asked) = play(&turn(continued()), ends).await;
    assert_eq!(consulted.result.unwrap(), "Fresh.");
    assert_eq!(asked[1].0, Conversation::Fresh);
    assert_eq!(asked[0].1, asked[1].1, "the same prompt");
    assert_eq!(consulted.limits, [CONTINUITY_LOST]);
    assert_eq!(consulted.usage, Some(usage(80)));
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_a_thread_of_unknown_cost_tells_no_tokens() {
    let unknown = Consultation { usage_before: None, ..turn(continued()) };
    let (consulted, _) = play(&unknown, vec![answered("Yes.".into(), '1', 900)]).await;
    assert_eq!(consulted.usage, None);
    assert_eq!(consulted.thread.unwrap().usage_total, usage(900));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_may_have_written_is_not_played_twice() {
    use SandboxMode::{ReadOnly, WorkspaceWrite};
    for (sandbox, reach, attempts) in [
        (ReadOnly, Reach::Asked, 2),
        (ReadOnly, Reach::Acted, 1),
        (WorkspaceWrite, Reach::NotAsked, 2),
        (WorkspaceWrite, Reach::Asked, 1),
        (WorkspaceWrite, Reach::Acted, 1),
    ] {
        let broken = AttemptEnd { reach, ..failed(FailureCode::Stalled, Retry::Now) };
        let turn = Consultation { sandbox, ..turn(Opening::New) };
        let mut ends = vec![broken, answered("Done.".into(), '1', 9)];
        ends.truncate(usize::from(attempts));
        let (consulted, _) = play(&turn, ends).await;
        assert_eq!(consulted.attempts, attempts, "{sandbox:?} {reach:?}");
        assert_eq!(consulted.result.is_ok(), attempts == 2, "{sandbox:?} {reach:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_a_word_is_not_repaired() {
    let ends = vec![failed(FailureCode::BadOutput, Retry::Repair)];
    let (consulted, asked) = play(&turn(Opening::New), ends).await;
    assert_eq!(consulted.result.unwrap_err().error.code, FailureCode::BadOutput);
    assert_eq!(asked.len(), 1);
}
