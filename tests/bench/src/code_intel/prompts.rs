//! Measures whether prompts are recognised as being about code: each is given to the orchestrator in the tree of its
//! repository, a general one in the tree of every repository, and the plans are counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ci::Ci;
use super::data::{Case, read_repositories};
use super::tree::Trees;
use super::{Arguments, progress, say};

/// A prompt; other fields of its line are ignored.
#[derive(Debug, Deserialize)]
struct Prompt {
    /// Whether it is about code.
    code: bool,
    /// Whether it was held out when the rule was made.
    held: bool,
    /// Its category.
    kind: String,
    /// The repository that it is about, if any.
    repo: Option<String>,
    prompt: String,
}

/// How many prompts were tried, and how many were recognised as being about code.
#[derive(Default)]
struct Tally {
    asked: usize,
    code: usize,
}

pub(super) fn measure(path: &Path, arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let prompts = text.lines().map(|line| serde_json::from_str(line).context(line.to_owned()));
    let prompts: Vec<Prompt> = prompts.collect::<anyhow::Result<_>>()?;
    let repositories = arguments.repos.as_deref().context("--prompts needs --repos")?;
    let repositories = read_repositories(repositories)?;
    let trees = Trees::new(scratch, repositories);
    let ci = Ci::new(&arguments.ci()?, scratch).map_err(anyhow::Error::msg)?;
    let orchestrator = ci.path().with_file_name("auto-tool-orchestrator");
    let names: BTreeSet<&String> =
        prompts.iter().filter_map(|prompt| prompt.repo.as_ref()).collect();
    let mut tallies: BTreeMap<(bool, bool, String), Tally> = BTreeMap::new();
    for name in &names {
        let tree = trees.of(&newest(name))?;
        ci.index(&tree)?;
        let asked = prompts.iter().filter(|it| it.repo.as_ref().is_none_or(|repo| repo == *name));
        for prompt in asked {
            let is_code = is_planned(&orchestrator, &ci, &tree, &prompt.prompt, scratch)?;
            let sort = if prompt.code { &prompt.kind } else { *name };
            for sort in [sort.as_str(), "all"] {
                let tally =
                    tallies.entry((!prompt.code, prompt.held, sort.to_owned())).or_default();
                tally.asked += 1;
                tally.code += usize::from(is_code);
            }
        }
        progress(name);
    }
    say("| prompts | part | asked | taken for code |\n| --- | --- | ---: | ---: |");
    for ((everyday, held, sort), Tally { asked, code }) in tallies {
        let what =
            if everyday { format!("everyday, in {sort}") } else { format!("about code, {sort}") };
        let part = if held { "held back" } else { "development" };
        say(format!("| {what} | {part} | {asked} | {:.1} % |", 100.0 * code as f64 / asked as f64));
    }
    Ok(())
}

/// A case with the newest commit of a clone.
fn newest(repository: &str) -> Case {
    let (repo, base) = (repository.to_owned(), "HEAD".to_owned());
    let [id, language, query_language, query] = [const { String::new() }; 4];
    Case { id, repo, base, language, query_language, query, gold: Vec::new() }
}

fn is_planned(
    orchestrator: &Path,
    ci: &Ci,
    tree: &Path,
    prompt: &str,
    scratch: &Path,
) -> anyhow::Result<bool> {
    let file = scratch.join("request.json");
    fs::write(&file, json!({ "prompt": prompt, "cwd": tree }).to_string())?;
    let program = ci
        .program(tree)
        .at_path(orchestrator)
        .env("CI_AUTO_TOOLS_MODE", "plan")
        .env("CI_AUTO_TOOLS_REPO_ROOT", tree)
        .stdin(&file);
    let report: Value = serde_json::from_str(&program.stdout()?).context("the report")?;
    match &report["tool_plan"]["tools"] {
        Value::Array(tools) => Ok(!tools.is_empty()),
        _ => bail!("the report has no plan: {report}"),
    }
}
