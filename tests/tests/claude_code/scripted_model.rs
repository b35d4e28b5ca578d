//! The scripted model itself, with the real client: side by side calls, sub-agents, and what it cannot
//! answer.

use serde_json::json;
use tests::claude::claude_bin;
use tests::harness::StateDir;
use tests::messages_api::{Agent, MessagesApi, Reply, Script};

use crate::fixture::{assert_smooth, client};

#[tokio::test]
async fn sub_agents_side_by_side_each_get_their_own_turns() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let agent = |task: &str| {
        json!({"description": "t", "subagent_type": "general-purpose", "prompt": task,
            "run_in_background": false})
    };
    let script = Script::new()
        .main(move |_| {
            Reply::text("Two of them.")
                .and_tool("Agent", agent("count apples"))
                .and_tool("Agent", agent("count pears"))
        })
        .main(|_| Reply::text("done"))
        .sub_agent(|_| {
            Reply::tool("Bash", json!({"command": "echo counted", "description": "count"}))
        })
        .sub_agent(|request| {
            let fruit = if request.everything().contains("apples") { "apples" } else { "pears" };
            Reply::text(format!("{fruit} {}", request.last_result()))
        });
    let api = MessagesApi::start(script).await.unwrap();
    let claude = client(&claude, &folder).args(["--allowedTools", "Bash(echo *)"]).api(&api);
    assert_smooth(&claude.prompt("count").await.unwrap(), "done");

    let requests = api.requests();
    let ids: std::collections::BTreeSet<&str> = requests
        .iter()
        .filter_map(|request| match &request.agent {
            Agent::Sub(id) => Some(id.as_str()),
            Agent::Main => None,
        })
        .collect();
    assert_eq!((ids.len(), requests.len()), (2, 6), "{ids:?}");
    let news = requests.last().unwrap().news();
    assert!(news.contains("apples counted") && news.contains("pears counted"), "{news}");
    assert!(requests.iter().all(|request| request.session_id == requests[0].session_id));
    assert!(requests[0].tools().contains(&"Bash"));
}

#[tokio::test]
async fn a_request_that_the_script_does_not_know_fails_the_run_and_says_so() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let api = MessagesApi::start(Script::new()).await.unwrap();
    let finished = client(&claude, &folder).api(&api).prompt("hello").await.unwrap();
    let result = finished.result().unwrap();
    assert_eq!(result["is_error"], true);
    let text = result["result"].as_str().unwrap();
    assert!(text.contains("the script says nothing to Main at turn 0"), "{text}");
    assert_eq!(api.requests().len(), 1);
}
