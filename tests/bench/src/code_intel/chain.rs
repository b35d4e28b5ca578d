//! The whole chain: does the text that the orchestrator puts before an issue hold the file, and the
//! function, that its fix changed? Beside it, aider's repository map of the same length. Both texts are
//! read alike: a file counts when it is named, a function when its name stands below its file's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::ci::Ci;
use super::data::{Case, read_cases, read_repositories};
use super::localisation::chosen;
use super::method::Method;
use super::tree::Trees;
use super::{Arguments, aider, functions, own_data, progress, say};

/// The lengths that are asked for, in characters: the default, and what the prompt hook has room for.
const LENGTHS: [usize; 2] = [12_000, 9_000];

/// What one way of making a text reached.
#[derive(Default)]
struct Tally {
    cases: usize,
    characters: usize,
    files: usize,
    /// Cases whose fix was found, and of which a function is known.
    judged: usize,
    functions: usize,
}

/// A case, its tree, and the functions that the fix changed.
struct Question<'c> {
    case: &'c Case,
    tree: PathBuf,
    functions: BTreeSet<(String, String)>,
}

pub(super) fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let repositories = arguments.repos.as_deref().map(read_repositories).transpose()?;
    let trees = Trees::new(scratch, repositories.unwrap_or_default());
    let all = match &arguments.data {
        Some(data) => read_cases(data)?,
        None => own_data::make(scratch)?,
    };
    let cases = chosen(all, arguments);
    let mut questions = Vec::new();
    for case in &cases {
        match trees.of(case) {
            Ok(tree) => {
                let functions = match trees.repository(case) {
                    Some(repository) => functions::changed(case, repository, &tree)?,
                    None => BTreeSet::new(),
                };
                questions.push(Question { case, tree, functions });
            }
            Err(error) => progress(format!("SKIPPED: {}: {error:#}", case.id)),
        }
    }
    let ci = Ci::new(&arguments.ci()?, scratch).map_err(anyhow::Error::msg)?;
    let orchestrator = ci.path().with_file_name("auto-tool-orchestrator");
    let python = match arguments.wants(Method::Aider).then(|| aider::python(&arguments.tools())) {
        Some(Err(why)) => {
            progress(format!("SKIPPED: {}: {why}", Method::Aider.title()));
            None
        }
        Some(Ok(python)) => Some(python),
        None => None,
    };
    say("\n| issues | text | characters | file named | function named | files per 10,000 |");
    say("| --- | --- | ---: | ---: | ---: | ---: |");
    for length in LENGTHS {
        let mut rows: BTreeMap<(String, &str), Tally> = BTreeMap::new();
        for (index, question) in questions.iter().enumerate() {
            // The index is not part of the budget: it is there before the second prompt.
            ci.index(&question.tree)?;
            let text = context(&orchestrator, &ci, question, length, scratch)?;
            let tally = rows.entry((question.case.split(), "orchestrator")).or_default();
            tally.take(question, &text);
            progress(format!("{length}: {}/{} {}", index + 1, questions.len(), question.case.id));
        }
        if let Some(python) = &python {
            let asked: Vec<_> = questions
                .iter()
                .map(|it| (it.case.id.as_str(), it.tree.as_path(), it.case.query.as_str()))
                .collect();
            let maps = aider::maps(python, scratch, &asked, length)?;
            for question in &questions {
                let Some(map) = maps.get(&question.case.id) else { continue };
                let tally = rows.entry((question.case.split(), "aider's map")).or_default();
                tally.take(question, map);
            }
        }
        for ((group, method), tally) in rows {
            say(tally.row(&group, method, length));
        }
    }
    Ok(())
}

