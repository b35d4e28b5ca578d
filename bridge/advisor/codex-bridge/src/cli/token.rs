//! `codex-bridge token`.

use super::args::TokenArgs;
use super::output;
use crate::config::{Environment, resolve};
use crate::exit::Exit;
use crate::token::Rights;
use crate::{state_dir, token};

pub(super) fn run(args: TokenArgs, environment: &Environment) -> Exit {
    let config = match resolve(&args.settings.into(), environment) {
        Ok(resolved) => resolved.config,
        Err(faults) => return output::fail(&faults, Exit::Config),
    };
    let rights = if args.orchestrate { Rights::Orchestrate } else { Rights::Advisor };
    let path = token::path(&config.state_dir, rights);
    let is_configured = token::configured(&config, rights).is_some();
    if args.rotate && is_configured {
        output::complain("error: the token is configured, so there is no file to rotate\n");
        return Exit::Config;
    }
    // A configured token needs no state folder.
    if !is_configured && let Err(error) = state_dir::prepare(&config.state_dir) {
        return output::fail(&error, Exit::Config);
    }
    let token = if args.rotate {
        token::rotate(&config.state_dir, rights)
    } else {
        token::ensure(&config, rights)
    };
    match token {
        Ok(_) if args.path => output::print(&format!("{}\n", path.display())),
        Ok(token) => output::print(&format!("{}\n", token.expose())),
        Err(error) => output::fail(&error, Exit::Config),
    }
}
