//! `codex-bridge doctor`.

use super::args::DoctorArgs;
use super::output;
use crate::config::Environment;
use crate::doctor;
use crate::exit::Exit;

pub(super) fn run(args: DoctorArgs, environment: &Environment) -> Exit {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, Exit::Failed),
    };
    let report = runtime.block_on(doctor::examine(&args.settings.into(), environment));
    // A file system that does not respond must not delay the report.
    runtime.shutdown_background();
    let printed = match args.json {
        true => output::print_json(&report.json()),
        false => output::print(&report.to_string()),
    };
    match report.is_healthy() {
        true => printed,
        false => Exit::Failed,
    }
}
