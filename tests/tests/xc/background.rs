//! Commands in the background of a run without a user: they end with it, and the next run knows. XC-101.

use contract::xc::{Entry, Line};
use mock_model::Turn;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::{survivors, wait_until};

use crate::fixture::{LIMIT, Place, ended};

fn begin(command: &str) -> Turn {
    Turn::call("shell", &json!({ "command": command, "background": true }))
}

fn look(arguments: &Value) -> Turn {
    Turn::call("shellTask", arguments)
}

impl Place {
    /// What the journal tells of tasks: number, and how each ended where that is told.
    fn tasks(&self) -> Vec<(u64, Option<String>)> {
        let sessions = self.sessions();
        let journal = sessions.iter().find(|path| path.extension().is_some_and(|e| e == "jsonl"));
        let text = std::fs::read_to_string(journal.unwrap()).unwrap();
        let lines = text.lines().skip(1).map(|line| Line::parse(line).unwrap().entry);
        lines
            .filter_map(|entry| match entry {
                Entry::Task { task, ended, .. } => Some((task, ended)),
                _ => None,
            })
            .collect()
    }

    fn is_running(&self) -> bool {
        !survivors(self.folder.root().file_name().unwrap().to_str().unwrap()).is_empty()
    }
}

#[tokio::test]
async fn a_task_ends_with_a_run_without_a_user_and_that_is_told() {
    let turns = [begin("echo up; sleep 600"), begin("exit 4"), {
        look(&json!({ "task": 2, "wait": 60_000 }))
    }];
    let [one, two, three] = turns;
    let place = Place::with_turns([one, two, three, Turn::text("It serves.")]).await;
    let said = place.run(&["-p", "-t", "--output-format", "json", "serve it"]).await;
    assert_eq!(said.code, Some(0), "{}", said.err);
    let note = "note: Background task 1 was ended: echo up; sleep 600";
    assert!(said.err.contains(note), "{}", said.err);
    assert!(!place.is_running());
    let result: Value = serde_json::from_str(&said.out).unwrap();
    let commands = json!([
        { "command": "exit 4", "exit": 4 },
        { "command": "echo up; sleep 600", "exit": null },
    ]);
    assert_eq!(result["commands"], commands);
    let results = place.mock.requests()[3].results();
    assert!(results[2].starts_with("Task 2 has ended after "), "{}", results[2]);
    let stopped = "it was ended, with everything it had started".to_owned();
    let told = [(1, None), (2, None), (2, Some("exit code 4".to_owned())), (1, Some(stopped))];
    assert_eq!(place.tasks(), told);
}

#[tokio::test]
async fn a_task_of_a_killed_program_is_told_as_ended_when_the_session_goes_on() {
    let place = Place::with_turns([
        begin("touch up; sleep 600"),
        Turn::call("shell", &json!({ "command": "touch next; sleep 600" })),
        Turn::text("I start it again."),
        begin("exit 0"),
        look(&json!({ "task": 2, "wait": 60_000 })),
        Turn::text("Done."),
    ])
    .await;
    let child = place.xc(&["-p", "-t", "serve it"]).spawn().unwrap();
    let next = place.project().join("next");
    assert!(wait_until(LIMIT, || next.exists()).await);
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    ended(child).await;
    assert!(wait_until(LIMIT, || !place.is_running()).await);

    let said = place.run(&["-p", "-t", "--resume", "is it up?"]).await;
    assert!(
        said.err.contains("Background task 1 ended with the program that ran it"),
        "{}",
        said.err
    );
    let asked = place.bodies()[2]["messages"].to_string();
    let told = "[Background task 1 (touch up; sleep 600): it ended with the program that ran it.]";
    assert!(asked.contains(told), "{asked}");
    // It is told once, and its number is not given again.
    let said = place.run(&["-p", "-t", "--resume", "again"]).await;
    assert!(!said.err.contains("Background task 1"), "{}", said.err);
    let numbers: Vec<u64> = place.tasks().iter().map(|(task, _)| *task).collect();
    assert_eq!(numbers, [1, 1, 2, 2]);
    assert_eq!(place.mock.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn a_command_in_the_background_is_judged_as_any_other() {
    let place = Place::with_turns([begin("touch made"), Turn::text("Not allowed.")]).await;
    let said = place.run(&["-p", "make it"]).await;
    assert_eq!(said.code, Some(0), "{}", said.err);
    let results = place.mock.requests()[1].results();
    assert!(results[0].starts_with("Permission denied by user."), "{}", results[0]);
    assert!(!place.project().join("made").exists() && place.tasks().is_empty());
}
