//! The tools, one file each.

mod ask_user;
mod blocking;
mod edit;
mod file;
mod glob;
mod grep;
mod input;
mod list_dir;
mod masks;
pub(crate) mod planning;
mod read_file;
mod save_knowledge;
mod scope;
mod seen;
mod shell;
#[cfg(test)]
mod tests;
mod write_file;

use std::sync::Arc;

pub use ask_user::ask_user_tool;
pub use planning::plan_tools;
pub use save_knowledge::save_knowledge_tool;
pub(crate) use shell::TaskNews;
pub use shell::{
    Fencing, Shell, TaskEnd, TaskView, Tasks, choose_shell, command_environment,
    foreign_environment, shell_task_tool, shell_tool, shell_version,
};

use crate::tool::Tool;
use crate::workspace::Workspace;

/// The tools for the files of a workspace: `readFile`, `writeFile`, `edit`, `listDir`, `glob`, `grep`. They share
/// one record of what was read, so they are created once per session.
pub fn file_tools(workspace: &Workspace) -> Vec<Arc<dyn Tool>> {
    let seen = Arc::new(seen::Seen::default());
    let specs = [
        &read_file::READ_FILE,
        &write_file::WRITE_FILE,
        &edit::EDIT,
        &list_dir::LIST_DIR,
        &glob::GLOB,
        &grep::GREP,
    ];
    let tool = |spec| Arc::new(file::FileTool::new(spec, workspace, &seen)) as Arc<dyn Tool>;
    specs.into_iter().map(tool).collect()
}
