//! What is known about a question, as a text for a model: file by file, best first, each path once, a few
//! functions with lines, many by name and place, then files by name alone, tests and documents apart, then
//! what other tools said. One renderer for every client.
//!
//! Absent: the fence around the text, and masking: a caller sanitizes what is in a [`Context`] before.

mod render;

pub use render::Rendered;

/// The longest reason, in characters.
pub const WHY_MAX: usize = 60;
/// So many functions are shown with lines.
pub const SNIPPETS_MAX: usize = 5;
/// The most lines of one.
pub const SNIPPET_LINES_MAX: usize = 12;
/// So many files have their functions named.
pub const OUTLINED_MAX: usize = 10;
/// So many sources are named.
pub const SOURCES_MAX: usize = 20;
/// So many functions are named.
pub const FUNCTIONS_MAX: usize = 200;

/// What is known about a question. Its texts are of the repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The sources that fit, best first.
    pub sources: Vec<Source>,
    /// Their functions, the ones that fit best first.
    pub functions: Vec<Function>,
    /// Tests that fit, by their paths.
    pub tests: Vec<String>,
    /// Documents and examples that fit, by their paths.
    pub documents: Vec<String>,
    /// What others said.
    pub sections: Vec<Section>,
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Relative to the root.
    pub path: String,
    /// Why it is here, in a few words.
    pub why: String,
}

/// A function, or another definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its file: a position among [`Context::sources`].
    pub source: usize,
    /// Its name, without its parents.
    pub name: String,
    /// Its first and last line.
    pub lines: (u32, u32),
    /// Its first lines, where they are worth reading.
    pub snippet: Option<String>,
}

/// What one tool said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Who said it.
    pub title: String,
    /// What, the surest first.
    pub places: Vec<SectionItem>,
}

/// A place or a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionItem {
    /// Where it is: path, lines, symbol, title, as one text.
    pub place: String,
    /// Why it is here.
    pub why: String,
    /// Statements about it that exclude one another.
    pub claims: Vec<String>,
    /// Lines worth reading.
    pub snippet: Option<String>,
}

impl Context {
    /// Replaces every text by what `sanitize` makes of it. Texts of one line are sanitized together, each on a line
    /// of its own, and stay of one line.
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
            // Something went over the end of a line.
            for line in lines {
                *line = sanitize(line).replace('\n', " ");
            }
        }
        snippets.into_iter().for_each(|snippet| *snippet = sanitize(snippet));
    }

    /// Leaves out the files that `shown` refuses, with all that is in them.
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

    /// Whether a file is named already.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        let sources = self.sources.iter().map(|source| &source.path);
        sources.chain(&self.tests).chain(&self.documents).any(|file| file == path)
    }
}
