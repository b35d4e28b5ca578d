//! `codex-bridge config`.

use super::args::ConfigArgs;
use super::output;
use crate::config::{Environment, default_file, resolve};
use crate::exit::Exit;

pub(super) fn run(args: ConfigArgs, environment: &Environment) -> Exit {
    if args.default {
        return output::print(default_file());
    }
    match resolve(&args.settings.into(), environment) {
        Ok(resolved) if args.json => output::print_json(&resolved.json()),
        Ok(resolved) => output::print(&resolved.table()),
        Err(faults) if args.json => {
            output::print_json(&faults.json());
            Exit::Config
        }
        Err(faults) => output::fail(&faults, Exit::Config),
    }
}
