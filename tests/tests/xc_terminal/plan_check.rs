//! The advisor's check of a plan, at the terminal. XC-140.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use mock_model::advice::advice;
use mock_model::question::Question;
use mock_model::{MockModel, Recorded, Reply, Script, Turn};
use serde_json::json;
use tests::harness::{DaemonBuilder, codex_bin};

use crate::screen::Place;

/// Writes the plan into the file that it is told, then asks for the review.
fn planning(request: &Recorded) -> Reply {
    if request.tools().is_empty() {
        return Reply::Text("{\"title\": \"A title\", \"summary\": \"In its words.\"}".into());
    }
    let texts = request.user_texts().join("\n");
    let path = texts.split("your plan to ").nth(1).and_then(|rest| rest.split(".md").next());
    let path = format!("{}.md", path.unwrap_or_default());
    Reply::Turn(match request.results().len() {
        0 => {
            let plan = "# The plan\n\nOne outbox.\n";
            Turn::call("writeFile", &json!({ "filePath": path, "content": plan }))
        }
        1 => Turn::call("exitPlanMode", &json!({})),
        _ => Turn::text("Carried out."),
    })
}

/// Advice that finds an assumption in what it is asked about.
fn doubting(request: &Recorded) -> Reply {
    let mut advice = advice(&Question::find(&request.user_texts()));
    advice["assumption_check"] = json!([{ "text": "One writer is enough.", "status": "risky", "comment": "Nobody has counted." }]);
    Reply::Text(advice.to_string())
}

/// Named so that the runner gives it the treatment of tests with the real Codex.
mod real_codex {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_advisors_check_stands_beside_the_plan() {
        let Some(codex) = codex_bin() else { return };
        let provider = MockModel::local(Script::choose(doubting)).await.unwrap();
        let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&provider);
        let daemon = builder.start().await.unwrap();
        let place = Place::with_turns([]).await;
        place.mock.set_script(Script::choose(planning));
        let place = place.with("CODEX_BRIDGE_STATE_DIR", daemon.folder().state());
        let settings = place.folder.home().join(".xcode");
        fs::create_dir_all(&settings).unwrap();
        fs::set_permissions(&settings, fs::Permissions::from_mode(0o700)).unwrap();
        let text = json!({"plan": {"advisor": true}}).to_string();
        fs::write(settings.join("config.json"), text).unwrap();
        let mut screen = place.start(&["--plan"]);
        let shown = screen.wait(&["plan mode", "Ask something"]);
        assert!(!shown.contains("advisor"), "{shown}");
        screen.say("plan the queue");
        screen.wait(&[
            "One outbox.",
            "The advisor on its assumptions:",
            "RISKY: One writer is enough. - Nobody has counted.",
            "Carry this plan out?",
        ]);
        screen.typed("\r");
        screen.wait(&["Carried out."]);
        assert_eq!(provider.request_count(), 1, "one call a plan");
        let asked = provider.requests()[0].json().to_string();
        assert!(asked.contains("One outbox.") && asked.contains("plan the queue"), "{asked}");
    }
}
