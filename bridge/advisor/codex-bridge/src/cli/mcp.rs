//! `codex-bridge mcp`.

use std::error::Error;

use claude_hooks::project_env;
use client::{Client, ConnectOptions, Discovery, Remote};
use contract::workspace::Workspace;
use host::{agent, environment, project};

use super::args::McpArgs;
use super::output;
use crate::config::{Environment, LogConfig, LogFormat};
use crate::exit::Exit;
use crate::shutdown::Shutdown;
use crate::{logging, mcp};

pub(super) fn run(args: McpArgs, environment: &Environment) -> Exit {
    // The MCP library logs whole messages below `warn`: keep questions and advice out of the log.
    let level = format!("{},rmcp=warn", args.log_level);
    if let Err(error) = logging::init(&LogConfig { format: LogFormat::Auto, level }) {
        return output::fail(&error, Exit::Usage);
    }
    let remote = if args.allow_remote { Remote::Allowed } else { Remote::Refused };
    let wishes = ConnectOptions { url: args.url, token_file: args.token_file, remote };
    let home = environment.folder(environment::HOME);
    let root = project::root(environment.working_dir(), home.as_deref());
    // A client passes the environment of the project's own settings on to the servers that it starts.
    let (environment, taken) =
        project_env::without(environment.clone(), &root, agent::chooses_a_place);
    if !taken.is_empty() {
        tracing::warn!(?taken, "variables that the project's own settings set have no effect");
    }
    let client = Client::new(Discovery::new(environment, wishes));
    match block_on(client.of_workspace(Workspace::of(&root))) {
        Ok(()) => Exit::Ok,
        Err(error) => output::fail(error.as_ref(), Exit::Failed),
    }
}

fn block_on(client: Client) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let stop = Shutdown::on_signals()?.drain;
        Ok(mcp::serve(client, tokio::io::stdin(), tokio::io::stdout(), stop).await?)
    });
    // After a signal a read of standard input may still be pending.
    runtime.shutdown_background();
    served
}
