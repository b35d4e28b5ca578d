//! The retry table, row by row.

use super::*;

const PLENTY: Duration = Duration::from_secs(60);

fn thread(last: char) -> ThreadId {
    format!("0199a213-81c0-7800-8aa1-bbab2a035a5{last}").parse().unwrap()
}

/// The decision without its jitter: the pause becomes whether there is one.
fn check(trouble: RetryCause, opening: Opening, expected: &str) {
    let shown = match after(&trouble, opening, PLENTY) {
        Next::GiveUp => "give up".to_owned(),
        Next::Repair(id) => format!("repair {}", id.to_string().chars().last().unwrap()),
        Next::Again { conversation, pause, restate } => {
            let to = match conversation {
                Conversation::Fresh => "fresh".to_owned(),
                Conversation::Resume(id) => format!("resume {id}"),
                Conversation::Fork { thread: id, .. } => {
                    format!("fork {}", id.to_string().chars().last().unwrap())
                }
            };
            let pause = if pause.is_zero() { "at once" } else { "after a pause" };
            format!("{to}, {pause}{}", if restate { ", restated" } else { "" })
        }
    };
    assert_eq!(shown, expected, "{trouble:?} {opening:?}");
}

#[test]
fn the_table() {
    let new = Opening::New;
    let fork =
        Opening::Continued { thread: thread('1'), last_turn: None, can_fork: true, touched: false };
    let old = Opening::Continued {
        thread: thread('1'),
        last_turn: None,
        can_fork: false,
        touched: false,
    };
    let answered = RetryCause::Unusable { thread: Some(thread('7')) };
    let unsaved = RetryCause::Unusable { thread: None };

    check(answered.clone(), new, "repair 7");
    check(answered, fork, "repair 7");
    check(unsaved.clone(), new, "fresh, at once, restated");
    check(unsaved.clone(), fork, "fork 1, at once");
    check(unsaved, old, "fresh, at once, restated");
    check(RetryCause::ThreadLost, fork, "fresh, at once, restated");
    check(RetryCause::Final, new, "give up");
    check(RetryCause::Final, fork, "give up");
    check(RetryCause::Passing { after: Duration::ZERO }, new, "fresh, after a pause, restated");
    check(RetryCause::Passing { after: Duration::ZERO }, fork, "fork 1, after a pause");
    check(RetryCause::Passing { after: Duration::ZERO }, old, "fresh, after a pause, restated");
}

#[test]
fn a_retry_needs_room_before_the_deadline() {
    let asked = Duration::from_secs(20);
    let trouble = RetryCause::Passing { after: asked };
    assert_eq!(after(&trouble, Opening::New, asked + SECOND_ATTEMPT_MIN), Next::GiveUp);
    match after(&trouble, Opening::New, asked + SECOND_ATTEMPT_MIN + 2 * PAUSE_MIN) {
        Next::Again { pause, .. } => assert!(pause >= asked && pause <= asked + 2 * PAUSE_MIN),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        after(&RetryCause::Passing { after: Duration::ZERO }, Opening::New, SECOND_ATTEMPT_MIN),
        Next::GiveUp
    );
    assert_eq!(after(&RetryCause::ThreadLost, Opening::New, Duration::from_secs(1)), Next::GiveUp);
}

#[test]
fn a_thread_that_a_failed_try_touched_is_not_resumed() {
    let one = thread('1');
    let touched =
        |can_fork| Opening::Continued { thread: one, last_turn: None, can_fork, touched: true };
    assert_eq!(Opening::New.first(), (Conversation::Fresh, true));
    assert_eq!(touched(true).first(), (Conversation::Fork { thread: one, last_turn: None }, false));
    assert_eq!(touched(false).first(), (Conversation::Fresh, true));
    let clean = Opening::Continued { thread: one, last_turn: None, can_fork: true, touched: false };
    assert_eq!(clean.first(), (Conversation::Resume(one), false));
}
