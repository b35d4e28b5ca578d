//! XC-101: commands in the background. They outlive their call and never their session; what they print is masked,
//! bounded, and read in pieces.

use agent::{Outcome, TaskEnd, Tasks, shell_task_tool};
use contract::xc::CallStatus;
use llm::Cancel;
use serde_json::{Map, Value, json};
use supervise::Isolation;
use tests::harness::{survivors, wait_until};

use super::{Bench, ISOLATIONS, KEY, Listener, NONE, PATIENCE, Running, Tool, WAIT};

/// Longer than any test.
const EVER: u64 = 600_000;

async fn run(tool: &dyn Tool, arguments: Value, cancel: &Cancel) -> Outcome {
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    let (action, host) = (&tool.action(&arguments), &Listener::default());
    tool.run(Running { id: "call-1", arguments: &arguments, action, instead: None, host, cancel })
        .await
}

impl Bench {
    async fn begin(&self, command: &str) -> Outcome {
        let arguments = json!({ "command": command, "background": true });
        run(&*self.tool, arguments, &Cancel::new()).await
    }

    async fn look(&self, arguments: Value) -> Outcome {
        run(&*shell_task_tool(&self.tasks), arguments, &Cancel::new()).await
    }

    fn is_running(&self) -> bool {
        !survivors(&self.mark).is_empty()
    }
}

#[tokio::test]
async fn a_task_outlives_its_call_and_goes_with_its_session() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let begun = bench.begin("trap '' INT TERM; (setsid sleep 600 &); echo up; sleep 600").await;
        assert_eq!(begun.status, CallStatus::Ok);
        assert!(begun.text.starts_with("Task 1 runs in the background."), "{}", begun.text);
        assert_eq!(begun.command, None, "how it ends is not known");
        let recent = || bench.tasks.recent_output(1).unwrap() == "up";
        assert!(wait_until(PATIENCE, recent).await);
        // Calls in between change nothing about it.
        let Bench { tool, tasks, mark, root: _root } = bench;
        let call = json!({ "command": "echo other" });
        assert_eq!(run(&*tool, call, &Cancel::new()).await.text, "exit code: 0\nother");
        assert!(!survivors(&mark).is_empty());
        // The tool and the session hold the same tasks: with the last of them all end.
        drop(tool);
        assert!(!survivors(&mark).is_empty() && tasks.list()[0].end.is_none());
        drop(tasks);
        assert!(wait_until(PATIENCE, || survivors(&mark).is_empty()).await, "{isolation:?}");
    }
}

#[tokio::test]
async fn each_look_gets_what_is_new_and_a_wait_ends_with_the_task() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        bench.begin(&format!("{WAIT} echo one; wait_for go; echo two >&2; exit 3")).await;
        let recent = || bench.tasks.recent_output(1).unwrap() == "one";
        assert!(wait_until(PATIENCE, recent).await);
        let text = bench.look(json!({ "task": 1 })).await.text;
        assert!(text.starts_with("Task 1 runs, since ") && text.ends_with(" s.\none"), "{text}");
        let text = bench.look(json!({ "task": 1, "wait": 1 })).await.text;
        assert!(text.ends_with("\nIt printed nothing since the last look."), "{text}");
        std::fs::write(bench.root.path().join("go"), "").unwrap();
        let look = bench.look(json!({ "task": 1, "wait": EVER })).await;
        assert!(look.text.contains(" s: exit code 3.\ntwo"), "{}", look.text);
        assert_eq!(look.status, CallStatus::Ok);
        assert_eq!(bench.tasks.list()[0].end, Some(TaskEnd::Exited(3)));
        let text = bench.look(json!({ "task": 1, "wait": EVER })).await.text;
        assert!(text.ends_with("exit code 3.\nIt printed nothing since the last look."), "{text}");
        assert_eq!(bench.tasks.recent_output(1).unwrap(), "one\ntwo");
        assert_eq!(survivors(&bench.mark), NONE);
    }
}

#[tokio::test]
async fn a_task_is_ended_with_everything_that_it_started() {
    for isolation in ISOLATIONS {
        let bench = Bench::new(isolation);
        let stubborn = "trap '' INT TERM; (setsid nohup sleep 600 >/dev/null 2>&1 &); sleep 600";
        for task in [1, 2] {
            bench.begin(stubborn).await;
            assert!(wait_until(PATIENCE, || bench.is_running()).await);
            if task == 1 {
                let text = bench.look(json!({ "task": task, "end": true })).await.text;
                assert!(text.contains("it was ended, with everything it had started."), "{text}");
            } else {
                // By the user.
                let mut ends = bench.tasks.follow();
                assert!(bench.tasks.end(task));
                let ended = ends.recv().await.unwrap();
                assert_eq!((ended.number, ended.end), (task, Some(TaskEnd::Stopped)));
            }
            assert_eq!(survivors(&bench.mark), NONE);
            assert!(!bench.tasks.end(task), "it ran no more");
        }
        let mut limited = json!({ "command": "sleep 600", "background": true });
        limited["timeout"] = json!(50);
        run(&*bench.tool, limited, &Cancel::new()).await;
        let text = bench.look(json!({ "task": 3, "wait": EVER })).await.text;
        assert!(text.contains(": its timeout, with everything it had started."), "{text}");
    }
}

