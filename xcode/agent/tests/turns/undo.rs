//! The file changes of a turn are undone, and the model is told.

use agent::{UndoWay, Workspace, file_tools};
use mock_model::{Reply, Script, Turn};
use serde_json::json;

use crate::stage::{ScriptedHost, Stage, turn};

#[tokio::test]
async fn a_turn_is_taken_back_and_the_model_hears_of_it() {
    let write = |text: &str| {
        let arguments = json!({"filePath": "new/a.txt", "content": text});
        Reply::Turn(Turn::call("writeFile", &arguments))
    };
    let script = Script::sequence([write("made")], Reply::Text("Done.".into()));
    let mut stage = Stage::new(script).await;
    stage.keeps = true;
    let workspace = Workspace::open(stage.folder.path(), &[]).expect("the folder is there");
    stage.tools = file_tools(&workspace);
    let host = ScriptedHost::default();
    let mut session = stage.session();
    assert!(session.undo_preview(UndoWay::Turn).await.expect("it can be looked at").is_none());
    turn(&mut session, "make it", &host).await;
    let file = workspace.root().join("new/a.txt");
    assert!(file.exists());
    let preview =
        session.undo_preview(UndoWay::Turn).await.expect("it can be looked at").expect("a change");
    assert_eq!(preview.removed, std::slice::from_ref(&file));
    assert!(file.exists(), "a preview changes nothing");
    assert_eq!(
        session.undo(UndoWay::Turn, &host).await.expect("it can be looked at"),
        Some(preview)
    );
    assert!(!file.exists() && !workspace.root().join("new").exists());
    turn(&mut session, "and now?", &host).await;
    let texts = stage.requests().last().expect("a request").user_texts();
    let last = texts.last().expect("a prompt");
    assert!(
        last.starts_with("and now?\n\n[The user took back") && last.contains("new/a.txt"),
        "{last}"
    );
    session.undo(UndoWay::Undo, &host).await.expect("it can be looked at").expect("a change");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "made");
    assert!(stage.on_disk().contains("\"kind\":\"undo\""));
}
