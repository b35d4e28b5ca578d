//! The mock model tested with our own contract and with the real Codex.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use contract::advice::{Asked, parse_advice};
use contract::input::Phase;
use serde_json::json;

fn question(phase: &str, problem: &str) -> String {
    let plans = json!([
        { "name": "outbox", "description": "d", "assumptions": ["one writer"] },
        { "name": "two-phase", "description": "d" },
    ]);
    json!({ "problem": problem, "context": "", "candidate_plans": plans, "phase": phase })
        .to_string()
}

#[test]
fn its_advice_keeps_the_output_contract() {
    let both = &[Phase::Initial, Phase::Final][..];
    for (text, phases) in [
        (question("initial", "How to publish?"), &both[..1]),
        (question("final", "How to publish?"), both),
        (question("final", "如何发布订单事件？"), both),
        ("no question at all".to_owned(), &both[..1]),
    ] {
        let advice = mock_model::advice::answer(&[text]);
        // What keeps the last round's rules keeps the first one's.
        let plans = ["outbox".to_owned(), "two-phase".to_owned()];
        for phase in phases {
            assert!(parse_advice(&advice, Asked::new(*phase, &plans)).is_ok(), "{advice}");
        }
    }
}

mod real_codex {
    use std::fs;
    use std::process::{Command, Stdio};

    use mock_model::{MODEL, MockModel, Reply};
    use serde_json::Value;
    use tests::harness::{StateDir, codex_bin};

    use super::question;

    /// Codex's first round on a question, as anybody would run it: exit code and stdout's lines.
    fn exec(mock: &MockModel, folder: &StateDir, prompt: &str) -> (Option<i32>, Vec<Value>) {
        let config = format!(
            "model = \"{MODEL}\"\nmodel_provider = \"mock-model\"\n\
             [model_providers.mock-model]\nname = \"mock-model\"\nbase_url = \"{}\"\n\
             env_key = \"MOCK_MODEL_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
            mock.base_url()
        );
        fs::write(folder.state().join("config.toml"), config).unwrap();
        let output = Command::new(codex_bin().unwrap())
            .args(["exec", "--json", "-s", "read-only", "--skip-git-repo-check", prompt])
            .env_clear()
            .env("CODEX_HOME", folder.state())
            .env("HOME", folder.home())
            .env("TMPDIR", folder.temp())
            .env("MOCK_MODEL_KEY", "mock-model")
            .current_dir(folder.work())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (output.status.code(), lines)
    }

    fn message(lines: &[Value]) -> Option<&str> {
        let mut items = lines.iter().map(|line| &line["item"]);
        items.rfind(|item| item["type"] == "agent_message")?["text"].as_str()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn codex_takes_its_advice_for_a_models() {
        if codex_bin().is_none() {
            return;
        }
        let mock = MockModel::local(Reply::Advice).await.unwrap();
        let folder = StateDir::new().unwrap();
        let (code, lines) = exec(&mock, &folder, &question("initial", "How to publish?"));
        assert_eq!(code, Some(0), "{lines:?}");
        let usage = &lines.last().unwrap()["usage"];
        assert_eq!(usage["input_tokens"], mock_model::USAGE.input_tokens);
        let advice: Value = serde_json::from_str(message(&lines).unwrap()).unwrap();
        assert_eq!(advice["recommendation"]["preferred_plan"], "outbox");
        assert_eq!(
            mock.requests()[0].user_texts().last(),
            Some(&question("initial", "How to publish?"))
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn codex_takes_its_failures_for_a_providers() {
        if codex_bin().is_none() {
            return;
        }
        let folder = StateDir::new().unwrap();
        let failed = Reply::Failed { code: "invalid_prompt".into(), message: "no".into() };
        for (reply, ended) in [
            (Reply::Empty, "turn.completed"),
            (Reply::Refusal("I will not.".into()), "turn.completed"),
            (Reply::error(400, "invalid_request_error", "no"), "turn.failed"),
            (failed, "turn.failed"),
            (Reply::Incomplete("max_output_tokens".into()), "turn.failed"),
            (Reply::Cut, "turn.failed"),
        ] {
            let mock = MockModel::local(reply.clone()).await.unwrap();
            let (_, lines) = exec(&mock, &folder, "hello");
            assert_eq!(lines.last().unwrap()["type"], ended, "{reply:?}");
            assert_eq!(mock.request_count(), 1, "{reply:?}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_turn_goes_on_after_a_tool_call() {
        if codex_bin().is_none() {
            return;
        }
        let folder = StateDir::new().unwrap();
        let call = Reply::ToolCall { name: "no_such_tool".into(), arguments: "{}".into() };
        let script = mock_model::Script::sequence([call], Reply::Text("done".into()));
        let mock = MockModel::local(script).await.unwrap();
        let (code, lines) = exec(&mock, &folder, "hello");
        assert_eq!((code, message(&lines)), (Some(0), Some("done")));
        let output = mock.requests()[1].json()["input"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(output["type"], "function_call_output", "{output}");
    }
}
