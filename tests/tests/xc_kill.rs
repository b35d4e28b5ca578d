//! `xc` and its run guards are ended at random moments of a run, round by round: nothing of a run is alive
//! two seconds later, its journal can be read, the session goes on, and no effect happens twice.
//!
//! `XC_KILL_ROUNDS` is the number of rounds of all five ways together, 40 where it is not set;
//! `XC_KILL_SEED` repeats the moments of a run.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "xc_kill/place.rs"]
mod place;
#[path = "xc_kill/processes.rs"]
mod processes;

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use contract::xc::{CallStatus, Entry, Line};
use rustix::process::Signal;
use tests::harness::wait_until;

use place::{Background, LIMIT, Place, STEPS};
use processes::{children, signal};

/// The rounds of all ways together, where no number is given.
const ROUNDS: u32 = 40;
/// How many ways there are.
const WAYS: u32 = 5;
/// How long a process may outlive the end of its run.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// What is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The program, by SIGKILL.
    Program,
    /// Its run guard, by SIGKILL, as soon as there is one.
    Guard,
    /// The guard and the program, by SIGKILL.
    Both,
    /// The program, by SIGTERM.
    Terminate,
    /// The program, by SIGINT.
    Interrupt,
}

/// What the rounds of one way saw.
#[derive(Debug, Default)]
struct Seen {
    rounds: u32,
    /// The run was over before its moment came.
    late: u32,
    /// A call had begun and its end was not known.
    in_a_call: u32,
    /// How long it took at most until nothing was alive.
    gone_ms: u128,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_program_is_killed_leaves_nothing_and_goes_on() {
    rounds(Way::Program).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_guard_is_killed_leaves_nothing_and_goes_on() {
    rounds(Way::Guard).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_guard_and_program_are_killed_leaves_nothing_and_goes_on() {
    rounds(Way::Both).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_terminated_leaves_nothing_and_goes_on() {
    rounds(Way::Terminate).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_interrupted_leaves_nothing_and_goes_on() {
    rounds(Way::Interrupt).await;
}

async fn rounds(way: Way) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u32>().unwrap());
    let seed = number("XC_KILL_SEED").unwrap_or_else(seed_of_now);
    let rounds = number("XC_KILL_ROUNDS").unwrap_or(ROUNDS).div_ceil(WAYS);
    let whole = [undisturbed(Background::Nothing).await, undisturbed(Background::Task).await];
    let (mut chance, mut seen) = (u64::from(seed), Seen::default());
    for round in 0..rounds {
        let (background, whole) = match round % 2 {
            0 => (Background::Nothing, whole[0]),
            _ => (Background::Task, whole[1]),
        };
        let moment = whole.mul_f64(fraction(&mut chance));
        eprintln!(
            "{way:?}, round {round} of seed {seed}: {background:?}, after {moment:?} of {whole:?}"
        );
        self::round(way, background, moment, &mut seen).await;
    }
    eprintln!("{way:?}: {seen:?}");
}

/// A run to its end; returns how long it took.
async fn undisturbed(background: Background) -> Duration {
    let place = Place::new(background).await;
    let began = Instant::now();
    let (code, out) = place.run(&["-p", "-t", "count"]).await;
    let took = began.elapsed();
    assert_eq!((code, out.trim()), (Some(0), "All counted."));
    let each_once: BTreeMap<_, _> = (0..STEPS).map(|step| (step.to_string(), 1)).collect();
    assert_eq!(place.effects(), each_once);
    took
}

async fn round(way: Way, background: Background, moment: Duration, seen: &mut Seen) {
    seen.rounds += 1;
    let place = Place::new(background).await;
    let mut child = place.xc(&["-p", "-t", "count"]).spawn().unwrap();
    let pid = child.id().unwrap();
    // What is tested is any moment: there is no condition to wait for.
    tokio::time::sleep(moment).await;
    let mut guards = Vec::new();
    if matches!(way, Way::Guard | Way::Both) {
        wait_until(LIMIT, || {
            guards = children(pid);
            !guards.is_empty() || child.try_wait().unwrap().is_some()
        })
        .await;
    }
    seen.late += u32::from(child.try_wait().unwrap().is_some());
    let before = place.alive();
    for guard in guards {
        signal(guard, Signal::KILL);
    }
    match way {
        Way::Program | Way::Both => signal(pid, Signal::KILL),
        Way::Terminate => signal(pid, Signal::TERM),
        Way::Interrupt => signal(pid, Signal::INT),
        Way::Guard => {}
    }
    let ended = Instant::now();
    let status = tokio::time::timeout(LIMIT, child.wait()).await.unwrap().unwrap();
    let expected: &[Option<i32>] = match way {
        Way::Program | Way::Both => &[None, Some(0)],
        // The call has failed, and the model goes on.
        Way::Guard => &[Some(0)],
        Way::Terminate => &[Some(143), Some(0), None],
        Way::Interrupt => &[Some(130), Some(0), None],
    };
    assert!(expected.contains(&status.code()), "{way:?}: {status}");
    let limit = if way == Way::Guard { LIMIT } else { GONE_WITHIN };
    let is_gone = wait_until(limit, || place.alive().is_empty()).await;
    assert!(is_gone, "{way:?}: {:?} of {before:?}", place.alive());
    if way != Way::Guard {
        seen.gone_ms = seen.gone_ms.max(ended.elapsed().as_millis());
    }
    goes_on(&place, seen).await;
}

/// The journal can be read, the session goes on to its end, and nothing was done twice.
async fn goes_on(place: &Place, seen: &mut Seen) {
    let Some(lines) = place.journal() else {
        assert_eq!(
            place.effects(),
            BTreeMap::new(),
            "something was done before there was a journal"
        );
        return;
    };
    let unknown = unknown(&lines);
    seen.in_a_call += u32::from(!unknown.is_empty());
    let (code, out) = place.run(&["-p", "-t", "--resume", "go on"]).await;
    assert_eq!((code, out.trim()), (Some(0), "All counted."));
    let lines = place.journal().unwrap();
    let numbers: Vec<u64> = lines.iter().map(|line| line.n).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "no number is missing");
    let effects = place.effects();
    assert!(effects.values().all(|times| *times == 1), "{effects:?}");
    // What is told as done is done.
    for step in done(&lines) {
        assert!(effects.contains_key(&step), "{step} of {effects:?}");
    }
    assert_eq!(tasks_without_end(&lines), Vec::<u64>::new());
    assert_eq!(place.mock.refusals(), Vec::<String>::new());
}

/// The tasks in the background whose end the journal does not tell.
fn tasks_without_end(lines: &[Line]) -> Vec<u64> {
    let mut open = Vec::new();
    for line in lines {
        match &line.entry {
            Entry::Task { task, ended: None, .. } => open.push(*task),
            Entry::Task { task, ended: Some(_), .. } => open.retain(|known| known != task),
            _ => {}
        }
    }
    open
}

/// The calls that have begun without an end.
fn unknown(lines: &[Line]) -> Vec<&str> {
    let ended = |id: &str| {
        lines.iter().any(|line| matches!(&line.entry, Entry::Result { id: of, .. } if of == id))
    };
    let begun = lines.iter().filter_map(|line| match &line.entry {
        Entry::Begun { id, .. } => Some(id.as_str()),
        _ => None,
    });
    begun.filter(|id| !ended(id)).collect()
}

/// The steps whose calls went well, as the journal says.
fn done(lines: &[Line]) -> Vec<String> {
    let mut steps = Vec::new();
    let mut asked = Vec::new();
    for line in lines {
        match &line.entry {
            Entry::Assistant { calls, .. } => {
                asked.extend(
                    calls.iter().map(|call| (call.id.clone(), call.input["command"].clone())),
                );
            }
            Entry::Result { id, status: CallStatus::Ok, .. } => {
                let of = asked.iter().rev().find(|(asked, _)| asked == id);
                let command = of.and_then(|(_, command)| command.as_str()).unwrap();
                // The task in the background counts nothing.
                steps.extend(command.strip_prefix("echo ").map(|rest| rest[..1].to_owned()));
            }
            _ => {}
        }
    }
    steps
}

fn seed_of_now() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()
}

/// The next number of a seed, between 0 and 1.
fn fraction(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    f64::from(u32::try_from(*state >> 32).unwrap()) / f64::from(u32::MAX)
}
