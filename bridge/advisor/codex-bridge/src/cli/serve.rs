//! `codex-bridge serve`: the checks before the first request, and the daemon's start.

use std::error::Error;

use super::args::ServeArgs;
use super::output;
use crate::app::{self, Lifetime, ServeError, Startup};
use crate::attached::{self, EphemeralStateDir};
use crate::config::{Environment, resolve};
use crate::exit::Exit;
use crate::shutdown::Shutdown;
use crate::supervisor::{Inherited, Supervisor};
use crate::token::Tokens;
use crate::{logging, state_dir};

pub(super) fn run(args: ServeArgs, environment: &Environment) -> Exit {
    let (is_attached, is_detached) = (args.attached, args.detached);
    if is_attached || is_detached {
        supervise::leave_starter();
    }
    let mut inherited = Inherited::take(environment);
    let resolved = match resolve(&args.settings.into(), environment) {
        Ok(resolved) => resolved,
        Err(faults) => return output::fail(&faults, Exit::Config),
    };
    let config = resolved.config;
    // Declared first, so that it is dropped last.
    let passing = is_attached.then(|| EphemeralStateDir::claim(&config.state_dir)).transpose();
    let passing = match passing {
        Ok(passing) => passing,
        Err(error) => return output::fail(&error, Exit::Config),
    };
    let life = if passing.is_some() { Lifetime::Attached } else { Lifetime::Standalone };
    if let Err(error) = state_dir::prepare(&config.state_dir) {
        return output::fail(&error, Exit::Config);
    }
    let tokens = match Tokens::ensure(&config) {
        Ok(tokens) => tokens,
        Err(error) => return output::fail(&error, Exit::Config),
    };
    let log = match is_detached {
        true => logging::init_in(&config.log, &host::state_dir::log(&config.state_dir)),
        false => logging::init(&config.log),
    };
    if let Err(error) = log {
        return output::fail(&error, Exit::Failed);
    }
    for warning in resolved.warnings.iter().chain(&inherited.problems) {
        tracing::warn!("{warning}");
    }
    let supervisor = Supervisor::new(environment, inherited.channel.take());
    let environment = environment.clone();
    let startup = Startup { config, tokens, environment, inherited, supervisor, life };
    match block_on(startup) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            let exit = error.downcast_ref::<ServeError>().map_or(Exit::Failed, Exit::from);
            output::fail(error.as_ref(), exit)
        }
    }
}

fn block_on(startup: Startup) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        if startup.life == Lifetime::Attached {
            attached::watch(&shutdown)?;
        }
        Ok(app::serve(startup, shutdown).await?)
    })
}
