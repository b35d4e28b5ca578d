//! The whole fixture with a daemon, and what a model that follows the skill calls in its two rounds.

use std::path::PathBuf;

use mock_model::{MockModel, Script as Provider};
use serde_json::json;
use tests::claude::{Claude, claude_bin};
use tests::harness::{Daemon, DaemonBuilder, codex_bin};
use tests::messages_api::{MessagesApi, Reply};

use crate::fixture::{client, with_plugin};

/// The real daemon with the real Codex and a scripted provider, and the client's executable; `None`
/// where one of them is not installed.
pub(crate) struct Fixture {
    pub(crate) claude: PathBuf,
    pub(crate) daemon: Daemon,
    pub(crate) mock: MockModel,
}

impl Fixture {
    pub(crate) async fn new(provider: impl Into<Provider>) -> Option<Self> {
        let (claude, codex) = (claude_bin()?, codex_bin()?);
        let mock = MockModel::local(provider).await.unwrap();
        let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
        Some(Self { claude, daemon: builder.start().await.unwrap(), mock })
    }

    /// A client with the plugin, the rule, and this model.
    pub(crate) fn client(&self, api: &MessagesApi) -> Claude {
        with_plugin(client(&self.claude, self.daemon.folder())).api(api)
    }
}

/// A call of the skill, as a model makes it.
pub(crate) fn call_skill() -> Reply {
    let args = "How do orders and stock stay in agreement?";
    Reply::tool("Skill", json!({"skill": "codex-bridge:codex-advisor", "args": args}))
}

/// A first round, in the form that the skill teaches.
pub(crate) const INITIAL: &str = "\
codex-advisor ask - --phase initial --timeout 540 --json <<'YAML'
problem: |
  The order service writes an order and then publishes an event: the \"event\" is lost when it dies between.
context: |
  Stack: Rust, PostgreSQL 16, RabbitMQ. Key files: orders/src/checkout.rs - the handler.
  Data flow: POST /checkout -> orders -> `order.placed` -> inventory. It's 40 orders/s; $5 an order; 库存.
candidate_plans:
  - name: outbox
    description: Write the event with the order, publish it later.
    assumptions:
      - One more insert is cheap
    suspicions:
      - The table grows
  - name: two-phase
    description: Agree before writing.
questions_for_codex:
  - What breaks first?
non_goals:
  - Replacing RabbitMQ
YAML";

/// The second round of a session.
pub(crate) fn finally(session_id: &str) -> String {
    format!(
        "codex-advisor ask - --phase final --session {session_id} --timeout 540 --json <<'YAML'
problem: Choose how orders and events are kept in agreement.
context: |
  Measured: one more insert costs 6 ms at p95.
candidate_plans:
  - name: outbox
    description: One relay at a time, chosen by an advisory lock.
YAML"
    )
}
