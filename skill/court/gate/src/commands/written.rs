//! Files that this session wrote and that a tool would now execute: each is read by what it is. Not here:
//! which files a tool executes (see `implied`).

use super::code::Evidence;
use super::makefiles::Form;
use super::words::words;
use crate::level::Level;
use crate::path::{absolute, extension, name};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// Files without a telling ending that are programs, by their language.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "ruby",
        words!(
            "Rakefile rakefile Gemfile Vagrantfile Guardfile Capfile Fastfile Podfile Thorfile \
             Rakefile.rb"
        ),
    ),
    ("python", words!("SConstruct Sconstruct sconstruct SConscript wscript Snakefile Tiltfile")),
    ("vim", words!(".exrc .vimrc .nvimrc")),
    ("gdb", words!(".gdbinit .lldbinit")),
    ("r", words!(".Rprofile")),
];

/// What a file is to the tool that executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It says what to do.
    Told,
    /// It is a source that the command names.
    Named,
    /// It is one of the sources that are built or tested.
    Source,
}

impl Walker<'_> {
    /// Whether this session wrote a file that a tool would now execute; it counts as its content.
    pub(super) fn runs_written(&mut self, paths: &[String], what: &str) -> Step {
        self.runs(paths, what, &[], Role::Told)
    }

    /// The same, as far as the goals reach that the tool is given.
    pub(super) fn runs(
        &mut self,
        paths: &[String],
        what: &str,
        goals: &[String],
        role: Role,
    ) -> Step {
        for path in paths {
            self.uses(path);
            let Some(file) = self.file(path).cloned() else { continue };
            let key = format!("{what} {} {path}", goals.join(" "));
            // Within itself a file says nothing new, whichever program reads it.
            let inner = format!("  {path}");
            let again = goals.is_empty() && self.calling.iter().any(|key| key.ends_with(&inner));
            if again || self.calling.contains(&key) {
                continue;
            }
            let before = self.findings.len();
            self.calling.push(key.clone());
            self.via.push(key);
            self.inside += 1;
            let evidence = match role {
                Role::Told => Evidence::Required,
                Role::Named | Role::Source => Evidence::Together,
            };
            self.written_content(path, &file.content, goals, evidence)?;
            self.inside -= 1;
            self.via.pop();
            self.calling.pop();
            // Too large to be read here, or not text.
            let unread =
                file.content.chars().all(|each| each == UNKNOWN) && !file.content.is_empty();
            let unseen = file.taint.network || unread && self.context.disk.written(path).is_some();
            if unseen && role != Role::Source
                || self.findings[before..].iter().any(|found| found.level >= Level::L2)
            {
                self.found(&execution::WRITTEN_SCRIPT, path);
            }
        }
        Ok(())
    }

    fn written_content(
        &mut self,
        path: &str,
        content: &str,
        goals: &[String],
        evidence: Evidence,
    ) -> Step {
        self.budget.steps(content.len())?;
        let file = name(path);
        let first = content.lines().next().unwrap_or_default();
        if let Some(form) = recipe_form(path) {
            return self.recipes(content, form, goals);
        }
        match file {
            // Names and versions of others; of what it executes it names the build script.
            "Cargo.toml" => {
                let told = |line: &&str| line.starts_with('[') || line.starts_with("build");
                let lines: Vec<&str> = content.lines().map(str::trim).filter(told).collect();
                return self.configured(&lines.join("\n"));
            }
            "package.json" | "composer.json" => return self.scripts(content, goals),
            "deno.json" | "deno.jsonc" | "devbox.json" => return self.scripts(content, &[]),
            _ => {}
        }
        if let Some((language, _)) = PROGRAMS.iter().find(|(_, names)| names.contains(&file)) {
            self.code(language, content, Evidence::Required)?;
            // Rules in a language of their own name commands beside its code.
            return if file == "Snakefile" { self.configured(content) } else { Ok(()) };
        }
        if file.starts_with("Dockerfile")
            || file.starts_with("Containerfile")
            || file == "Earthfile"
            || extension(path) == "dockerfile"
        {
            return self.image(content);
        }
        let hook = path.contains("/.husky/") || path.contains("hooks/");
        let shell = first.starts_with("#!") && first.ends_with("sh");
        if hook && !first.starts_with("#!") || shell || file == ".envrc" {
            return self.payload(content, path, &Flow::unknown()).map(drop);
        }
        self.source_or_settings(path, content, goals, evidence)
    }

    /// A file that is told by the ending of its name.
    fn source_or_settings(
        &mut self,
        path: &str,
        content: &str,
        goals: &[String],
        evidence: Evidence,
    ) -> Step {
        let file = name(path);
        match extension(path) {
            "sh" | "bash" | "do" => self.payload(content, path, &Flow::unknown()).map(drop),
            // There a session or a context runs programs.
            "py" if matches!(file, "noxfile.py" | "tasks.py" | "fabfile.py") => {
                // A list of words, or one text.
                let content = content
                    .replace(".run_always(", ".run(")
                    .replace(".run_install(", ".run(")
                    .replace(".run(", ".subprocess([");
                self.code("python", &content, evidence)
            }
            // There actions are texts.
            "py" if file == "dodo.py" => {
                self.code("python", content, evidence)?;
                for text in super::literals::literals(content, "python") {
                    self.try_shell(&text)?;
                }
                Ok(())
            }
            "go" => {
                if goals.iter().any(|goal| goal == "generate") {
                    for line in content.lines() {
                        if let Some(command) = line.strip_prefix("//go:generate ") {
                            self.payload(command, "go generate", &Flow::unknown())?;
                        }
                    }
                }
                self.code("go", content, evidence)
            }
            "" if !is_settings(path) => {
                if content.starts_with("#!") || content.lines().next().is_none_or(str::is_empty) {
                    return self.code("text", content, evidence);
                }
                self.configured(content)
            }
            "md" => self.code("c", content, evidence),
            // Settings that are written in a language.
            "kts" | "sc" | "clj" | "exs" | "lua" => {
                let language = super::languages::of_source(path).unwrap_or("text");
                self.code(language, content, evidence)?;
                self.configured(content)
            }
            _ => match super::languages::of_source(path) {
                Some(language) => self.code(language, content, evidence),
                None => self.configured(content),
            },
        }
    }

    /// What the steps of an image's build show or send; what they change stays in the image.
    fn image(&mut self, content: &str) -> Step {
        let joined = content.replace("\\\n", " ");
        for line in joined.lines() {
            let line = line.trim();
            let Some(command) = line.strip_prefix("RUN ").or_else(|| line.strip_prefix("run "))
            else {
                continue;
            };
            let words = command.split_whitespace();
            let command: Vec<&str> = words.skip_while(|word| word.starts_with("--")).collect();
            let (before, opaque) = (self.findings.len(), self.opaque.clone());
            let scope = self.scope();
            self.payload(&command.join(" "), "RUN", &Flow::unknown())?;
            self.restore(scope);
            self.opaque = opaque;
            let leaves = |id: &str| id.starts_with("secret.") || id == "network.send";
            self.take_back(before, |found| !leaves(found.rule.id));
        }
        Ok(())
    }

    /// The scripts of a package's manifest that the goals name; all of them without goals.
    fn scripts(&mut self, content: &str, goals: &[String]) -> Step {
        let Ok(manifest) = serde_json::from_str::<serde_json::Value>(content) else {
            // What makes the manifest is known in part only, as a filter of `jq`.
            return self.configured(content);
        };
        let all = goals.is_empty() || goals.iter().any(|goal| goal.contains(UNKNOWN));
        for table in ["scripts", "tasks"] {
            let scripts = manifest.get(table).and_then(serde_json::Value::as_object);
            for (name, script) in scripts.into_iter().flatten() {
                if !all && !goals.contains(name) && !name.contains(UNKNOWN) {
                    continue;
                }
                let mut waiting = vec![script];
                while let Some(value) = waiting.pop() {
                    match value {
                        serde_json::Value::String(text) => {
                            let key = format!("script {name}");
                            if self.calling.contains(&key) {
                                continue;
                            }
                            self.calling.push(key);
                            let scope = self.scope();
                            let done = self.payload(text, "package script", &Flow::unknown());
                            self.restore(scope);
                            self.calling.pop();
                            done?;
                        }
                        serde_json::Value::Array(values) => waiting.extend(values),
                        serde_json::Value::Object(fields) => waiting.extend(fields.values()),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Commands in settings: what stands behind a key, in a list, or in quotes.
    fn configured(&mut self, content: &str) -> Step {
        let mut section = "";
        for line in content.lines() {
            self.budget.steps(1 + line.len())?;
            let line = line.trim();
            if line.starts_with('[') && line.ends_with(']') {
                section = line;
            }
            let (key, value) = line.split_once([':', '=']).unwrap_or(("", ""));
            let command = line.split_once("COMMAND ").map_or("", |(_, text)| text);
            // `name = value`: the name is no command, and what stands behind the value is a remark.
            let named = key.ends_with([' ', '\t']) && !key.trim().contains([' ', '\t']);
            let quoted = value.contains(['"', '\'']);
            let value =
                value.split_once(" #").filter(|_| !quoted).map_or(value, |(value, _)| value);
            let trimmed = |text: &str| {
                text.trim_matches([' ', '\\', '"', '\'', '[', ']', '-', ')', ',', '!']).to_owned()
            };
            if loads(key, section) {
                self.loaded_program(&trimmed(value))?;
            }
            let whole = [value, command].map(|text| unquoted(text).to_owned());
            let whole = whole.into_iter().filter(|text| text.ends_with(['"', '\'']));
            let line = if named { "" } else { line };
            for text in [line, value, command].map(trimmed).into_iter().chain(whole) {
                // One word is a value, not a command.
                if text.contains(' ') {
                    self.try_shell(&text)?;
                }
            }
            if section == "[alias]" {
                self.try_shell(&format!("cargo {}", trimmed(value).replace(['"', ','], "")))?;
            }
            for text in line.split('"').skip(1).step_by(2).filter(|text| text.contains(' ')) {
                self.try_shell(text)?;
            }
        }
        self.code("text", content, Evidence::Required)
    }

    /// A program that settings name.
    fn loaded_program(&mut self, text: &str) -> Step {
        let words: Vec<Field> = text
            .split([' ', ',', '"', '\''])
            .filter(|word| !word.is_empty())
            .map(Field::new)
            .collect();
        let Some(first) = words.first() else { return Ok(()) };
        if !first.text.contains(['/', '.']) && words.len() == 1 {
            return Ok(());
        }
        let scope = self.scope();
        let done = if matches!(extension(&first.text), "js" | "cjs" | "mjs" | "ts") {
            self.execute(first, "node", &[], &Io { stdin: &Flow::unknown() })
        } else if extension(&first.text) == "rs" {
            let path = absolute(&first.text, &self.state.cwd);
            self.runs_written(&[path], "build script").map(|()| Flow::unknown())
        } else {
            self.run(&words, &Io { stdin: &Flow::unknown() })
        };
        self.restore(scope);
        done.map(drop)
    }

    pub(super) fn in_folder(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| absolute(name, &self.state.cwd)).collect()
    }
}

/// A text without the quotes around all of it.
fn unquoted(text: &str) -> &str {
    let text = text.trim().trim_end_matches(',').trim_end();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// The form of a file of recipes, by its name.
pub(super) fn recipe_form(path: &str) -> Option<Form> {
    match name(path) {
        "Makefile" | "makefile" | "GNUmakefile" | "BSDmakefile" => Some(Form::Make),
        "justfile" | "Justfile" | ".justfile" => Some(Form::Just),
        _ => match extension(path) {
            "mk" | "mak" => Some(Form::Make),
            "just" => Some(Form::Just),
            _ => None,
        },
    }
}

/// Files without an ending that hold settings.
fn is_settings(path: &str) -> bool {
    matches!(
        name(path),
        "config" | ".npmrc" | ".yarnrc" | ".bazelrc" | "Procfile" | ".rspec" | ".releaserc"
    )
}

/// Keys of settings whose value is a program or a file that is loaded.
fn loads(key: &str, section: &str) -> bool {
    const KEYS: &[&str] = &[
        "rustc-wrapper",
        "rustc-workspace-wrapper",
        "rustc",
        "rustdoc",
        "runner",
        "linker",
        "credential-provider",
        "build",
        "script-shell",
        "shell",
        "yarnPath",
        "yarn-path",
        "preload",
        "hooksPath",
        "fsmonitor",
        "sshCommand",
        "pager",
        "editor",
        "external",
        "textconv",
        "clean",
        "smudge",
        "process",
        "helper",
        "entry",
        "path",
    ];
    let key = key.trim().trim_matches(['"', '\'', '-', ' ']);
    // `path` and `build` mean many things elsewhere.
    match key {
        "path" => section.starts_with("[includeIf") || section == "[include]",
        "build" => section == "[package]",
        "shell" | "process" | "clean" => !section.starts_with("[profile"),
        _ => KEYS.contains(&key) || key.starts_with("RUSTC") || key == "LD_PRELOAD",
    }
}
