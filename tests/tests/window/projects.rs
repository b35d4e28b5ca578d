//! The court's page: what the real court's hook denied, shown by the real daemon, and let through or refused by the
//! approver's passphrase alone.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use supervise::{HelperCommand, run_helper_with_input};
use tests::harness::{Answer, Daemon, built, install, wait_until_some};
use tokio::time::timeout;

use crate::fixture::{Browser, LIMIT, builder, token};
use crate::stream::Stream;
use crate::terminal::{is_below_a_client, leading, on_terminal};

const PASSPHRASE: &str = "four words of mine";
/// The same as a form sends it.
const TYPED: &str = "four+words+of+mine";
const PUSH: &str = "git push --force origin main # `a` <b>\u{202e}";

/// A daemon with the court beside it, and a project in which a session of the client goes on.
struct Office {
    daemon: Daemon,
    project: PathBuf,
    /// What the court was called with by the daemon.
    calls: PathBuf,
}

impl Office {
    /// The court behind a script that writes down with what it was called.
    async fn new() -> Self {
        let builder = builder();
        let programs = builder.folder().work().join("programs");
        fs::create_dir_all(&programs).unwrap();
        let daemon = programs.join("codex-bridge");
        install(built("bridge-under-test").unwrap(), &daemon).unwrap();
        let calls = builder.folder().work().join("calls");
        let court = built("court-under-test").unwrap();
        let script = format!(
            "#!/bin/sh\n{{ env; printf 'called: %s\\n' \"$@\"; }} >> {}\nexec {} \"$@\"\n",
            calls.display(),
            court.display()
        );
        fs::write(programs.join("court"), script).unwrap();
        fs::set_permissions(programs.join("court"), fs::Permissions::from_mode(0o755)).unwrap();
        let project = builder.folder().home().join("shop");
        for folder in [".git/objects", ".git/refs"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        // As one that was started from the client's own shell has it.
        let builder = builder.installed(&daemon).env("CLAUDECODE", "1");
        let daemon = builder.start().await.unwrap();
        let office = Self { daemon, project, calls };
        office.hook(json!({"hook_event_name": "SessionStart", "source": "startup"}));
        office
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let folder = self.daemon.folder();
        let env = [
            ("HOME", OsString::from(folder.home())),
            ("PATH", "/usr/bin:/bin".into()),
            ("CODEX_BRIDGE_STATE_DIR", self.daemon.state().into()),
            ("CLAUDE_PROJECT_DIR", self.project.clone().into()),
        ];
        env.map(|(name, value)| (name.into(), value)).to_vec()
    }

    /// What the court answers to the client.
    fn hook(&self, mut call: Value) -> Value {
        call["session_id"] = json!("s1");
        call["cwd"] = json!(self.project);
        call["transcript_path"] = json!("/nowhere");
        call["permission_mode"] = json!("default");
        let hook = HelperCommand {
            program: built("court-under-test").unwrap(),
            args: vec!["hook".into()],
            env: self.environment(),
            current_dir: self.project.clone(),
            deadline: Instant::now() + LIMIT,
            stdout_max: 1 << 20,
        };
        let told = run_helper_with_input(&hook, call.to_string().as_bytes()).unwrap();
        assert!(told.is_success(), "{told:?}");
        serde_json::from_slice(&told.stdout).unwrap_or_default()
    }

    /// Whether the court lets a command of the model run.
    fn runs(&self, command: &str) -> bool {
        let answer = self.hook(json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1",
            "tool_input": {"command": command},
        }));
        answer["hookSpecificOutput"]["permissionDecision"] != "deny"
    }

    /// Makes the approver's key as a person does.
    fn make_key(&self) {
        let mut command = leading(built("court-under-test").unwrap());
        command.args(["approver", "init"]).current_dir(&self.project).env_clear();
        command.envs(self.environment());
        let answers = [("New passphrase", PASSPHRASE), ("once more", PASSPHRASE)];
        let said = on_terminal(command, &answers);
        assert_eq!(said.code, Some(0), "{}", said.text);
    }

    /// The path of the project's page.
    async fn place(&self, browser: &Browser) -> String {
        let list = browser.page("/window/projects").await;
        let link = list.split("href=\"").find(|link| link.starts_with("/window/projects/"));
        link.unwrap_or_else(|| panic!("{list}")).split('"').next().unwrap().to_owned()
    }
}

/// The value of a hidden field in the form that leads to `action`.
fn field(page: &str, action: &str, name: &str) -> String {
    let form = page.split("<form").find(|form| form.contains(&format!("action=\"{action}\"")));
    let form = form.unwrap_or_else(|| panic!("no form to {action} in {page}"));
    let value = form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
    value.split('"').next().unwrap().to_owned()
}

