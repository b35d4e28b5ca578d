//! Rules in a session: behind the result of the call that touched their file, behind the prompt that names them, once,
//! and in a system prompt that stays.

use std::fs;

use agent::knowledge::{Sources, load};
use agent::trust::Trust;
use agent::{Places, Workspace, file_tools};
use mock_model::{Reply, Script, Turn};
use redact::Redactor;
use serde_json::json;

use crate::stage::{ScriptedHost, Stage, turn};

/// XC-143, XC-151, design 9: nothing that comes later changes the prefix.
#[tokio::test]
async fn rules_come_when_their_time_comes_and_once() {
    let mut stage = Stage::new(Reply::Empty).await;
    let root = stage.folder.path().to_owned();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".x-code/knowledge.md", "A shop.");
    write(".x-code/rules/api.md", "---\npaths: ['src/api/**']\n---\nUse nouns.");
    write(".x-code/rules/deploy.md", "Ask first.");
    write("src/api/a.ts", "a\n");
    write("src/api/b.ts", "b\n");
    stage.tools = file_tools(&Workspace::open(&root, &[]).unwrap());
    let places = Places::new(root.join("home"), &root);
    let mut trust = Trust::look(&places);
    trust.assume();
    let redactor = Redactor::new();
    let (places, trust, redactor) = (&places, &trust, &redactor);
    stage.knowledge = load(Sources { places, trust, scanned: &[], previous: None, redactor });
    let read = |path: &str| Turn::call("readFile", &json!({ "filePath": path }));
    let script =
        |turns: [Turn; 3]| Script::sequence(turns.map(Reply::from), Reply::Text("Done.".into()));
    stage.mock.set_script(script([
        read("src/api/gone.ts"),
        read("src/api/a.ts").and_call("readFile", &json!({ "filePath": "src/api/b.ts" })),
        read("src/api/b.ts"),
    ]));
    let mut session = stage.session();
    let id = session.id();
    let host = ScriptedHost::default();
    turn(&mut session, "go as @deploy says", &host).await;
    drop(session);
    let mut session = stage.resumed(id);
    stage.mock.set_script(script([read("src/api/a.ts"), Turn::text("a"), Turn::text("b")]));
    turn(&mut session, "again @deploy", &host).await;

    let requests = stage.requests();
    let last = requests.last().unwrap();
    let with_rule: Vec<bool> =
        last.results().iter().map(|result| result.contains("Use nouns.")).collect();
    assert_eq!(with_rule.iter().filter(|has| **has).count(), 1, "{with_rule:?}");
    assert!(!with_rule[0], "a file that is not there is not touched");
    let body = last.json().to_string();
    assert_eq!(body.matches("[End of the rule deploy]").count(), 1);
    let system = |at: usize| requests[at].json()["messages"][0]["content"].to_string();
    assert!(system(0).contains("## Project Knowledge") && system(0).contains("A shop."));
    assert!(!system(0).contains("Use nouns.") && !system(0).contains("Ask first."));
    assert!((0..requests.len()).all(|at| system(at) == system(0)), "the prefix stays");
}
