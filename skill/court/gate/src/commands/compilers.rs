//! Compilers and runners of sources: what they make counts as the sources when it is executed. Absent: what stands in
//! the sources (see `written`).

use super::Walker;
use super::options::{first_operand, value};
use super::tables;
use crate::path::{absolute, extension};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Mode, Step};

/// Run a source at once: by a word, or always where there is none.
const RUNNERS: &[(&str, &[&str])] = &[
    ("tcc", &["-run"]),
    ("zig", &["run", "test", "build-exe"]),
    ("nim", &["r", "c", "e", "compile"]),
    ("crystal", &["run"]),
    ("v", &["run"]),
    ("odin", &["run"]),
    ("swift", &[]),
    ("dotnet", &["script", "run"]),
    ("dotnet-script", &[]),
    ("csi", &[]),
    ("rdmd", &[]),
    ("dmd", &["-run"]),
    ("rust-script", &[]),
    ("cargo-script", &[]),
    ("kotlin", &[]),
    ("kotlinc", &["-script"]),
    ("java", &[]),
    ("scala-cli", &[]),
    ("runghc", &[]),
    ("runhaskell", &[]),
    ("jbang", &[]),
    ("go-script", &[]),
    ("yaegi", &[]),
    ("gorun", &[]),
    ("hare", &["run"]),
    ("fpc", &[]),
    ("gforth", &[]),
];

/// Endings of sources.
const SOURCES: &[&str] = &[
    "c", "cc", "cpp", "cxx", "m", "s", "rs", "nim", "zig", "go", "swift", "hs", "d", "cr", "v",
    "odin", "csx", "cs", "fsx", "java", "kt", "kts", "scala", "sc", "pas", "ha", "f90", "ml",
];

impl Walker<'_> {
    /// A program that may compile, or run a source.
    pub(super) fn compiles(&mut self, name: &str, words: &[Field], io: &Io<'_>) -> Step {
        let runner = RUNNERS.iter().find(|(program, _)| *program == name);
        let compiler = tables::COMPILERS.contains(&name);
        if runner.is_none() && !compiler {
            return Ok(());
        }
        let mut sources: Vec<String> = words[1..]
            .iter()
            .filter(|word| SOURCES.contains(&extension(&word.text)))
            .map(|word| absolute(&word.text, &self.state.cwd))
            .collect();
        // `java -cp . app.Main` is what `app/Main.java` was made into.
        if name == "java" {
            let class = first_operand(words, &["-cp", "-classpath", "--class-path", "-jar", "-m"]);
            let class = words.get(class).map(|word| word.text.replace('.', "/"));
            sources.extend(class.map(|class| absolute(&format!("{class}.java"), &self.state.cwd)));
        }
        // `-` and `-xc -` read the source from a pipe.
        if words[1..].iter().any(|word| matches!(word.text.as_str(), "-" | "/dev/stdin")) {
            let file = Field::new(&format!("{}/.standard-input.c", self.state.cwd));
            let content = Flow { text: io.stdin.text.clone(), taint: io.stdin.taint };
            self.remember(&file, &content, Mode::Replace);
            sources.push(file.text);
        }
        let remote = words[1..].iter().any(|word| word.text.contains("://"));
        if remote && runner.is_some() {
            self.found(&execution::FETCHED_SCRIPT, name);
        }
        let runs = runner.is_some_and(|(_, verbs)| {
            verbs.is_empty() || words[1..].iter().any(|word| verbs.contains(&word.text.as_str()))
        });
        if runs {
            self.runs_written(&sources, name)?;
        }
        // `java -jar` of what was just made.
        let archive = value(words, &["-jar"]).filter(|_| name == "java");
        let archive = archive.map(|file| absolute(file, &self.state.cwd));
        if let Some(sources) = archive.and_then(|path| self.state.built.get(&path)).cloned() {
            self.runs_written(&sources, name)?;
        }
        if compiler {
            let made = value(words, &["-o", "--out", "--output", "-d"]).map_or_else(
                || match (name, sources.first()) {
                    ("rustc" | "ghc" | "nim" | "zig", Some(source)) => {
                        let stem = crate::path::name(source);
                        stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_owned()
                    }
                    _ => "a.out".to_owned(),
                },
                str::to_owned,
            );
            let made = absolute(&made, &self.state.cwd);
            self.state.built.insert(made, sources);
        }
        Ok(())
    }
}
