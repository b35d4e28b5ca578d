//! `/tasks`: lists background commands, shows the output of one, ends one. Not here: running them (`agent`).

use agent::{TaskEnd, TaskView, Tasks};

use tokio::sync::mpsc::UnboundedSender;

use super::event::Event;
use super::slash::Wish;
use crate::words::{self, Language};

/// The longest part of a command that is shown as its task's name, in characters.
const COMMAND_CHARS: usize = 100;

/// Carries out a `/tasks` command, and returns the lines to show.
pub(super) fn lines(tasks: &Tasks, wish: Wish, language: Language) -> Vec<String> {
    match wish {
        Wish::List => {
            let all = tasks.list();
            match all.as_slice() {
                [] => vec![language.say(&words::TASKS_NONE).to_owned()],
                all => all.iter().map(|task| listed(task, language)).collect(),
            }
        }
        Wish::Show(number) => {
            let Some(task) = tasks.list().into_iter().find(|task| task.number == number) else {
                return vec![unknown(number, language)];
            };
            let printed = tasks.recent_output(number).filter(|printed| !printed.is_empty());
            let printed = printed.unwrap_or_else(|| language.say(&words::TASK_SILENT).to_owned());
            vec![listed(&task, language), printed]
        }
        Wish::End(number) if tasks.end(number) => {
            let number = number.to_string();
            vec![language.fill(&words::TASK_ENDING, &[("task", &number)])]
        }
        Wish::End(number) => vec![unknown(number, language)],
    }
}

/// Sends an event when a task ends, while the session that it belongs to exists.
pub(super) fn follow(tasks: &Tasks, sender: UnboundedSender<Event>, language: Language) {
    let mut ends = tasks.follow();
    tokio::spawn(async move {
        while let Some(task) = ends.recv().await {
            // The program ends only after its session.
            let _ = sender.send(Event::Noted(vec![ended(&task, language)]));
        }
    });
}

/// The message that a task has ended.
fn ended(task: &TaskView, language: Language) -> String {
    let (number, command) = (task.number.to_string(), command(task));
    let how = how(task.end, language);
    let values = [("task", &*number), ("how", &*how), ("command", &*command)];
    language.fill(&words::TASK_ENDED, &values)
}

/// The message about tasks that end with their session; none if there are no tasks.
pub(super) fn left(tasks: &Tasks, language: Language) -> Option<String> {
    let running = tasks.list().iter().filter(|task| task.end.is_none()).count();
    let count = running.to_string();
    (running > 0).then(|| language.fill(&words::TASKS_LEFT, &[("count", &count)]))
}

pub(super) fn listed(task: &TaskView, language: Language) -> String {
    let (number, command) = (task.number.to_string(), command(task));
    let seconds = task.ran.as_secs().to_string();
    let state = match task.end {
        None => language.fill(&words::TASK_RUNS, &[("seconds", &seconds)]),
        end => how(end, language),
    };
    let values = [("task", &*number), ("state", &*state), ("command", &*command)];
    language.fill(&words::TASK_LISTED, &values)
}

fn how(end: Option<TaskEnd>, language: Language) -> String {
    match end.and_then(TaskEnd::exit) {
        Some(code) => language.fill(&words::COMMAND_ENDED, &[("code", &code.to_string())]),
        None => language.say(&words::TASK_STOPPED).to_owned(),
    }
}

fn unknown(number: u64, language: Language) -> String {
    language.fill(&words::TASK_UNKNOWN, &[("task", &number.to_string())])
}

/// The command in one line.
fn command(task: &TaskView) -> String {
    let first: String = task.command.chars().take(COMMAND_CHARS).collect();
    redact::visible_line(&first).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agent::{TaskEnd, TaskView, Tasks};

    use super::{Wish, ended, left, lines, listed};
    use crate::words::Language;

    #[test]
    fn a_task_is_one_line_in_both_languages() {
        let mut task = TaskView {
            number: 2,
            command: "npm run dev\n\u{1b}[2J".into(),
            ran: Duration::from_secs(65),
            end: None,
        };
        let line = listed(&task, Language::En);
        assert!(line.starts_with("task 2 · runs, 65 s · npm run dev"), "{line}");
        assert!(!line.contains(['\n', '\u{1b}']), "{line:?}");
        task.end = Some(TaskEnd::Exited(3));
        task.command = "npm test".into();
        assert_eq!(listed(&task, Language::Zh), "任务 2 · 退出码 3 · npm test");
        assert_eq!(
            ended(&task, Language::En),
            "Background task 2 has ended: exit code 3 (npm test)"
        );
        task.end = Some(TaskEnd::Stopped);
        assert_eq!(ended(&task, Language::Zh), "后台任务 2 已结束: 已终止 (npm test)");
    }

    #[test]
    fn without_tasks_nothing_is_shown_or_ended() {
        let tasks = Tasks::default();
        let said = |wish| lines(&tasks, wish, Language::En);
        assert_eq!(said(Wish::List), ["There are no tasks in the background."]);
        for wish in [Wish::Show(4), Wish::End(4)] {
            assert_eq!(said(wish), ["There is no task 4."]);
        }
        assert_eq!(left(&tasks, Language::En), None);
    }
}
