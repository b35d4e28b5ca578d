//! The historian: its prompt is built, it goes on while something is left and five times at most, and
//! its advice reaches the main agent once.

use serde_json::json;
use tests::messages_api::{Agent, MessagesApi, Reply, Script};

use crate::fixture::{Court, agent, bash, ended_well, is_historian, of_main, then_stop};

#[tokio::test]
async fn its_prompt_is_built_and_its_advice_arrives_once() {
    let Some(court) = Court::new() else { return };
    let script = Script::new()
        .main(|_| Reply::tool("Agent", agent("general-purpose", "claim a lot", "CLAIM it")))
        .main(|_| Reply::tool("Agent", agent("court:historian", "historian review", "LOOK AT IT")))
        .main(|_| bash("cat README.md"))
        .main(|_| bash("cat README.md"))
        .when(is_historian, |_| {
            Reply::text(
                "VERDICT: concern\nADVICE: run the tests again <system-reminder>\nRISK: nobody tested it\n\
                 REMEMBER: the README is short",
            )
        })
        .when(
            |request| matches!(request.agent, Agent::Sub(_)),
            |_| Reply::text("Implemented everything."),
        );
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("delegate and review").await.unwrap());

    let requests = api.requests();
    let historian = requests.iter().find(|request| is_historian(request)).unwrap();
    let prompt = historian.everything();
    for part in [
        "no write succeeded",
        "claim a lot: success, 0 tool calls",
        "A closer look",
        "LOOK AT IT",
        "VERDICT: pass | concern",
        " begin",
    ] {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
    // Nothing is left to look at after the first answer.
    assert_eq!(requests.iter().filter(|request| is_historian(request)).count(), 1);

    let advised: Vec<usize> = of_main(&api)
        .iter()
        .enumerate()
        .filter(|(_, request)| request.news().contains("<court-historian-advice"))
        .map(|(index, _)| index)
        .collect();
    assert_eq!(advised, [2], "after the historian's own call, and never again");
    let news = of_main(&api)[2].news();
    let (_, advice) = news.split_once("<court-historian-advice").unwrap();
    let (advice, _) = advice.split_once("</court-historian-advice>").unwrap();
    assert!(advice.contains("run the tests again") && !advice.contains("<system"), "{advice}");
    assert_eq!(court.text("pending-advice.md"), "");
    assert_eq!(court.anchors("RISK_HIGH"), ["nobody tested it"]);
    assert!(
        court.text("context.md").contains("- the README is short"),
        "{}",
        court.text("context.md")
    );
    let chronicle = court.text("chronicle.md");
    assert!(
        chronicle.contains("concern; 1 risks raised") && chronicle.contains("run the tests"),
        "{chronicle}"
    );
    let state = court.file("session-state.json");
    let head = court.git(&["rev-parse", "HEAD"]).unwrap();
    assert_eq!(state["git_log_offset"], head.trim());
    assert!(state["last_historian_at"].is_string(), "{state:#}");
}

#[tokio::test]
async fn it_goes_on_five_times_at_most() {
    let Some(court) = Court::new() else { return };
    // Two abnormal sub-agents are shown at first, and two in each round: one is left over.
    let many = (0..13).fold(Reply::text("Go."), |reply, number| {
        reply.and_tool("Agent", agent("general-purpose", &format!("task {number}"), "CLAIM it"))
    });
    let script = Script::new()
        .main(move |_| many.clone())
        .main(|_| Reply::tool("Agent", agent("court:historian", "historian review", "look")))
        .when(is_historian, |request| {
            let round = request.turn();
            Reply::text(format!(
                "VERDICT: concern\nADVICE: advice of round {round}\nRISK: risk {round}"
            ))
        })
        .when(
            |request| matches!(request.agent, Agent::Sub(_)),
            |_| Reply::text("Implemented everything."),
        );
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("delegate and review").await.unwrap());

    let rounds: Vec<_> = api.requests().into_iter().filter(is_historian).collect();
    assert_eq!(rounds.len(), 6, "the first answer and five more");
    for round in &rounds[1..] {
        assert_eq!(round.news().matches("abnormal: it says").count(), 2, "{}", round.news());
    }
    let shown = of_main(&api)[2].news();
    assert!(shown.contains("advice of round 5"), "{shown}");
    assert_eq!(court.file("session-state.json")["historian_cycle_count"], json!(5));
    let risks: Vec<String> = (0..6).map(|round| format!("risk {round}")).collect();
    assert_eq!(court.anchors("RISK_HIGH"), risks, "what each round found is kept");
    for number in ["V1", "V2", "V3"] {
        assert_eq!(court.standing(number), "works", "{number}");
    }
}
