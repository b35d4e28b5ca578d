//! The timer, sign by sign, with records as codex 0.169 prints them.

use super::*;

const BEGINS: &str = r#"event.name="codex.user_prompt" prompt_length=3 prompt=[REDACTED]"#;
const ANSWERED: &str = r#"event.name="codex.api_request" duration_ms=27 http.response.status_code=200 attempt=0 endpoint="/responses""#;
const REFUSED: &str = r#"event.name="codex.api_request" duration_ms=34 http.response.status_code=503 error.message="http 503" endpoint="/responses""#;
const MODELS: &str =
    r#"event.name="codex.api_request" http.response.status_code=200 endpoint="/models""#;
const KEPT_ALIVE: &str = r#"event.name="codex.sse_event" event.kind=keepalive duration_ms=300"#;
const COMPLETED: &str = r#"event.name="codex.sse_event" event.kind=response.completed"#;

const TURN: &str = r#"{"type":"turn.started"}"#;
const RUNS: &str =
    r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"x"}}"#;
const RAN: &str =
    r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"x"}}"#;
const THOUGHT: &str = r#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning"}}"#;

fn record(fields: &str) -> String {
    format!(
        "2026-11-22T06:10:30.323524Z  INFO codex_otel.log_only: {fields} \
         event.timestamp=2026-11-22T06:10:30.323Z conversation.id=01a201e0 app.version=0.169.0"
    )
}

/// What becomes of the clock at each sign: a line of stdout, or the fields of a record.
fn clocks(stream: Stream, signs: &[&str]) -> Vec<Clock> {
    let mut pulse = Pulse::new(stream);
    let clock = |sign: &&str| match sign.starts_with('{') {
        true => pulse.event(&Event::read(sign.as_bytes())).clock,
        false => pulse.stderr_line(record(sign).as_bytes()).unwrap().clock,
    };
    signs.iter().map(clock).collect()
}

#[test]
fn the_wait_for_the_head_of_an_answer_is_measured_in_every_home() {
    for stream in [Stream::BoundedByCodex, Stream::BoundedByUs] {
        assert_eq!(clocks(stream, &[BEGINS, TURN]), [Clock::Stop, Clock::Start]);
        // The two streams are read in any order.
        assert_eq!(clocks(stream, &[TURN, BEGINS]), [Clock::Stop, Clock::Start]);
        assert_eq!(
            clocks(stream, &[TURN, MODELS, REFUSED]),
            [Clock::Stop, Clock::Start, Clock::Start]
        );
    }
}

#[test]
fn an_answer_that_is_seen_before_the_turn_is_no_wait() {
    use Clock::Stop;
    let signs = [BEGINS, ANSWERED, TURN];
    assert_eq!(clocks(Stream::BoundedByCodex, &signs), [Stop, Stop, Clock::Keep]);
}

#[test]
fn codex_bounds_the_stream_of_the_private_home_and_we_that_of_the_users() {
    let signs = [BEGINS, TURN, ANSWERED, KEPT_ALIVE, COMPLETED];
    use Clock::{Start, Stop};
    assert_eq!(clocks(Stream::BoundedByCodex, &signs), [Stop, Start, Stop, Stop, Stop]);
    assert_eq!(clocks(Stream::BoundedByUs, &signs), [Stop, Start, Start, Start, Stop]);
}

#[test]
fn a_tool_that_runs_stops_the_clock_whatever_else_happens() {
    use Clock::{Keep, Start, Stop};
    let signs = [BEGINS, TURN, ANSWERED, RUNS, KEPT_ALIVE, THOUGHT, RAN, ANSWERED];
    let expected = [Stop, Start, Start, Stop, Stop, Keep, Start, Start];
    assert_eq!(clocks(Stream::BoundedByUs, &signs), expected);
    // What a tool without an item does between two requests is not measured either.
    assert_eq!(clocks(Stream::BoundedByUs, &[TURN, COMPLETED, RUNS, RAN]), [Stop; 4]);
}

