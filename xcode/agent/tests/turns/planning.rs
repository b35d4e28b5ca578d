//! Plan mode in a session: how it begins, what the model is told, what is denied meanwhile, how it ends, and what a
//! session that goes on knows of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use ::host::Environment;
use agent::{Advisor, Answer, PlanCheck, Review, Session, Workspace, file_tools, plan_tools};
use contract::xc::{EndReason, PermitMode};
use llm::Cancel;
use mock_model::{Recorded, Reply, Script, Turn};
use serde_json::{Value, json};

use crate::stage::{ScriptedHost, Stage, turn};

/// The first line of the seed's words.
const OVERLAY: &str = "Plan mode is active. You MUST NOT make any edits to project code";

/// A stage with the file tools, those of plan mode, and a command.
async fn stage() -> Stage {
    let mut stage = Stage::new(Reply::Empty).await;
    let workspace = Workspace::open(stage.folder.path(), &[]).expect("the folder is there");
    stage.tools.extend(file_tools(&workspace));
    stage.tools.extend(plan_tools());
    stage
}

fn script<const N: usize>(stage: &Stage, turns: [Turn; N]) {
    let turns = turns.map(Reply::from);
    stage.mock.set_script(Script::sequence(turns, Reply::Text("Done.".into())));
}

fn empty() -> Value {
    json!({})
}

fn write(path: &str, content: &str) -> Turn {
    Turn::call("writeFile", &json!({ "filePath": path, "content": content }))
}

fn plan_of(session: &Session) -> String {
    session.plan().expect("plan mode is on").display().to_string()
}

/// What the user's messages say, in order.
fn prompts(request: &Recorded) -> Vec<String> {
    let body = request.json();
    let messages = body["messages"].as_array().expect("a list").iter();
    let of_user = messages.filter(|message| message["role"] == "user");
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().expect("a text").to_owned(),
    };
    of_user.map(text).collect()
}

fn states(host: &ScriptedHost) -> Vec<String> {
    host.of("plan").iter().map(|plan| plan["state"].as_str().expect("a word").to_owned()).collect()
}

fn root(stage: &Stage) -> PathBuf {
    stage.folder.path().canonicalize().expect("it is there")
}

/// XC-135, XC-136, XC-137: by the user, with the overlay, to the approval.
#[tokio::test]
async fn a_plan_is_written_approved_and_carried_out() {
    let stage = stage().await;
    let mut session = stage.session();
    let host = ScriptedHost::reviewing([Review::Reject(Some("shorter".into())), Review::Approve]);
    session.enter_plan(&host);
    session.enter_plan(&host);
    assert_eq!(session.mode(), PermitMode::Plan);
    let plan = plan_of(&session);
    script(
        &stage,
        [
            Turn::call("exitPlanMode", &empty()),
            write("src.txt", "changed").and_call("change", &json!({ "text": "touch x" })),
            write(&plan, "# Long"),
            Turn::call("exitPlanMode", &empty()),
            write(&plan, "# Short"),
            Turn::call("exitPlanMode", &empty()),
            write("src.txt", "changed"),
        ],
    );
    let end = turn(&mut session, "build it", &host).await;
    assert_eq!((end.reason, end.answer.as_str()), (EndReason::Answered, "Done."));
    assert_eq!(end.changed, [plan.clone(), "src.txt".to_owned()]);
    assert_eq!(session.plan(), None);
    assert_eq!(session.mode(), PermitMode::Trust);
    assert_eq!(states(&host), ["entered", "proposed", "rejected", "proposed", "approved", "left"]);
    let reviewed: Vec<_> = host.reviewed().into_iter().map(|plan| (plan.path, plan.text)).collect();
    assert_eq!(
        reviewed,
        [(plan.clone(), "# Long".to_owned()), (plan.clone(), "# Short".to_owned())]
    );

    let requests = stage.requests();
    assert!(prompts(&requests[0]).last().unwrap().contains(OVERLAY), "{:?}", prompts(&requests[0]));
    let results = requests.last().unwrap().results();
    assert!(results[0].starts_with(&format!("There is no plan in {plan}.")), "{}", results[0]);
    for denied in &results[1..3] {
        assert!(denied.starts_with("Permission denied by user. Plan mode is active."), "{denied}");
    }
    assert!(results[4].contains("did not approve") && results[4].contains("shorter"));
    assert!(results[6].starts_with(&format!("The user approved the plan in {plan}.")));
    // With the last result of each step, and no longer once it is over.
    let with_overlay: Vec<bool> = results.iter().map(|result| result.contains(OVERLAY)).collect();
    assert_eq!(with_overlay, [true, false, true, true, true, true, false, false]);
    assert!(prompts(&requests[0]).last().unwrap().contains(&format!("your plan to {plan}.")));
    // The system prompt is the same all the time.
    let systems: Vec<Value> =
        requests.iter().map(|request| request.json()["messages"][0].clone()).collect();
    assert!(systems.windows(2).all(|pair| pair[0] == pair[1]));
}