/// The text that the orchestrator would put before the issue.
fn context(
    orchestrator: &Path,
    ci: &Ci,
    question: &Question<'_>,
    length: usize,
    scratch: &Path,
) -> anyhow::Result<String> {
    let request = json!({ "prompt": question.case.query, "cwd": question.tree });
    let file = scratch.join("request.json");
    fs::write(&file, request.to_string())?;
    let program = ci
        .program(&question.tree)
        .at_path(orchestrator)
        .env("CI_AUTO_TOOLS", "on")
        .env("CI_AUTO_TOOLS_REPO_ROOT", &question.tree)
        .env("CI_AUTO_TOOLS_MAX_INJECTED_CHARS", length.to_string())
        .stdin(&file);
    let report: Value = serde_json::from_str(&program.stdout()?).context("the report")?;
    let text = report["fused_context"]["for_model"]["additional_context"].as_str();
    Ok(text.context("additional_context")?.to_owned())
}

impl Tally {
    fn take(&mut self, question: &Question<'_>, text: &str) {
        self.cases += 1;
        self.characters += text.chars().count();
        let gold = &question.case.gold;
        self.files += usize::from(gold.iter().any(|path| text.contains(path.as_str())));
        if !question.functions.is_empty() {
            self.judged += 1;
            self.functions += usize::from(names_one(text, gold, &question.functions));
        }
    }

    fn row(&self, group: &str, method: &str, length: usize) -> String {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let mean = self.characters as f64 / self.cases.max(1) as f64;
        let density = percent(self.files, self.cases) / 100.0 / (mean / 1e4).max(f64::EPSILON);
        format!(
            "| {group} | {method}, {length} | {mean:.0} | {:.1} % of {} | {:.1} % of {} | {density:.2} |",
            percent(self.files, self.cases),
            self.cases,
            percent(self.functions, self.judged),
            self.judged,
        )
    }
}

/// Whether one of the functions is named in a line of its file or below it, before another file is named. In
/// a quoted line it counts where it is defined: what calls it is another function.
fn names_one(text: &str, gold: &[String], wanted: &BTreeSet<(String, String)>) -> bool {
    let mut file: Option<&str> = None;
    for line in text.lines() {
        let code = line.trim_start().strip_prefix(['|', '│']);
        if let Some(code) = code {
            let defined = functions::defined(code);
            if wanted
                .iter()
                .any(|(path, name)| file == Some(path) && defined.as_ref() == Some(name))
            {
                return true;
            }
            continue;
        }
        if let Some(path) = gold.iter().find(|path| line.contains(path.as_str())) {
            file = Some(path);
        } else if names_a_file(line) {
            file = None;
        }
        let has = |name: &str| words(line).any(|word| word == name);
        if wanted.iter().any(|(path, name)| file == Some(path) && has(name)) {
            return true;
        }
    }
    false
}

/// Whether a line begins another file's part: a path with a folder and an ending.
fn names_a_file(line: &str) -> bool {
    let parts = line.split(|char: char| char.is_whitespace() || "`'\"()[],".contains(char));
    parts.map(|part| part.trim_end_matches(':')).any(|part| {
        let is_path = part.contains('/') && !part.contains("://");
        is_path && part.rsplit('/').next().is_some_and(|name| name.contains('.'))
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|char: char| !(char.is_alphanumeric() || char == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_counts_below_its_own_file() {
        let gold = ["a/b.py".to_owned()];
        let wanted = BTreeSet::from([("a/b.py".to_owned(), "run".to_owned())]);
        let names = |text: &str| names_one(text, &gold, &wanted);
        assert!(names("1. a/b.py:3-9 `A.run`"));
        assert!(names("a/b.py:\n⋮\n│class A:\n│    def run(self):"));
        assert!(!names("a/b.py:\n│    def running(self):"));
        assert!(names("a/b.py\n  A.run:3-9 x:1"));
        assert!(names("a/b.py\n  x:1-2\n    | from a/c.py import run\n  run:3-9"));
        assert!(!names("a/b.py\n  x:1-2\n    |     return run()"));
        assert!(!names("a/b.py:\nx/c.py:\n│    def run(self):"));
        assert!(!names("def run(self):\na/b.py"));
    }
}
