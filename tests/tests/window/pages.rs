//! What each page shows of what was asked.

use reqwest::Method;
use serde_json::json;
use tests::harness::{Daemon, send};

use crate::fixture::{Browser, asked, builder, daemon, question, started, token};

/// The id of the run's session.
async fn session_of(daemon: &Daemon, run: &str) -> String {
    let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap();
    record.body["run"]["session_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_is_shown_in_every_list_and_whole_on_its_own_page() {
    let daemon = daemon().await;
    let long = format!("kumquat {} the last word fake-codex: ok", "word ".repeat(4000));
    let run = asked(&daemon, &long).await;
    let failed = daemon
        .client()
        .analyze(&question("fake-codex: turnfailed The usage limit is reached"))
        .await
        .unwrap();
    let failed = failed.body["meta"]["run_id"].as_str().unwrap().to_owned();
    let browser = Browser::signed_in(&daemon).await;
    for path in ["/", "/window/runs"] {
        let page = browser.page(path).await;
        assert!(page.contains(&run) && page.contains(&failed), "{path}");
    }
    let page = browser.page(&format!("/window/runs/{run}")).await;
    assert!(page.contains("the last word"), "nothing is cut");
    assert!(page.contains("exec"), "the driver");
    let (_, timeline) = page.split_once("id=\"timeline\"").unwrap();
    let moments = timeline.matches("<li>").count();
    let times = timeline.matches("<li><span class=\"n\">+").count();
    assert!(moments > 1 && times == moments, "{timeline}");
    let page = browser.page(&format!("/window/runs/{failed}")).await;
    assert!(page.contains("The usage limit is reached"));
    let session = session_of(&daemon, &run).await;
    assert!(browser.page(&format!("/window/sessions/{session}")).await.contains("kumquat"));
    for path in [
        "/window/usage",
        "/window/usage?days=7",
        "/window/usage?days=x",
        "/window/context",
        "/window/projects",
        "/window/health",
    ] {
        browser.page(path).await;
    }
}

#[tokio::test]
async fn runs_are_found_by_filters_and_text() {
    let daemon = daemon().await;
    let mut runs = Vec::new();
    for problem in ["Zanzibar 100% of a_b", "缓存放在哪里", "say \"when\" \\ now", "a\nb context"]
    {
        runs.push(asked(&daemon, &format!("{problem} fake-codex: ok")).await);
    }
    let failed = daemon
        .client()
        .analyze(&question("fake-codex: turnfailed The usage limit is reached"))
        .await
        .unwrap();
    assert_eq!(failed.code().unwrap().as_str(), "quota", "{:#}", failed.body);
    runs.push(failed.body["meta"]["run_id"].as_str().unwrap().to_owned());
    let browser = Browser::signed_in(&daemon).await;
    let everything = [0, 1, 2, 3, 4];
    let cases: [(&str, &[usize]); 21] = [
        ("", &everything),
        ("q=zanzibar", &[0]),
        ("q=ZANZIBAR", &[0]),
        ("q=%E7%BC%93%E5%AD%98", &[1]),
        ("q=%E5%93%AA%E9%87%8C", &[1]),
        ("q=100%25", &[0]),
        ("q=%25", &[0]),
        ("q=a_b", &[0]),
        // The words of a failure hold one.
        ("q=_", &[0, 4]),
        ("q=%22when%22", &[2]),
        ("q=%5C", &[2]),
        ("q=%27%20OR%201=1%20--", &[]),
        ("q=candidate_plans", &[]),
        ("q=nothing+of+this", &[]),
        ("state=failed", &[4]),
        ("code=quota", &[4]),
        ("state=cancelled", &[]),
        ("kind=orchestrate", &[]),
        ("from=2001-01-01&to=2001-01-02", &[]),
        ("from=2001-01-01&to=2999-01-01&state=succeeded", &[0, 1, 2, 3]),
        ("page=2", &[]),
    ];
    for (query, expected) in cases {
        let page = browser.page(&format!("/window/runs?{query}")).await;
        let is_found = |run: &String| page.contains(run.as_str());
        let found: Vec<usize> = (0..runs.len()).filter(|index| is_found(&runs[*index])).collect();
        assert_eq!(found, expected, "{query}");
    }
    for odd in [
        "q=%00",
        "q=%ff",
        "page=999999999999",
        "page=-1",
        "from=x",
        "state=x",
        "code=%3Cscript%3E",
        "&&&=",
        "q=a&q=b",
    ] {
        browser.page(&format!("/window/runs?{odd}")).await;
    }
    let huge = format!("/window/runs?q={}", "x".repeat(20_000));
    assert!([200, 414, 431].contains(&browser.get(&huge).await.status));
}

#[tokio::test]
async fn facts_stay_where_texts_are_not_kept() {
    let daemon = builder().env("CODEX_BRIDGE_STORE_BODIES", "false").start().await.unwrap();
    let run = asked(&daemon, "kumquat fake-codex: ok").await;
    let daemon = daemon.restart().await.unwrap();
    let browser = Browser::signed_in(&daemon).await;
    let page = browser.page(&format!("/window/runs/{run}")).await;
    assert!(!page.contains("kumquat"));
    assert!(page.contains("exec"));
    let connection = rusqlite::Connection::open(daemon.folder().state().join("state.sqlite"));
    let kept: (i64, i64, String, i64, Option<String>) = connection
        .unwrap()
        .query_row(
            "SELECT input_tokens, output_tokens, driver, attempts, outcome FROM runs",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
        )
        .unwrap();
    assert_eq!(kept, (100, 20, "exec".to_owned(), 1, None));
}

#[tokio::test]
async fn a_run_is_cancelled_from_its_page_and_from_the_first() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    for from in ["/", "run"] {
        let run = started(&daemon, "fake-codex: hang").await;
        let page = if from == "/" { from.to_owned() } else { format!("/window/runs/{run}") };
        let action = format!("/window/runs/{run}/cancel");
        let token = token(&browser.page(&page).await, &action);
        let answer = browser.post(&action, &[("token", &token)]).await;
        let place = format!("/window/runs/{run}");
        assert_eq!((answer.status, answer.header("location")), (303, Some(place.as_str())));
        let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap();
        assert_eq!(record.body["run"]["state"], "cancelled");
        // Once more does no harm.
        assert_eq!(browser.post(&action, &[("token", &token)]).await.status, 303);
    }
}

