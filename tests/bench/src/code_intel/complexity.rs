//! Compares `ci complexity` with lizard and rust-code-analysis, function by function: those of both that
//! begin in the same line of the same file. Lizard counts tokens and has no syntax tree, and the three
//! definitions differ slightly, so where two results differ neither is right by itself: the largest differences
//! are printed for inspection.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use super::ci::{Ci, items, text};
use super::program::Program;
use super::tree::sources;
use super::{Arguments, progress, say};

/// How many files of a folder are compared: the tool returns at most 500 functions at once, so it is
/// called for each file.
const FILES_MAX: usize = 150;

/// How many differences are printed.
const SHOWN: usize = 8;

/// A function: its file and its first line.
type Place = (String, u64);
/// One measure of each function.
type Functions = BTreeMap<Place, u64>;
/// The measures of each function, by name.
type Measures = BTreeMap<Place, BTreeMap<&'static str, u64>>;

pub(super) fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let tools = arguments.tools.canonicalize().unwrap_or_else(|_| arguments.tools.clone());
    let lizard = tools.join("aider/bin/lizard");
    let analysis = tools.join("bin/rust-code-analysis-cli");
    let is_there = |name: &str, program: &Path| {
        let said = Program::at(program, scratch).arg("--version").stdout();
        said.map_err(|why| progress(format!("SKIPPED: {name}: {why:#}"))).is_ok()
    };
    let (has_lizard, has_analysis) =
        (is_there("lizard", &lizard), is_there("rust-code-analysis", &analysis));
    let ci = Ci::new(&arguments.ci()?, scratch).map_err(|why| anyhow::anyhow!(why))?;
    for folder in &arguments.complexity {
        let folder = folder.canonicalize().with_context(|| format!("{}", folder.display()))?;
        let files: Vec<String> =
            sources(&folder)?.into_iter().map(|source| source.path).take(FILES_MAX).collect();
        let ours = of_ci(&ci, &folder, &files)?;
        let of = |what: &str| -> Functions {
            ours.iter().filter_map(|(place, all)| Some((place.clone(), *all.get(what)?))).collect()
        };
        if has_lizard {
            compare(
                &folder,
                "cyclomatic",
                "lizard",
                &of("cyclomatic"),
                &of_lizard(&lizard, &folder, &files)?,
            );
        }
        if has_analysis {
            let theirs = of_analysis(&analysis, &folder, &files)?;
            for what in ["cyclomatic", "cognitive"] {
                let theirs =
                    theirs.iter().filter_map(|(place, all)| Some((place.clone(), *all.get(what)?)));
                compare(&folder, what, "rust-code-analysis", &of(what), &theirs.collect());
            }
        }
    }
    Ok(())
}

fn of_lizard(lizard: &Path, folder: &Path, files: &[String]) -> anyhow::Result<Functions> {
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

/// The output of `rust-code-analysis-cli` 0.0.25 for each file: one JSON object per line, with nested spaces.
fn of_analysis(program: &Path, folder: &Path, files: &[String]) -> anyhow::Result<Measures> {
    let mut found = Measures::new();
    for file in files {
        let program = Program::at(program, folder).args(["--metrics", "--output-format", "json"]);
        let said = program.arg("--paths").arg(file).stdout()?;
        let mut spaces: Vec<Value> =
            said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        while let Some(space) = spaces.pop() {
            spaces.extend(space["spaces"].as_array().into_iter().flatten().cloned());
            let Some(line) = space["start_line"].as_u64().filter(|_| space["kind"] == "function")
            else {
                continue;
            };
            let number = |what: &str| space["metrics"][what]["sum"].as_f64().map(|sum| sum as u64);
            let all = ["cyclomatic", "cognitive"]
                .into_iter()
                .filter_map(|what| Some((what, number(what)?)));
            found.insert((file.clone(), line), all.collect());
        }
    }
    Ok(found)
}

fn of_ci(ci: &Ci, folder: &Path, files: &[String]) -> anyhow::Result<Measures> {
    let mut found = Measures::new();
    for file in files {
        let program = ci.asked(folder, "complexity").args(["--tests", "--limit", "500"]).arg(file);
        let answer: Value = serde_json::from_str(&program.may_exit_with(1).stdout()?)?;
        for item in items(&answer) {
            let (Some(path), Some(start)) = (text(item, "path"), item["start_line"].as_u64())
            else {
                continue;
            };
            let number = |what: &str| item[what].as_u64().with_context(|| format!("no {what}"));
            let all = [("cyclomatic", number("cyclomatic")?), ("cognitive", number("cognitive")?)];
            found.insert((path, start), all.into());
        }
    }
    Ok(found)
}

fn compare(folder: &Path, what: &str, peer: &str, ours: &Functions, theirs: &Functions) {
    let both: Vec<(&Place, u64, u64)> =
        ours.iter().filter_map(|(place, our)| Some((place, *our, *theirs.get(place)?))).collect();
    let share = |wanted: &dyn Fn(u64) -> bool| {
        let count = both.iter().filter(|(_, our, their)| wanted(our.abs_diff(*their))).count();
        100.0 * count as f64 / both.len().max(1) as f64
    };
    let name =
        folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    say(format!(
        "\n{name}: {} functions here, {} by {peer}, {} in both; {what} complexity is the same for \
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
            say(format!("- {path}:{line}: {our} here, {their} by {peer}"));
        }
    }
}
