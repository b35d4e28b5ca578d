//! The peer codegraph: a graph in SQLite with full-text search. Agents call its `explore`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program::Program;

/// How long one index may take.
const INDEX_TIMEOUT: Duration = Duration::from_secs(900);

/// The executable, or why there is none.
pub(super) fn executable(tools: &Path) -> Result<PathBuf, String> {
    let path = tools.join("codegraph/node_modules/.bin/codegraph");
    match program(&path, Path::new("/")).arg("--version").stdout() {
        Ok(_) => Ok(path),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// Indexes the folder; this writes into it.
pub(super) fn init(executable: &Path, folder: &Path) -> anyhow::Result<Duration> {
    let (_, time) = program(executable, folder).arg("init").timeout(INDEX_TIMEOUT).timed()?;
    Ok(time)
}

/// Its output for a query about an indexed folder.
pub(super) fn explore(
    executable: &Path,
    folder: &Path,
    query: &str,
) -> anyhow::Result<(String, Duration)> {
    program(executable, folder).arg("explore").arg(query).timed()
}

/// Its output for a case: computed once, and cached between runs with the time it took.
pub(super) fn said(
    executable: &Path,
    tree: &Path,
    scratch: &Path,
    (id, query): (&str, &str),
) -> anyhow::Result<(String, Duration)> {
    let folder = scratch.join("codegraph-texts");
    fs::create_dir_all(&folder)?;
    let kept = folder.join(id.replace('/', "+"));
    if let Ok(text) = fs::read_to_string(&kept)
        && let Some((ms, text)) = text.split_once('\n')
    {
        return Ok((text.to_owned(), Duration::from_millis(ms.parse()?)));
    }
    let copy = copy(tree, scratch)?;
    init(executable, &copy)?;
    let (text, time) = explore(executable, &copy, query)?;
    fs::write(kept, format!("{}\n{text}", time.as_millis()))?;
    Ok((text, time))
}

/// The files of the tree that a text names, in the order of the text.
pub(super) fn files_named(text: &str, files: &[&str]) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-./".contains(letter);
    let words = text.split(|letter: char| !is_part(letter));
    let named = words.filter_map(|word| {
        let word = word.trim_start_matches("./").trim_end_matches('.');
        files.iter().find(|file| **file == word).map(ToString::to_string)
    });
    named.collect()
}

/// A copy of a tree that it may write into; the files are hard links.
pub(super) fn copy(tree: &Path, scratch: &Path) -> anyhow::Result<PathBuf> {
    let copy = scratch.join("codegraph");
    let _ = fs::remove_dir_all(&copy);
    Program::named("cp", scratch)?.args(["-al", "--"]).arg(tree).arg(&copy).stdout()?;
    Ok(copy)
}

fn program(executable: &Path, folder: &Path) -> Program {
    // It refuses to index its home, and keeps a daemon and sends usage data unless told not to.
    Program::at(executable, folder)
        .env("HOME", folder.parent().unwrap_or(folder))
        .env("CODEGRAPH_NO_DAEMON", "1")
        .env("CODEGRAPH_TELEMETRY", "0")
        .env("DO_NOT_TRACK", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_tree_are_named() {
        let text =
            "**src/a.py:12** calls `./src/b.py`. See src/none.py and src/a.py.bak, src/a.py.";
        assert_eq!(
            files_named(text, &["src/a.py", "src/b.py"]),
            ["src/a.py", "src/b.py", "src/a.py"]
        );
    }
}
