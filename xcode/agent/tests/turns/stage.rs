//! A session with test doubles: a mock model, a temporary folder, tools that do what a test says, and a host
//! that records everything and answers by script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use agent::knowledge::Knowledge;
use agent::{
    Action, Advisor, Answer, Ask, Bounds, Code, Continuing, Host, Journal, KnownHosts, Outcome,
    Past, Permit, Places, Plan, Policy, Review, Rules, Running, SandboxedCommands, Session, Setup,
    Tasks, Tool, TurnLimits, Workspace,
};
use contract::id::SessionId;
use contract::xc::{End, PermitMode, What};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use llm::{
    Cancel, Catalogue, Event, Events, Failure, Key, Limits, Model, ModelId, Reason, RemoteModel,
    Request, Settings, Times,
};
use mock_model::{Dialect, MockModel, Recorded, Script};
use redact::Redactor;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

/// A key that must not surface anywhere.
pub(crate) const KEY: &str = "sk-planted-9f8e7d6c5b4a3210";

/// Waits that no loopback needs, and that no test lasts.
const PATIENCE: Times = Times {
    connect: Duration::from_secs(30),
    headers: Duration::from_secs(30),
    silence: Duration::from_secs(30),
};

/// The four protocols: an id that speaks it, how its mock speaks, and where its routes begin.
pub(crate) const PROTOCOLS: [(&str, Dialect, &str); 4] = [
    ("anthropic:claude-sonnet-4-5", Dialect::OPENAI, ""),
    ("openai:gpt-4.1", Dialect::OPENAI, "/v1"),
    ("openai:gpt-5", Dialect::OPENAI, "/v1"),
    ("google:gemini-2.5-pro", Dialect::OPENAI, "/v1beta"),
];

/// Everything that a session needs.
pub(crate) struct Stage {
    pub(crate) mock: MockModel,
    pub(crate) folder: TempDir,
    home: TempDir,
    pub(crate) id: &'static str,
    base: &'static str,
    pub(crate) window: Option<u64>,
    pub(crate) limits: TurnLimits,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) mode: PermitMode,
    pub(crate) fallback: Vec<Arc<dyn Model>>,
    pub(crate) knowledge: Knowledge,
    /// What turns change can be taken back.
    pub(crate) keeps: bool,
    /// Looks into the code before each prompt.
    pub(crate) code: Option<Code>,
    /// Checks plans.
    pub(crate) plan_advisor: Option<Advisor>,
    /// Asked in the place of the mock.
    pub(crate) stub: Option<Arc<StubModel>>,
}

impl Stage {
    pub(crate) async fn new(script: impl Into<Script>) -> Self {
        Self::speaking(PROTOCOLS[1], script).await
    }

    pub(crate) async fn speaking(
        (id, dialect, base): (&'static str, Dialect, &'static str),
        script: impl Into<Script>,
    ) -> Self {
        let mock = MockModel::local(script).await.expect("a free port of loopback");
        mock.set_dialect(dialect);
        Self {
            mock,
            folder: tempfile::tempdir().expect("a temporary folder"),
            home: tempfile::tempdir().expect("a temporary folder"),
            id,
            base,
            window: None,
            limits: TurnLimits::USUAL,
            tools: vec![look(), change()],
            mode: PermitMode::Trust,
            fallback: Vec::new(),
            knowledge: Knowledge::default(),
            keeps: false,
            code: None,
            plan_advisor: None,
            stub: None,
        }
    }

    pub(crate) fn model(&self) -> Arc<dyn Model> {
        if let Some(stub) = &self.stub {
            return Arc::clone(stub) as Arc<dyn Model>;
        }
        model(&self.mock, self.id, self.base, self.window)
    }

    pub(crate) fn session(&self) -> Session {
        let journal = Journal::create(&self.places(), "0.0.0", redactor()).expect("a journal");
        self.made(journal, None)
    }

    pub(crate) fn resumed(&self, id: SessionId) -> Session {
        let same = Continuing::Same;
        let resumed = Journal::resume(&self.places(), Some(id), same, "0.0.0", redactor());
        let (journal, past) = resumed.expect("the journal can be read");
        self.made(journal, Some(past))
    }

