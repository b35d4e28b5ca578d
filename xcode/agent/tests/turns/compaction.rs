//! Compaction: in time, between steps, in one long turn too.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent::{Outcome, TurnLimits};
use llm::Cancel;
use mock_model::{Dialect, ErrorKind, ProviderError, Recorded, Reply, Script, Turn, USAGE, Usage};
use serde_json::json;

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, tool, turn};

const PROMPT: &str = "请修复解析器里的所有错误，逐个文件检查，不要遗漏。";
const SUMMARIZE: &str = "Summarize the following conversation concisely";
/// A page of a Chinese text, 900 characters.
const PAGE: &str = "代码审查不是为了挑错，而是为了让下一个读到它的人少走弯路。";

fn is_summary(request: &Recorded) -> bool {
    request.json().to_string().contains(SUMMARIZE)
}

/// About as many tokens as a tokenizer finds: 0.7 for each Chinese character, a fourth for each other.
/// Measured with o200k: 2,611 characters of Chinese prose are 1,765 tokens.
fn tokens(request: &Recorded) -> u64 {
    let text = request.json().to_string();
    let chinese = text.chars().filter(|char| !char.is_ascii()).count();
    let other = text.chars().count() - chinese;
    u64::try_from(chinese * 7 / 10 + other / 4).expect("a small number")
}

/// A tool whose results are long Chinese texts, each another one.
fn reading() -> Arc<dyn agent::Tool> {
    tool("look", Kind::Reads, |arguments, _| async move {
        let page = arguments["text"].as_str().expect("a text").to_owned();
        Outcome::ok(format!("第{page}页\n{}", PAGE.repeat(30)))
    })
}

/// One turn of 30 steps with a window of 8,000 tokens; the mock refuses what does not fit.
#[tokio::test]
async fn a_long_chinese_turn_in_a_small_window_never_meets_the_overflow() {
    for reports in [true, false] {
        for protocol in PROTOCOLS {
            let step = AtomicUsize::new(0);
            let overflows = Arc::new(AtomicUsize::new(0));
            let overflowed = Arc::clone(&overflows);
            let script = Script::choose(move |request| {
                let input_tokens = tokens(request);
                if input_tokens > 8_000 {
                    overflowed.fetch_add(1, Ordering::SeqCst);
                    return ProviderError::new(ErrorKind::ContextLength).into();
                }
                let usage = Usage { input_tokens, cached_input_tokens: 0, ..USAGE };
                let usage = if reports { usage } else { USAGE };
                if is_summary(request) {
                    let summary = format!("已检查若干文件。{}", PAGE.repeat(4));
                    return Turn::text(summary).costing(usage).into();
                }
                let number = step.fetch_add(1, Ordering::SeqCst);
                if number == 30 {
                    return Turn::text("全部修好了。").costing(usage).into();
                }
                // Every fifth step reads three pages side by side.
                let pages = if number % 5 == 4 { 3 } else { 1 };
                let call = |turn: Turn, page: usize| {
                    turn.and_call("look", &json!({"text": format!("{number}.{page}")}))
                };
                (0..pages).fold(Turn::text("我看下一页。\n"), call).costing(usage).into()
            });
            let mut stage = Stage::speaking(protocol, script).await;
            stage.window = Some(8_000);
            stage.tools = vec![reading()];
            let host = ScriptedHost::default();
            let end = turn(&mut stage.session(), PROMPT, &host).await;
            let id = protocol.0;
            assert_eq!((end.exit, end.answer.as_str()), (0, "全部修好了。"), "{id} {reports}");
            assert_eq!(overflows.load(Ordering::SeqCst), 0, "{id} {reports}");
            let compacted = host.of("compacted");
            assert!(compacted.len() >= 4, "{id} {reports}: {compacted:?}");
            for one in compacted {
                assert!(one["after"].as_u64() < one["before"].as_u64(), "{one}");
            }
            let requests = stage.requests();
            assert_eq!(requests.len(), 31 + host.of("compacted").len());
            for request in &requests {
                assert!(request.json().to_string().contains(PROMPT), "{id}: word for word");
                assert!(!is_summary(request) || request.tools().is_empty());
            }
        }
    }
}

