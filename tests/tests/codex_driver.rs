//! The driver with the real Codex and a scripted provider: what is sent and received, and
//! how each failure is classified.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use codex_driver::home::{Home, HomeSettings, ShellAccess};
use codex_driver::models::{self, Models};
use codex_driver::sandbox::{self, Sandbox};
use codex_driver::sign_in::{self, SignIn};
use codex_driver::{
    Attempt, AttemptEnd, Conversation, Driver, Installation, Progress, Retry, SandboxMode,
    environment, version,
};
use contract::advice::Usage;
use contract::failure::FailureCode;
use contract::id::{RunId, ThreadId};
use contract::input::ReasoningEffort;
use mock_model::{Hang, MockModel, Recorded, Reply};
use serde_json::Value;
use supervise::{Exit, Guard};
use tests::harness::{StateDir, codex_bin, survivors, wait_until};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The variable and the key that Codex signs requests with here.
const KEY: (&str, &str) = ("STAGE_API_KEY", "sk-stage-0123456789");

/// Codex, a provider, and the folders between them.
struct Fixture {
    folder: StateDir,
    mock: MockModel,
    installation: Installation,
}

impl Fixture {
    /// `None` where there is no Codex; the reason is on stderr.
    async fn new(reply: Reply) -> Option<Self> {
        let binary = codex_bin()?;
        let version = version::probe(&guard(), &binary).await.unwrap();
        let folder = StateDir::new().unwrap();
        fs::write(folder.work().join("schema.json"), SCHEMA).unwrap();
        fs::create_dir(folder.work().join("empty")).unwrap();
        let mock = MockModel::local(reply).await.unwrap();
        Some(Self { folder, mock, installation: Installation { binary, version } })
    }

    fn settings(&self) -> HomeSettings {
        HomeSettings {
            auth_home: None,
            base_url: Some(self.mock.base_url()),
            api_key_env: Some(KEY.0.to_owned()),
            model: None,
            shell: ShellAccess::Off,
            wants_summary: true,
            instructions: "You are an advisor.".to_owned(),
            provider: None,
            version: self.installation.version,
            idle_timeout: Duration::from_secs(60),
        }
    }

    fn home(&self, settings: &HomeSettings) -> Home {
        Home::prepare(&self.folder.state().join("codex-home"), settings).unwrap()
    }

    fn driver(&self, settings: &HomeSettings) -> Driver {
        self.driver_in(self.home(settings))
    }

    fn driver_in(&self, home: Home) -> Driver {
        let extras = environment::extras(|_| None, Some(KEY));
        Driver::new(guard(), self.installation.clone(), home, extras)
    }

    fn attempt(&self, conversation: Conversation, prompt: &str) -> Attempt {
        Attempt {
            conversation,
            prompt: prompt.to_owned(),
            model: None,
            reasoning_effort: None,
            output_schema: Some(self.folder.work().join("schema.json")),
            sandbox: SandboxMode::ReadOnly,
            workdir: self.folder.work().join("empty"),
            temp_dir: self.folder.temp(),
            run_id: RunId::generate(),
            deadline: Instant::now() + Duration::from_secs(60),
            stall: Duration::from_secs(60),
        }
    }

    async fn run(&self, driver: &Driver, attempt: Attempt) -> AttemptEnd {
        driver.attempt(attempt, &CancellationToken::new(), |_| {}).await
    }

    /// A fresh turn with the usual settings.
    async fn ask(&self) -> AttemptEnd {
        let driver = self.driver(&self.settings());
        self.run(&driver, self.attempt(Conversation::Fresh, "Which plan?")).await
    }

