//! The environment of the measurement: its own home folder, the repository, and our programs side by side as in an
//! installation.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use host::find_program;
use serde_json::{Value, json};
use supervise::{HelperCommand, run_helper};

use tests::harness::StateDir;

use super::measured::{Measured, Program};

/// `PATH` for looking up programs.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// How many tries of some seconds each a first index may take.
const TRIES: usize = 40;

/// The environment of the measurement.
pub(super) struct Place {
    folder: Arc<StateDir>,
    /// The repository.
    pub(super) tree: PathBuf,
}

impl Place {
    pub(super) fn new(programs: &[(&Path, &str)], tree: &Path) -> anyhow::Result<Self> {
        let tree = tree.canonicalize().with_context(|| format!("{}", tree.display()))?;
        let place = Self { folder: Arc::new(StateDir::new()?), tree };
        for (program, name) in programs {
            fs::copy(program, place.program(name))?;
        }
        let entry = place.program("context-inject");
        let shim = format!("#!/bin/sh\nexec '{}' \"$@\"\n", entry.display());
        fs::write(place.program("shim.sh"), shim)?;
        fs::set_permissions(place.program("shim.sh"), fs::Permissions::from_mode(0o755))?;
        Ok(place)
    }

    /// The same with another repository.
    pub(super) fn at(&self, tree: &Path) -> Self {
        Place { folder: Arc::clone(&self.folder), tree: tree.to_owned() }
    }

    /// The path of one of the programs, or of the benchmark's own files.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.work().join(name)
    }

    /// The home folder of all measured programs.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.home()
    }

    /// A working folder of the benchmark.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.work()
    }

    pub(super) fn entry(&self) -> Program {
        Program { path: self.program("context-inject"), args: Vec::new(), env: Vec::new() }
    }

    /// The command that is installed as the hook: two lines of shell.
    pub(super) fn shim(&self) -> Program {
        Program { path: self.program("shim.sh"), ..self.entry() }
    }

    /// A compiled C program that does nothing; none without a compiler.
    pub(super) fn nothing(&self) -> anyhow::Result<Option<Program>> {
        let Some(compiler) = find_program("cc", PATH.as_ref()) else { return Ok(None) };
        let (source, path) = (self.program("nothing.c"), self.program("nothing"));
        fs::write(&source, "int main(void) { return 0; }\n")?;
        let words =
            ["-O2", "-o", &path.to_string_lossy(), &source.to_string_lossy()].map(str::to_owned);
        let program = Program { path: compiler, args: words.into(), env: Vec::new() };
        let told = run_helper(&self.command(&program, Duration::from_secs(60)))?;
        if !told.is_success() {
            bail!("the C compiler: {}", told.stderr);
        }
        Ok(Some(Program { path, args: Vec::new(), env: Vec::new() }))
    }

    /// The hook's input as Claude Code writes it.
    pub(super) fn call(&self, prompt: &str) -> Vec<u8> {
        let call = json!({
            "session_id": "00000000-0000-4000-8000-000000000001",
            "transcript_path": "/nonexistent/transcript.jsonl",
            "cwd": self.tree,
            "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        });
        let mut line = call.to_string().into_bytes();
        line.push(b'\n');
        line
    }

    pub(super) fn command(&self, program: &Program, limit: Duration) -> HelperCommand {
        let own = [("HOME", self.home().display().to_string()), ("PATH", PATH.to_owned())];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        let mut env: Vec<(String, String)> = own.collect();
        for (name, value) in &program.env {
            env.retain(|(other, _)| other != name);
            env.push((name.clone(), value.clone()));
        }
        HelperCommand {
            program: program.path.clone(),
            args: program.args.iter().map(Into::into).collect(),
            env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            current_dir: self.tree.clone(),
            deadline: Instant::now() + limit,
            stdout_max: 1 << 24,
        }
    }

    /// Repeats the prompt until there is a context: each try continues the indexing.
    pub(super) fn until_context(&self, prompt: &str) -> anyhow::Result<String> {
        let way = Measured::hook("the first question", self.entry(), self, &[prompt]);
        let mut last = String::new();
        for _ in 0..TRIES {
            // A try that ends before there is an index has another exit code.
            match way.once(0) {
                Ok((text, _)) => {
                    let answer: Value = serde_json::from_str(&text)?;
                    let context = &answer["hookSpecificOutput"]["additionalContext"];
                    if let Some(context) = context.as_str() {
                        return Ok(context.to_owned());
                    }
                    last = text;
                }
                Err(error) => last = format!("{error:#}"),
            }
        }
        bail!("no context after {TRIES} tries: {last}")
    }
}
