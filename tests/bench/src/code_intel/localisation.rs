//! File localisation: runs every case with every method, and prints tables by group.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::ci::Ci;
use super::data::{Case, read_cases, read_repositories};
use super::method::Method;
use super::score::{Column, HEAD, rank, row};
use super::tree::{Trees, sources};
use super::{Arguments, aider, bm25, codegraph, commits, functions, grep, own_data, progress, say};

/// The methods; none for a peer that is not installed.
struct Methods {
    ci: Option<Ci>,
    aider: Option<PathBuf>,
    codegraph: Option<PathBuf>,
    has_bm25: bool,
    has_grep: bool,
    /// Whether our engine reads the history up to the case's commit.
    has_history: bool,
}

pub(super) fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let repositories = arguments.repos.as_deref().map(read_repositories).transpose()?;
    let repositories = repositories.unwrap_or_default();
    let all = match (&arguments.data, arguments.commits) {
        (Some(data), _) => read_cases(data)?,
        (None, Some(count)) => match arguments.bases {
            Some(bases) => commits::make_at(&repositories, count, bases)?,
            None => commits::make(&repositories, count)?,
        },
        (None, None) => own_data::make(scratch)?,
    };
    let trees = Trees::new(scratch, repositories);
    let cases = chosen(all, arguments);
    if let Some(path) = &arguments.write {
        let lines: Result<Vec<String>, _> = cases.iter().map(serde_json::to_string).collect();
        std::fs::write(path, lines?.join("\n") + "\n")?;
        return Ok(());
    }
    let methods = Methods::find(arguments, scratch)?;
    let columns = methods.ask(&cases, &trees, scratch, arguments)?;
    if arguments.json {
        print_json(&cases, &columns);
    } else {
        print(&cases, &columns, arguments);
    }
    match methods.ci.as_ref().filter(|_| arguments.functions) {
        Some(ci) => measure_functions(ci, &cases, &trees),
        None => Ok(()),
    }
}

/// How often a function that the fix changed is within the budget of the output of `graph-rag`.
fn measure_functions(ci: &Ci, cases: &[Case], trees: &Trees) -> anyhow::Result<()> {
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in cases {
        let Some(repository) = trees.repository(case) else { continue };
        // Missing trees were reported before.
        let Ok(tree) = trees.of(case) else { continue };
        let wanted = functions::changed(case, repository, &tree)?;
        if wanted.is_empty() {
            continue;
        }
        let (answer, _) = ci.graph_rag(&tree, &case.query)?;
        let (shown, judged) = groups.entry(case.split()).or_default();
        *judged += 1;
        *shown += usize::from(functions::is_shown(&answer, &wanted));
    }
    for (group, (shown, judged)) in groups {
        let percent = 100.0 * shown as f64 / judged as f64;
        say(format!(
            "\n{group}: a changed function is within 9,000 characters of `ci graph-rag` in {shown} of \
             {judged} cases whose fix was found ({percent:.1} %)"
        ));
    }
    Ok(())
}

/// The requested cases of each group; if there are more than requested, every n-th.
pub(super) fn chosen(mut cases: Vec<Case>, arguments: &Arguments) -> Vec<Case> {
    let wanted = &arguments.cases;
    cases.retain(|case| wanted.is_empty() || wanted.iter().any(|part| case.id.contains(part)));
    let mut groups: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.split()).or_default().push(case);
    }
    groups.into_values().flat_map(|group| spread(group, arguments.limit)).collect()
}

/// The cases for slow peers, by name: so many of each group, spread over it.
fn asked_slowly(cases: &[Case], limit: usize) -> BTreeSet<&str> {
    let mut groups: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.split()).or_default().push(case);
    }
    let asked = groups.into_values().flat_map(|group| spread(group, limit));
    asked.map(|case| case.id.as_str()).collect()
}

