//! From the model to the advice and back, through the skill and the command, with one permission rule.

mod real_codex {
    use std::sync::mpsc;
    use std::time::Duration;

    use contract::advice::{Asked, parse_advice};
    use contract::input::Phase;
    use mock_model::{Recorded, Reply as Answer, Script as Provider};
    use serde_json::Value;
    use tests::claude::claude_bin;
    use tests::harness::{StateDir, wait_until};
    use tests::messages_api::{MessagesApi, Reply, Request, Script};

    use crate::fixture::{assert_smooth, bash, bash_within, client, shown, with_plugin};
    use crate::rounds::{Fixture, INITIAL, call_skill, finally};

    #[tokio::test]
    async fn both_rounds_reach_the_model_and_nothing_needs_a_permission() {
        let Some(fixture) = Fixture::new(Answer::Advice).await else { return };
        let script = Script::new()
            .main(|_| call_skill())
            .main(|request| {
                assert!(request.news().contains("# Ask the Codex advisor"), "{}", request.news());
                bash(INITIAL)
            })
            .main(|request| bash(&finally(&session(&shown(request)))))
            .main(|_| Reply::text("Two rounds, then I decide."));
        let api = MessagesApi::start(script).await.unwrap();
        let finished = fixture.client(&api).prompt("How do we keep them in agreement?").await;
        assert_smooth(&finished.unwrap(), "Two rounds, then I decide.");

        let requests = api.requests();
        let (first, second) = (shown(&requests[2]), shown(&requests[3]));
        for (advice, round, phase, plans) in [
            (&first, 1, "initial", &["outbox", "two-phase"][..]),
            (&second, 2, "final", &["outbox"]),
        ] {
            assert_eq!(advice["meta"]["round"], round);
            assert_eq!(advice["meta"]["phase"], phase);
            assert_eq!(advice["meta"]["limits"], serde_json::json!([]));
            assert_advice(advice, plans);
        }
        assert_eq!(session(&first), session(&second));
        assert_eq!(first["meta"]["codex"]["thread_id"], second["meta"]["codex"]["thread_id"]);
        assert_eq!(fixture.mock.request_count(), 2);
        // What the model wrote is what Codex was asked, to the letter.
        let asked = fixture.mock.requests()[0].user_texts().join("\n");
        assert!(asked.contains("It's 40 orders/s; $5 an order; 库存."), "{asked}");
    }

    #[tokio::test]
    async fn with_the_bridge_down_the_fallback_reaches_the_model() {
        let Some(claude) = claude_bin() else { return };
        let folder = StateDir::new().unwrap();
        let script = Script::new().main(|_| call_skill()).main(|_| bash(INITIAL)).main(|request| {
            let failure = shown(request);
            assert_eq!(failure["error"]["type"], "bridge_failure", "{failure:#}");
            assert_eq!(failure["error"]["code"], "bridge_unreachable");
            assert_eq!(failure["error"]["fallback"], "CODEX_FALLBACK");
            assert!(request.last_result().starts_with("Exit code 3\n"));
            Reply::text("CODEX_FALLBACK: my own analysis")
        });
        let api = MessagesApi::start(script).await.unwrap();
        let claude = with_plugin(client(&claude, &folder)).env("CODEX_BRIDGE_URL", NOBODY);
        let finished = claude.api(&api).prompt("ask").await.unwrap();
        assert_smooth(&finished, "CODEX_FALLBACK: my own analysis");
    }

    /// The client moves a command that reaches its limit into the background (2.1.197).
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_run_that_outlives_the_limit_of_bash_is_picked_up() {
        let look = "codex-advisor runs --limit 1 --json";
        let script = Script::new()
            .main(|_| bash_within(SHORT_MS, INITIAL))
            .main(move |_| bash(look))
            .main(|request| bash(&wait(shown(request)["runs"][0]["run_id"].as_str().unwrap())))
            // The end of the command in the background is told in a turn of its own, or in this one.
            .when(|request| request.turn() > 2, |_| Reply::text("It was not lost."));
        let Some((cut, requests)) = outlive(script, &[]).await else { return };
        assert!(cut.starts_with("Command running in background"), "{cut}");
        assert_advice(&shown(&requests[3]), &["outbox", "two-phase"]);
    }

