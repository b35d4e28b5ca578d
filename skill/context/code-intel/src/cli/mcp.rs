//! `ci mcp`.

use super::environment::program_path;
use super::error::{CliError, Exit};
use super::session::Session;
use crate::engine::follows_history;
use crate::mcp::{self, Serve};

pub(super) fn run(session: Session) -> Result<Exit, CliError> {
    // One thread for the protocol; each call has its own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(CliError::Runtime)?;
    let Session { engine, deadline, environment } = session;
    let serve = Serve {
        engine,
        timeout: deadline.remaining(),
        program_path: program_path(&environment).to_owned(),
        follows_history: follows_history(&environment),
    };
    let served = runtime.block_on(mcp::serve(serve, tokio::io::stdin(), tokio::io::stdout()));
    // A read of standard input may still be under way, and a call whose caller has gone.
    runtime.shutdown_background();
    served.map(|()| Exit::Found).map_err(CliError::Mcp)
}
