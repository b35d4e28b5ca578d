//! Renders a [`Context`] as text of limited size. The most important parts are allocated first, independent of
//! their position in the text. A line is included completely or not at all.

use fence::units;

use super::{Context, Function, OUTLINED_MAX, SectionItem, WHY_MAX};

/// Heading of the files.
const FILES: &str = "Files that fit, best first; functions as name:first-last line:\n";
/// Number of a section's places shown with lines.
const SECTION_SNIPPETS_MAX: usize = 3;

/// A text within its bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The text with newlines; empty if there is nothing to show, or no room.
    pub text: String,
    /// The titles of sections that were cut.
    pub cut: Vec<String>,
    /// Whether a file or a function's lines did not fit. Names only fill the rest and do not count.
    pub is_short: bool,
}

/// The remaining size, in UTF-16 code units, which clients count.
struct Room {
    left: usize,
    /// Whether something did not fit.
    was_short: bool,
}

impl Room {
    fn take(&mut self, text: &str) -> bool {
        let wanted = units(text);
        let fits = wanted <= self.left;
        self.left -= if fits { wanted } else { 0 };
        self.was_short |= !fits;
        fits
    }
}

/// The rendered part of a file.
#[derive(Default)]
struct Part<'c> {
    head: String,
    shown: Vec<String>,
    named: Vec<&'c Function>,
}

impl Context {
    /// The text, at most `room` UTF-16 code units.
    #[must_use]
    pub fn render(&self, room: usize) -> Rendered {
        let mut room = Room { left: room, was_short: false };
        let mut cut = Vec::new();
        // Tools selected by name, and contradictions, come first.
        let mut sections = self.sections(&mut room, &mut cut);
        room.was_short = false;
        let mut parts = self.heads(&mut room);
        let more = list("More files: ", self.more_sources(), &mut room);
        let tests = list("Tests: ", self.tests.iter().map(String::as_str), &mut room);
        let documents =
            list("Documents and examples: ", self.documents.iter().map(String::as_str), &mut room);
        self.show_snippets(&mut parts, &mut room);
        let is_short = room.was_short;
        self.section_snippets(&mut sections, &mut room, &mut cut);
        self.name_functions(&mut parts, &mut room);
        let files: String = parts.iter().map(Part::text).collect();
        let head = if files.is_empty() { "" } else { FILES };
        let sections: String = sections.into_iter().flatten().collect();
        Rendered {
            text: [head, &files, &more, &tests, &documents, &sections].concat(),
            cut,
            is_short,
        }
    }

    /// The lines of each section: its title, then its places.
    fn sections(&self, room: &mut Room, cut: &mut Vec<String>) -> Vec<Vec<String>> {
        let lines = self.sections.iter().map(|section| {
            let title = format!("{}:\n", section.title);
            let mut lines = Vec::new();
            for place in &section.places {
                let line = line(place);
                let wanted = if lines.is_empty() { format!("{title}{line}") } else { line.clone() };
                if room.take(&wanted) {
                    if lines.is_empty() {
                        lines.push(title.clone());
                    }
                    lines.push(line);
                } else if !cut.contains(&section.title) {
                    cut.push(section.title.clone());
                }
            }
            lines
        });
        lines.collect()
    }

    fn section_snippets(&self, all: &mut [Vec<String>], room: &mut Room, cut: &mut Vec<String>) {
        let mut shown: Vec<&str> = Vec::new();
        for (section, lines) in self.sections.iter().zip(all) {
            // A place that did not fit has no line after the title.
            let with_lines = lines.len().saturating_sub(1) == section.places.len();
            for (place, line) in section.places.iter().zip(lines.iter_mut().skip(1)) {
                let Some(snippet) = place.snippet.as_deref().filter(|text| !text.is_empty()) else {
                    continue;
                };
                let is_new = !shown.contains(&place.place.as_str());
                if !with_lines || !is_new || shown.len() >= SECTION_SNIPPETS_MAX {
                    continue;
                }
                shown.push(&place.place);
                let quoted = quoted(snippet, "  ");
                if room.take(&quoted) {
                    line.push_str(&quoted);
                } else if !cut.contains(&section.title) {
                    cut.push(section.title.clone());
                }
            }
        }
    }

