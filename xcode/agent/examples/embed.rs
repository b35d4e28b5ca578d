//! Embeds the agent in another program, without a terminal: one tool, one prompt, one answer.
//!
//! `cargo run -p agent --example embed` uses a scripted model, so it needs no account and calls no provider.
//! To use a real model, replace `model` below, and give it the provider's key.

use std::io::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use agent::knowledge::Knowledge;
use agent::{
    Action, Host, Journal, KnownHosts, Outcome, Permit, Places, Policy, Rules, Running,
    SandboxedCommands, Session, Setup, Tasks, Tool, TurnLimits, Workspace,
};
use contract::xc::{PermitMode, What};
use futures_util::future::BoxFuture;
use llm::{Cancel, Key, RemoteModel, Settings, Times};
use mock_model::{MockModel, Reply, Script, Turn};
use redact::Redactor;
use serde_json::{Map, Value, json};

/// Shows the events to this program's user, one line each.
struct Lines;

impl Host for Lines {
    fn tell(&self, what: What) {
        let line = match what {
            What::Text { delta } => delta,
            What::Call { tool, input, .. } => format!("[calls {tool} {input}]\n"),
            What::Result { status, chars, .. } => format!("[{status:?}, {chars} characters]\n"),
            What::Usage { input, output, .. } => format!("\n[{input} tokens in, {output} out]\n"),
            _ => return,
        };
        // A closed pipe cannot be reported anywhere.
        let _ = std::io::stdout().write_all(line.as_bytes());
    }
}

/// A tool with data that only this program has.
struct Stock;

impl Tool for Stock {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "stock".to_owned(),
            description: "How many pieces of an article are in stock.".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"article": {"type": "string"}},
                "required": ["article"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let article = call.arguments["article"].as_str().unwrap_or_default();
        let text = format!("{article}: 42 pieces");
        Box::pin(async { Outcome::ok(text) })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = "sk-scripted-model".to_owned();
    let script = Script::sequence(
        [Turn::text("I look it up.\n").and_call("stock", &json!({"article": "bolts"})).into()],
        Reply::Text("There are 42 bolts. (A scripted answer; no model was asked.)\n".to_owned()),
    );
    let provider = MockModel::local(script).await?;
    let model = RemoteModel::new(Settings {
        id: "openai:gpt-4.1".parse()?,
        key: Key::new(key.clone())?,
        base_url: Some(provider.base_url()),
        window: None,
        times: Times::USUAL,
        proxy: None,
    })?;

    let folder = tempfile::tempdir()?;
    let workspace = Workspace::open(folder.path(), &[])?;
    let places = Places::new(folder.path().join("home"), workspace.root());
    let redactor = Redactor::with_values(vec![key.clone()]);
    let policy = Policy {
        known: KnownHosts::default(),
        sandboxed: SandboxedCommands::Ask,
        mode: PermitMode::Ask,
        is_headless: true,
        rules: Rules::default(),
        home: folder.path().join("home"),
        search: Vec::new(),
        protected: Vec::new(),
        began: SystemTime::now(),
    };
    let mut session = Session::new(Setup {
        checkpoints: None,
        code: None,
        plan_advisor: None,
        sandbox: None,
        tasks: Tasks::default(),
        model: Arc::new(model),
        fallback: Vec::new(),
        permit: Permit::new(policy, workspace.root(), workspace.folders()),
        workspace,
        tools: vec![Arc::new(Stock)],
        journal: Journal::create(&places, env!("CARGO_PKG_VERSION"), redactor)?,
        past: None,
        limits: TurnLimits::USUAL,
        secrets: vec![key],
        shell_type: "bash".to_owned(),
        shell_version: None,
        knowledge: Knowledge::default(),
    });

    let end = session.turn("How many bolts are there?", &Lines, &Cancel::new()).await;
    writeln!(std::io::stdout(), "[{:?}, exit code {}]", end.reason, end.exit)?;
    if end.exit == 0 { Ok(()) } else { Err("no answer".into()) }
}
