//! Who can approve in the real client: a person at a terminal of their own, and nothing that the client
//! starts, whether a hook was asked or not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::harness::built;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{Court, bash, ended_well, of_main, then_stop};
use crate::terminal::{Said, is_below_a_client, leading, on_terminal};

const LOSE: &str = "rm -rf docs";
const PASSPHRASE: &str = "four words of mine";

/// Ways of a model, as it would type them.
const WAYS: &[&str] = &[
    "court approve R1",
    "env -u CLAUDECODE court approve R1",
    "cp $(command -v court) ./x; env -u CLAUDECODE ./x approve R1",
    "env -u CLAUDECODE script -qec 'court approve R1' /dev/null",
    "env -u CLAUDECODE python3 -c 'import pty; pty.spawn([\"court\", \"approve\", \"R1\"])'",
    "env -u CLAUDECODE setsid -w script -qec 'court approve R1' /dev/null",
    "mkfifo left; env -i HOME=$HOME PATH=$PATH setsid -f sh -c 'script -qec \"court approve R1\" /dev/null; \
     echo > left'; cat left",
];

/// The user of the client.
struct Person {
    court: PathBuf,
    home: PathBuf,
    project: PathBuf,
}

impl Person {
    fn of(court: &Court) -> Self {
        Self {
            court: built("court-under-test").unwrap(),
            home: court.root().join("claude-home"),
            project: court.project().to_owned(),
        }
    }

    fn court(&self, args: &[&str], answers: &[(&str, &str)]) -> Said {
        let mut command = leading(&self.court);
        command.args(args).current_dir(&self.project).env_clear();
        command.env("HOME", &self.home).env("PATH", "/usr/bin:/bin");
        on_terminal(command, answers)
    }

    /// The approvals that are there.
    fn approvals(&self) -> Vec<Value> {
        let said = self.court(&["approve", "--json"], &[]);
        assert_eq!(said.code, Some(0), "{}", said.text);
        let listed: Value = serde_json::from_str(&said.text).unwrap();
        assert!(!listed["requests"].as_array().unwrap().is_empty(), "{listed:#}");
        listed["approvals"].as_array().unwrap().clone()
    }
}

fn with_work(court: &Court) {
    fs::create_dir_all(court.project().join("docs")).unwrap();
    fs::write(court.project().join("docs/work.md"), "work\n").unwrap();
}

/// A search path on which the court is called `court`.
fn search_path(court: &Court) -> String {
    let programs = court.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    symlink(built("court-under-test").unwrap(), programs.join("court")).unwrap();
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())
}

fn exists(project: &Path) -> bool {
    project.join("docs/work.md").exists()
}

#[tokio::test]
async fn no_way_of_the_models_approves_and_a_person_with_the_passphrase_does() {
    let Some(court) = Court::new() else { return };
    if is_below_a_client() {
        return;
    }
    with_work(&court);
    fs::create_dir_all(court.root().join("claude-home")).unwrap();
    let person = Person::of(&court);
    let answers = [("New passphrase", PASSPHRASE), ("once more", PASSPHRASE)];
    let made = person.court(&["approver", "init"], &answers);
    assert_eq!(made.code, Some(0), "{}", made.text);

    let mut script = Script::new().main(|_| bash(LOSE));
    for &way in WAYS {
        script = script.main(move |_| bash(way));
    }
    let in_background = json!({"command": WAYS[3], "description": "d", "run_in_background": true});
    script = script.main(move |_| Reply::tool("Bash", in_background.clone())).main(|_| bash(LOSE));
    // Between two calls of the model the user goes to a terminal.
    script = script.main(move |_| {
        let said = person.court(&["approve", "R1"], &[("passphrase", PASSPHRASE)]);
        assert_eq!(said.code, Some(0), "{}", said.text);
        bash(LOSE)
    });
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    let client = court.client(&api).env("PATH", search_path(&court));
    ended_well(&client.prompt("clean up").await.unwrap());

    let requests = of_main(&api);
    for (at, way) in WAYS.iter().enumerate() {
        let result = requests[at + 2].last_result();
        assert!(result.starts_with("Court:"), "the hook itself refuses {way}: {result}");
    }
    let again = requests[WAYS.len() + 3].last_result();
    assert!(again.starts_with("Court: level L2"), "{again}");
    assert!(!exists(court.project()), "the person's approval let it run");
}

#[tokio::test]
async fn what_the_client_starts_is_no_person_even_where_no_hook_was_asked() {
    let Some(court) = Court::new() else { return };
    if is_below_a_client() {
        return;
    }
    with_work(&court);
    let api = MessagesApi::start(then_stop(Script::new().main(|_| bash(LOSE)))).await.unwrap();
    let path = search_path(&court);
    let client = court.client(&api).env("PATH", &path);
    ended_well(&client.prompt("clean up").await.unwrap());
    let person = Person::of(&court);
    assert_eq!(person.approvals(), Vec::<Value>::new());

    let mut script = Script::new();
    for &way in WAYS {
        script = script.main(move |_| bash(way));
    }
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.unwatched(&api).env("PATH", &path).prompt("approve it").await.unwrap());
    let requests = of_main(&api);
    assert_eq!(requests.len(), WAYS.len() + 1);
    // They ran: nothing but the program itself refused them.
    let first = requests[1].last_result();
    assert!(first.contains("this is for the user at a terminal"), "{first}");
    let last = requests[WAYS.len()].last_result();
    assert!(last.contains("has lost its parent"), "{last}");
    assert_eq!(person.approvals(), Vec::<Value>::new());
    assert!(exists(court.project()));

    // The same request, from a terminal that is not the client's.
    let said = person.court(&["approve", "R1"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert_eq!(person.approvals().len(), 1);
}
