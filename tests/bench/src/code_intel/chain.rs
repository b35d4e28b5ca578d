//! The whole chain: does the text that the orchestrator puts before an issue contain the file, and the
//! function, that its fix changed? For comparison, the texts of the peers at the same length. All texts
//! are judged alike: a file counts if it is named, a function if its name is below its file's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::ci::Ci;
use super::data::{Case, read_cases, read_repositories};
use super::localisation::chosen;
use super::method::Method;
use super::tree::{Trees, sources};
use super::{Arguments, aider, bm25, codegraph, functions, grep, own_data, progress, say, texts};

/// The lengths that are compared, in characters: the default, and the limit of the prompt hook.
const LENGTHS: [usize; 2] = [12_000, 9_000];

/// The methods whose texts are judged, in the order in which they are run.
const METHODS: [Method; 5] =
    [Method::Ci, Method::Bm25, Method::Grep, Method::Aider, Method::Codegraph];

/// The results of one method.
#[derive(Default)]
struct Tally {
    cases: usize,
    characters: usize,
    files: usize,
    /// Cases whose fix was found and for which a changed function is known.
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
    let questions = questions(&cases, &trees)?;
    say("\n| issues | text | characters | file named | function named | files per 10,000 |");
    say("| --- | --- | ---: | ---: | ---: | ---: |");
    for length in LENGTHS {
        let mut rows: BTreeMap<(String, &str), Tally> = BTreeMap::new();
        for method in METHODS.into_iter().filter(|method| arguments.wants(*method)) {
            let texts = match texts_of(method, arguments, scratch, &questions, length) {
                Ok(texts) => texts,
                Err(why) => {
                    progress(format!("SKIPPED: {}: {why:#}", method.title()));
                    continue;
                }
            };
            for question in &questions {
                let Some(text) = texts.get(&question.case.id) else { continue };
                let tally = rows.entry((question.case.split(), name(method))).or_default();
                tally.take(question, text);
            }
        }
        for ((group, method), tally) in rows {
            say(tally.row(&group, method, length));
        }
    }
    Ok(())
}

/// Each case with its tree and the functions that its fix changed.
fn questions<'c>(cases: &'c [Case], trees: &Trees) -> anyhow::Result<Vec<Question<'c>>> {
    let mut questions = Vec::new();
    for case in cases {
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
    Ok(questions)
}

/// The display name of a method's text.
fn name(method: Method) -> &'static str {
    match method {
        Method::Ci => "orchestrator",
        Method::Aider => "aider's map",
        Method::Codegraph => "codegraph explore",
        Method::Bm25 => "BM25's files and their lines",
        Method::Grep => "identifier search's files and their lines",
    }
}

/// The texts of one method, by case. Cases for which a peer has no answer are left out.
fn texts_of(
    method: Method,
    arguments: &Arguments,
    scratch: &Path,
    questions: &[Question<'_>],
    length: usize,
) -> anyhow::Result<BTreeMap<String, String>> {
    let tools = arguments.tools();
    if method == Method::Aider {
        let python = aider::python(&tools).map_err(anyhow::Error::msg)?;
        let asked: Vec<_> = questions
            .iter()
            .map(|it| (it.case.id.as_str(), it.tree.as_path(), it.case.query.as_str()))
            .collect();
        return aider::maps(&python, scratch, &asked, length);
    }
    let codegraph = match method {
        Method::Codegraph => Some(codegraph::executable(&tools).map_err(anyhow::Error::msg)?),
        _ => None,
    };
    let ci = match method {
        Method::Ci => Some(Ci::new(&arguments.ci()?, scratch).map_err(anyhow::Error::msg)?),
        _ => None,
    };
    let mut texts = BTreeMap::new();
    for (index, question) in questions.iter().enumerate() {
        let (case, tree) = (question.case, question.tree.as_path());
        let text = if let Some(ci) = &ci {
            // Indexing is not part of the time budget: in practice the index exists before the second prompt.
            ci.index(tree)?;
            if !arguments.no_history {
                ci.history(tree)?;
            }
            let orchestrator = ci.path().with_file_name("auto-tool-orchestrator");
            context(&orchestrator, ci, question, length, scratch)?
        } else if let Some(executable) = &codegraph {
            match codegraph::said(executable, tree, scratch, (&case.id, &case.query)) {
                Ok((text, _)) => texts::cut(&text, length),
                Err(error) => {
                    progress(format!("no answer: {}: {error:#}", case.id));
                    continue;
                }
            }
        } else {
            let sources = sources(tree)?;
            let ranking = match method {
                Method::Bm25 => bm25::Bm25::index(&sources).rank(&case.query),
                _ => grep::rank(&sources, &case.query),
            };
            texts::of_ranking(&sources, &ranking, &case.query, length)
        };
        texts.insert(case.id.clone(), text);
        progress(format!("{length}: {} {}/{}", method.name(), index + 1, questions.len()));
    }
    Ok(texts)
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

/// Whether one of the functions is named in its file's line or below it, before another file is named. In
/// a quoted line it counts only if it is defined there: a call is in another function.
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

/// Whether a line begins the section of another file: a path with a folder and an ending.
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
