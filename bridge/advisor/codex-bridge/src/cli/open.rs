//! `codex-bridge open`: requests a link from the daemon and opens it in a browser.

use std::time::Duration;

use client::{Client, ConnectOptions, Discovery};
use contract::failure::Failure;
use contract::window::WindowLink;
use host::ErrorChain;
use serde_json::json;
use tokio::time::Instant;

use super::args::OpenArgs;
use super::output;
use crate::browser;
use crate::config::{Config, Environment, environment, resolve};
use crate::exit::Exit;
use crate::token::{self, Rights};

/// Longest wait for the daemon's answer, which takes a millisecond.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Warning for `--address`.
const ADDRESS_COST: &str = "note: under an address instead of the window's own name, your browser also gives the \
     session's cookie to every other server that it asks at that address, whatever its port\n";

pub(super) fn run(args: OpenArgs, environment: &Environment) -> Exit {
    let OpenArgs { print, address, revoke, json, settings } = args;
    let config = match resolve(&settings.into(), environment) {
        Ok(resolved) => resolved.config,
        Err(faults) => return output::fail(&faults, Exit::Config),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, Exit::Failed),
    };
    let client = client(&config, environment);
    let deadline = || Instant::now() + ANSWER_LIMIT;
    if revoke {
        return match runtime.block_on(async { client.close_windows(deadline()).await }) {
            Ok(closed) if json => output::print_json(&json!(closed)),
            Ok(closed) => output::print(&format!("signed out: {}\n", closed.closed)),
            Err(failure) => refused(&failure),
        };
    }
    let link = match runtime.block_on(async { client.open_window(deadline()).await }) {
        Ok(link) => link,
        Err(failure) => return refused(&failure),
    };
    if address {
        output::complain(ADDRESS_COST);
    }
    let WindowLink { url, address: under_address, expires_in_ms } = link;
    let url = if address { under_address } else { url };
    let opened = match print {
        true => false,
        false => match runtime.block_on(browser::open(&url, environment)) {
            Ok(()) => true,
            Err(why) => {
                output::complain(&format!("no browser was opened: {}\n", ErrorChain(&why)));
                false
            }
        },
    };
    if json {
        return output::print_json(
            &json!({ "url": url, "expires_in_ms": expires_in_ms, "opened": opened }),
        );
    }
    match (opened, print) {
        (true, _) => {
            let page = url.split("/enter").next().unwrap_or_default();
            output::print(&format!("opened {page}/ in your browser\n"))
        }
        (false, true) => output::print(&format!("{url}\n")),
        (false, false) => {
            output::complain(&format!("open this link within {} s, once:\n", expires_in_ms / 1000));
            output::print(&format!("{url}\n"))
        }
    }
}

/// A client of the configured daemon, with the token that has the most rights.
fn client(config: &Config, environment: &Environment) -> Client {
    let known = environment.clone().with(environment::STATE_DIR, &config.state_dir);
    let with_token = |rights: Rights| {
        let token = token::load(config, rights).ok()?;
        Some((known.clone().with(rights.variable(), token.expose()), rights))
    };
    let found = with_token(Rights::Orchestrate).or_else(|| with_token(Rights::Advisor));
    let (known, rights) = found.unwrap_or((known.clone(), Rights::Advisor));
    Client::new(Discovery::new(known, ConnectOptions::default()).with_rights(rights))
}

fn refused(failure: &Failure) -> Exit {
    let Failure { error, .. } = failure;
    output::complain(&format!("error: {}: {}\n", error.code.as_str(), error.message));
    Exit::Failed
}
