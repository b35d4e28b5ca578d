//! Every combination of a session's state and a request.

use super::*;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + hour * 3600).unwrap()
}

fn run_id() -> RunId {
    "0199a213-81c0-7800-8aa1-bbab2a035a53".parse().unwrap()
}

/// A session opened at hour 0 that lives a day.
fn session(opening: Phase, rounds_used: u8) -> SessionFacts {
    SessionFacts { opening, rounds_used, leased_to: None, expires_at: at(24) }
}

#[test]
fn a_request_without_a_session_opens_one() {
    assert_eq!(open(Phase::Initial), Round { number: 1, left_after: 1 });
    assert_eq!(open(Phase::Final), Round { number: 1, left_after: 0 });
}

#[test]
fn the_phase_follows_from_the_rounds_that_were_answered() {
    use Phase::{Final, Initial};
    let first = Ok(Round { number: 1, left_after: 1 });
    let second = Ok(Round { number: 2, left_after: 0 });
    let only = Ok(Round { number: 1, left_after: 0 });
    let wrong = |expected, given| Err(Refusal::PhaseOrder { expected, given });
    let table = [
        // Opened by, rounds answered, asked for, what happens.
        (Initial, 0, Initial, first),
        (Initial, 0, Final, wrong(Initial, Final)),
        (Initial, 1, Initial, wrong(Final, Initial)),
        (Initial, 1, Final, second),
        (Initial, 2, Initial, Err(Refusal::RoundLimit)),
        (Initial, 2, Final, Err(Refusal::RoundLimit)),
        (Final, 0, Initial, wrong(Final, Initial)),
        (Final, 0, Final, only),
        (Final, 1, Initial, Err(Refusal::RoundLimit)),
        (Final, 1, Final, Err(Refusal::RoundLimit)),
    ];
    for (opening, used, asked, expected) in table {
        let found = continue_with(&session(opening, used), asked, at(1));
        assert_eq!(found, expected, "opened by {opening:?}, {used} answered, {asked:?} asked");
    }
}

#[test]
fn a_lease_stands_before_every_rule_but_expiry() {
    for used in 0..=2 {
        for phase in [Phase::Initial, Phase::Final] {
            let busy = SessionFacts { leased_to: Some(run_id()), ..session(Phase::Initial, used) };
            assert_eq!(
                continue_with(&busy, phase, at(1)),
                Err(Refusal::SessionBusy { run_id: run_id() })
            );
            assert_eq!(
                continue_with(&busy, phase, at(24)),
                Err(Refusal::SessionExpired { expired_at: at(24) })
            );
        }
    }
}

#[test]
fn a_session_lives_until_its_last_millisecond_whatever_the_clock_does() {
    let fresh = session(Phase::Initial, 0);
    let last = at(24).checked_sub(jiff::SignedDuration::from_millis(1)).unwrap();
    assert!(continue_with(&fresh, Phase::Initial, last).is_ok());
    assert!(continue_with(&fresh, Phase::Initial, at(24)).is_err());
    assert!(continue_with(&fresh, Phase::Initial, at(-1000)).is_ok(), "the clock went back");
}

#[test]
fn rounds_left_are_never_negative() {
    let left = |opening, used| session(opening, used).rounds_left();
    assert_eq!([0, 1, 2, 9].map(|used| left(Phase::Initial, used)), [2, 1, 0, 0]);
    assert_eq!([0, 1, 2].map(|used| left(Phase::Final, used)), [1, 0, 0]);
}
