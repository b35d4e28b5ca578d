//! `xc doctor`: checks what is ready and what is not, with fixes. It opens one connection, to the address of
//! the model in use; nothing is sent through it.

mod check;
mod network;

use std::io::IsTerminal as _;
use std::path::Path;

use host::Environment;
use rustix::fs::Access;
use supervise::{Confinement, Guard, Isolation};

use crate::config::{Config, Fault, Places};
use crate::models::{self, Chosen};
use crate::system;
pub(crate) use check::{Check, State};

/// Runs all checks.
pub(crate) async fn examine(environment: &Environment, places: Places<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    match Config::read(environment, places) {
        Ok(config) => {
            configuration(&config, &mut checks);
            if let Some(chosen) = model(&config, &mut checks) {
                checks.push(network::check(&config, &chosen.id).await);
            }
        }
        Err(faults) => checks.extend(faults.iter().map(faulty)),
    }
    checks.push(folder(places.root));
    checks.push(run_guard().await);
    checks.push(sandbox().await);
    checks.push(terminal());
    checks
}

fn faulty(fault: &Fault) -> Check {
    Check::failed("configuration", fault.to_string(), format!("correct it in {}", fault.place))
}

fn configuration(config: &Config, checks: &mut Vec<Check>) {
    let path = config.path.display();
    let found = if config.path.exists() { format!("{path}") } else { format!("no file {path}") };
    checks.push(Check::ok("configuration", found));
    for note in &config.notes {
        let (found, mend) = note.split_once("; mend: ").unwrap_or((note, "remove it there"));
        checks.push(Check::warning("configuration", found, mend));
    }
    for one in config.providers.iter().filter(|one| one.key.is_some()) {
        let from = one.key.as_ref().map(|key| key.source().to_string()).unwrap_or_default();
        checks.push(Check::ok("key", format!("{} ({from})", one.provider)));
    }
}

fn model(config: &Config, checks: &mut Vec<Check>) -> Option<Chosen> {
    match models::choose(config, None) {
        Ok(chosen) => {
            let found = format!("{} ({})", chosen.id, chosen.source);
            checks.push(match &chosen.note {
                None => Check::ok("model", found),
                Some(note) => {
                    let mend = "set contextWindow of its provider, or choose another model";
                    Check::warning("model", note.clone(), mend)
                }
            });
            Some(chosen)
        }
        Err(error) => {
            let mend = match &error {
                error if error.is_misuse() => "name another one with --model or X_CODE_MODEL",
                _ => "set a key; the pages where one gets them are in docs/XCODE.md",
            };
            checks.push(Check::failed("model", error.to_string(), mend));
            None
        }
    }
}

fn folder(root: &Path) -> Check {
    let writable = rustix::fs::access(root, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let shown = root.display();
    if writable {
        return Check::ok("folder", format!("{shown} can be written"));
    }
    let mend = "sessions are kept in ~/.xcode/sessions; files here cannot be changed";
    Check::warning("folder", format!("{shown} cannot be written"), mend)
}

async fn run_guard() -> Check {
    if let Some(missing) = system::missing() {
        return Check::failed("run guard", missing, "use a newer kernel with /proc mounted");
    }
    let isolation = match Guard::current_exe() {
        Ok(guard) => guard.isolation().await,
        Err(_) => Isolation::Subreaper,
    };
    match isolation {
        Isolation::PidNamespace => Check::ok("run guard", "the kernel ends what a command leaves"),
        Isolation::Subreaper => Check::warning(
            "run guard",
            "user namespaces are not allowed: a SIGKILL of the guard can leave processes alive",
            "allow unprivileged user namespaces",
        ),
    }
}

async fn sandbox() -> Check {
    let (confinement, gaps) = match Guard::current_exe() {
        Ok(guard) => (guard.confinement().await, guard.landlock_gaps()),
        Err(_) => (Confinement::None, Vec::new()),
    };
    let gaps = match gaps.as_slice() {
        [] => String::new(),
        gaps => format!("; Landlock of this kernel does not hold: {}", gaps.join(", ")),
    };
    match confinement {
        Confinement::LandlockAndMounts => Check::ok("sandbox", format!("landlock+mounts{gaps}")),
        Confinement::Landlock => Check::warning(
            "sandbox",
            format!("landlock: commands write where they may only, and can read keys{gaps}"),
            "allow unprivileged user namespaces",
        ),
        Confinement::None => Check::warning(
            "sandbox",
            "none: commands run with your rights",
            "use a kernel with Landlock (5.13); --sandbox require runs no command without it",
        ),
    }
}

fn terminal() -> Check {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let found = if is_terminal { "a terminal" } else { "no terminal: xc runs as with -p" };
    Check::ok("terminal", found)
}