fn spread<C>(group: Vec<C>, limit: usize) -> Vec<C> {
    let count = group.len();
    let is_wanted =
        |index: usize| count <= limit || index * limit / count != (index + 1) * limit / count;
    let numbered = group.into_iter().enumerate();
    numbered.filter(|(index, _)| is_wanted(*index)).map(|(_, case)| case).collect()
}

impl Methods {
    fn find(arguments: &Arguments, scratch: &Path) -> anyhow::Result<Self> {
        let tools = arguments.tools();
        let found = |method: Method, find: &dyn Fn() -> Result<PathBuf, String>| {
            let found = arguments.wants(method).then(find)?;
            found.map_err(|why| progress(format!("SKIPPED: {}: {why}", method.title()))).ok()
        };
        let ci = match arguments.wants(Method::Ci) {
            true => Ci::new(&arguments.ci()?, scratch)
                .map_err(|why| progress(format!("SKIPPED: ci: {why}")))
                .ok(),
            false => None,
        };
        Ok(Self {
            ci,
            aider: found(Method::Aider, &|| aider::python(&tools)),
            codegraph: found(Method::Codegraph, &|| codegraph::executable(&tools)),
            has_bm25: arguments.wants(Method::Bm25),
            has_grep: arguments.wants(Method::Grep),
            has_history: !arguments.no_history,
        })
    }

    /// The ranks of every case by every method.
    fn ask(
        &self,
        cases: &[Case],
        trees: &Trees,
        scratch: &Path,
        arguments: &Arguments,
    ) -> anyhow::Result<BTreeMap<Method, Column>> {
        let mut columns: BTreeMap<Method, Column> = BTreeMap::new();
        let slow = asked_slowly(cases, arguments.slow_limit);
        // The cases for aider.
        let mut folders = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let tree = match trees.of(case) {
                Ok(tree) => tree,
                Err(error) => {
                    progress(format!("SKIPPED: {}: {error:#}", case.id));
                    continue;
                }
            };
            let with_slow = slow.contains(case.id.as_str());
            for (method, answer) in self.answers(case, &tree, scratch, with_slow)? {
                let column = columns.entry(method).or_default();
                column.take(method, case, answer);
                let rank = column.results.get(&case.id).and_then(|(rank, _)| *rank);
                let rank = rank.map_or("-".into(), |rank| rank.to_string());
                progress(format!(
                    "{}/{} {} {}: {rank}",
                    index + 1,
                    cases.len(),
                    case.id,
                    method.name()
                ));
            }
            if with_slow {
                folders.push((case, tree));
            }
        }
        if let Some(python) = &self.aider {
            let lines: Vec<_> = folders
                .iter()
                .map(|(case, tree)| (case.id.as_str(), tree.as_path(), case.query.as_str()))
                .collect();
            let mut ranked = aider::rank_all(python, scratch, &lines)?;
            let column = columns.entry(Method::Aider).or_default();
            for (case, _) in folders {
                let answer = ranked.remove(&case.id);
                column.take(
                    Method::Aider,
                    case,
                    answer.ok_or_else(|| anyhow::anyhow!("no answer")),
                );
            }
        }
        Ok(columns)
    }

    /// The answers of all methods but aider to one case.
    fn answers(
        &self,
        case: &Case,
        tree: &Path,
        scratch: &Path,
        with_slow: bool,
    ) -> anyhow::Result<Vec<(Method, anyhow::Result<Ranking>)>> {
        let mut answers = Vec::new();
        if let Some(ci) = &self.ci {
            // Indexing is not part of the time: it is measured separately.
            let ready = ci.index(tree).and_then(|_| match self.has_history {
                true => ci.history(tree).map(|_| ()),
                false => Ok(()),
            });
            let answer = ready.and_then(|()| ci.locate(tree, &case.query));
            answers.push((Method::Ci, answer));
        }
        if self.has_bm25 || self.has_grep || self.codegraph.is_some() {
            let sources = sources(tree)?;
            if self.has_bm25 {
                let index = bm25::Bm25::index(&sources);
                answers.push((Method::Bm25, Ok(timed(|| index.rank(&case.query)))));
            }
            if self.has_grep {
                answers.push((Method::Grep, Ok(timed(|| grep::rank(&sources, &case.query)))));
            }
            if let Some(codegraph) = self.codegraph.as_deref().filter(|_| with_slow) {
                let said = codegraph::said(codegraph, tree, scratch, (&case.id, &case.query));
                let files: Vec<&str> = sources.iter().map(|it| it.path.as_str()).collect();
                let named = |(text, time): (String, Duration)| {
                    (codegraph::files_named(&text, &files), time)
                };
                answers.push((Method::Codegraph, said.map(named)));
            }
        }
        Ok(answers)
    }
}

