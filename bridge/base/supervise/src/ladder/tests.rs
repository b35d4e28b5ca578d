//! The ladder on a clock of its own: what happens when, without any process.

use super::*;

/// Deadline after 10 s, stall after 3 s, the usual graces.
fn ladder() -> (Ladder, Instant) {
    let now = Instant::now();
    let deadline = now + Duration::from_secs(10);
    let stall = Some(Duration::from_secs(3));
    (Ladder::new(Bounds { stall, ..Bounds::until(deadline) }), now)
}

/// Lets every alarm go off, up to the end; returns the steps with their times in milliseconds.
fn play(ladder: &mut Ladder, begun: Instant) -> Vec<(u128, Step)> {
    let mut steps = Vec::new();
    loop {
        let now = ladder.next_alarm();
        let step = ladder.alarm(now);
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
    let (mut ladder, begun) = ladder();
    let expected = [
        (10_000, Step::Interrupt),
        (10_700, Step::Kill),
        (11_400, Step::KillGuard),
        (11_800, Step::GiveUp),
    ];
    assert_eq!(play(&mut ladder, begun), expected);
    assert_eq!(ladder.outcome(), (Cause::Deadline, Exit::Signal(9), Some(Rung::Kill)));
}

#[test]
fn a_clock_that_stands_still_stalls_nobody() {
    let (mut ladder, begun) = ladder();
    assert_eq!(ladder.next_alarm(), begun + seconds(10));
    ladder.set_clock(Clock::Keep, begun + seconds(1));
    assert_eq!(ladder.next_alarm(), begun + seconds(10));
    ladder.set_clock(Clock::Start, begun + seconds(1));
    ladder.set_clock(Clock::Stop, begun + seconds(3));
    assert_eq!(ladder.next_alarm(), begun + seconds(10));
}

#[test]
fn a_clock_that_runs_out_is_a_stall_and_a_new_start_puts_it_off() {
    let (mut ladder, begun) = ladder();
    ladder.set_clock(Clock::Start, begun);
    ladder.set_clock(Clock::Start, begun + seconds(2));
    ladder.set_clock(Clock::Keep, begun + seconds(3));
    assert_eq!(ladder.next_alarm(), begun + seconds(5));
    assert_eq!(ladder.alarm(begun + seconds(5)), Step::Interrupt);
    ladder.exited(Exit::Code(1), begun + seconds(5));
    ladder.gone(Some(Exit::Code(1)), begun + seconds(5));
    assert_eq!(ladder.outcome(), (Cause::Stalled, Exit::Code(1), Some(Rung::Interrupt)));
}

#[test]
fn who_lingers_is_not_asked_kindly() {
    let (mut ladder, begun) = ladder();
    ladder.expect_exit(begun + seconds(1));
    // The last line was seen first, then stdout was closed: the first counts.
    ladder.expect_exit(begun + seconds(2));
    assert_eq!(ladder.next_alarm(), begun + seconds(3));
    assert_eq!(ladder.alarm(begun + seconds(3)), Step::Kill);
    assert!(!ladder.is_running());
    ladder.exited(Exit::Signal(9), begun + seconds(3));
    assert_eq!(ladder.outcome(), (Cause::Lingered, Exit::Signal(9), Some(Rung::Kill)));
}

#[test]
fn the_first_cause_counts() {
    let (mut ladder, begun) = ladder();
    assert_eq!(ladder.cancel(begun), Step::Interrupt);
    assert_eq!(ladder.overflow(begun), Step::Wait);
    ladder.exited(Exit::Code(0), begun);
    ladder.exited(Exit::Code(5), begun);
    ladder.gone(None, begun);
    assert_eq!(ladder.outcome(), (Cause::Cancelled, Exit::Code(0), Some(Rung::Interrupt)));
}

#[test]
fn a_guard_that_ends_without_a_word_is_lost() {
    let (mut ladder, begun) = ladder();
    ladder.gone(Some(Exit::Signal(9)), begun);
    assert!(ladder.is_gone());
    // The pipes have half a second to be read.
    assert_eq!(play(&mut ladder, begun), [(500, Step::GiveUp)]);
    assert_eq!(ladder.outcome(), (Cause::GuardLost, Exit::Signal(9), None));
}

#[test]
fn a_program_that_ends_by_itself_leaves_the_guard_its_time_to_clean_up() {
    let (mut ladder, begun) = ladder();
    ladder.exited(Exit::Code(0), begun);
    let expected = [(700, Step::KillGuard), (1100, Step::GiveUp)];
    assert_eq!(play(&mut ladder, begun), expected);
    assert_eq!(ladder.outcome(), (Cause::Exited, Exit::Code(0), None));
}
