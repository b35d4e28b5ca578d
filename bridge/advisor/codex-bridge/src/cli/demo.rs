//! `codex-bridge demo`: plays two rounds and reports them on standard output.

use super::args::DemoArgs;
use super::output::{self, Telling};
use crate::config::{Environment, resolve};
use crate::demo::{self, Afterwards, Model, Traces};
use crate::exit::Exit;
use crate::logging;

pub(super) fn run(args: DemoArgs, environment: &Environment) -> Exit {
    let config = match resolve(&args.settings.into(), environment) {
        Ok(resolved) => resolved.config,
        Err(faults) => return output::fail(&faults, Exit::Config),
    };
    if args.verbose
        && let Err(error) = logging::init(&config.log)
    {
        return output::fail(&error, Exit::Failed);
    }
    let model = if args.live { Model::Live } else { Model::MockModel };
    let afterwards = if args.window { Afterwards::Window } else { Afterwards::End };
    let traces = if args.keep { Traces::Keep } else { Traces::Remove };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, Exit::Failed),
    };
    let mut told = Telling::default();
    let played = runtime.block_on(demo::run(
        config,
        environment,
        model,
        traces,
        afterwards,
        &mut redact::VisibleWriter::new(&mut told),
    ));
    match played {
        Ok(()) => told.end(),
        Err(error) => output::fail(error.as_ref(), Exit::Failed),
    }
}