/// XC-135: by the model, with the user's consent only.
#[tokio::test]
async fn the_model_enters_it_only_if_the_user_agrees() {
    for (answer, entered) in [
        (Answer::Once, true),
        (Answer::Session, true),
        (Answer::No(None), false),
        (Answer::No(Some("just do it".into())), false),
    ] {
        let stage = stage().await;
        let mut session = stage.session();
        let host = ScriptedHost::answering([answer.clone()]);
        script(&stage, [Turn::call("enterPlanMode", &empty()), write("a.txt", "a")]);
        let end = turn(&mut session, "build it", &host).await;
        assert_eq!(end.reason, EndReason::Answered);
        let asked = host.asked();
        assert_eq!((asked.len(), &*asked[0].tool), (1, "enterPlanMode"));
        assert!(!asked[0].is_grantable);
        assert_eq!(session.plan().is_some(), entered, "{answer:?}");
        assert_eq!(stage.folder.path().join("a.txt").exists(), !entered);
        let results = stage.requests().last().unwrap().results();
        match answer {
            Answer::No(Some(words)) => assert!(results[0].contains(&words), "{}", results[0]),
            Answer::No(None) => assert!(results[0].contains("does not want plan mode")),
            _ => assert!(results[0].contains(OVERLAY), "{}", results[0]),
        }
    }
}

/// XC-137 without a user: the plan is the answer, and the mode stays.
#[tokio::test]
async fn with_nobody_to_review_it_the_plan_is_the_answer() {
    let stage = stage().await;
    let mut session = stage.session();
    let host = ScriptedHost::default();
    session.enter_plan(&host);
    let plan = plan_of(&session);
    let exit = Turn::call("exitPlanMode", &empty()).and_call("look", &json!({ "text": "later" }));
    script(&stage, [write(&plan, "# Plan\n1. 改\n"), exit]);
    let end = turn(&mut session, "build it", &host).await;
    assert_eq!(
        (end.reason, end.exit, end.answer.as_str()),
        (EndReason::Answered, 0, "# Plan\n1. 改")
    );
    assert!(session.plan().is_some());
    assert_eq!(states(&host), ["entered", "proposed"]);
    let statuses: Vec<Value> =
        host.of("result").iter().map(|result| result["status"].clone()).collect();
    assert_eq!(statuses, ["ok", "ok", "error"], "what stands behind it is not run");
}

/// The end is a message, and a session that goes on is as it was.
#[tokio::test]
async fn the_end_is_told_and_the_mode_is_kept_over_a_resume() {
    let stage = stage().await;
    let host = ScriptedHost::default();
    let mut session = stage.session();
    let id = session.id();
    session.enter_plan(&host);
    let plan = plan_of(&session);
    script(&stage, [Turn::text("I look.")]);
    turn(&mut session, "build it", &host).await;
    drop(session);

    let mut session = stage.resumed(id);
    assert_eq!((plan_of(&session), session.mode()), (plan, PermitMode::Plan));
    script(&stage, [write("a.txt", "a")]);
    turn(&mut session, "go on", &host).await;
    assert!(!stage.folder.path().join("a.txt").exists());
    session.leave_plan(&host);
    session.leave_plan(&host);
    assert_eq!(session.mode(), PermitMode::Trust);
    script(&stage, [write("a.txt", "a")]);
    turn(&mut session, "now do it", &host).await;
    assert!(stage.folder.path().join("a.txt").exists());
    let prompts = prompts(stage.requests().last().unwrap());
    let last = prompts.last().unwrap();
    assert!(last.starts_with("now do it\n\nPlan mode is over"), "{last}");
    drop(session);

    let session = stage.resumed(id);
    assert_eq!((session.plan(), session.mode()), (None, PermitMode::Trust));
}

