//! The broad list of what a question is about: twenty source files and hundreds of their functions, with
//! tests and documents listed separately. Calls are not followed: names take little room, and the
//! right one is more often among many than among the neighbours of a few.

use crate::context::{
    Context, FUNCTIONS_MAX, Function, OUTLINED_MAX, SNIPPET_LINES_MAX, SNIPPETS_MAX, SOURCES_MAX,
    Source,
};
use crate::deadline::Deadline;
use crate::graph::{DefId, Graph};
use crate::outline::DefinitionKind;
use crate::paths;
use crate::rank::score::Ranked;
use crate::snippet::Excerpts;
use crate::view::{File, View};

/// How many tests, and how many documents, are named.
const APART_MAX: usize = 5;
/// Factor for a type, compared with a function: what a question asks about is mostly in a function, which is found
/// through its type.
const NOT_RUN: f32 = 0.5;
/// File name endings of documents; other texts without definitions are settings and data.
const PROSE: [&str; 6] = [".adoc", ".asciidoc", ".markdown", ".md", ".rst", ".txt"];
/// How many functions of one file are shown with their lines.
const SNIPPETS_OF_FILE: usize = 2;

/// The files and functions that a ranking gives for a question.
pub(crate) fn context(view: &View, ranked: &[Ranked], deadline: &Deadline) -> Context {
    let is_example = |file: &File<'_>| paths::is_example(file.path);
    let is_shown = |file: &File<'_>| file.language.is_some() && is_example(file);
    let is_source = |file: &File<'_>| file.language.is_some() && !file.is_test && !is_example(file);
    // A file without content in the index can only be named.
    let files = || {
        let all = ranked.iter().map(|entry| (entry, view.file(entry.file)));
        all.filter(|(_, file)| file.is_text)
    };
    let sources: Vec<&Ranked> = files()
        .filter(|(_, file)| is_source(file))
        .map(|(entry, _)| entry)
        .take(SOURCES_MAX)
        .collect();
    let paths = |wanted: &dyn Fn(&File<'_>) -> bool| {
        let wanted = files().filter(|(_, file)| wanted(file));
        wanted.map(|(_, file)| file.path.to_owned()).take(APART_MAX).collect()
    };
    let source = |entry: &&Ranked| Source {
        path: view.file(entry.file).path.to_owned(),
        why: entry.why.last().cloned().unwrap_or_default(),
    };
    Context {
        functions: functions(view, &sources, deadline),
        sources: sources.iter().map(source).collect(),
        tests: paths(&|file| file.is_test && file.language.is_some()),
        documents: paths(&|file| !file.is_test && (is_prose(file.path) || is_shown(file))),
        sections: Vec::new(),
    }
}

/// The functions of the best source files, ordered by their file's score and their own, each relative to the best.
fn functions(view: &View, sources: &[&Ranked], deadline: &Deadline) -> Vec<Function> {
    let graph = Graph::new(view);
    let top = sources.first().map_or(1.0, |entry| entry.score);
    let mut worth: Vec<(f32, usize, DefId)> = Vec::new();
    for (position, entry) in sources.iter().enumerate().take(OUTLINED_MAX) {
        let units = entry.best.iter().filter(|(id, _)| id.unit > 0);
        let best = units.clone().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
        let share = entry.score / top;
        worth.extend(units.map(|(id, score)| {
            let part = if runs(graph.definition(*id).kind) { 1.0 } else { NOT_RUN };
            (share * part * score / best, position, *id)
        }));
    }
    worth.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    let mut excerpts = Excerpts::new(view);
    let mut shown = vec![0; sources.len()];
    let mut functions: Vec<Function> = Vec::new();
    for (_, source, id) in worth {
        if functions.len() >= FUNCTIONS_MAX + SNIPPETS_MAX {
            break;
        }
        let definition = graph.definition(id);
        let (first, last) = (definition.start_line, definition.end_line);
        let is_there = |known: &Function| known.source == source && known.lines == (first, last);
        if !is_named(definition.kind) || functions.iter().any(is_there) {
            continue;
        }
        let has_room =
            shown.iter().sum::<usize>() < SNIPPETS_MAX && shown[source] < SNIPPETS_OF_FILE;
        let mut snippet = None;
        if runs(definition.kind) && has_room && !deadline.passed() {
            let end = last.min(first + SNIPPET_LINES_MAX as u32 - 1);
            snippet = excerpts.of_lines(id.file, first, end);
            shown[source] += usize::from(snippet.is_some());
        }
        let name = definition.name.to_owned();
        functions.push(Function { source, name, lines: (first, last), snippet });
    }
    functions
}

/// Whether a kind of definition is executable code.
fn runs(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Function | DefinitionKind::Method)
}

/// Whether a file is a document, by its name.
fn is_prose(path: &str) -> bool {
    PROSE.iter().any(|ending| path.ends_with(ending))
}

/// Whether a kind of definition is worth naming.
fn is_named(kind: DefinitionKind) -> bool {
    !matches!(
        kind,
        DefinitionKind::Constant | DefinitionKind::Module | DefinitionKind::Implementation
    )
}