    fn made(&self, journal: Journal, past: Option<Past>) -> Session {
        let workspace = self.workspace();
        let policy = Policy {
            known: KnownHosts::default(),
            sandboxed: SandboxedCommands::Ask,
            mode: self.mode,
            is_headless: false,
            rules: Rules::default(),
            home: self.home.path().to_owned(),
            search: Vec::new(),
            protected: Vec::new(),
            began: SystemTime::now(),
        };
        Session::new(Setup {
            checkpoints: self.keeps.then(|| self.places()),
            code: self.code.clone(),
            plan_advisor: self.plan_advisor.clone(),
            sandbox: None,
            tasks: Tasks::default(),
            model: self.model(),
            fallback: self.fallback.clone(),
            permit: Permit::new(policy, workspace.root(), &[]),
            workspace,
            tools: self.tools.clone(),
            journal,
            past,
            limits: self.limits,
            secrets: vec![KEY.to_owned()],
            shell_type: "bash".to_owned(),
            shell_version: None,
            knowledge: self.knowledge.clone(),
        })
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(self.folder.path(), &[]).expect("the folder is there")
    }

    pub(crate) fn places(&self) -> Places {
        Places::new(self.home.path(), self.folder.path())
    }

    /// All that the session left on disk.
    pub(crate) fn on_disk(&self) -> String {
        let mut text = String::new();
        let mut folders = vec![self.folder.path().to_owned(), self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it can be read") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    text += &String::from_utf8_lossy(&std::fs::read(path).expect("a file"));
                }
            }
        }
        text
    }

    /// The requests so far; none of them was refused for its calls and results.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        assert_eq!(self.mock.refusals(), Vec::<String>::new());
        self.mock.requests()
    }
}

/// One turn without anybody who ends it.
pub(crate) async fn turn(session: &mut Session, prompt: &str, host: &ScriptedHost) -> End {
    session.turn(prompt, host, &Cancel::new()).await
}

pub(crate) fn model(mock: &MockModel, id: &str, base: &str, window: Option<u64>) -> Arc<dyn Model> {
    let settings = Settings {
        id: id.parse().expect("an id"),
        key: Key::new(KEY.to_owned()).expect("a key"),
        base_url: Some(format!("{}{base}", mock.origin())),
        window,
        times: PATIENCE,
        proxy: None,
    };
    Arc::new(RemoteModel::new(settings).expect("loopback may be asked"))
}

/// A model without a socket, for tests of time: its replies in order, the last again and again.
pub(crate) struct StubModel {
    id: ModelId,
    replies: Mutex<VecDeque<Result<Vec<Event>, Failure>>>,
    asked: Mutex<Vec<(Instant, Request)>>,
}

impl StubModel {
    pub(crate) fn new(
        id: &str,
        replies: impl IntoIterator<Item = Result<Vec<Event>, Failure>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id: id.parse().expect("an id"),
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().expect("no panic holds it").len()
    }

    /// The pauses between requests, in milliseconds.
    pub(crate) fn waits(&self) -> Vec<u128> {
        let asked = self.asked.lock().expect("no panic holds it");
        asked.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_millis()).collect()
    }
}

impl Model for StubModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn limits(&self) -> Limits {
        Catalogue::built_in().limits(&self.id)
    }

    fn stream(&self, request: Request, _: Cancel) -> BoxFuture<'_, Result<Events, Failure>> {
        self.asked.lock().expect("no panic holds it").push((Instant::now(), request));
        let mut replies = self.replies.lock().expect("no panic holds it");
        let last = replies.front().cloned().expect("a reply");
        if replies.len() > 1 {
            replies.pop_front();
        }
        Box::pin(async move {
            last.map(|events| futures_util::stream::iter(events.into_iter().map(Ok)).boxed())
        })
    }
}

/// A whole answer in one piece.
pub(crate) fn said(text: &str) -> Result<Vec<Event>, Failure> {
    let text = Event::Text { text: text.to_owned(), opaque: None };
    Ok(vec![text, Event::End(Reason::Answered)])
}

fn redactor() -> Redactor {
    Redactor::with_values(vec![KEY.to_owned()])
}

/// A host that notes everything and answers questions in order; without an answer left it says no.
#[derive(Default)]
pub(crate) struct ScriptedHost {
    told: Mutex<Vec<What>>,
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Ask>>,
    reviews: Mutex<VecDeque<Review>>,
    reviewed: Mutex<Vec<Plan>>,
    on_event: Option<OnEvent>,
    /// Cancelled by a question that then has no answer.
    on_question: Option<Cancel>,
}

type OnEvent = Box<dyn Fn(&What) + Send + Sync>;

