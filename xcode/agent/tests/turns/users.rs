//! What a user at the terminal does to a session: takes a part of a change, says something meanwhile, chooses
//! another model, has the session put into words.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;

use agent::{Answer, Ask, Choice, Host, Question, Workspace, file_tools};
use contract::xc::{PermitMode, What};
use futures_util::future::BoxFuture;
use llm::Cancel;
use mock_model::{Reply, Script, Turn};
use serde_json::json;

use crate::stage::{ScriptedHost, Stage, model, turn};

fn lines(changed: &[usize]) -> String {
    let line = |n| if changed.contains(&n) { format!("new {n}\n") } else { format!("{n}\n") };
    (1..=40).map(line).collect()
}

/// A stage with a file of forty lines and the tools for files, which asks.
async fn with_file(calls: Turn) -> Stage {
    let read = Turn::call("readFile", &json!({"filePath": "a.txt"}));
    let script = Script::sequence([read.into(), calls.into()], Reply::Text("Done.".into()));
    let mut stage = Stage::new(script).await;
    fs::write(stage.folder.path().join("a.txt"), lines(&[])).expect("it can be written");
    stage.tools = file_tools(&Workspace::open(stage.folder.path(), &[]).expect("a folder"));
    stage.mode = PermitMode::Ask;
    stage
}

/// XC-125.
#[tokio::test]
async fn the_hunks_that_the_user_takes_are_written_and_the_model_is_told_of_the_others() {
    for call in ["writeFile", "edit"] {
        let stage = with_file(match call {
            "edit" => Turn::call(
                "edit",
                &json!({"filePath": "a.txt", "oldString": lines(&[]), "newString": lines(&[3, 30])}),
            ),
            _ => Turn::call(call, &json!({"filePath": "a.txt", "content": lines(&[3, 30])})),
        })
        .await;
        let host = ScriptedHost::answering([Answer::Hunks(BTreeSet::from([1]))]);
        turn(&mut stage.session(), "change it", &host).await;
        let asked = host.asked();
        let change = asked[0].change.as_ref().expect("a change");
        assert_eq!((change.path.as_str(), change.hunks().len()), ("a.txt", 2), "{call}");
        assert_eq!(change.old.as_deref(), Some(&*lines(&[])));
        assert!(change.is_divisible);
        assert_eq!(fs::read_to_string(stage.folder.path().join("a.txt")).unwrap(), lines(&[30]));
        let results = stage.requests().last().unwrap().results();
        assert!(results[1].contains("Not applied: 1 (lines 1-6)"), "{call}: {}", results[1]);
    }
}

#[tokio::test]
async fn no_hunk_is_a_no_and_a_file_that_changed_meanwhile_stays() {
    for (hunks, expected) in
        [(BTreeSet::new(), "Permission denied by user."), (BTreeSet::from([0]), "changed since")]
    {
        let call = json!({"filePath": "a.txt", "content": lines(&[3, 30])});
        let stage = with_file(Turn::call("writeFile", &call)).await;
        let path = stage.folder.path().join("a.txt");
        let other = Answering {
            answer: Answer::Hunks(hunks),
            meanwhile: Box::new({
                let path = path.clone();
                move || fs::write(&path, "theirs\n").unwrap()
            }),
        };
        stage.session().turn("change it", &other, &Cancel::new()).await;
        assert_eq!(fs::read_to_string(path).unwrap(), "theirs\n");
        let results = stage.requests().last().unwrap().results();
        assert!(results[1].contains(expected), "{}", results[1]);
    }
}

/// Answers every question so, after it did something.
struct Answering {
    answer: Answer,
    meanwhile: Box<dyn Fn() + Send + Sync>,
}

impl Host for Answering {
    fn tell(&self, _: What) {}

    fn permit(&self, _: Ask) -> BoxFuture<'_, Answer> {
        (self.meanwhile)();
        Box::pin(async { self.answer.clone() })
    }
}

/// A secret in a change is not shown, and such a change is taken whole or not at all.
#[tokio::test]
async fn a_change_with_a_secret_is_masked_and_not_divisible() {
    let secret = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYplantedKEY\n";
    let call = json!({"filePath": "a.txt", "content": format!("{secret}{}", lines(&[30]))});
    let stage = with_file(Turn::call("writeFile", &call)).await;
    let host = ScriptedHost::answering([Answer::Hunks(BTreeSet::from([0]))]);
    turn(&mut stage.session(), "change it", &host).await;
    let asked = host.asked();
    let change = asked[0].change.as_ref().expect("a change");
    assert!(!change.is_divisible && !change.new.contains("planted"), "{change:?}");
    assert_eq!(fs::read_to_string(stage.folder.path().join("a.txt")).unwrap(), lines(&[]));
}