/// Files, best first, and the time of the answer.
type Ranking = (Vec<String>, Duration);

fn timed(rank: impl FnOnce() -> Vec<String>) -> Ranking {
    let begun = Instant::now();
    let ranking = rank();
    (ranking, begun.elapsed())
}

impl Column {
    fn take(&mut self, method: Method, case: &Case, answer: anyhow::Result<Ranking>) {
        let result = match answer {
            Ok((ranking, time)) => (rank(case, &ranking), time),
            Err(error) => {
                self.failures.push(format!("{}: {error:#}", case.id));
                if method != Method::Ci {
                    return;
                }
                (None, Duration::ZERO)
            }
        };
        self.results.insert(case.id.clone(), result);
    }
}

fn print(cases: &[Case], columns: &BTreeMap<Method, Column>, arguments: &Arguments) {
    let mut groups: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.split()).or_default().push(case);
    }
    for (group, cases) in &groups {
        say(format!("\n### {group}\n\n{HEAD}"));
        for (method, column) in columns {
            if let Some(score) = column.score(cases.iter().copied()) {
                say(row(method.title(), &score));
            }
        }
        for (method, column) in columns.iter().filter(|(method, _)| method.is_slow()) {
            let asked =
                || cases.iter().copied().filter(|case| column.results.contains_key(&case.id));
            let ours = columns.get(&Method::Ci).and_then(|ci| ci.score(asked()));
            if let Some(ours) = ours.filter(|ours| ours.cases < cases.len()) {
                say(row(&format!("ci on the cases of {}", method.title()), &ours));
            }
        }
    }
    if arguments.ranks {
        for case in cases {
            let ranks = columns.iter().map(|(method, column)| {
                let rank = column.results.get(&case.id).and_then(|(rank, _)| *rank);
                format!("{} {}", method.name(), rank.map_or("-".into(), |rank| rank.to_string()))
            });
            say(format!("{}: {}", case.id, ranks.collect::<Vec<_>>().join(", ")));
        }
    }
    for (method, column) in columns.iter().filter(|(_, column)| !column.failures.is_empty()) {
        say(format!("\n{}: no answer for {} cases:", method.title(), column.failures.len()));
        column.failures.iter().take(5).for_each(|failure| say(format!("- {failure}")));
    }
}

fn print_json(cases: &[Case], columns: &BTreeMap<Method, Column>) {
    let mut groups: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.split()).or_default().push(case);
        for (method, column) in columns {
            if let Some((rank, time)) = column.results.get(&case.id) {
                let ms = time.as_secs_f64() * 1e3;
                say(json!({"case": case.id, "method": method.name(), "rank": rank, "ms": ms}));
            }
        }
    }
    for (group, cases) in groups {
        for (method, column) in columns {
            let Some(score) = column.score(cases.iter().copied()) else { continue };
            let [at_1, at_3, at_5, at_10] = score.hits;
            say(json!({
                "group": group, "method": method.name(), "cases": score.cases,
                "at_1": at_1, "at_3": at_3, "at_5": at_5, "at_10": at_10, "mrr": score.mrr,
                "median_ms": score.median_ms, "failures": column.failures,
            }));
        }
    }
}
