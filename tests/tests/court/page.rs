//! Approving in the browser, in the real client: a call of the model that the court holds, decided over the form of
//! the daemon's page between two calls of the model.

use std::fs;
use std::path::Path;

use tests::harness::{Daemon, DaemonBuilder, WindowHost, WindowSession, built, install};
use tests::messages_api::{MessagesApi, Script};

use crate::fixture::{Court, bash, ended_well, of_main, then_stop};
use crate::terminal::{leading, on_terminal};

const PUSH: &str = "git push --force origin HEAD:main";
const PASSPHRASE: &str = "four words of mine";
/// The same as a form sends it.
const TYPED: &str = "four+words+of+mine";

/// A project with a remote, under the court of a user whose daemon shows it.
struct Office {
    court: Court,
    daemon: Daemon,
}

impl Office {
    /// `None` where there is no client, no git or no terminal of a person.
    async fn new() -> Option<Self> {
        let court = Court::of_a_person()?;
        court.git(&["init", "-q", "--bare", "../origin.git"])?;
        court.git(&["remote", "add", "origin", "../origin.git"])?;
        court.git(&["push", "-q", "origin", "HEAD:main"])?;
        court.git(&["commit", "-q", "--amend", "-m", "begin anew"])?;

        let programs = court.root().join("installed");
        fs::create_dir_all(&programs).unwrap();
        for (name, program) in
            [("codex-bridge", "bridge-under-test"), ("court", "court-under-test")]
        {
            install(built(program).unwrap(), &programs.join(name)).unwrap();
        }
        let home = court.root().join("claude-home");
        fs::create_dir_all(&home).unwrap();
        let daemon = DaemonBuilder::new().unwrap().codex(&built("fake-codex").unwrap());
        let daemon = daemon.installed(&programs.join("codex-bridge"));
        let daemon = daemon.env("HOME", &home).env("CLAUDE_CONFIG_DIR", home.join(".claude"));
        let office = Self { court, daemon: daemon.start().await.unwrap() };

        let mut command = leading(programs.join("court"));
        command.args(["approver", "init"]).current_dir(office.court.project()).env_clear();
        command.env("HOME", &home).env("PATH", "/usr/bin:/bin");
        command.env("CODEX_BRIDGE_STATE_DIR", office.daemon.state());
        let answers = [("New passphrase", PASSPHRASE), ("once more", PASSPHRASE)];
        let said = on_terminal(command, &answers);
        assert_eq!(said.code, Some(0), "{}", said.text);
        Some(office)
    }

    fn remote_head(&self) -> String {
        self.court.git(&["ls-remote", "origin", "main"]).unwrap()
    }

    /// The model pushes, is held, the user does `act` on the page, and the model pushes again. What the model was
    /// told of both.
    async fn push_twice(&self, act: &'static str) -> [String; 2] {
        let session = WindowSession::open(self.daemon.orchestrator(), WindowHost::Name).await;
        let session = session.unwrap();
        let runtime = tokio::runtime::Handle::current();
        let script = Script::new().main(|_| bash(PUSH)).main(move |_| {
            tokio::task::block_in_place(|| runtime.block_on(decide(&session, act)));
            bash(PUSH)
        });
        let api = MessagesApi::start(then_stop(script)).await.unwrap();
        let client = self.court.client(&api).env("CODEX_BRIDGE_STATE_DIR", self.daemon.state());
        ended_well(&client.prompt("publish it").await.unwrap());
        // The end of the turn may be held once.
        let [_, held, after, ..] = &of_main(&api)[..] else { panic!("{:#?}", of_main(&api)) };
        [held.last_result(), after.last_result()]
    }
}

/// Follows the line of the first page to what waits, and decides it with the passphrase.
async fn decide(session: &WindowSession, act: &str) {
    let first = page(session, "/").await;
    assert!(first.contains("1 request is waiting for your decision"), "{first}");
    let place = between(&first, "href=\"/window/projects/", "\"");
    let place = format!("/window/projects/{place}");
    let shown = page(session, &place).await;
    assert!(shown.contains(PUSH), "the whole call: {shown}");
    let action = format!("{place}/requests/R1");
    let form = between(&shown, &format!("action=\"{action}\""), "</form>");
    let value = |name: &str| between(form, &format!("name=\"{name}\" value=\""), "\"");
    let (token, digest) = (value("token"), value("digest"));
    let fields = format!("token={token}&digest={digest}&passphrase={TYPED}&act={act}");
    let answer = session.post(&action, &fields).await.unwrap();
    assert_eq!((answer.status, answer.header("location")), (303, Some(&*place)), "{answer:#?}");
}

async fn page(session: &WindowSession, path: &str) -> String {
    let answer = session.get(path).await.unwrap();
    assert_eq!(answer.status, 200, "{path}: {:#}", answer.body);
    answer.body.as_str().unwrap().to_owned()
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}")).1;
    rest.split_once(after).unwrap().0
}

/// Whether the passphrase stands in a file below the folder.
fn holds_passphrase(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => holds_passphrase(&path),
        Ok(metadata) if metadata.is_file() => fs::read(&path).is_ok_and(|bytes| {
            bytes.windows(PASSPHRASE.len()).any(|part| part == PASSPHRASE.as_bytes())
        }),
        _ => false,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_the_user_approves_in_the_browser_runs() {
    let Some(office) = Office::new().await else { return };
    let before = office.remote_head();
    let [held, after] = office.push_twice("approve").await;
    assert!(held.starts_with("Court: level L2") && held.contains("R1"), "{held}");
    assert!(!after.contains("Court:"), "{after}");
    let head = office.court.git(&["rev-parse", "HEAD"]).unwrap();
    assert_ne!(office.remote_head(), before);
    assert!(office.remote_head().starts_with(head.trim()), "{}", office.remote_head());
    assert!(!holds_passphrase(office.court.root()) && !holds_passphrase(&office.daemon.state()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_the_user_refuses_in_the_browser_does_not_run() {
    let Some(office) = Office::new().await else { return };
    let before = office.remote_head();
    let [held, after] = office.push_twice("refuse").await;
    assert!(held.starts_with("Court: level L2"), "{held}");
    assert!(after.starts_with("Court:") && after.contains("refused"), "{after}");
    assert_eq!(office.remote_head(), before);
}