#[test]
fn without_a_record_the_clock_never_runs() {
    use Clock::{Keep, Stop};
    assert_eq!(clocks(Stream::BoundedByUs, &[TURN, RUNS, RAN, THOUGHT]), [Stop, Stop, Stop, Keep]);
}

#[test]
fn a_record_is_taken_whole_with_the_line_breaks_in_its_texts() {
    let mut pulse = Pulse::new(Stream::BoundedByUs);
    let text = record(
        "event.name=\"codex.sse_event\" event.kind=response.completed error.message=one\nsk-secret\nError: three",
    );
    for line in text.lines() {
        assert!(pulse.stderr_line(line.as_bytes()).is_some(), "{line}");
    }
    assert_eq!(pulse.records(), 1);
    assert_eq!(pulse.stderr_line(b"Error: of Codex's own"), None);
}

#[test]
fn other_lines_are_left_alone() {
    let mut pulse = Pulse::new(Stream::BoundedByUs);
    for line in
        ["", "Reading prompt from stdin...", "Error: thread/resume failed: no rollout found"]
    {
        assert_eq!(pulse.stderr_line(line.as_bytes()), None, "{line}");
    }
    assert_eq!(pulse.stderr_line(&[0xff; 1000]), None);
    let late = format!("{} codex_otel.log_only: x", "\u{e4}".repeat(200));
    assert_eq!(pulse.stderr_line(late.as_bytes()), None);
}

#[test]
fn a_record_of_another_form_is_dropped_and_starts_no_clock() {
    let mut pulse = Pulse::new(Stream::BoundedByUs);
    pulse.event(&Event::TurnStarted);
    let line = r#"{"target":"codex_otel.log_only","fields":{"prompt":"sk-secret"}}"#;
    assert_eq!(pulse.stderr_line(line.as_bytes()), Some(Heard::NOTHING));
    assert_eq!(pulse.records(), 0);
}

/// What each line tells of the turn.
fn signs(lines: &[&str]) -> Vec<Option<Sign>> {
    let mut pulse = Pulse::new(Stream::BoundedByCodex);
    let sign = |line: &&str| match line.starts_with('{') {
        true => pulse.event(&Event::read(line.as_bytes())).sign,
        false => pulse.stderr_line(record(line).as_bytes()).unwrap().sign,
    };
    lines.iter().map(sign).collect()
}

#[test]
fn a_record_tells_what_kind_of_event_there_was() {
    let event = |kind: &str| format!("event.name=\"codex.sse_event\" event.kind={kind}");
    for (kind, sign) in [
        ("keepalive", Sign::KeepAlive),
        ("response.created", Sign::Event),
        ("response.output_item.added", Sign::Event),
        ("response.reasoning_summary_part.added", Sign::Event),
        ("response.reasoning_summary_text.delta", Sign::Thought),
        ("response.reasoning_text.delta", Sign::Thought),
        ("response.function_call_arguments.delta", Sign::Thought),
        ("response.output_text.delta", Sign::Answer),
        ("response.output_text.done", Sign::Event),
        ("response.refusal.delta", Sign::Answer),
        ("response.completed", Sign::Ended),
        ("of.a.later.version", Sign::Event),
    ] {
        assert_eq!(signs(&[&event(kind)]), [Some(sign)], "{kind}");
    }
}

#[test]
fn that_the_model_is_waited_for_is_told_once_for_each_request() {
    let (asked, head) = (Some(Sign::Asked), Some(Sign::Head));
    assert_eq!(signs(&[BEGINS, TURN, MODELS, ANSWERED]), [None, asked, None, head]);
    assert_eq!(signs(&[TURN, BEGINS, BEGINS, ANSWERED]), [None, asked, None, head]);
    assert_eq!(signs(&[BEGINS, ANSWERED, TURN]), [None, head, None], "it answers already");
    assert_eq!(signs(&[BEGINS, TURN, REFUSED, ANSWERED]), [None, asked, asked, head]);
    // Without a record nothing is known.
    assert_eq!(signs(&[TURN, RUNS, RAN]), [None; 3]);
}