/// Gives texts once.
struct Steering(Mutex<Vec<String>>, ScriptedHost);

impl Host for Steering {
    fn tell(&self, what: What) {
        self.1.tell(what);
    }

    fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
        self.1.permit(ask)
    }

    fn choose(&self, question: Question) -> BoxFuture<'_, Choice> {
        self.1.choose(question)
    }

    fn steered(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic holds it"))
    }
}

/// XC-56.
#[tokio::test]
async fn what_the_user_says_meanwhile_stands_before_the_next_model_call() {
    let look = Turn::call("look", &json!({"text": "a"}));
    let script = Script::sequence([look.into()], Reply::Text("Done.".into()));
    let stage = Stage::new(script).await;
    let host = Steering(Mutex::new(vec!["and the tests".into()]), ScriptedHost::default());
    let mut session = stage.session();
    session.turn("mend it", &host, &Cancel::new()).await;
    let asked: Vec<_> = stage.requests().iter().map(|request| request.user_texts()).collect();
    assert_eq!(asked[0], ["mend it"]);
    assert_eq!(asked[1], ["mend it", "and the tests"]);
    assert!(stage.on_disk().contains("and the tests"));
    let id = session.id();
    drop(session);
    // A session that goes on has it in the same place.
    turn(&mut stage.resumed(id), "go on", &host.1).await;
    let texts = stage.requests().last().unwrap().user_texts();
    assert_eq!(texts, ["mend it", "and the tests", "go on"]);
}

/// XC-28.
#[tokio::test]
async fn another_model_goes_on_with_the_conversation() {
    let stage = Stage::new(Script::always(Reply::Text("Done.".into()))).await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    turn(&mut session, "one", &host).await;
    let key = "sk-another-planted-0102030405".to_owned();
    let other = model(&stage.mock, "anthropic:claude-sonnet-4-5", "", None);
    session.set_model(other, Vec::new(), vec![key.clone()], &host);
    turn(&mut session, &format!("two {key}"), &host).await;
    assert_eq!(session.model(), "anthropic:claude-sonnet-4-5");
    let texts = stage.requests().last().unwrap().user_texts();
    assert_eq!(texts.len(), 2);
    assert!(!texts[1].contains("planted"), "{texts:?}");
    assert_eq!(host.of("model")[0]["to"], "anthropic:claude-sonnet-4-5");
    assert!(!stage.on_disk().contains("another-planted"));
}

/// XC-163, D-10.
#[tokio::test]
async fn the_summary_at_the_end_is_in_the_words_of_the_model() {
    let words = json!({"title": "Login", "summary": "Login works.", "pendingWork": ["refresh"]});
    let replies = [Reply::Text("Done.".into()), Reply::Text(words.to_string())];
    let stage = Stage::new(Script::sequence(replies, Reply::Empty)).await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    assert!(!session.summarise(&host, &Cancel::new()).await, "nothing was answered yet");
    turn(&mut session, "make a login", &host).await;
    assert!(session.summarise(&host, &Cancel::new()).await);
    drop(session);
    let places = stage.places();
    let open = agent::sessions::open_work(&places).expect("open work");
    assert_eq!((open.title.as_str(), open.pending_work), ("Login", vec!["refresh".to_owned()]));
    agent::sessions::abandon(&places, open.id).unwrap();
    assert_eq!(agent::sessions::open_work(&places), None);
}

/// The model does not answer: what code knows is kept, and an interrupt ends the wait.
#[tokio::test]
async fn a_summary_that_is_interrupted_leaves_the_one_of_code() {
    let replies = [Reply::Text("Done.".into()), Reply::Hang(mock_model::Hang::BeforeHeaders)];
    let stage = Stage::new(Script::sequence(replies, Reply::Empty)).await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    turn(&mut session, "make a login", &host).await;
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(!session.summarise(&host, &cancel).await);
    assert!(stage.on_disk().contains("1 prompt; 0 changed files"));
}
