//! Speed and size: a first index, an unchanged index, one changed file, repeated questions; each
//! with its process start, compared with universal-ctags and codegraph.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use super::ci::Ci;
use super::program::Program;
use super::tree::sources;
use super::{Arguments, codegraph, progress, say};

/// How often a question is repeated.
const QUESTIONS: usize = 40;
/// The number of files in the tree that never changes, and of files per folder.
const MANY: usize = 10_000;
const MANY_OF_FOLDER: usize = 100;
/// How often a refresh is measured.
const REFRESHES: usize = 10;

/// Typical questions.
const WORDS: [&str; 4] = [
    "where is the configuration file parsed and its errors reported",
    "wrong result when the list is empty",
    "add a command line option for the output format",
    "cache is not invalidated after a change",
];

pub(super) fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let fresh = scratch.join("speed");
    let tools = arguments.tools.canonicalize().unwrap_or_else(|_| arguments.tools.clone());
    for folder in &arguments.speed {
        // A copy, because a file of it is changed and codegraph writes into it.
        let _ = fs::remove_dir_all(&fresh);
        fs::create_dir_all(&fresh)?;
        let ci = Ci::new(&arguments.ci()?, &fresh).map_err(|why| anyhow::anyhow!(why))?;
        let tree = fresh.join("tree");
        Program::named("cp", &fresh)?.args(["-a", "--"]).arg(folder).arg(&tree).stdout()?;
        say(format!("\n### {}\n\nLoad before: {}\n", name(folder), load()?));
        say("| what | result |\n| --- | --- |");
        of_ci(&ci, &tree)?;
        match Program::named("ctags", &tree) {
            Ok(ctags) => {
                let (_, time) = ctags.args(["-R", "-f", "/dev/null", "."]).timed()?;
                row("universal-ctags, all definitions", millis(time));
            }
            Err(error) => progress(format!("SKIPPED: universal-ctags: {error:#}")),
        }
        match codegraph::executable(&tools) {
            Ok(executable) => of_codegraph(&executable, &tree)?,
            Err(why) => progress(format!("SKIPPED: codegraph: {why}")),
        }
    }
    fs::remove_dir_all(&fresh)?;
    fs::create_dir_all(&fresh)?;
    let ci = Ci::new(&arguments.ci()?, &fresh).map_err(|why| anyhow::anyhow!(why))?;
    say(format!("\n### {MANY} small files\n\nLoad before: {}\n", load()?));
    say("| what | result |\n| --- | --- |");
    of_many(&ci, &fresh.join("many"))?;
    fs::remove_dir_all(&fresh)?;
    Ok(())
}

/// A tree of many unchanged files.
fn of_many(ci: &Ci, tree: &Path) -> anyhow::Result<()> {
    for number in 0..MANY {
        let folder = tree.join(format!("part{}", number / MANY_OF_FOLDER));
        fs::create_dir_all(&folder)?;
        let text = format!("def of_{number}(value):\n    return value + {number}\n");
        fs::write(folder.join(format!("file{number}.py")), text)?;
    }
    row("first index", millis(ci.index(tree)?));
    let times = (0..REFRESHES).map(|_| ci.index(tree)).collect::<anyhow::Result<Vec<_>>>()?;
    row("`index-status`, nothing changed", spread(times));
    Ok(())
}

fn of_ci(ci: &Ci, tree: &Path) -> anyhow::Result<()> {
    let first = ci.index(tree)?;
    let status = ci.status(tree)?;
    let number =
        |name: &str| status[name].as_f64().with_context(|| format!("status has no {name}"));
    let (lines, bytes, index) = (number("lines")?, number("source_bytes")?, number("index_bytes")?);
    row("files, lines", format!("{}, {lines}", number("files")?));
    row("first index", format!("{} = {:.0} lines/s", millis(first), lines / first.as_secs_f64()));
    row("index size", format!("{:.1} MB, {:.2} of the source", index / 1e6, index / bytes));
    let times = (0..REFRESHES).map(|_| ci.index(tree)).collect::<anyhow::Result<Vec<_>>>()?;
    row("`index-status`, nothing changed", spread(times));
    let source = sources(tree)?.pop().context("no source file")?;
    let mut times = Vec::new();
    for round in 0..REFRESHES {
        let comment = if source.path.ends_with(".py") { "#" } else { "//" };
        fs::write(tree.join(&source.path), format!("{}\n{comment} {round}\n", source.text))?;
        times.push(ci.index(tree)?);
    }
    row("`index-status`, one file changed", spread(times));
    for tool in ["search", "graph-rag"] {
        let ask =
            |number: usize| ci.asked(tree, tool).arg(WORDS[number % WORDS.len()]).may_exit_with(1);
        let times = (0..QUESTIONS).map(|number| Ok(ask(number).timed()?.1));
        row(&format!("`{tool}`, warm"), spread(times.collect::<anyhow::Result<Vec<_>>>()?));
        match ask(0).peak_mb()? {
            Some(peak) => row(&format!("`{tool}`, peak memory"), format!("{peak:.0} MB")),
            None => progress("SKIPPED: peak memory: GNU time is not installed"),
        }
    }
    // The first index is built a second time to measure its memory.
    let again =
        Ci::new(ci.path(), &tree.with_file_name("again")).map_err(|why| anyhow::anyhow!(why))?;
    if let Some(peak) = again.indexing(tree).peak_mb()? {
        row("first index, peak memory", format!("{peak:.0} MB"));
    }
    Ok(())
}

fn of_codegraph(executable: &Path, tree: &Path) -> anyhow::Result<()> {
    let time = codegraph::init(executable, tree)?;
    let size = Program::named("du", tree)?.args(["-sb", ".codegraph"]).stdout()?;
    let bytes: f64 = size.split_whitespace().next().unwrap_or_default().parse()?;
    row("codegraph: first index", format!("{}, {:.1} MB", millis(time), bytes / 1e6));
    let times = WORDS.iter().map(|words| Ok(codegraph::explore(executable, tree, words)?.1));
    row("codegraph: explore, warm", spread(times.collect::<anyhow::Result<Vec<_>>>()?));
    Ok(())
}

fn row(what: &str, result: String) {
    say(format!("| {what} | {result} |"));
}

fn millis(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

/// The median and the 99th percentile.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    format!("p50 {}, p99 {} (n = {})", millis(at(50)), millis(at(99)), times.len())
}

fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn load() -> anyhow::Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_names_values_that_were_measured() {
        let times = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(spread(times), "p50 50 ms, p99 99 ms (n = 100)");
    }
}
