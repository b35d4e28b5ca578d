//! Files that this session wrote and that a tool would now execute: sources, manifests, makefiles.

use super::options::value;
use super::{Evidence, Handler, Walker};
use crate::level::Level;
use crate::path::{absolute, extension, name, within};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN};

pub(super) fn handler(name: &str) -> Option<Handler> {
    match name {
        "make" | "gmake" | "bmake" | "just" | "task" | "ninja" | "rake" | "mage" | "scons"
        | "bazel" | "meson" => Some(make),
        _ => None,
    }
}

impl Walker<'_> {
    /// Whether this session wrote a file that a tool would now execute; it counts as its content.
    pub(super) fn runs_written(&mut self, paths: &[String], what: &str) -> Step {
        for path in paths {
            self.uses(path);
            let Some(file) = self.file(path).cloned() else { continue };
            let before = self.findings.len();
            self.via.push(format!("{what} {path}"));
            self.inside += 1;
            self.written_content(path, &file.content)?;
            self.inside -= 1;
            self.via.pop();
            if file.taint.network
                || self.findings[before..].iter().any(|found| found.level >= Level::L2)
            {
                self.found(&execution::WRITTEN_SCRIPT, path);
            }
        }
        Ok(())
    }

    fn written_content(&mut self, path: &str, content: &str) -> Step {
        self.budget.steps(content.len())?;
        let file = name(path);
        let hook = path.contains("/.husky/") || path.contains("/hooks/");
        if hook && !content.starts_with("#!") {
            return self.payload(content, path, &Flow::unknown()).map(drop);
        }
        if content.lines().next().is_some_and(|line| line.starts_with("#!") && line.ends_with("sh"))
        {
            return self.payload(content, path, &Flow::unknown()).map(drop);
        }
        if file == "package.json" || file == "deno.json" || file == "composer.json" {
            return self.scripts(content);
        }
        if matches!(
            file,
            "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | "Rakefile"
        ) || extension(path) == "mk"
        {
            return if file == "Rakefile" {
                self.code("ruby", content, Evidence::Required)
            } else {
                self.recipes(content)
            };
        }
        match extension(path) {
            "sh" | "bash" => self.payload(content, path, &Flow::unknown()).map(drop),
            "py" => self.code("python", content, Evidence::Required),
            "js" | "ts" | "mjs" | "cjs" | "tsx" | "jsx" => {
                self.code("js", content, Evidence::Required)
            }
            "rb" => self.code("ruby", content, Evidence::Required),
            "rs" => self.code("rust", content, Evidence::Required),
            "toml" | "yml" | "yaml" | "cfg" | "ini" | "gradle" | "txt" | "kts" | "cmake"
            | "exs" | "ex" => self.configured(content),
            _ => self.code("c", content, Evidence::Required),
        }
    }

    /// The scripts of a package's manifest.
    fn scripts(&mut self, content: &str) -> Step {
        let Ok(manifest) = serde_json::from_str::<serde_json::Value>(content) else {
            return if content.contains(UNKNOWN) {
                Ok(())
            } else {
                self.code("text", content, Evidence::Required)
            };
        };
        for table in ["scripts", "tasks"] {
            let scripts = manifest.get(table).and_then(serde_json::Value::as_object);
            for (_, script) in scripts.into_iter().flatten() {
                if let Some(text) = script.as_str() {
                    self.payload(text, "package script", &Flow::unknown())?;
                }
            }
        }
        Ok(())
    }

    /// Commands in settings: what stands behind a key, in a list, or in quotes.
    fn configured(&mut self, content: &str) -> Step {
        for line in content.lines().take(512) {
            let line = line.trim();
            let value = line.split_once([':', '=']).map_or("", |(_, text)| text);
            let command = line.split_once("COMMAND ").map_or("", |(_, text)| text);
            for text in [line, value, command] {
                let text = text.trim_matches([' ', '"', '\'', '[', ']', '-', ')', ',']);
                self.try_shell(text)?;
            }
        }
        self.code("text", content, Evidence::Required)
    }

    /// The recipes of a makefile.
    fn recipes(&mut self, content: &str) -> Step {
        let joined = content.replace("\\\n", " ");
        for line in joined.lines() {
            let shell = line
                .split_once("$(shell ")
                .map(|(_, text)| text.rsplit_once(')').map_or(text, |(text, _)| text));
            let recipe = line.strip_prefix('\t').or_else(|| line.strip_prefix("    "));
            // `target: ; command` stands on one line.
            let inline =
                line.split_once(';').filter(|(head, _)| head.contains(':')).map(|(_, text)| text);
            for text in [recipe, shell, inline].into_iter().flatten() {
                let text = variables(text.trim_start().trim_start_matches(['@', '-', '+']));
                self.payload(&text, "make", &Flow::unknown())?;
            }
        }
        Ok(())
    }

    /// All files below the working folder that this session wrote, by ending.
    pub(super) fn written_below(&self, endings: &[&str]) -> Vec<String> {
        let mut files = self.wrote();
        files.retain(|path| within(path, &self.state.cwd) && endings.contains(&extension(path)));
        files.drain(..files.len().saturating_sub(64));
        files
    }

    pub(super) fn in_folder(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| absolute(name, &self.state.cwd)).collect()
    }
}

/// `$(VAR)` and `$$x` of make as the shell would see them.
fn variables(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            plain.push('$');
            rest = after;
        } else if rest.starts_with('(') || rest.starts_with('{') {
            let close = if rest.starts_with('(') { ')' } else { '}' };
            plain.push(UNKNOWN);
            rest = rest.split_once(close).map_or("", |(_, rest)| rest);
        } else {
            plain.push(UNKNOWN);
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

fn make(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    for word in &words[1..] {
        if let Some((key, text)) = word.text.split_once('=').filter(|_| !word.is_option()) {
            let (key, text) = (key.trim_end_matches([':', '+', '?']).to_owned(), text.to_owned());
            walker.environment(&key, &Flow { text, taint: word.taint })?;
        }
    }
    if let Some(text) = value(words, &["--eval"]).map(str::to_owned) {
        walker.recipes(&text.replace("\\n", "\n").replace("\\t", "\t"))?;
        walker.found(&execution::UNREADABLE_CODE, "make --eval");
    }
    walker.found(&execution::COMMAND, &program);
    let cwd = walker.state.cwd.clone();
    let installs = words[1..].iter().any(|word| word.text == "install");
    if installs && walker.state.fetched.iter().any(|folder| within(&cwd, folder)) {
        walker.found(&execution::FETCHED_SCRIPT, "make install");
    }
    if let Some(folder) = value(words, &["-C", "--directory"]) {
        walker.state.cwd = absolute(folder, &cwd);
    }
    let mut files = walker.in_folder(&[
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        "Rakefile",
        "Taskfile.yml",
        "Taskfile.yaml",
        "Taskfile.dist.yml",
    ]);
    if let Some(file) = value(words, &["-f", "--file", "--makefile"]) {
        let path = absolute(file, &walker.state.cwd);
        if path.starts_with("/dev/fd/") || file == "-" {
            walker.found(&execution::UNREADABLE_CODE, "make -f");
        }
        if let Some(file) = walker.file(&path) {
            let content = file.content.clone();
            walker.recipes(&content)?;
        }
        files.push(path);
    }
    files.extend(walker.written_below(&["mk"]));
    walker.runs_written(&files, &program)?;
    walker.state.cwd = cwd;
    Ok(Flow::unknown())
}
