//! The escalation with a simulated clock: what happens when, without a process.

use super::*;

/// Deadline after 10 s, stall after 3 s, the usual graces.
fn escalation() -> (Escalation, Instant) {
    let now = Instant::now();
    let deadline = now + Duration::from_secs(10);
    let stall = Some(Duration::from_secs(3));
    (Escalation::new(Bounds { stall, ..Bounds::until(deadline) }), now)
}

/// Lets every alarm go off, up to the end; returns the steps with their times in milliseconds.
fn play(escalation: &mut Escalation, begun: Instant) -> Vec<(u128, Step)> {
    let mut steps = Vec::new();
    loop {
        let now = escalation.next_alarm();
        let step = escalation.alarm(now);
        steps.push(((now - begun).as_millis(), step));
        if step == Step::GiveUp {
            return steps;
        }
    }
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn a_guard_that_never_reacts_is_given_up_within_two_seconds_of_the_deadline() {
    let (mut escalation, begun) = escalation();
    let expected = [
        (10_000, Step::Interrupt),
        (10_700, Step::Kill),
        (11_400, Step::KillGuard),
        (11_800, Step::GiveUp),
    ];
    assert_eq!(play(&mut escalation, begun), expected);
    assert_eq!(escalation.outcome(), (Cause::Deadline, Exit::Signal(9), Some(SignalSent::Kill)));
}

#[test]
fn a_clock_that_stands_still_stalls_nobody() {
    let (mut escalation, begun) = escalation();
    assert_eq!(escalation.next_alarm(), begun + seconds(10));
    escalation.set_clock(Clock::Keep, begun + seconds(1));
    assert_eq!(escalation.next_alarm(), begun + seconds(10));
    escalation.set_clock(Clock::Start, begun + seconds(1));
    escalation.set_clock(Clock::Stop, begun + seconds(3));
    assert_eq!(escalation.next_alarm(), begun + seconds(10));
}

#[test]
fn a_clock_that_runs_out_is_a_stall_and_a_new_start_puts_it_off() {
    let (mut escalation, begun) = escalation();
    escalation.set_clock(Clock::Start, begun);
    escalation.set_clock(Clock::Start, begun + seconds(2));
    escalation.set_clock(Clock::Keep, begun + seconds(3));
    assert_eq!(escalation.next_alarm(), begun + seconds(5));
    assert_eq!(escalation.alarm(begun + seconds(5)), Step::Interrupt);
    escalation.exited(Exit::Code(1), begun + seconds(5));
    escalation.gone(Some(Exit::Code(1)), begun + seconds(5));
    assert_eq!(escalation.outcome(), (Cause::Stalled, Exit::Code(1), Some(SignalSent::Interrupt)));
}

#[test]
fn who_lingers_is_not_asked_kindly() {
    let (mut escalation, begun) = escalation();
    escalation.expect_exit(begun + seconds(1));
    // The last line was seen first, then stdout was closed: the first counts.
    escalation.expect_exit(begun + seconds(2));
    assert_eq!(escalation.next_alarm(), begun + seconds(3));
    assert_eq!(escalation.alarm(begun + seconds(3)), Step::Kill);
    assert!(!escalation.is_running());
    escalation.exited(Exit::Signal(9), begun + seconds(3));
    assert_eq!(escalation.outcome(), (Cause::Lingered, Exit::Signal(9), Some(SignalSent::Kill)));
}

#[test]
fn the_first_cause_counts() {
    let (mut escalation, begun) = escalation();
    assert_eq!(escalation.cancel(begun), Step::Interrupt);
    assert_eq!(escalation.overflow(begun), Step::Wait);
    escalation.exited(Exit::Code(0), begun);
    escalation.exited(Exit::Code(5), begun);
    escalation.gone(None, begun);
    assert_eq!(
        escalation.outcome(),
        (Cause::Cancelled, Exit::Code(0), Some(SignalSent::Interrupt))
    );
}

#[test]
fn a_guard_that_ends_without_a_word_is_lost() {
    let (mut escalation, begun) = escalation();
    escalation.gone(Some(Exit::Signal(9)), begun);
    assert!(escalation.is_gone());
    // The pipes have half a second to be read.
    assert_eq!(play(&mut escalation, begun), [(500, Step::GiveUp)]);
    assert_eq!(escalation.outcome(), (Cause::GuardLost, Exit::Signal(9), None));
}

#[test]
fn a_program_that_ends_by_itself_leaves_the_guard_its_time_to_clean_up() {
    let (mut escalation, begun) = escalation();
    escalation.exited(Exit::Code(0), begun);
    let expected = [(700, Step::KillGuard), (1100, Step::GiveUp)];
    assert_eq!(play(&mut escalation, begun), expected);
    assert_eq!(escalation.outcome(), (Cause::Exited, Exit::Code(0), None));
}