/// Sends the form as the page has it, but for the passphrase.
async fn decide(browser: &Browser, place: &str, id: &str, act: &str, typed: &str) -> Answer {
    let page = browser.page(place).await;
    let action = format!("{place}/requests/{id}");
    let (token, digest) = (token(&page, &action), field(&page, &action, "digest"));
    let fields = [("token", &*token), ("digest", &digest), ("passphrase", typed), ("act", act)];
    browser.post(&action, &fields).await
}

fn text(answer: &Answer) -> &str {
    answer.body.as_str().unwrap_or_default()
}

/// Every file below a folder that has this text.
fn having(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && fs::read(entry.path())
                    .unwrap()
                    .windows(text.len())
                    .any(|at| at == text.as_bytes())
            {
                found.push(entry.path());
            }
        }
    }
    found
}

#[tokio::test]
async fn a_call_is_let_through_by_the_passphrase_and_by_nothing_else() {
    if is_below_a_client() {
        return;
    }
    let office = Office::new().await;
    assert!(!office.runs(PUSH));
    let browser = Browser::signed_in(&office.daemon).await;
    let place = office.place(&browser).await;
    let action = format!("{place}/requests/R1");

    let page = browser.page(&place).await;
    assert!(page.contains("# `a` &#60;b&#62;"), "every character of the call counts: {page}");
    assert!(page.contains("U+202E") && !page.contains('\u{202e}'), "{page}");
    assert!(page.contains("Level L2"), "as `court explain` says it: {page}");
    assert!(
        page.contains("court approver init") && !page.contains("name=\"passphrase\""),
        "{page}"
    );

    office.make_key();
    let page = browser.page(&place).await;
    let (form, digest) = (token(&page, &action), field(&page, &action, "digest"));
    let wrong = "0".repeat(64);
    for (fields, status) in [
        // A form of nobody, one for another path, one without an act, another call than the one that was shown.
        (vec![("digest", &*digest), ("passphrase", TYPED), ("act", "approve")], 403),
        (vec![("token", "x"), ("digest", &digest), ("passphrase", TYPED), ("act", "approve")], 403),
        (vec![("token", &form), ("digest", &digest), ("passphrase", TYPED)], 422),
        (
            vec![("token", &form), ("digest", &wrong), ("passphrase", TYPED), ("act", "approve")],
            403,
        ),
        (vec![("token", &form), ("digest", "x"), ("passphrase", TYPED), ("act", "approve")], 404),
        (vec![("token", &form), ("digest", &digest), ("passphrase", ""), ("act", "approve")], 403),
    ] {
        let answer = browser.post(&action, &fields).await;
        assert_eq!(answer.status, status, "{fields:?}: {:#}", answer.body);
        assert!(!office.runs(PUSH), "{fields:?}");
    }
    let answer = decide(&browser, &place, "R1", "approve", "a+wrong+passphrase").await;
    assert_eq!(answer.status, 403);
    assert!(text(&answer).contains("the passphrase is wrong; 4 more"), "{}", text(&answer));
    assert!(!office.runs(PUSH));

    let answer = decide(&browser, &place, "R1", "approve", TYPED).await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(&*place)),
        "{:#}",
        answer.body
    );
    assert!(browser.page(&place).await.contains("May run once until"));
    assert!(office.runs(PUSH), "once");
    assert!(!office.runs(PUSH), "and not again");

    // The same form again: the call waits under another number now, and this one is gone.
    let fields =
        [("token", &*form), ("digest", &digest), ("passphrase", TYPED), ("act", "approve")];
    let answer = browser.post(&action, &fields).await;
    assert_eq!(answer.status, 403, "{:#}", answer.body);
    assert!(!office.runs(PUSH));

    let calls = fs::read_to_string(&office.calls).unwrap();
    assert!(calls.contains("called: approve"), "{calls}");
    for secret in [PASSPHRASE, "CLAUDECODE", "a wrong passphrase"] {
        assert!(!calls.contains(secret), "{secret}: {calls}");
    }
    for secret in [PASSPHRASE, TYPED, "wrong passphrase", "wrong+passphrase"] {
        assert!(!office.daemon.log().contains(secret), "{secret}: {}", office.daemon.log());
        assert_eq!(having(&office.daemon.state(), secret), Vec::<PathBuf>::new(), "{secret}");
    }
    let home = having(&office.daemon.folder().home(), PASSPHRASE);
    assert_eq!(home, Vec::<PathBuf>::new());
}

