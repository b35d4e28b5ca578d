//! `ci complexity` held against lizard, function by function: those of both that begin in the same line
//! of the same file. Lizard counts words and not a syntax tree, so where the two differ neither is
//! right by itself: the largest differences are printed to be looked at.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;

use super::ci::{Ci, items, text};
use super::program::Program;
use super::tree::sources;
use super::{Arguments, progress, say};

/// How many files of a folder are compared: the tool answers at most 500 functions at once, so it is
/// asked for each file.
const FILES_MAX: usize = 150;

/// How many differences are printed.
const SHOWN: usize = 8;

/// A function: its file and its first line.
type Place = (String, u64);

pub(super) fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let tools = arguments.tools.canonicalize().unwrap_or_else(|_| arguments.tools.clone());
    let lizard = tools.join("aider/bin/lizard");
    if let Err(why) = Program::at(&lizard, scratch).arg("--version").stdout() {
        progress(format!("SKIPPED: lizard: {why:#}"));
        return Ok(());
    }
    let ci = Ci::new(&arguments.ci()?, scratch).map_err(|why| anyhow::anyhow!(why))?;
    for folder in &arguments.complexity {
        let folder = folder.canonicalize().with_context(|| format!("{}", folder.display()))?;
        let files: Vec<String> =
            sources(&folder)?.into_iter().map(|source| source.path).take(FILES_MAX).collect();
        let theirs = of_lizard(&lizard, &folder, &files)?;
        let ours = of_ci(&ci, &folder, &files)?;
        compare(&folder, &ours, &theirs);
    }
    Ok(())
}

fn of_lizard(
    lizard: &Path,
    folder: &Path,
    files: &[String],
) -> anyhow::Result<BTreeMap<Place, u64>> {
    let program = Program::at(lizard, folder).arg("--csv").args(files.iter().map(String::as_str));
    let csv = program.stdout()?;
    let mut found = BTreeMap::new();
    for line in csv.lines() {
        // NLOC, CCN, tokens, parameters, length, then quoted texts, then the first and last line.
        let path = line.split('"').nth(3).unwrap_or_default().trim_start_matches("./");
        let ways = line.split(',').nth(1).and_then(|field| field.parse().ok());
        let start = line.rsplit(',').nth(1).and_then(|field| field.parse().ok());
        if let (Some(ways), Some(start)) = (ways, start) {
            found.insert((path.to_owned(), start), ways);
        }
    }
    Ok(found)
}

fn of_ci(ci: &Ci, folder: &Path, files: &[String]) -> anyhow::Result<BTreeMap<Place, u64>> {
    let mut found = BTreeMap::new();
    for file in files {
        let program = ci.asked(folder, "complexity").args(["--tests", "--limit", "500"]).arg(file);
        let answer: serde_json::Value = serde_json::from_str(&program.may_exit_with(1).stdout()?)?;
        for item in items(&answer) {
            let (Some(path), Some(start)) = (text(item, "path"), item["start_line"].as_u64())
            else {
                continue;
            };
            found.insert((path, start), item["cyclomatic"].as_u64().context("no cyclomatic")?);
        }
    }
    Ok(found)
}

fn compare(folder: &Path, ours: &BTreeMap<Place, u64>, theirs: &BTreeMap<Place, u64>) {
    let both: Vec<(&Place, u64, u64)> =
        ours.iter().filter_map(|(place, our)| Some((place, *our, *theirs.get(place)?))).collect();
    let share = |wanted: &dyn Fn(u64) -> bool| {
        let count = both.iter().filter(|(_, our, their)| wanted(our.abs_diff(*their))).count();
        100.0 * count as f64 / both.len().max(1) as f64
    };
    let name =
        folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    say(format!(
        "\n{name}: {} functions here, {} by lizard, {} in both; cyclomatic complexity is the same for \
         {:.1} %, differs by at most 1 for {:.1} %",
        ours.len(),
        theirs.len(),
        both.len(),
        share(&|difference| difference == 0),
        share(&|difference| difference <= 1)
    ));
    let mut differing = both;
    differing.sort_by_key(|(_, our, their)| std::cmp::Reverse(our.abs_diff(*their)));
    for ((path, line), our, their) in differing.into_iter().take(SHOWN) {
        if our != their {
            say(format!("- {path}:{line}: {our} here, {their} by lizard"));
        }
    }
}
