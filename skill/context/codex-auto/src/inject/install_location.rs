//! The paths of the hook and of the settings in which it is registered: Claude Code's folder of the user, and the settings of
//! the user or of one project.

use std::path::{Path, PathBuf};

use claude_hooks::settings::file;
use host::environment::{self, Environment};

use super::install::InstallError;
use super::settings::Hook;

/// File name of the hook.
pub(super) const PROGRAM: &str = "context-inject-global.sh";
/// Its former name, which older settings use.
const OLD_NAME: &str = "augment-context-global.sh";

/// All paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstallLocation {
    /// The user's home folder.
    pub(super) home: PathBuf,
    /// Claude Code's folder.
    pub(super) claude: PathBuf,
    /// The settings file.
    pub(super) settings: PathBuf,
    /// The scope of the settings.
    pub(super) scope: Scope,
}

/// The scope of the settings in which the hook is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The user's settings: the hook runs in every project.
    User,
    /// One project's local settings, which are not shared, because they contain a path of this machine.
    Project,
}

impl InstallLocation {
    /// The paths for a project, or for the user.
    ///
    /// # Errors
    /// [`InstallError::Nowhere`] without a home folder, [`InstallError::NoProject`].
    pub(super) fn of(
        environment: &Environment,
        project: Option<&Path>,
    ) -> Result<Self, InstallError> {
        let home = environment.folder(environment::HOME).ok_or(InstallError::Nowhere)?;
        let claude = file::users_folder(environment).ok_or(InstallError::Nowhere)?;
        let Some(project) = project else {
            let settings = claude.join("settings.json");
            return Ok(Self { home, claude, settings, scope: Scope::User });
        };
        let project = environment.working_dir().join(project);
        if !project.is_dir() {
            return Err(InstallError::NoProject { path: project });
        }
        let settings = project.join(".claude/settings.local.json");
        Ok(Self { home, claude, settings, scope: Scope::Project })
    }

    /// The folder of the hooks.
    pub(super) fn hooks(&self) -> PathBuf {
        self.claude.join("hooks")
    }

    /// Path of the hook.
    pub(super) fn program(&self) -> PathBuf {
        self.hooks().join(PROGRAM)
    }

    /// Path of the hook under its former name.
    pub(super) fn old_name(&self) -> PathBuf {
        self.hooks().join(OLD_NAME)
    }

    /// Calls `then` with both paths, as settings may name them.
    pub(super) fn with_hook<T>(&self, then: impl FnOnce(&Hook<'_>) -> T) -> T {
        let (program, old_name) = (self.program(), self.old_name());
        then(&Hook { program: &program, old_name: &old_name, home: &self.home })
    }

    /// The two files of the hook with their contents, for our program at `own`.
    pub(super) fn files(&self, own: &Path) -> [(PathBuf, String); 2] {
        let own = own.to_string_lossy().replace('\'', r"'\''");
        let program = format!(
            "#!/bin/sh\n# Becomes the installed `context-inject`: Claude Code's hook before each prompt.\nexec '{own}' \"$@\"\n"
        );
        let old_name = format!(
            "#!/bin/sh\n# The old name of the hook: becomes the new one, and does nothing else.\nexec \"${{0%/*}}/{PROGRAM}\" \"$@\"\n"
        );
        [(self.program(), program), (self.old_name(), old_name)]
    }
}