#[tokio::test]
async fn text_of_others_is_text_on_every_page() {
    let daemon = daemon().await;
    let hostile = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) \u{202e}\u{200b}'\"";
    let name = hostile.replace(['\u{202e}', '\u{200b}'], "");
    let asked = json!({
        "problem": format!("{hostile} fake-codex: ok"),
        "context": hostile,
        "candidate_plans": [{ "name": name, "description": hostile, "assumptions": [hostile] }],
        "questions_for_codex": [hostile],
        "non_goals": [hostile],
        "phase": "initial",
    });
    let workspace = daemon.client().request(Method::POST, "/analyze");
    let workspace = workspace.header("codex-bridge-workspace", "/home/%3Cscript%3Ealert(1)");
    let answer = send(workspace.json(&asked)).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    let run = answer.body["meta"]["run_id"].as_str().unwrap();
    let session = answer.body["meta"]["session_id"].as_str().unwrap();
    let browser = Browser::signed_in(&daemon).await;
    let search =
        "/window/runs?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E&model=%22%3E%3Cscript%3Ealert(1)";
    let own = "/window/runs?x=%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    let (one, both) = (format!("/window/runs/{run}"), format!("/window/sessions/{session}"));
    for path in [
        "/",
        "/window/runs",
        search,
        own,
        &one,
        &both,
        "/window/usage",
        "/window/context",
        "/window/projects",
        "/window/health",
    ] {
        let page = browser.page(path).await;
        assert!(!page.contains("<script>"), "{path}: {page}");
        assert!(!page.contains("<img src=x"), "{path}");
        assert!(!page.contains("</textarea><script"), "{path}");
        assert!(!page.contains(['\u{202e}', '\u{200b}']), "{path}: invisible characters are shown");
        assert!(!page.contains(" style="), "{path}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    for path in [
        "/window/runs/x".to_owned(),
        format!("/window/runs/{id}"),
        "/window/runs/%27%3B%20DROP%20TABLE%20runs".to_owned(),
        format!("/window/sessions/{id}"),
        "/window/sessions/%2e%2e".to_owned(),
        "/window/assets/window.css".to_owned(),
        "/window/runs/".to_owned(),
    ] {
        assert_eq!(browser.get(&path).await.status, 404, "{path}");
    }
}
