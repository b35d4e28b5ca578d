//! The conversation at a terminal: line editing, history, multi-line paste, and commands. Ctrl-C
//! ends a turn or clears the line, Ctrl-D ends the program.

use client::exit::Exit;
use host::streams::{note, note_dim};
use std::borrow::Cow;

use host::environment::Environment;
use reedline::{Prompt, PromptEditMode, PromptHistorySearch, Reedline, Signal};
use tokio::runtime::Runtime;

use super::bridge::Whose;
use super::command::{COMMANDS, Command, Line};
use super::conversation::Conversation;
use super::history::History;
use super::output::{self, Form, tokens};
use super::session::{NoThread, SessionFile};
use super::turn::{self, Ended};
use crate::shown::sections;

/// The argument of `/model` for Codex's own default.
const DEFAULT_MODEL: &str = "default";

/// Reads and plays turns until the user ends the conversation.
pub(super) fn run(mut conversation: Conversation, runtime: &Runtime) -> Exit {
    let mut editor = editor(&conversation.environment);
    note_dim(&greeting(&conversation));
    loop {
        let line = match editor.read_line(&Mark) {
            Ok(Signal::Success(line)) => line,
            Ok(Signal::CtrlC) => continue,
            Ok(Signal::CtrlD) => return Exit::Done,
            Ok(_) => continue,
            Err(error) => {
                note(&format!("the terminal cannot be read: {error}"));
                return Exit::Input;
            }
        };
        match Line::read(&line) {
            Line::Blank => {}
            Line::Unknown(word) => note(&format!("there is no {word}; /help lists the commands")),
            Line::Command(Command::Exit) => return Exit::Done,
            Line::Command(Command::Retry) => match conversation.prompt.clone() {
                Some(prompt) => say(&mut conversation, &prompt, runtime),
                None => note("there was no prompt yet"),
            },
            Line::Command(command) => obey(command, &mut conversation),
            Line::Prompt(prompt) => {
                conversation.prompt = Some(prompt.to_owned());
                say(&mut conversation, prompt, runtime);
            }
        }
    }
}

/// Plays one turn and prints its result.
fn say(conversation: &mut Conversation, prompt: &str, runtime: &Runtime) {
    match runtime.block_on(turn::play(conversation, prompt)) {
        Ended::Answered { report, said } => {
            let _ = output::answer(Form::Folded, &report, said.as_deref());
        }
        Ended::Planned(report) => drop(output::plan(Form::Folded, &report, prompt)),
        Ended::Failed(failure) => note(&output::told(&failure)),
        Ended::Stopped => note("cancelled"),
    }
}

fn obey(command: Command<'_>, conversation: &mut Conversation) {
    match command {
        Command::Help => {
            let line = |(name, _, what): &(&str, Command<'_>, &str)| format!("{name:<10} {what}");
            let lines: Vec<String> = COMMANDS.iter().map(line).collect();
            note(&lines.join("\n"));
            note("Everything else goes to Codex. Alt-Enter begins a new line.");
        }
        Command::New => match conversation.begin_anew() {
            Ok(()) => note("the next prompt begins a new conversation"),
            Err(error) => note(&format!(
                "the next prompt begins a new conversation; the session file stays: {error}"
            )),
        },
        Command::Model(None) => note(&model(conversation)),
        Command::Model(Some(name)) => {
            let name = Some(name.to_owned()).filter(|name| name != DEFAULT_MODEL);
            conversation.options.model = name;
            note(&model(conversation));
        }
        Command::Session => note(&session(conversation)),
        Command::Context => match &conversation.last {
            Some(report) => note(&sections(report)),
            None => note("there was no prompt yet"),
        },
        Command::Usage => note(&usage(conversation)),
        Command::Retry | Command::Exit => {}
    }
}

fn model(conversation: &Conversation) -> String {
    match &conversation.options.model {
        Some(name) => format!("the next prompt asks {name}"),
        None => "the next prompt asks the model of your Codex".to_owned(),
    }
}

fn greeting(conversation: &Conversation) -> String {
    let session = match conversation.thread() {
        Ok(thread) => format!("goes on in {thread}; /new begins anew"),
        Err(_) => "a new conversation".to_owned(),
    };
    format!(
        "codex-auto in {}: {session}; /help lists the commands",
        conversation.workspace.display()
    )
}

fn session(conversation: &Conversation) -> String {
    let thread = match conversation.thread() {
        Ok(thread) => thread.to_string(),
        Err(NoThread::Missing) => "none yet".to_owned(),
        Err(error) => format!("none: {error}"),
    };
    let bridge = match conversation.bridge.whose() {
        Whose::Unknown => "looked for with the first prompt".to_owned(),
        Whose::Shared => "the one that runs".to_owned(),
        Whose::Own(pid) => format!("started for this program (process {pid})"),
    };
    let file = SessionFile::below(&conversation.root()).path();
    let folder = conversation.workspace.display();
    format!("thread  {thread}\nnoted   {}\nfolder  {folder}\nbridge  {bridge}", file.display())
}

fn usage(conversation: &Conversation) -> String {
    let spent = conversation.spent;
    let last = spent.last.map_or_else(|| "not known".to_owned(), tokens);
    format!("last turn  {last}\n{} turns    {}", spent.turns, tokens(spent.all))
}

fn editor(environment: &Environment) -> Reedline {
    let editor = Reedline::create().use_bracketed_paste(true);
    match History::open(environment) {
        Ok(history) => editor.with_history(Box::new(history)),
        Err(error) => {
            note(&format!("there is no history: {error}"));
            editor
        }
    }
}

/// The prompt of the line editor.
struct Mark;

impl Prompt for Mark {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "codex".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        "> ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        "  ... ".into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        format!("(search: {}) ", search.term).into()
    }
}
