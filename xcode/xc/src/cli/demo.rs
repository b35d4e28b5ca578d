//! `xc demo`.

use host::streams;

use super::args::DemoArgs;
use crate::demo::{Traces, play};
use crate::exit::Exit;
use crate::runtime;

/// Runs the demo.
pub(super) fn run(args: DemoArgs) -> Exit {
    let traces = if args.keep { Traces::Keep } else { Traces::Remove };
    match runtime::block_on(play(traces)) {
        Ok(Ok(())) => Exit::Answered,
        Ok(Err(error)) => {
            streams::note(&format!("xc: the demo: {error}"));
            Exit::Internal
        }
        Err(exit) => exit,
    }
}