#[tokio::test]
async fn guessing_locks_and_a_refused_call_is_not_asked_for_again() {
    if is_below_a_client() {
        return;
    }
    let office = Office::new().await;
    office.make_key();
    assert!(!office.runs(PUSH));
    let browser = Browser::signed_in(&office.daemon).await;
    let place = office.place(&browser).await;
    let answer = decide(&browser, &place, "R1", "refuse", TYPED).await;
    assert_eq!(answer.status, 303, "{:#}", answer.body);
    assert!(!office.runs(PUSH));
    let page = browser.page(&place).await;
    assert!(page.contains("Nothing is waiting") && page.contains("the user refused R1"), "{page}");

    assert!(!office.runs("git push --force origin next"));
    for left in (0..5).rev() {
        let answer = decide(&browser, &place, "R2", "approve", "a+wrong+passphrase").await;
        assert_eq!(answer.status, 403, "{left}: {}", text(&answer));
    }
    let answer = decide(&browser, &place, "R2", "approve", TYPED).await;
    assert_eq!(answer.status, 403);
    assert!(text(&answer).contains("too many wrong passphrases"), "{}", text(&answer));
    assert!(!office.runs("git push --force origin next"));
    let ledger = fs::read_to_string(office.project.join(".claude/historian/cal.json")).unwrap();
    assert_eq!(ledger.matches("no passphrase opened the key for R2").count(), 6, "{ledger}");
}

/// What the first page says of what waits; nothing where it says nothing.
async fn waits_line(browser: &Browser, lang: &str) -> String {
    let page = browser.page(&format!("/?lang={lang}")).await;
    let line = page.split_once("<p id=\"waits\"").unwrap_or_else(|| panic!("{page}")).1;
    line.split_once('>').unwrap().1.split_once("</p>").unwrap().0.to_owned()
}

#[tokio::test]
async fn every_page_says_what_waits_and_an_open_one_hears_of_it() {
    if is_below_a_client() {
        return;
    }
    let office = Office::new().await;
    office.make_key();
    let browser = Browser::signed_in(&office.daemon).await;
    assert_eq!(waits_line(&browser, "en").await, "");
    let mut stream = Stream::open(&browser).await;
    let before = stream.next().await.unwrap()["version"].clone();

    assert!(!office.runs(PUSH));
    // By the stream alone: no page is asked for meanwhile.
    let told = stream.until(|event| event["version"] != before);
    timeout(LIMIT, told).await.expect("an open page is not told");
    let place = office.place(&browser).await;
    let link = format!("<a href=\"{place}\">");
    let line = waits_line(&browser, "en").await;
    assert!(
        line.contains("1 request is waiting for your decision in") && line.contains(&link),
        "{line}"
    );
    let line = waits_line(&browser, "zh").await;
    assert!(line.contains("1 个请求等待你决定") && line.contains(&link), "{line}");
    for path in ["/window/runs", "/window/usage", "/window/context", "/window/health"] {
        assert!(browser.page(path).await.contains(&link), "{path}");
    }

    let answer = decide(&browser, &place, "R1", "refuse", TYPED).await;
    assert_eq!(answer.status, 303, "{:#}", answer.body);
    let gone = wait_until_some(LIMIT, async || {
        (waits_line(&browser, "en").await.is_empty()).then_some(())
    });
    assert!(gone.await.is_some(), "what was decided still waits");
}

#[tokio::test]
async fn whoever_may_not_see_projects_sees_and_decides_nothing() {
    let office = Office::new().await;
    assert!(!office.runs(PUSH));
    let user = Browser::signed_in(&office.daemon).await;
    let place = office.place(&user).await;
    let advisor = Browser::signed_in_by(&office.daemon, office.daemon.client()).await;
    for path in ["/", "/window/projects", &place] {
        let page = advisor.page(path).await;
        assert!(!page.contains("shop") && !page.contains("--force"), "{path}: {page}");
        assert!(!page.contains("waits for your decision"), "{path}: {page}");
    }
    for key in ["x", "..%2f..", &"0".repeat(32), &"0".repeat(31)] {
        assert_eq!(user.get(&format!("/window/projects/{key}")).await.status, 404, "{key}");
    }
    // A name that is a path of its own, and a project that is gone.
    fs::rename(&office.project, office.project.with_extension("old")).unwrap();
    assert_eq!(user.get(&place).await.status, 404);
    assert!(user.page("/window/projects").await.contains("None yet"));
}

#[tokio::test]
async fn without_a_court_the_page_says_so() {
    let builder = builder();
    let programs = builder.folder().work().join("programs");
    fs::create_dir_all(&programs).unwrap();
    install(built("bridge-under-test").unwrap(), &programs.join("codex-bridge")).unwrap();
    let daemon = builder.installed(&programs.join("codex-bridge")).start().await.unwrap();
    let page = Browser::signed_in(&daemon).await.page("/window/projects").await;
    assert!(page.contains("could not be run") && page.contains("install it beside"), "{page}");
    // One of another version, and one that never ends.
    for (script, why) in [
        ("#!/bin/sh\necho '{}'\n", "another version"),
        ("#!/bin/sh\nexec sleep 600\n", "did not answer within 2 s"),
        ("#!/bin/sh\nexec cat /dev/zero\n", "says too much"),
    ] {
        let court = programs.join("court");
        fs::write(&court, script).unwrap();
        fs::set_permissions(&court, fs::Permissions::from_mode(0o755)).unwrap();
        let page = Browser::signed_in(&daemon).await.page("/window/projects").await;
        assert!(page.contains(why), "{why}: {page}");
    }
}