/// The window of a custom model is assumed to be 128,000; here it is 20,000. The summary's own request
/// has to fit, too.
#[tokio::test]
async fn a_window_that_is_smaller_than_assumed_is_met_and_the_turn_goes_on() {
    let mut step = 0;
    let overflows = Arc::new(AtomicUsize::new(0));
    let overflowed = Arc::clone(&overflows);
    let script = Script::choose(move |request| {
        if tokens(request) > 20_000 {
            overflowed.fetch_add(1, Ordering::SeqCst);
            return ProviderError::new(ErrorKind::ContextLength).into();
        }
        if is_summary(request) {
            return Reply::Text("已检查若干文件。".into());
        }
        step += 1;
        match step <= 60 {
            true => Turn::call("look", &json!({"text": format!("{step}")})).into(),
            false => Reply::Text("全部修好了。".into()),
        }
    });
    let mut stage = Stage::speaking(("custom:foo", Dialect::CUSTOM, "/v1"), script).await;
    stage.tools = vec![reading()];
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), PROMPT, &host).await;
    assert_eq!((end.exit, end.answer.as_str()), (0, "全部修好了。"), "{:?}", host.of("failure"));
    let overflows = overflows.load(Ordering::SeqCst);
    assert!(overflows >= 2, "{overflows}");
    assert_eq!(host.of("compacted").len(), overflows, "each was met once");
    assert!(stage.requests().iter().all(|request| request.json().to_string().contains(PROMPT)));
}

/// A script that looks `steps` times and answers; summaries get `summary`.
fn looking(steps: usize, summary: Reply) -> Script {
    let mut step = 0;
    Script::choose(move |request| {
        if is_summary(request) {
            return summary.clone();
        }
        step += 1;
        match step <= steps {
            true => Turn::call("look", &json!({"text": format!("{step}")})).into(),
            false => Reply::Text("Done.".into()),
        }
    })
}

#[tokio::test]
async fn a_summary_that_fails_leaves_the_conversation_as_it_was() {
    let refused = ProviderError::bad_request("no summaries today");
    let mut stage = Stage::new(looking(3, refused.into())).await;
    stage.window = Some(8_000);
    stage.limits = TurnLimits { compaction_threshold: 0.3, ..TurnLimits::USUAL };
    stage.tools = vec![reading()];
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), PROMPT, &host).await;
    assert_eq!((end.exit, host.of("compacted").len()), (0, 0));
    assert!(host.notes().contains("could not be compacted"), "{}", host.notes());
    let requests = stage.requests();
    assert_eq!(requests.iter().filter(|request| is_summary(request)).count(), 1, "not each step");
    assert_eq!(requests.last().unwrap().results().len(), 3, "nothing is missing");
}

#[tokio::test]
async fn compaction_can_be_switched_off_and_asked_for() {
    let mut stage = Stage::new(looking(4, Reply::Text("摘要".into()))).await;
    stage.window = Some(8_000);
    stage.limits = TurnLimits { compaction_threshold: 0.0, keep_share: 0.0, ..TurnLimits::USUAL };
    stage.tools = vec![reading()];
    let mut session = stage.session();
    let host = ScriptedHost::default();
    let end = turn(&mut session, PROMPT, &host).await;
    assert_eq!((end.exit, host.of("compacted").len()), (0, 0));
    let host = ScriptedHost::default();
    assert!(session.compact(Some("names of files"), &host, &Cancel::new()).await);
    assert_eq!(host.of("compacted").len(), 1);
    let request = stage.requests().last().unwrap().json().to_string();
    assert!(request.contains("Keep in particular: names of files"), "{request}");
    // There is nothing left that could be summarised.
    assert!(!session.compact(None, &host, &Cancel::new()).await);
    assert_eq!(session.spent().0.input, 600);
}

/// The journal has what the model sees, and the session's summary is on disk before anybody is told.
#[tokio::test]
async fn a_compacted_session_goes_on_as_it_was() {
    let mut stage = Stage::new(looking(9, Reply::Text("摘要：看了几页。".into()))).await;
    stage.window = Some(8_000);
    stage.tools = vec![reading()];
    let latest = stage.folder.path().join(".x-code/sessions/latest.json");
    let host = ScriptedHost::watching(move |what| {
        if matches!(what, contract::xc::What::Compacted { .. }) {
            assert!(latest.is_file(), "{}", latest.display());
        }
    });
    let mut session = stage.session();
    let end = turn(&mut session, PROMPT, &host).await;
    assert_eq!((end.exit, host.of("compacted").is_empty()), (0, false));
    let bodies = |stage: &Stage| stage.requests().last().unwrap().json();
    let id = session.id();
    drop(session);
    let mut resumed = stage.resumed(id);
    let spent = resumed.spent();
    stage.mock.set_script(Reply::Text("Goes on.".into()));
    let last = bodies(&stage);
    let end = turn(&mut resumed, "接着做", &ScriptedHost::default()).await;
    assert_eq!(end.answer, "Goes on.");
    let next = bodies(&stage);
    let (last, next) = (last["messages"].as_array().unwrap(), next["messages"].as_array().unwrap());
    assert_eq!(next[..last.len()], last[..]);
    assert_eq!(next.len(), last.len() + 2, "the answer, and the new prompt");
    assert!(resumed.spent().0.input > spent.0.input, "what was before counts");
}
