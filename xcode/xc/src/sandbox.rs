//! What confines the commands of a run: what the settings want, and what this system has.

use std::path::PathBuf;

use agent::{Fencing, Sandbox, SandboxedCommands};
use contract::xc::Sandboxed;
use host::Environment;
use host::environment::TMPDIR;
use supervise::{Confinement, Guard, Network};

use crate::config::{Config, SandboxMode, WhenSandboxed};

/// The variable that names the socket of an agent that holds keys.
const KEY_AGENT: &str = "SSH_AUTH_SOCK";

/// What confines commands, in the words of those who need it.
pub(crate) struct Confining {
    /// For the shell tool.
    pub(crate) fencing: Fencing,
    /// For the permissions.
    pub(crate) commands: SandboxedCommands,
    /// For the first event.
    pub(crate) told: Sandboxed,
}

impl Confining {
    /// Finds out what confines the commands of a workspace with these folders.
    ///
    /// # Cancel safety
    /// Nothing is lost by dropping it.
    pub(crate) async fn find(
        environment: &Environment,
        config: &Config,
        flag: Option<SandboxMode>,
        guard: &Guard,
        folders: &[PathBuf],
    ) -> Self {
        let mode = config.sandbox.mode(flag).value;
        let confinement = match mode {
            SandboxMode::Off => Confinement::None,
            SandboxMode::Auto | SandboxMode::Require => guard.confinement().await,
        };
        let told = match confinement {
            Confinement::LandlockAndMounts => Sandboxed::LandlockAndMounts,
            Confinement::Landlock => Sandboxed::Landlock,
            Confinement::None => Sandboxed::None,
        };
        if confinement == Confinement::None {
            let is_missing = mode == SandboxMode::Require;
            let fencing = if is_missing { Fencing::Missing } else { Fencing::Off };
            return Self { fencing, commands: SandboxedCommands::Ask, told };
        }
        let settings = &config.sandbox;
        let folder = |name| environment.folder(name);
        let sandbox = Sandbox {
            folders: folders.to_vec(),
            home: config.home.clone(),
            write: settings.write.value.clone(),
            hide: settings.hide.value.clone(),
            temporary: folder(TMPDIR),
            key_agent: folder(KEY_AGENT),
            network: if settings.network.value { Network::Open } else { Network::Closed },
            confinement,
        };
        let commands = match settings.commands.value {
            WhenSandboxed::Ask => SandboxedCommands::Ask,
            WhenSandboxed::Allow => SandboxedCommands::Allow,
        };
        Self { fencing: Fencing::On(sandbox), commands, told }
    }
}
