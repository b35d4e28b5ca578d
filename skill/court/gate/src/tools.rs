//! The tools of Claude Code, and the names that other clients give to theirs: which action a call is. Not here: what an
//! action is worth (see `action` and `judge`).

use serde_json::Value;

use crate::action::{Action, Effect};
use crate::call::ToolCall;
use crate::level::Level;

/// Tools that a host offers, and which action a call of them is.
struct Tool {
    /// Their names, blanks between them; a star at the end of one stands for any text.
    names: &'static str,
    does: Does,
    /// Their level by the literal table of the strict policy.
    strict: Level,
}

#[derive(Clone, Copy)]
enum Does {
    Read,
    Write,
    Fetch,
    Search,
    Delegate,
    Mcp,
    Other(Effect),
}

const fn tool(names: &'static str, does: Does, strict: Level) -> Tool {
    Tool { names, does, strict }
}

/// The first row that has a tool's name counts. Tools that execute commands are in [`SHELL`].
const TOOLS: &[Tool] = &[
    tool("Read NotebookRead Grep", Does::Read, Level::L0),
    tool(
        "Glob LS TodoRead TodoWrite TaskList TaskGet TaskOutput BashOutput AskUserQuestion \
         EnterPlanMode ExitPlanMode ListMcpResourcesTool ToolSearch CronList LSP SendUserMessage \
         StructuredOutput TaskCreate TaskUpdate ReportFindings",
        Does::Other(Effect::Nothing),
        Level::L0,
    ),
    tool("Write Edit MultiEdit NotebookEdit", Does::Write, Level::L1),
    tool("Agent Task", Does::Delegate, Level::L1),
    tool("WebFetch", Does::Fetch, Level::L2),
    tool("WebSearch", Does::Search, Level::L2),
    tool("Skill SlashCommand", Does::Other(Effect::Skill), Level::L1),
    tool("SendMessage TeamCreate TeamDelete", Does::Other(Effect::Message), Level::L1),
    tool("Workflow", Does::Other(Effect::Workflow), Level::L1),
    tool("RemoteTrigger", Does::Other(Effect::Workflow), Level::L2),
    tool("Cron* ScheduleWakeup", Does::Other(Effect::Schedule), Level::L1),
    tool(
        "KillShell KillBash TaskStop EnterWorktree ExitWorktree",
        Does::Other(Effect::Process),
        Level::L1,
    ),
    tool("mcp__*", Does::Mcp, Level::L2),
    tool("ReadMcpResourceTool", Does::Mcp, Level::L1),
    tool("*", Does::Other(Effect::Unknown), Level::L1),
];

/// The row of a tool.
fn row(name: &str) -> Option<&'static Tool> {
    let is = |listed: &str| {
        listed.strip_suffix('*').map_or(listed == name, |head| name.starts_with(head))
    };
    TOOLS.iter().find(|tool| tool.names.split(' ').any(is))
}

/// Names of shell tools, in lower case and without what is no letter.
const SHELL: &[&str] = &[
    "bash",
    "bashtool",
    "monitor",
    "sh",
    "shell",
    "shelltool",
    "shellcommand",
    "localshell",
    "terminal",
    "runcommand",
    "runshellcommand",
    "runterminalcmd",
    "executecommand",
    "execcommand",
    "exec",
    "zsh",
    "cmd",
    "powershell",
    "pwsh",
    "powershelltool",
];

/// Fields in which a command is given.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "script",
    "commands",
    "argv",
    "shell_command",
    "commandLine",
    "command_line",
];

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

fn is_shell(name: &str) -> bool {
    name.len() < 64 && SHELL.contains(&plain(name).as_str())
}

/// The command that a call gives to a shell; none where it has none. What is no text, and no list of texts, is an
/// error.
pub(crate) fn command(call: &ToolCall<'_>) -> Result<Option<String>, &'static str> {
    let Some(given) = COMMANDS.iter().find_map(|field| call.input.get(field)) else {
        return Ok(None);
    };
    let text = match given {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let words = words.ok_or("the command is a list of what is no text")?;
            // One command's words, or a list of commands: both count.
            let one: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let several = words.iter().filter(|word| word.contains(' ')).copied();
            std::iter::once(one.join(" ").as_str()).chain(several).collect::<Vec<_>>().join("\n")
        }
        _ => return Err("the command is no text"),
    };
    let program = plain(call.name);
    Ok(Some(match program.as_str() {
        "powershell" | "pwsh" | "powershelltool" => format!("pwsh -Command {}", quoted(&text)),
        "cmd" => format!("cmd /c {}", quoted(&text)),
        _ => text,
    }))
}

/// A word as the shell takes it literally.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A call as an action, and why the command that it is given cannot be read, if it cannot.
pub(crate) fn action<'a>(call: &ToolCall<'a>) -> (Action<'a>, Option<&'static str>) {
    let name = call.name;
    let other = |effect, command| Action::Other { name, effect, command };
    if is_shell(name) {
        return match command(call) {
            Ok(Some(command)) => (Action::Shell { command }, None),
            // A shell that is given nothing that can be read is no harmless call.
            Ok(None) if plain(name) == "monitor" => (other(Effect::Nothing, None), None),
            Ok(None) => (other(Effect::Nothing, None), Some("there is no command")),
            Err(reason) => (other(Effect::Nothing, None), Some(reason)),
        };
    }
    let fields = ["file_path", "notebook_path", "path"].map(|field| call.text(field));
    let path = fields.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let url = call.text("url");
    let action = match row(name).map_or(Does::Other(Effect::Unknown), |tool| tool.does) {
        Does::Read => Action::Read { path },
        Does::Write => Action::Write { path },
        Does::Search if url.is_empty() => Action::Search { query: call.text("query") },
        Does::Fetch | Does::Search => Action::Fetch { url },
        Does::Delegate => Action::Delegate { agent: call.text("subagent_type") },
        Does::Mcp => Action::Mcp { name },
        Does::Other(effect @ Effect::Skill) => {
            Action::Other { name: call.text("skill"), effect, command: None }
        }
        // A tool that is not known, and is given a command, executes it for all that is known.
        Does::Other(Effect::Unknown) => match command(call) {
            Ok(command) => other(Effect::Unknown, command),
            Err(reason) => return (other(Effect::Unknown, None), Some(reason)),
        },
        Does::Other(effect) => other(effect, None),
    };
    (action, None)
}

/// The level of the strict policy's table, by the tool's name alone.
pub(crate) fn strict_level(name: &str) -> Level {
    if is_shell(name) { Level::L2 } else { row(name).map_or(Level::L1, |tool| tool.strict) }
}

/// Whether a text of the input has one of the sensitive words of the strict policy.
pub(crate) fn is_sensitive(input: &Value) -> bool {
    const WORDS: &[&str] = &[".env", "secret", "password", "credentials", "api_key"];
    // A list of what is still to be looked at: no recursion into hostile nesting.
    let mut waiting = vec![input];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                let lower = text.to_ascii_lowercase();
                if WORDS.iter().any(|word| lower.contains(word)) {
                    return true;
                }
            }
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
    }
    false
}