    /// The request that arrived last.
    fn last_request(&self) -> Recorded {
        self.mock.requests().pop().unwrap()
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}"#;

fn guard() -> Guard {
    Guard::new(PathBuf::from(env!("CARGO_BIN_EXE_guard")))
}

fn failed(end: &AttemptEnd) -> (FailureCode, Retry) {
    let failure = end.outcome.as_ref().unwrap_err();
    (failure.code, failure.retry)
}

#[tokio::test]
async fn the_first_turn_is_one_request_with_the_prompt_the_schema_and_the_key() {
    let Some(fixture) = Fixture::new(Reply::Text(r#"{"answer":"outbox"}"#.to_owned())).await else {
        return;
    };
    let driver = fixture.driver(&fixture.settings());
    let mut seen = Vec::new();
    let attempt = Attempt {
        model: Some("-model-with-a-dash".to_owned()),
        reasoning_effort: Some(ReasoningEffort::High),
        ..fixture.attempt(Conversation::Fresh, "Which plan?\u{2028}--help 计划")
    };
    let cancel = CancellationToken::new();
    let end = driver.attempt(attempt, &cancel, |progress| seen.push(progress)).await;

    assert_eq!(end.outcome.unwrap().text, r#"{"answer":"outbox"}"#);
    assert_eq!((end.exit, end.signal), (Some(Exit::Code(0)), None));
    assert!(end.transcript_saved);
    assert!(end.first_event.unwrap() <= end.duration);
    let usage = Usage {
        input_tokens: 100,
        cached_input_tokens: 10,
        output_tokens: 20,
        reasoning_output_tokens: 5,
    };
    assert_eq!(end.usage_total, Some(usage));

    assert!(matches!(seen.remove(0), Progress::ProcessStarted { pid } if pid > 0));
    let thread_id = end.thread_id.unwrap();
    // Its log is read beside its events.
    let signs = seen.extract_if(.., |progress| matches!(progress, Progress::Sign(_))).count();
    assert!(signs > 0, "no sign of life");
    let expected = [
        Progress::ThreadStarted { thread_id },
        Progress::TurnStarted,
        Progress::Item { kind: "agent_message".to_owned(), subject: None },
        Progress::TurnCompleted,
    ];
    assert_eq!(seen, expected);

    assert_eq!(fixture.mock.request_count(), 1);
    let request = fixture.last_request();
    assert_eq!(request.user_texts(), ["Which plan?\u{2028}--help 计划"]);
    assert_eq!(request.header("authorization"), Some("Bearer sk-stage-0123456789"));
    let body = request.json();
    assert_eq!(body["model"], "-model-with-a-dash");
    assert_eq!(body["text"]["format"]["strict"], true);
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(body["text"]["format"]["schema"], schema);
    assert!(request.body.len() < 4096, "{} bytes for a short question", request.body.len());
}

#[tokio::test]
async fn a_second_round_resumes_the_thread_and_a_fork_leaves_it_as_it_is() {
    let Some(fixture) = Fixture::new(Reply::Text("{}".to_owned())).await else { return };
    let driver = fixture.driver(&fixture.settings());
    let first = fixture.run(&driver, fixture.attempt(Conversation::Fresh, "one")).await;
    let thread_id = first.thread_id.unwrap();

    let fork = fixture.attempt(Conversation::Fork { thread: thread_id, last_turn: None }, "forked");
    let fork = fixture.run(&driver, fork).await;
    assert!(fork.outcome.is_ok(), "{fork:?}");
    assert_ne!(fork.thread_id.unwrap(), thread_id);
    assert_eq!(fixture.last_request().user_texts(), ["one", "forked"]);

    let second = fixture.attempt(Conversation::Resume(thread_id), "two");
    let second = fixture.run(&driver, second).await;
    assert!(second.outcome.is_ok(), "{second:?}");
    assert_eq!(second.thread_id, Some(thread_id));
    assert_eq!(fixture.last_request().user_texts(), ["one", "two"]);

    // Totals of the thread, a fork's ancestors included; subtracted, each turn is one request.
    for later in [&fork, &second] {
        let turn = later.usage_total.unwrap().since(first.usage_total.unwrap());
        assert_eq!(turn, first.usage_total.unwrap());
    }
}

#[tokio::test]
async fn a_thread_that_is_gone_is_lost_and_costs_no_request() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    let driver = fixture.driver(&fixture.settings());
    let unknown: ThreadId = "01a1fcff-ffff-7fff-bfff-ffffffffffff".parse().unwrap();
    for conversation in
        [Conversation::Resume(unknown), Conversation::Fork { thread: unknown, last_turn: None }]
    {
        let end = fixture.run(&driver, fixture.attempt(conversation, "two")).await;
        assert_eq!(failed(&end), (FailureCode::SessionLost, Retry::Never), "{end:?}");
    }
    assert_eq!(fixture.mock.request_count(), 0);
}

#[tokio::test]
async fn no_model_is_offered_a_tool() {
    let Some(fixture) = Fixture::new(Reply::Text("{}".to_owned())).await else { return };
    let home = fixture.home(&fixture.settings());
    let trimmed = models::trim(&guard(), &fixture.installation, &home).await.unwrap();
    let catalog = fs::read(home.path().join("models.json")).unwrap();
    let catalog: Value = serde_json::from_slice(&catalog).unwrap();
    let slugs: Vec<Option<String>> = catalog["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| Some(model["slug"].as_str().unwrap().to_owned()))
        .chain([None, Some("a-model-nobody-knows".to_owned())])
        .collect();
    assert_eq!(trimmed, Models::Trimmed { count: slugs.len() - 2 });

    let driver = fixture.driver_in(home);
    for model in slugs {
        let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
        let end = fixture.run(&driver, Attempt { model: model.clone(), ..attempt }).await;
        assert!(end.outcome.is_ok(), "{model:?}: {end:?}");
        assert_eq!(fixture.last_request().tools(), Vec::<String>::new(), "{model:?}");
    }
}

/// What remains where the catalogue cannot be trimmed; the read-only sandbox refuses its effects.
#[tokio::test]
async fn without_a_trimmed_catalogue_the_least_is_offered() {
    let Some(fixture) = Fixture::new(Reply::Text("{}".to_owned())).await else { return };
    let driver = fixture.driver(&fixture.settings());
    for (model, least) in [
        ("gpt-5.5", &["apply_patch"][..]),
        ("gpt-6-sol", &["exec", "wait"]),
        ("a-model-nobody-knows", &[]),
    ] {
        let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
        let end = fixture.run(&driver, Attempt { model: Some(model.to_owned()), ..attempt }).await;
        assert!(end.outcome.is_ok(), "{model}: {end:?}");
        assert_eq!(fixture.last_request().tools(), least, "{model}");
    }
}

#[tokio::test]
async fn a_shell_that_is_switched_on_reads_the_workspace_and_no_secret() {
    let Some(fixture) = Fixture::new(Reply::Text("{}".to_owned())).await else { return };
    let home = fixture.home(&HomeSettings { shell: ShellAccess::ReadOnly, ..fixture.settings() });
    let trimmed = models::trim(&guard(), &fixture.installation, &home).await.unwrap();
    assert!(matches!(trimmed, Models::Trimmed { .. }), "{trimmed:?}");
    let usable =
        sandbox::preflight(&guard(), &fixture.installation, &home, &fixture.folder.temp()).await;
    match usable.unwrap() {
        Sandbox::Usable => {}
        Sandbox::Unusable { text } => {
            skipping::impossible(&format!("no sandbox on this machine: {text}"));
            return;
        }
    }
    fs::write(fixture.folder.work().join("empty/facts.txt"), "the-fact").unwrap();
    let command = r#"{"cmd":"cat facts.txt; env; touch made && echo written-$((1+1))"}"#;
    let call = Reply::ToolCall { name: "exec_command".to_owned(), arguments: command.to_owned() };
    let answer = Reply::Text("{}".to_owned());
    fixture.mock.set_script(mock_model::Script::sequence([call], answer));
    let driver = fixture.driver_in(home);
    let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
    let attempt = Attempt { model: Some("gpt-5.5".to_owned()), ..attempt };
    let end = fixture.run(&driver, attempt).await;
    assert!(end.outcome.is_ok(), "{end:?}");

    assert_eq!(fixture.last_request().tools(), ["exec_command", "write_stdin"]);
    let body = String::from_utf8_lossy(&fixture.last_request().body).into_owned();
    assert!(body.contains("the-fact"), "{body}");
    assert!(body.contains("PATH="), "{body}");
    assert!(!body.contains(KEY.1) && !body.contains("written-2"), "{body}");
    assert!(!fixture.folder.work().join("empty/made").exists());
}

#[tokio::test]
async fn only_listed_variables_reach_codex() {
    let Some(fixture) = Fixture::new(Reply::Hang(Hang::BeforeHeaders)).await else { return };
    let driver = fixture.driver(&fixture.settings());
    let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
    let cancel = CancellationToken::new();
    let (mut process, mut environment) = (0, Vec::new());
    let end = driver.attempt(attempt, &cancel, |progress| match progress {
        Progress::ProcessStarted { pid } => process = pid,
        // Right after it was started, the kernel may not yet show what it was started with.
        Progress::TurnStarted => {
            environment = fs::read(format!("/proc/{process}/environ")).unwrap();
            cancel.cancel();
        }
        _ => {}
    });
    assert_eq!(failed(&end.await), (FailureCode::Cancelled, Retry::Never));
    let environment = String::from_utf8(environment).unwrap();
    let names: BTreeSet<_> =
        environment.split_terminator('\0').filter_map(|entry| entry.split('=').next()).collect();
    let expected = [
        "CODEX_BRIDGE_RUN",
        "CODEX_HOME",
        "HOME",
        "LANG",
        "PATH",
        "RUST_LOG",
        "STAGE_API_KEY",
        "TMPDIR",
    ];
    assert_eq!(names, BTreeSet::from(expected));
}

#[tokio::test]
async fn the_configuration_is_accepted_to_the_letter() {
    let Some(fixture) = Fixture::new(Reply::Text("{}".to_owned())).await else { return };
    let user = fixture.folder.home();
    fs::write(user.join("auth.json"), r#"{"OPENAI_API_KEY":"sk-user-0123456789"}"#).unwrap();
    let signed_in = HomeSettings {
        auth_home: Some(user),
        api_key_env: None,
        model: Some("gpt-5.5".to_owned()),
        ..fixture.settings()
    };
    for settings in [
        fixture.settings(),
        HomeSettings { shell: ShellAccess::ReadOnly, ..fixture.settings() },
        HomeSettings { api_key_env: None, ..fixture.settings() },
        signed_in,
    ] {
        let home = fixture.home(&settings);
        models::trim(&guard(), &fixture.installation, &home).await.unwrap();
        let extras = environment::extras(|_| None, Some(KEY));
        let command = supervise::Command {
            program: fixture.installation.binary.clone(),
            args: ["exec", "--strict-config", "--json", "--skip-git-repo-check", "-"]
                .map(Into::into)
                .into(),
            env: environment::of_process(
                home.path(),
                &fixture.folder.temp(),
                environment::Log::Off,
                &extras,
            ),
            current_dir: fixture.folder.work().join("empty"),
            stdin: b"Which plan?".to_vec(),
        };
        let captured =
            supervise::capture(&guard(), command, Duration::from_secs(30)).await.unwrap();
        assert_eq!(captured.exit, Exit::Code(0), "{captured:?}");
        // A key that is unknown or deprecated comes as an item of type `error`.
        assert!(!captured.stdout.contains(r#""type":"error""#), "{captured:?}");
    }
    let authorization = fixture.last_request().header("authorization").map(str::to_owned);
    assert_eq!(authorization.as_deref(), Some("Bearer sk-user-0123456789"), "through the link");
}

#[tokio::test]
async fn whether_codex_is_signed_in_is_known_before_it_is_asked() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    let user = fixture.folder.home();
    let settings =
        HomeSettings { auth_home: Some(user.clone()), api_key_env: None, ..fixture.settings() };
    let status = async |settings: &HomeSettings| {
        sign_in::status(&guard(), &fixture.installation, &fixture.home(settings)).await.unwrap()
    };
    let none = status(&settings).await;
    assert!(matches!(&none, SignIn::NotSignedIn { text } if text == "Not logged in"), "{none:?}");
    fs::write(user.join("auth.json"), r#"{"OPENAI_API_KEY":"sk-user-0123456789"}"#).unwrap();
    let signed_in = status(&settings).await;
    assert!(matches!(&signed_in, SignIn::SignedIn { .. }), "{signed_in:?}");
    assert_eq!(status(&fixture.settings()).await, SignIn::NotNeeded);
}

#[tokio::test]
async fn each_way_to_fail_is_told_apart_after_one_request() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    let failed_as = |code: &str| Reply::Failed { code: code.to_owned(), message: "no".to_owned() };
    let pause = Retry::After(Duration::from_secs(5));
    for (reply, expected) in [
        (Reply::error(401, "invalid_api_key", "bad key"), (FailureCode::Auth, Retry::Never)),
        (Reply::error(403, "forbidden", "region"), (FailureCode::Auth, Retry::Never)),
        (Reply::error(429, "x", "slower"), (FailureCode::RateLimited, pause)),
        (Reply::error(429, "insufficient_quota", "pay"), (FailureCode::Quota, Retry::Never)),
        (
            Reply::error(400, "context_length_exceeded", "too long"),
            (FailureCode::ContextLength, Retry::Never),
        ),
        (Reply::error(400, "x", "bad"), (FailureCode::BadRequest, Retry::Never)),
        (
            Reply::error(404, "model_not_found", "The model `m` does not exist"),
            (FailureCode::ModelUnavailable, Retry::Never),
        ),
        (Reply::error(500, "server_error", "oops"), (FailureCode::UpstreamError, Retry::Now)),
        (Reply::error(502, "bad_gateway", "oops"), (FailureCode::UpstreamError, Retry::Now)),
        (failed_as("server_is_overloaded"), (FailureCode::ModelUnavailable, pause)),
        (failed_as("server_error"), (FailureCode::UpstreamError, Retry::Now)),
        (failed_as("rate_limit_exceeded"), (FailureCode::RateLimited, pause)),
        (failed_as("something_new"), (FailureCode::UpstreamError, Retry::Now)),
        (Reply::Incomplete("max_output_tokens".to_owned()), (FailureCode::BadOutput, Retry::Never)),
        (Reply::Incomplete("content_filter".to_owned()), (FailureCode::Refused, Retry::Never)),
        (Reply::Cut, (FailureCode::Network, Retry::Now)),
        (Reply::Empty, (FailureCode::BadOutput, Retry::Repair)),
        (Reply::Refusal("no".to_owned()), (FailureCode::BadOutput, Retry::Repair)),
        (Reply::Text(" \n".to_owned()), (FailureCode::BadOutput, Retry::Repair)),
    ] {
        let before = fixture.mock.request_count();
        fixture.mock.set_script(reply.clone());
        let end = fixture.ask().await;
        assert_eq!(failed(&end), expected, "{reply:?}: {end:?}");
        assert_eq!(fixture.mock.request_count() - before, 1, "{reply:?}");
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there_fails_at_once() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    // Port 9 (discard) is served nowhere.
    let base_url = Some("http://127.0.0.1:9/v1".to_owned());
    let driver = fixture.driver(&HomeSettings { base_url, ..fixture.settings() });
    let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
    let end = fixture.run(&driver, attempt).await;
    assert_eq!(failed(&end), (FailureCode::Network, Retry::Now), "{end:?}");
}

#[tokio::test]
async fn a_key_that_is_not_set_is_said_to_be_missing() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    let home = fixture.home(&fixture.settings());
    let driver = Driver::new(guard(), fixture.installation.clone(), home, Vec::new());
    let end = fixture.run(&driver, fixture.attempt(Conversation::Fresh, "Which plan?")).await;
    assert_eq!(failed(&end), (FailureCode::Auth, Retry::Never), "{end:?}");
    assert!(end.outcome.unwrap_err().message.contains("codex.api_key_env"));
}

#[tokio::test]
async fn silence_ends_at_the_deadline_or_when_it_stalls() {
    let Some(fixture) = Fixture::new(Reply::Hang(Hang::BeforeHeaders)).await else { return };
    let driver = fixture.driver(&fixture.settings());
    let soon = Duration::from_secs(2);

    let attempt = || fixture.attempt(Conversation::Fresh, "Which plan?");
    let deadline = Instant::now() + soon;
    let (end, stalled) = tokio::join!(
        fixture.run(&driver, Attempt { deadline, ..attempt() }),
        fixture.run(&driver, Attempt { stall: soon, ..attempt() }),
    );
    assert_eq!(failed(&end), (FailureCode::Timeout, Retry::Never), "{end:?}");
    assert!(end.duration < soon + Duration::from_secs(2), "{:?}", end.duration);
    assert!(end.signal.is_some());
    assert_eq!(failed(&stalled), (FailureCode::Stalled, Retry::Now), "{stalled:?}");

    // The provider's own silence is bounded by the home.
    fixture.mock.set_script(Reply::Hang(Hang::MidStream));
    let driver = fixture.driver(&HomeSettings { idle_timeout: soon, ..fixture.settings() });
    let end = fixture.run(&driver, fixture.attempt(Conversation::Fresh, "Which plan?")).await;
    assert_eq!(failed(&end), (FailureCode::Stalled, Retry::Now), "{end:?}");
    assert_eq!(end.exit, Some(Exit::Code(1)), "Codex ended by itself");
}

#[tokio::test]
async fn nothing_is_left_of_an_attempt_that_is_dropped() {
    let Some(fixture) = Fixture::new(Reply::Hang(Hang::BeforeHeaders)).await else { return };
    let driver = fixture.driver(&fixture.settings());
    let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
    let cancel = CancellationToken::new();
    let started = CancellationToken::new();
    let run = driver.attempt(attempt, &cancel, |progress| {
        if progress == Progress::TurnStarted {
            started.cancel();
        }
    });
    tokio::select! {
        end = run => panic!("ended by itself: {end:?}"),
        () = started.cancelled() => {}
    }
    let mark = fixture.folder.root().to_string_lossy();
    let gone = wait_until(Duration::from_secs(2), || survivors(&mark).is_empty()).await;
    assert!(gone, "{:?}", survivors(&mark));
}

#[tokio::test]
async fn an_executable_that_is_gone_is_reported_as_such() {
    let Some(fixture) = Fixture::new(Reply::Advice).await else { return };
    let home = fixture.home(&fixture.settings());
    let gone = Installation {
        binary: fixture.folder.work().join("gone"),
        version: fixture.installation.version,
    };
    let driver = Driver::new(guard(), gone, home, Vec::new());
    let end = fixture.run(&driver, fixture.attempt(Conversation::Fresh, "Which plan?")).await;
    assert_eq!(failed(&end), (FailureCode::CodexNotFound, Retry::Never), "{end:?}");
    assert_eq!(end.exit, None);
}
