//! A driver, a home and a provider, without a daemon.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codex_driver::home::{Home, HomeSettings, ShellAccess};
use codex_driver::version::Version;
use codex_driver::{
    Attempt, AttemptEnd, Conversation, Driver, Installation, Retry, SandboxMode, Way, environment,
    models, version,
};
use contract::failure::FailureCode;
use contract::id::RunId;
use contract::schema::ADVICE_WIRE;
use mock_model::{MockModel, Script};
use supervise::Guard;
use tests::harness::{StateDir, codex_bin};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The variable and the key that Codex signs requests with here.
const KEY: (&str, &str) = ("STAGE_API_KEY", "sk-stage-0123456789");

/// Long enough for every turn, on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Fixture {
    pub(crate) folder: StateDir,
    pub(crate) mock: MockModel,
    pub(crate) installation: Installation,
    pub(crate) idle_timeout: Duration,
}

impl Fixture {
    /// With the real Codex; `None` where there is none, which is said on stderr.
    pub(crate) async fn real(script: impl Into<Script>) -> Option<Self> {
        let binary = codex_bin()?;
        let version = version::probe(&guard(), &binary).await.unwrap();
        Some(Self::of(Installation { binary, version }, script).await)
    }

    /// With a script of ours as Codex. `server` is what it does as an app-server; as `codex exec` it is
    /// the stand-in.
    pub(crate) async fn fake(server: &str) -> Self {
        let none = Installation { binary: PathBuf::new(), version: Version::WITH_APP_SERVER };
        let mut fixture = Self::of(none, mock_model::Reply::Advice).await;
        let binary = fixture.folder.work().join("codex");
        let stand_in = env!("CARGO_BIN_EXE_fake-codex");
        let script =
            format!("#!/bin/sh\n[ \"$1\" = app-server ] || exec '{stand_in}' \"$@\"\n{server}\n");
        write_program(&binary, &script);
        fixture.installation.binary = binary;
        fixture
    }

    async fn of(installation: Installation, script: impl Into<Script>) -> Self {
        let folder = StateDir::new().unwrap();
        fs::write(folder.work().join("schema.json"), ADVICE_WIRE.text).unwrap();
        fs::create_dir(folder.work().join("empty")).unwrap();
        let mock = MockModel::local(script).await.unwrap();
        Self { folder, mock, installation, idle_timeout: PATIENCE }
    }

    pub(crate) fn home(&self, base_url: String) -> Home {
        let settings = HomeSettings {
            auth_home: None,
            base_url: Some(base_url),
            api_key_env: Some(KEY.0.to_owned()),
            model: Some("gpt-5.5".to_owned()),
            shell: ShellAccess::Off,
            wants_summary: true,
            instructions: "You are an advisor.".to_owned(),
            provider: None,
            version: self.installation.version,
            idle_timeout: self.idle_timeout,
        };
        Home::prepare(&self.folder.state().join("codex-home"), &settings).unwrap()
    }

    /// A driver in a home whose models have no tools of their own.
    pub(crate) async fn driver(&self, way: Way) -> Driver {
        let home = self.home(self.mock.base_url());
        models::trim(&guard(), &self.installation, &home).await.unwrap();
        self.driver_in(home, way)
    }

    pub(crate) fn driver_in(&self, home: Home, way: Way) -> Driver {
        let extras = environment::extras(|_| None, Some(KEY));
        Driver::new(guard(), self.installation.clone(), home, extras).by(way)
    }

    pub(crate) fn attempt(&self, conversation: Conversation, prompt: &str) -> Attempt {
        Attempt {
            conversation,
            prompt: prompt.to_owned(),
            model: None,
            reasoning_effort: None,
            output_schema: Some(self.folder.work().join("schema.json")),
            sandbox: SandboxMode::ReadOnly,
            workdir: self.folder.work().join("empty"),
            temp_dir: self.folder.temp(),
            run_id: RunId::generate(),
            deadline: Instant::now() + PATIENCE,
            stall: PATIENCE,
        }
    }

    pub(crate) async fn run(&self, driver: &Driver, attempt: Attempt) -> AttemptEnd {
        driver.attempt(attempt, &CancellationToken::new(), |_| {}).await
    }

    pub(crate) async fn ask(&self, driver: &Driver, prompt: &str) -> AttemptEnd {
        self.run(driver, self.attempt(Conversation::Fresh, prompt)).await
    }
}

pub(crate) fn guard() -> Guard {
    Guard::new(PathBuf::from(env!("CARGO_BIN_EXE_guard")))
}

pub(crate) fn write_program(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// The code and what may follow, or that there is an answer.
pub(crate) fn verdict(end: &AttemptEnd) -> Result<(), (FailureCode, Retry)> {
    end.outcome.as_ref().map(drop).map_err(|failure| (failure.code, failure.retry))
}
