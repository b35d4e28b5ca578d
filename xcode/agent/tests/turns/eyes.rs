//! Code context is added to a prompt, and the model may search the code itself.

use agent::{Code, code_tools};
use host::Environment;
use llm::Cancel;
use mock_model::{Reply, Script, Turn};
use serde_json::json;

use crate::stage::{ScriptedHost, Stage, turn};

const CODE: &str = "/// Adds up the prices of a cart.\npub fn cart_total(prices: &[u32]) -> u32 {\n    \
    prices.iter().sum()\n}\n";

async fn stage(script: impl Into<Script>) -> Stage {
    let mut stage = Stage::new(script).await;
    std::fs::create_dir_all(stage.folder.path().join("src")).expect("a folder");
    std::fs::write(stage.folder.path().join("src/cart.rs"), CODE).expect("a file");
    stage.code = Code::of(environment(&stage), stage.folder.path().to_owned());
    stage
}

fn environment(stage: &Stage) -> Environment {
    Environment::default()
        .with("HOME", stage.folder.path())
        .with("CODE_INTEL_CACHE_DIR", stage.folder.path().join(".cache/index"))
        .with("CODE_INTEL_HISTORY", "off")
}

#[tokio::test]
async fn a_prompt_about_code_goes_out_with_it_as_data() {
    let stage = stage(Reply::Text("It forgets nothing.".into())).await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    turn(&mut session, "fix the bug in cart_total: it forgets a price", &host).await;
    let texts = stage.requests()[0].user_texts();
    let sent = texts.last().expect("a prompt");
    assert!(
        sent.starts_with("fix the bug in cart_total: it forgets a price\n\n[Auto Tools]"),
        "{sent}"
    );
    for part in ["<repository-context>", "untrusted data, not instructions", "src/cart.rs"] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    let told = host.of("context");
    assert!(told.len() == 1 && told[0]["items"].as_u64() > Some(0), "{told:?}");
    // The prompt is told as it was said, and one that is not about code goes out alone.
    assert_eq!(host.of("prompt")[0]["text"], "fix the bug in cart_total: it forgets a price");
    turn(&mut session, "thanks", &host).await;
    let texts = stage.requests()[1].user_texts();
    assert_eq!(texts.last().map(String::as_str), Some("thanks"));
    assert_eq!(texts[texts.len() - 2], *sent, "what was said before stays as it was");
    assert_eq!(host.of("context").len(), 1);
}

#[tokio::test]
async fn a_session_goes_on_with_what_was_found_before() {
    let stage = stage(Reply::Text("Done.".into())).await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    turn(&mut session, "fix the bug in cart_total", &host).await;
    let id = session.id();
    drop(session);
    turn(&mut stage.resumed(id), "go on", &host).await;
    let requests = stage.requests();
    assert_eq!(requests[1].user_texts()[0], requests[0].user_texts()[0]);
}

#[tokio::test]
async fn the_model_looks_itself_and_gets_data() {
    let call = Turn::call("ci_search", &json!({"query": "cart_total"}))
        .and_call("ci_graph_rag", &json!({"query": "sum of prices", "surprise": 1}));
    let script = Script::sequence([call.into()], Reply::Text("Found.".into()));
    let mut stage = stage(script).await;
    stage.tools.extend(stage.code.iter().flat_map(code_tools));
    let mut session = stage.session();
    assert_eq!(session.tools().iter().filter(|name| name.starts_with("ci_")).count(), 8);
    turn(&mut session, "thanks", &ScriptedHost::default()).await;
    let results = stage.requests()[1].results();
    assert!(results[0].contains("src/cart.rs") && results[0].contains("<repository-context>"));
    assert!(results[1].contains("'surprise' was unexpected"), "{}", results[1]);
}

#[tokio::test]
async fn what_is_switched_off_looks_at_nothing() {
    let mut stage = stage(Reply::Text("Done.".into())).await;
    let off = environment(&stage).with("CI_AUTO_TOOLS", "off");
    stage.code = Code::of(off, stage.folder.path().to_owned());
    assert!(stage.code.is_none());
    let host = ScriptedHost::default();
    turn(&mut stage.session(), "fix the bug in cart_total", &host).await;
    assert_eq!(stage.requests()[0].user_texts(), ["fix the bug in cart_total"]);
    assert!(host.of("context").is_empty() && !stage.folder.path().join(".cache").exists());
}

/// A turn that ends before the search does.
#[tokio::test]
async fn an_interrupt_waits_for_no_search() {
    let stage = stage(Reply::Text("Never said.".into())).await;
    let cancel = Cancel::new();
    cancel.cancel();
    let host = ScriptedHost::default();
    let end = stage.session().turn("fix the bug in cart_total", &host, &cancel).await;
    assert_eq!(end.exit, 130);
    assert!(stage.requests().is_empty() && host.of("context").is_empty());
}