impl ScriptedHost {
    pub(crate) fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    /// Says this to plans, one after the other, and then nothing.
    pub(crate) fn reviewing(reviews: impl IntoIterator<Item = Review>) -> Self {
        Self { reviews: Mutex::new(reviews.into_iter().collect()), ..Self::default() }
    }

    pub(crate) fn reviewed(&self) -> Vec<Plan> {
        self.reviewed.lock().expect("no panic holds it").clone()
    }

    /// Does something at each event.
    pub(crate) fn watching(on_event: impl Fn(&What) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Box::new(on_event)), ..Self::default() }
    }

    /// Interrupts when it is asked, and never answers.
    pub(crate) fn interrupting_questions(cancel: &Cancel) -> Self {
        Self { on_question: Some(cancel.clone()), ..Self::default() }
    }

    pub(crate) fn told(&self) -> Vec<What> {
        self.told.lock().expect("no panic holds it").clone()
    }

    pub(crate) fn asked(&self) -> Vec<Ask> {
        self.asked.lock().expect("no panic holds it").clone()
    }

    /// The words of the events, in order.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.told().iter().map(kind).collect()
    }

    /// The events of one kind.
    pub(crate) fn of(&self, word: &str) -> Vec<Value> {
        let told = self.told();
        let of = told.iter().filter(|what| kind(what) == word);
        of.map(|what| serde_json::to_value(what).expect("events are JSON")).collect()
    }

    /// All notes, a line each.
    pub(crate) fn notes(&self) -> String {
        let notes = self.of("note");
        notes.iter().map(|note| format!("{}\n", note["text"].as_str().expect("a text"))).collect()
    }
}

fn kind(what: &What) -> String {
    let value = serde_json::to_value(what).expect("events are JSON");
    value["type"].as_str().expect("each has a type").to_owned()
}

impl Host for ScriptedHost {
    fn tell(&self, what: What) {
        if let Some(on_event) = &self.on_event {
            on_event(&what);
        }
        self.told.lock().expect("no panic holds it").push(what);
    }

    fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
        self.asked.lock().expect("no panic holds it").push(ask);
        if let Some(cancel) = &self.on_question {
            cancel.cancel();
            return Box::pin(std::future::pending());
        }
        let answer = self.answers.lock().expect("no panic holds it").pop_front();
        Box::pin(async move { answer.unwrap_or(Answer::No(None)) })
    }

    fn review(&self, plan: Plan) -> BoxFuture<'_, Review> {
        self.reviewed.lock().expect("no panic holds it").push(plan);
        let review = self.reviews.lock().expect("no panic holds it").pop_front();
        Box::pin(async move { review.unwrap_or(Review::Unanswered) })
    }
}

type Doing = Box<dyn Fn(Map<String, Value>, Cancel) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A tool that does what a test says.
pub(crate) struct Doer {
    name: &'static str,
    kind: Kind,
    doing: Doing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Reads,
    /// Its `text` is the command.
    Runs,
}

impl Tool for Doer {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: self.name.to_owned(),
            description: format!("Does {}.", self.name),
            schema: json!({
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_reading(&self) -> bool {
        self.kind == Kind::Reads
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        let text = arguments["text"].as_str().unwrap_or_default().to_owned();
        match self.kind {
            Kind::Reads => Action::Nothing,
            Kind::Runs => {
                Action::Shell { command: text, cwd: std::env::temp_dir(), bounds: Bounds::Usual }
            }
        }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        (self.doing)(call.arguments.clone(), call.cancel.clone())
    }
}

pub(crate) fn tool<F>(
    name: &'static str,
    kind: Kind,
    doing: impl Fn(Map<String, Value>, Cancel) -> F + Send + Sync + 'static,
) -> Arc<dyn Tool>
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let doing = Box::new(move |arguments, cancel| {
        Box::pin(doing(arguments, cancel)) as BoxFuture<'static, Outcome>
    });
    Arc::new(Doer { name, kind, doing })
}

/// Says what it was given.
pub(crate) fn look() -> Arc<dyn Tool> {
    tool("look", Kind::Reads, |arguments, _| async move {
        Outcome::ok(format!("saw {}", arguments["text"].as_str().unwrap_or_default()))
    })
}

/// Says what it was given, and that a file was changed.
pub(crate) fn change() -> Arc<dyn Tool> {
    tool("change", Kind::Runs, |arguments, _| async move {
        Outcome::ok(format!("changed {}", arguments["text"].as_str().unwrap_or_default()))
    })
}
