//! A home folder, a project, a scripted model, and `xc` as a process that uses them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::ensure;
use mock_model::{MockModel, Script};
use serde_json::json;
use tests::harness::StateDir;
use tokio::process::Command;

use super::pty::Pty;

/// The environment of `xc`.
pub(super) struct Place {
    pub(super) folder: StateDir,
    pub(super) mock: MockModel,
    xc: PathBuf,
}

impl Place {
    pub(super) async fn new(xc: &Path, script: impl Into<Script>) -> anyhow::Result<Self> {
        let (folder, mock) = (StateDir::new()?, MockModel::local(script).await?);
        // The project needs its own repository: otherwise it would belong to this one, which is above it.
        let made =
            Command::new("git").args(["init", "--quiet"]).arg(folder.work()).status().await?;
        ensure!(made.success(), "git init: {made}");
        Ok(Self { folder, mock, xc: xc.to_owned() })
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, path: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.folder.work().join(path);
        fs::write(&path, text)?;
        Ok(path)
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
        tests::xc::command(&self.xc, words, &self.folder, &self.mock.base_url())
    }

    /// Starts it on a terminal.
    pub(super) fn at_terminal(&self, words: &[&str]) -> anyhow::Result<Pty> {
        let environment = tests::xc::environment(&self.folder, &self.mock.base_url());
        let variables = environment.iter().map(|(name, value)| (&**name, &**value));
        Pty::start(&self.xc, words, &self.folder.work(), variables)
    }

    /// Runs it until it ends; returns the time.
    pub(super) async fn run(&self, words: &[&str]) -> anyhow::Result<Duration> {
        let mut command = self.command(words);
        let begun = Instant::now();
        let ended = command.output().await?;
        let took = begun.elapsed();
        let told = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.success(), "{words:?}: {}: {told}", ended.status);
        Ok(took)
    }

    /// The model's own time for so many requests of the last one's size, on an open connection
    /// and without other load.
    pub(super) async fn model_time(&self, count: u32) -> anyhow::Result<Duration> {
        let client = reqwest::Client::new();
        let body = json!({
            "model": "scripted", "stream": true, "messages": [{ "role": "user", "content": "hello" }],
        });
        let ask = || client.post(format!("{}/chat/completions", self.mock.base_url())).json(&body);
        ask().send().await?.bytes().await?;
        let begun = Instant::now();
        for _ in 0..count {
            ask().send().await?.bytes().await?;
        }
        Ok(begun.elapsed())
    }
}