/// D-2: nothing but the plan's own file is written, by any tool or path.
#[tokio::test]
async fn nothing_but_the_plan_is_written_by_any_path() {
    let stage = stage().await;
    let root = root(&stage);
    let outside = tempfile::tempdir().unwrap();
    fs::write(root.join("README.md"), "mine").unwrap();
    fs::create_dir_all(root.join(".x-code/plans")).unwrap();
    fs::write(root.join(".x-code/plans/older.md"), "mine").unwrap();
    let mut session = stage.session();
    let host = ScriptedHost::default();
    session.enter_plan(&host);
    let plan = plan_of(&session);
    let name = plan.rsplit('/').next().unwrap();
    // Links that a repository may bring: to a file, to nothing, and a folder.
    symlink("../../README.md", root.join(".x-code/plans/link.md")).unwrap();
    symlink(outside.path().join("new.md"), root.join(".x-code/plans/new.md")).unwrap();
    symlink(outside.path(), root.join(".x-code/plans/out")).unwrap();
    let paths = [
        "README.md".to_owned(),
        ".x-code/plans/link.md".to_owned(),
        ".x-code/plans/new.md".to_owned(),
        format!(".x-code/plans/out/{name}"),
        ".x-code/plans/older.md".to_owned(),
        ".x-code/plans/other.md".to_owned(),
        ".x-code/plans".to_owned(),
        format!(".x-code/plans/../{name}"),
        ".x-code/plans/../rules/always.md".to_owned(),
        format!(".X-code/Plans/{name}"),
        format!(".x-code/plans/{}", name.to_uppercase()),
        format!(".x-code/plans/{name}.sh"),
        format!(".x-code/plans/deeper/{name}"),
        format!("{plan}/below.md"),
        format!("{plan} "),
        ".x-code/knowledge.md".to_owned(),
        ".x-code/config.json".to_owned(),
        format!("{}/{name}", outside.path().display()),
    ];
    let calls = paths.iter().fold(Turn::empty(), |calls, path| {
        calls.and_call("writeFile", &json!({ "filePath": path, "content": "theirs" }))
    });
    script(&stage, [calls, write(&format!("src/../{plan}"), "# Plan")]);
    let end = session.turn("go", &host, &Cancel::new()).await;
    let results = stage.requests().last().unwrap().results();
    for (path, result) in paths.iter().zip(&results) {
        assert!(result.contains("Plan mode is active."), "{path}: {result}");
    }
    assert_eq!(end.denied.len(), paths.len());
    assert_eq!(end.changed, std::slice::from_ref(&plan));
    assert_eq!(fs::read_to_string(root.join(&plan)).unwrap(), "# Plan");
    for mine in ["README.md", ".x-code/plans/older.md"] {
        assert_eq!(fs::read_to_string(root.join(mine)).unwrap(), "mine");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// The plan's own place may be a link that a repository brought: it counts as where it leads.
#[tokio::test]
async fn a_folder_of_plans_that_leads_elsewhere_takes_no_plan() {
    let stage = stage().await;
    let root = root(&stage);
    fs::create_dir_all(root.join("src")).unwrap();
    fs::create_dir_all(root.join(".x-code")).unwrap();
    symlink("../src", root.join(".x-code/plans")).unwrap();
    let mut session = stage.session();
    let host = ScriptedHost::default();
    session.enter_plan(&host);
    let plan = plan_of(&session);
    script(&stage, [write(&plan, "theirs"), Turn::call("exitPlanMode", &empty())]);
    turn(&mut session, "go", &host).await;
    let results = stage.requests().last().unwrap().results();
    assert!(results[0].contains("Plan mode is active."), "{}", results[0]);
    assert!(results[1].contains("cannot be read"), "{}", results[1]);
    assert_eq!(fs::read_dir(root.join("src")).unwrap().count(), 0);
}

/// XC-140: opt-in, one call a plan; where the advisor does not answer, that is one line and the review goes on.
#[tokio::test]
async fn a_plan_is_reviewed_without_an_advisor_that_is_not_there() {
    let mut stage = stage().await;
    let nowhere = Environment::default().with("CODEX_BRIDGE_STATE_DIR", stage.folder.path());
    let redactor = redact::Redactor::new();
    stage.plan_advisor = Some(Advisor::new(nowhere, Duration::from_secs(30), redactor));
    let mut session = stage.session();
    let host = ScriptedHost::reviewing([Review::Reject(None), Review::Approve]);
    session.enter_plan(&host);
    let plan = plan_of(&session);
    let exit = || Turn::call("exitPlanMode", &empty());
    script(&stage, [write(&plan, "# Long"), exit(), write(&plan, "# Short"), exit()]);
    let end = turn(&mut session, "build it", &host).await;
    assert_eq!(end.reason, EndReason::Answered);
    let reviewed = host.reviewed();
    let [first, second] = reviewed.as_slice() else { panic!("{reviewed:?}") };
    let Some(PlanCheck::Failed(why)) = &first.check else { panic!("{first:?}") };
    assert!(why.starts_with("[Limits] advisor: the bridge does not answer ("), "{why}");
    assert_eq!((second.text.as_str(), &second.check), ("# Short", &None));
}