    /// The files whose functions are named.
    fn heads(&self, room: &mut Room) -> Vec<Part<'_>> {
        if self.sources.is_empty() || !room.take(FILES) {
            return Vec::new();
        }
        let heads = self.sources.iter().take(OUTLINED_MAX).map_while(|source| {
            let why = match short(&source.why) {
                why if why.is_empty() => why,
                why => format!(" ({why})"),
            };
            let head = format!("{}{why}\n", source.path);
            room.take(&head).then(|| Part { head, ..Part::default() })
        });
        heads.collect()
    }

    fn more_sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().skip(OUTLINED_MAX).map(|source| source.path.as_str())
    }

    fn show_snippets(&self, parts: &mut [Part<'_>], room: &mut Room) {
        for function in &self.functions {
            let Some(part) = parts.get_mut(function.source) else { continue };
            let Some(snippet) = &function.snippet else { continue };
            let shown = format!("  {}\n{}", place(function), quoted(snippet, "    "));
            if room.take(&shown) {
                part.shown.push(shown);
            } else if room.take(&format!("  {}\n", place(function))) {
                part.shown.push(format!("  {}\n", place(function)));
            }
        }
    }

    fn name_functions<'c>(&'c self, parts: &mut [Part<'c>], room: &mut Room) {
        for function in self.functions.iter().filter(|function| function.snippet.is_none()) {
            let Some(part) = parts.get_mut(function.source) else { continue };
            let between = if part.named.is_empty() { "  \n" } else { " " };
            if !room.take(&format!("{between}{}", place(function))) {
                return;
            }
            part.named.push(function);
        }
    }
}

impl Part<'_> {
    fn text(&self) -> String {
        let mut named = self.named.clone();
        // In the order of the file.
        named.sort_by_key(|function| function.lines);
        let names: Vec<String> = named.into_iter().map(place).collect();
        let names = match &names[..] {
            [] => String::new(),
            names => format!("  {}\n", names.join(" ")),
        };
        format!("{}{}{names}", self.head, self.shown.concat())
    }
}

/// `name:first-last`.
fn place(function: &Function) -> String {
    let (name, (first, last)) = (&function.name, function.lines);
    if last > first { format!("{name}:{first}-{last}") } else { format!("{name}:{first}") }
}

/// A line with as many paths as fit.
fn list<'c>(title: &str, paths: impl Iterator<Item = &'c str>, room: &mut Room) -> String {
    let mut line = String::new();
    for path in paths {
        let next = if line.is_empty() { format!("{title}{path}\n") } else { format!(", {path}") };
        if !room.take(&next) {
            break;
        }
        line.truncate(line.trim_end().len());
        line.push_str(next.trim_end());
        line.push('\n');
    }
    line
}

fn line(place: &SectionItem) -> String {
    let why = short(&place.why);
    let why = if why.is_empty() { why } else { format!(": {why}") };
    let mut line = format!("- {}{why}\n", place.place);
    for claim in &place.claims {
        line.push_str(&format!("  conflict: {claim}\n"));
    }
    line
}

fn quoted(snippet: &str, indent: &str) -> String {
    snippet.lines().map(|line| format!("{indent}| {line}\n")).collect()
}

/// A reason cut to its maximum length, between two words.
fn short(why: &str) -> String {
    if why.chars().count() <= WHY_MAX {
        return why.to_owned();
    }
    let end = why.char_indices().nth(WHY_MAX - 1).map_or(why.len(), |(end, _)| end);
    let room = &why[..end];
    let end = room.rfind(' ').filter(|end| *end > 0).unwrap_or(end);
    format!("{}…", room[..end].trim_end_matches([',', ';', ' ']))
}

#[cfg(test)]
mod tests;
