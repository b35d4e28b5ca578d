//! What is known about a question, as a text for a model: file by file, best first, each path once, a few
//! functions with lines, many by name and place, then files by name only, tests and documents separately, then
//! the results of other tools. Used by every client.
//!
//! Not here: the fence around the text, and masking: the caller sanitizes a [`Context`] before.

mod render;

pub use render::Rendered;

/// Maximum length of a reason, in characters.
pub const WHY_MAX: usize = 60;
/// Number of functions shown with lines.
pub const SNIPPETS_MAX: usize = 5;
/// Maximum number of lines of a function.
pub const SNIPPET_LINES_MAX: usize = 12;
/// Number of files whose functions are named.
pub const OUTLINED_MAX: usize = 10;
/// Number of sources named.
pub const SOURCES_MAX: usize = 20;
/// Number of functions named.
pub const FUNCTIONS_MAX: usize = 200;

/// What is known about a question. Its texts come from the repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The relevant sources, best first.
    pub sources: Vec<Source>,
    /// Their functions, most relevant first.
    pub functions: Vec<Function>,
    /// Relevant tests, by path.
    pub tests: Vec<String>,
    /// Relevant documents and examples, by path.
    pub documents: Vec<String>,
    /// Results of other tools.
    pub sections: Vec<Section>,
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Path relative to the root.
    pub path: String,
    /// The reason, in a few words.
    pub why: String,
}

/// A function, or another definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its file: an index into [`Context::sources`].
    pub source: usize,
    /// Its name, without its parents.
    pub name: String,
    /// Its first and last line.
    pub lines: (u32, u32),
    /// Its first lines, if relevant.
    pub snippet: Option<String>,
}

/// The results of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The tool.
    pub title: String,
    /// The results, by descending confidence.
    pub places: Vec<SectionItem>,
}

/// A place or a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionItem {
    /// Path, lines, symbol and title as one text.
    pub place: String,
    /// The reason.
    pub why: String,
    /// Contradictory claims about it.
    pub claims: Vec<String>,
    /// Relevant lines.
    pub snippet: Option<String>,
}

impl Context {
    /// Applies `sanitize` to every text. Single-line texts are sanitized together, one per
    /// line, and stay single-line.
    pub fn map_texts(&mut self, mut sanitize: impl FnMut(&str) -> String) {
        let mut snippets = Vec::new();
        let mut lines: Vec<&mut String> = Vec::new();
        for source in &mut self.sources {
            lines.extend([&mut source.path, &mut source.why]);
        }
        for function in &mut self.functions {
            lines.push(&mut function.name);
            snippets.extend(&mut function.snippet);
        }
        lines.extend(self.tests.iter_mut().chain(&mut self.documents));
        for section in &mut self.sections {
            lines.push(&mut section.title);
            for place in &mut section.places {
                lines.extend([&mut place.place, &mut place.why]);
                lines.extend(&mut place.claims);
                snippets.extend(&mut place.snippet);
            }
        }
        for line in &mut lines {
            if line.contains(['\n', '\r']) {
                **line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            }
        }
        let joined = lines.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n");
        let sanitized = sanitize(&joined);
        if sanitized.split('\n').count() == lines.len() {
            lines
                .into_iter()
                .zip(sanitized.split('\n'))
                .for_each(|(line, new)| new.clone_into(line));
        } else {
            // A change spans the end of a line.
            for line in lines {
                *line = sanitize(line).replace('\n', " ");
            }
        }
        snippets.into_iter().for_each(|snippet| *snippet = sanitize(snippet));
    }

    /// Removes the files that `shown` rejects, with everything in them.
    pub fn retain_paths(&mut self, shown: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.sources.iter().map(|source| shown(&source.path)).collect();
        let mut next = 0;
        let new: Vec<usize> = kept
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                next.saturating_sub(1)
            })
            .collect();
        self.functions.retain(|function| kept.get(function.source) == Some(&true));
        self.functions.iter_mut().for_each(|function| function.source = new[function.source]);
        let mut at = kept.iter();
        self.sources.retain(|_| at.next() == Some(&true));
        self.tests.retain(|path| shown(path));
        self.documents.retain(|path| shown(path));
    }

    /// Whether a file is already named.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        let sources = self.sources.iter().map(|source| &source.path);
        sources.chain(&self.tests).chain(&self.documents).any(|file| file == path)
    }
}
