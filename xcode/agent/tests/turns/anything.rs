//! Sessions in which anything happens in any order: whatever it was, the next request has its calls
//! and results in pairs, and the journal goes on.

use std::sync::atomic::{AtomicUsize, Ordering};

use agent::{Answer, Outcome, TurnLimits};
use contract::xc::{EndReason, PermitMode};
use futures_util::future::join_all;
use llm::Cancel;
use mock_model::{ErrorKind, Fault, ProviderError, Recorded, Reply, Script, Trouble, Turn};
use serde_json::json;

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, change, look, tool};

/// Sessions of each protocol.
const SESSIONS: u64 = 12;

/// Turns of each session.
const TURNS: u64 = 5;

/// A source of numbers that are the same in each run.
#[derive(Clone)]
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.0 >> 33) % end
    }
}

/// What the model says next: calls of every kind, answers, failures, streams that break.
fn reply(request: &Recorded, chance: &mut Chance) -> Reply {
    if request.json().to_string().contains("Summarize the following") {
        return match chance.below(3) {
            0 => ProviderError::new(ErrorKind::BadRequest).into(),
            _ => Reply::Text("摘要：做了一些事。".into()),
        };
    }
    let turn = match chance.below(8) {
        0 => Turn::text("Done.\n好了。"),
        1 => return ProviderError::new(ErrorKind::ContextLength).into(),
        2 => return ProviderError::new(ErrorKind::BadRequest).into(),
        _ => (0..=chance.below(4)).fold(Turn::text("我看看。\n"), |turn, _| {
            let text = format!("{} {}", chance.below(1_000), "代码".repeat(300));
            match chance.below(7) {
                0 => turn.and_raw_call("look", "{\"text\": \"cut"),
                1 => turn.and_call("nothing", &json!({"text": text})),
                2 => turn.and_call("look", &json!({"texts": text})),
                3 => turn.and_call("change", &json!({"text": "git add a"})),
                4 => turn.and_call("change", &json!({"text": "rm -rf /"})),
                5 => turn.and_call("ends", &json!({"text": text})),
                _ => turn.and_call("look", &json!({"text": text})),
            }
        }),
    };
    match chance.below(24) {
        0 => Reply::from(turn).with(Fault::after(3, Trouble::Cut)),
        _ => turn.into(),
    }
}

async fn session(
    protocol: (&'static str, mock_model::Dialect, &'static str),
    seed: u64,
) -> [bool; 5] {
    let mut script = Chance(seed);
    let script = Script::choose(move |request| reply(request, &mut script));
    let mut stage = Stage::speaking(protocol, script).await;
    stage.window = Some(8_000);
    stage.mode = PermitMode::Ask;
    stage.limits = TurnLimits { max_steps: 8, ..TurnLimits::USUAL };
    let ends = AtomicUsize::new(0);
    stage.tools = vec![
        look(),
        change(),
        tool("ends", Kind::Reads, move |_, cancel| {
            let number = ends.fetch_add(1, Ordering::SeqCst);
            async move {
                if number.is_multiple_of(3) {
                    cancel.cancel();
                    std::future::pending::<()>().await;
                }
                Outcome::error("no")
            }
        }),
    ];
    let mut chance = Chance(seed + 1);
    let mut seen = [false; 5];
    let mut session = stage.session();
    for number in 0..TURNS {
        let answers = [Answer::Once, Answer::No(None), Answer::Session];
        let host = ScriptedHost::answering(answers);
        let prompt = format!("第{number}个问题");
        let end = session.turn(&prompt, &host, &Cancel::new()).await;
        let place = match end.reason {
            EndReason::Answered => 0,
            EndReason::Failed => 1,
            EndReason::Interrupted => 2,
            EndReason::TurnLimit | EndReason::CostLimit => 3,
        };
        seen[place] = true;
        seen[4] |= !host.of("compacted").is_empty();
        if chance.below(2) == 0 {
            let id = session.id();
            drop(session);
            session = stage.resumed(id);
        }
        // The mock refuses a request whose calls and results are not in pairs.
        assert_eq!(stage.mock.refusals(), Vec::<String>::new(), "{protocol:?} {seed} {number}");
    }
    stage.mock.set_script(Reply::Text("The end.".into()));
    let end = session.turn("最后", &ScriptedHost::default(), &Cancel::new()).await;
    let body = stage.requests().last().expect("a request").json().to_string();
    assert!(body.contains("最后"), "{body}");
    assert_eq!((end.exit, end.answer.as_str()), (0, "The end."), "{protocol:?} {seed}");
    seen
}

#[tokio::test]
async fn whatever_happened_calls_and_results_are_in_pairs() {
    let sessions = PROTOCOLS
        .into_iter()
        .flat_map(|protocol| (0..SESSIONS).map(move |seed| session(protocol, 1_000 * seed + 7)));
    let mut all = [0; 5];
    for seen in join_all(sessions).await {
        for (count, seen) in all.iter_mut().zip(seen) {
            *count += usize::from(seen);
        }
    }
    // Each end, and compaction, was met in several sessions.
    assert!(all.iter().all(|count| *count >= 3), "{all:?}");
}