#[tokio::test]
async fn a_key_that_a_task_prints_is_masked_for_model_and_user() {
    let bench = Bench::new(Isolation::PidNamespace);
    let (head, tail) = KEY.split_at(9);
    bench.begin(&format!("printf {head}; sleep 0.5; echo {tail}; echo {KEY} >&2")).await;
    let looked = bench.look(json!({ "task": 1, "wait": EVER })).await.text;
    assert_eq!(looked.matches("[REDACTED:").count(), 2, "{looked}");
    let listed = bench.tasks.list().remove(0).command;
    for text in [listed, looked, bench.tasks.recent_output(1).unwrap()] {
        assert!(!text.contains(KEY) && text.contains("[REDACTED:"), "{text}");
    }
    assert!(!bench.tasks.recent_output(1).unwrap().contains(tail));
}

#[tokio::test]
async fn a_flood_in_the_background_is_ended_at_the_limit() {
    let bench = Bench::new(Isolation::PidNamespace);
    bench.begin("seq 1000000000").await;
    let text = bench.look(json!({ "task": 1, "wait": EVER })).await.text;
    assert!(text.contains(": it printed more than 64 MiB.\n1\n2\n"), "{}", &text[..200]);
    assert!(text.contains(" lines] ...\n\n") && text.chars().count() < 30_300);
    assert_eq!(survivors(&bench.mark), NONE);
}

#[tokio::test]
async fn more_than_eight_at_once_or_none_at_all_are_told() {
    let bench = Bench::new(Isolation::PidNamespace);
    for task in 1..=8 {
        let begun = bench.begin("sleep 600").await;
        assert!(begun.text.starts_with(&format!("Task {task} runs")), "{}", begun.text);
    }
    let refused = bench.begin("sleep 600").await;
    assert_eq!(refused.status, CallStatus::Error);
    assert!(
        refused.text.contains("as many tasks run in the background as may"),
        "{}",
        refused.text
    );
    assert!(bench.look(json!({ "task": 4, "end": true })).await.text.contains("it was ended"));
    assert!(bench.begin("sleep 600").await.text.starts_with("Task 9 runs"));
    let unknown = bench.look(json!({ "task": 12 })).await;
    assert_eq!(unknown.status, CallStatus::Error);
    let list = "There is no task 12 in the background. There are: 1, 2, 3, 4, 5, 6, 7, 8, 9.";
    assert_eq!(unknown.text, list);
}

#[tokio::test]
async fn a_task_that_cannot_start_is_told_and_is_none() {
    let bench = Bench::with("/no/such/shell", Isolation::PidNamespace, &[]);
    let outcome = bench.begin("true").await;
    assert_eq!(outcome.text, "The command was not run: `/no/such/shell` does not exist");
    assert_eq!((outcome.status, bench.tasks.list().len()), (CallStatus::Error, 0));
    // An interrupt before it runs leaves none either.
    let bench = Bench::new(Isolation::PidNamespace);
    let cancel = Cancel::new();
    cancel.cancel();
    let arguments = json!({ "command": "sleep 600", "background": true });
    let outcome = run(&*bench.tool, arguments, &cancel).await;
    assert_eq!((outcome.status, bench.tasks.list().len()), (CallStatus::Interrupted, 0));
    assert!(wait_until(PATIENCE, || !bench.is_running()).await);
}

#[tokio::test]
async fn an_interrupt_ends_a_wait_and_not_the_task() {
    let bench = Bench::new(Isolation::PidNamespace);
    bench.begin("sleep 600").await;
    let (cancel, tool) = (Cancel::new(), shell_task_tool(&bench.tasks));
    let wait = run(&*tool, json!({ "task": 1, "wait": EVER }), &cancel);
    let interrupt = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (look, ()) = tokio::join!(wait, interrupt);
    assert_eq!(look.status, CallStatus::Interrupted);
    // While the shell starts `sleep`, it bears no mark for a moment.
    assert!(wait_until(PATIENCE, || bench.is_running()).await);
    assert!(bench.tasks.list()[0].end.is_none());
}

#[test]
fn tasks_that_are_nobodys_are_none() {
    let tasks = Tasks::default();
    assert!(tasks.list().is_empty() && !tasks.end(1) && tasks.recent_output(1).is_none());
}
