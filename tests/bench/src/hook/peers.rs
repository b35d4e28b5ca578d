//! Third-party hooks for the same event, on a copy of the same repository, if they are installed.

use std::path::Path;
use std::time::Duration;

use supervise::run_helper;

use crate::service::{Row, Samples};

use super::measured::{Measured, Program, measure};
use super::place::Place;
use super::{CHAT, CODE, progress};

/// How long a peer may take for its index.
const INDEX_LIMIT: Duration = Duration::from_secs(900);

/// The peers' times; one that is not installed is left out, with a message.
pub(super) fn rows(place: &Place, tools: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let tools = tools.canonicalize().unwrap_or_else(|_| tools.to_owned());
    let codegraph = tools.join("codegraph/node_modules/.bin/codegraph");
    if codegraph.exists() {
        rows.extend(of_codegraph(place, &codegraph, rounds)?);
    } else {
        progress(format!("SKIPPED: codegraph is not installed: {}", codegraph.display()));
    }
    Ok(rows)
}

/// `codegraph prompt-hook`, which is a program for Node.js.
fn of_codegraph(place: &Place, path: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let tree = place.work().join("codegraph");
    let copy = Program { path: "/bin/cp".into(), args: words(&["-a", "--"]), env: Vec::new() };
    let copy = Program {
        args: [copy.args, vec![place.tree.display().to_string(), tree.display().to_string()]]
            .concat(),
        ..copy
    };
    let told = run_helper(&place.command(&copy, INDEX_LIMIT))?;
    anyhow::ensure!(told.is_success(), "cp: {}", told.stderr);
    let place = place.at(&tree);
    // It keeps a daemon and sends usage data unless told not to.
    let env = [("CODEGRAPH_NO_DAEMON", "1"), ("CODEGRAPH_TELEMETRY", "0"), ("DO_NOT_TRACK", "1")];
    let env: Vec<(String, String)> =
        env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let program =
        |args: &[&str]| Program { path: path.to_owned(), args: words(args), env: env.clone() };
    progress("codegraph makes its index");
    let told = run_helper(&place.command(&program(&["init"]), INDEX_LIMIT))?;
    if !told.is_success() {
        progress(format!("SKIPPED: codegraph: {:?}: {}", told.end, told.stderr.trim()));
        return Ok(Vec::new());
    }
    let hook = |what: &str, prompts: &[&str]| {
        Measured::hook(what, program(&["prompt-hook"]), &place, prompts)
    };
    let mut ways = [
        hook("`codegraph prompt-hook`, a prompt without code", &[CHAT]),
        hook("`codegraph prompt-hook`, prompts about code", &CODE),
    ];
    measure(&mut ways, rounds)?;
    let row = |way: &Measured| {
        let samples: Samples = way.samples();
        Row::times(way.what.clone(), &samples)
    };
    Ok(ways.iter().map(row).collect())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