    /// Without background tasks the client ends the command.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_run_that_outlives_its_command_is_picked_up() {
        let script = Script::new()
            .main(|_| bash_within(SHORT_MS, INITIAL))
            .main(|request| bash(&wait(&run(request))))
            .main(|_| Reply::text("It was not lost."));
        let environment = [("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")];
        let Some((cut, requests)) = outlive(script, &environment).await else { return };
        assert!(cut.contains("Command timed out"), "{cut}");
        assert_advice(&shown(&requests[2]), &["outbox", "two-phase"]);
    }

    /// Plays a script whose first call reaches the limit of Bash: Codex's model says nothing before. Gives
    /// what the model was told of that, and every request.
    async fn outlive(
        script: Script,
        environment: &[(&str, &str)],
    ) -> Option<(String, Vec<Request>)> {
        let (release, released) = mpsc::channel();
        let held = move |_: &Recorded| {
            let _ = tokio::task::block_in_place(|| released.recv_timeout(LIMIT));
            Answer::Advice
        };
        let fixture = Fixture::new(Provider::choose(held)).await?;
        let api = MessagesApi::start(script).await.unwrap();
        let mut claude = fixture.client(&api);
        for (name, value) in environment {
            claude = claude.env(name, value);
        }
        let client = tokio::spawn(async move { claude.prompt("ask").await });
        let told = wait_until(LIMIT, || api.requests().len() >= 2).await;
        assert!(told, "{:?}", api.requests().last().map(Request::news));
        release.send(()).unwrap();
        assert_smooth(&client.await.unwrap().unwrap(), "It was not lost.");
        let requests = api.requests();
        Some((requests[1].last_result(), requests))
    }

    fn wait(run_id: &str) -> String {
        format!("codex-advisor wait {run_id} --timeout 540 --json")
    }

    #[tokio::test]
    async fn the_same_is_to_be_had_as_a_tool_of_the_plugins_server() {
        let Some(fixture) = Fixture::new(Answer::Advice).await else { return };
        let question = serde_json::json!({
            "problem": "How do orders and stock stay in agreement?",
            "context": "Rust, PostgreSQL",
            "candidate_plans": [{"name": "outbox", "description": "Write, then publish."}],
            "phase": "initial",
        });
        let script = Script::new()
            .main(move |_| Reply::tool(TOOL, question.clone()))
            .main(|_| Reply::text("done"));
        let api = MessagesApi::start(script).await.unwrap();
        let claude = fixture.client(&api).args(["--allowedTools", SERVER_RULE]);
        assert_smooth(&claude.prompt("ask").await.unwrap(), "done");
        let requests = api.requests();
        assert!(requests[0].tools().contains(&TOOL), "{:?}", requests[0].tools());
        let advice = shown(&requests[1]);
        assert_eq!(advice["meta"]["round"], 1);
        assert_advice(&advice, &["outbox"]);
    }

    /// The tool as the model sees it, and the rule for it that the README names.
    const TOOL: &str = "mcp__plugin_codex-bridge_bridge__consult_advisor";
    const SERVER_RULE: &str = "mcp__plugin_codex-bridge_bridge";

    /// Long enough for the command to have its run accepted on a busy machine, in milliseconds.
    const SHORT_MS: u64 = 10_000;

    /// A port that nobody listens on, wherever a daemon of this machine may be.
    const NOBODY: &str = "http://127.0.0.1:1";

    const LIMIT: Duration = Duration::from_secs(90);

    /// The run that the command has named before its end.
    fn run(request: &Request) -> String {
        let text = request.last_result();
        let id = text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').find(|word| {
            word.len() == 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4
        });
        id.unwrap_or_else(|| panic!("no run id in {text:?}")).to_owned()
    }

    fn session(advice: &Value) -> String {
        advice["meta"]["session_id"].as_str().unwrap_or_else(|| panic!("{advice:#}")).to_owned()
    }

    /// Everything but `meta` keeps the output contract.
    fn assert_advice(advice: &Value, plans: &[&str]) {
        let mut advice = advice.clone();
        advice.as_object_mut().unwrap().remove("meta");
        let plans: Vec<String> = plans.iter().map(|&plan| plan.to_owned()).collect();
        let parsed = parse_advice(&advice.to_string(), Asked::new(Phase::Initial, &plans));
        assert!(parsed.is_ok(), "{parsed:?}");
    }
}
