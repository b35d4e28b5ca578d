//! Runs other programs as a user would, with limits on time and output; a failure is an error with
//! their output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use host::find_program;
use supervise::{Exit, HelperCommand, HelperEnd, run_helper};

/// `PATH` for looking up programs.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// How much output of one program is read, in bytes.
const OUTPUT_MAX: usize = 256 << 20;

/// A program with its arguments.
#[derive(Debug, Clone)]
pub(super) struct Program {
    path: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    dir: PathBuf,
    timeout: Duration,
    /// An exit code other than 0 that is not a failure.
    fine: i32,
}

impl Program {
    /// The program at `path`, in `dir`.
    pub(super) fn at(path: &Path, dir: &Path) -> Self {
        let env = vec![("PATH".into(), PATH.into()), ("LC_ALL".into(), "C.UTF-8".into())];
        let timeout = Duration::from_secs(600);
        Self { path: path.to_owned(), args: Vec::new(), env, dir: dir.to_owned(), timeout, fine: 0 }
    }

    /// The system's program with this name.
    pub(super) fn named(name: &str, dir: &Path) -> anyhow::Result<Self> {
        let path = find_program(name, PATH.as_ref())
            .with_context(|| format!("`{name}` is not installed (looked in {PATH})"))?;
        Ok(Self::at(&path, dir))
    }

    /// Another program in the same environment.
    pub(super) fn at_path(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    pub(super) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(super) fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(super) fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// With this file as its stdin, opened by a shell.
    pub(super) fn stdin(self, file: &Path) -> Self {
        let script = ["-c", "exec \"$@\" <\"$0\""].map(OsString::from);
        let before = script.into_iter().chain([file.into(), self.path.into()]);
        let args = before.chain(self.args).collect();
        Self { path: "/bin/sh".into(), args, ..self }
    }

    /// With another exit code that is not a failure.
    pub(super) fn may_exit_with(self, fine: i32) -> Self {
        Self { fine, ..self }
    }

    /// Its stdout; any other end than exit code 0 is an error.
    pub(super) fn stdout(&self) -> anyhow::Result<String> {
        let name = self.path.display();
        let told = run_helper(&HelperCommand {
            program: self.path.clone(),
            args: self.args.clone(),
            env: self.env.clone(),
            current_dir: self.dir.clone(),
            deadline: Instant::now() + self.timeout,
            stdout_max: OUTPUT_MAX,
        })
        .with_context(|| format!("cannot run {name}"))?;
        match told.end {
            HelperEnd::Exited(Exit::Code(code)) if [0, self.fine].contains(&code) => {
                Ok(String::from_utf8_lossy(&told.stdout).into_owned())
            }
            end => bail!("{name} {:?} ended with {end:?}: {}", self.args, told.stderr.trim()),
        }
    }

    /// Its peak memory in MB, by GNU time; none if that is not installed.
    pub(super) fn peak_mb(&self) -> anyhow::Result<Option<f64>> {
        let Some(time) = find_program("time", PATH.as_ref()) else { return Ok(None) };
        let script = ["-c", "exec 2>&1 >/dev/null; exec \"$0\" -f 'peak %M kB' \"$@\""];
        let before =
            script.into_iter().map(OsString::from).chain([time.into(), self.path.clone().into()]);
        let args = before.chain(self.args.iter().cloned()).collect();
        let said = Self { path: "/bin/sh".into(), args, ..self.clone() }.stdout()?;
        let line =
            said.lines().rev().find_map(|line| line.strip_prefix("peak ")?.strip_suffix(" kB"));
        Ok(line.and_then(|kilobytes| kilobytes.parse::<f64>().ok()).map(|peak| peak * 1.024 / 1e3))
    }

    /// [`Program::stdout`], with the time from start to end.
    pub(super) fn timed(&self) -> anyhow::Result<(String, Duration)> {
        let begun = Instant::now();
        let stdout = self.stdout()?;
        Ok((stdout, begun.elapsed()))
    }
}
