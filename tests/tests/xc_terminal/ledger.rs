//! The project's ledger at the terminal. XC-188.

use mock_model::Turn;
use serde_json::{Value, json};

use crate::screen::Place;

const LEDGER: &str = ".claude/historian/cal.json";

/// Its risks are shown also where nothing was agreed to, as what came with the project and without control characters;
/// what the user decided is written after the yes alone, once.
#[tokio::test(flavor = "multi_thread")]
async fn risks_are_shown_and_decisions_are_kept_after_the_yes() {
    let question = json!({
        "question": "JWT or session?",
        "options": [
            { "label": "JWT", "description": "No state." },
            { "label": "Session", "description": "A store." }
        ]
    });
    let turns = || [Turn::call("askUser", &question), Turn::text("So be it.")];
    let [ask, done] = turns();
    let [ask_again, done_again] = turns();
    let place = Place::with_turns([ask, done, ask_again, done_again]).await;
    let planted = json!({"version": 1, "lastSeq": 2, "anchors": [
        {"id": "risk_2", "type": "RISK_HIGH", "content": "the back\u{1b}[2J door is open", "createdAt": 1}
    ]});
    place.write(LEDGER, &planted.to_string());
    let anchors = || -> Vec<String> {
        let ledger: Value = serde_json::from_str(&place.read(LEDGER)).unwrap();
        let anchors = ledger["anchors"].as_array().unwrap().iter();
        let line = |anchor: &Value| {
            let text = |key: &str| anchor[key].as_str().unwrap().to_owned();
            format!("{} {}", text("type"), text("content"))
        };
        anchors.map(line).collect()
    };
    let risk = "RISK_HIGH the back\u{1b}[2J door is open".to_owned();
    for (yes, expected) in
        [(false, vec![risk.clone()]), (true, vec![risk, "DECISION JWT or session? JWT".to_owned()])]
    {
        let mut screen = place.start(&[]);
        screen.wait(&["brings what would guide xc", "ledger: .claude/historian/cal.json"]);
        screen.typed(if yes { "3\r" } else { "\x1b[B\r" });
        let risk = "High risk: the back door is open (risk_2; came with the project";
        let loaded = if yes { "Agreed to: ledger" } else { "Not loaded" };
        screen.wait(&[risk, loaded, "Ask something"]);
        screen.say("which one?");
        screen.wait(&["JWT or session?", "No state."]);
        screen.typed("\r");
        screen.wait(&["So be it.", "Ask something"]);
        screen.typed("\x04");
        screen.ended();
        assert_eq!(anchors(), expected);
    }
}
