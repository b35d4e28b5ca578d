//! The tools, one file each.

mod ask_user;
mod blocking;
mod edit;
mod glob;
mod grep;
mod input;
mod list_dir;
mod masks;
mod read_file;
mod scope;
mod seen;
mod shell;
#[cfg(test)]
mod tests;
mod write_file;

use std::sync::Arc;

pub use ask_user::ask_user_tool;
pub use shell::{Shell, choose_shell, command_environment, shell_tool};

use crate::tool::Tool;
use crate::workspace::Workspace;

/// The tools for the files of a workspace: `readFile`, `writeFile`, `edit`, `listDir`, `glob`, `grep`. They share
/// one record of what was read, so a session makes them once.
pub fn file_tools(workspace: &Workspace) -> Vec<Arc<dyn Tool>> {
    let seen = Arc::new(seen::Seen::default());
    vec![
        Arc::new(read_file::ReadFile::new(workspace, &seen)),
        Arc::new(write_file::WriteFile::new(workspace, &seen)),
        Arc::new(edit::Edit::new(workspace, &seen)),
        Arc::new(list_dir::ListDir::new(workspace)),
        Arc::new(glob::Glob::new(workspace)),
        Arc::new(grep::Grep::new(workspace)),
    ]
}
