//! From a link to a session, and to its end.

use reqwest::Method;
use tests::harness::{Answer, send};

use crate::fixture::{Browser, asked, builder, daemon, link, token};

#[tokio::test]
async fn a_link_signs_one_browser_in_once_and_fetching_it_uses_nothing_up() {
    let daemon = daemon().await;
    let link = link(daemon.client()).await;
    let digits = link.host.strip_prefix("cb-").and_then(|rest| rest.split('.').next()).unwrap();
    assert!(digits.len() == 8 && digits.bytes().all(|it| it.is_ascii_hexdigit()), "{}", link.host);
    let mut browser = Browser::new(&daemon, &link.host);
    for method in [Method::GET, Method::HEAD, Method::GET] {
        let fetched = browser.request(method, &format!("/enter?code={}", link.code));
        let fetched = send(fetched.header("purpose", "prefetch")).await.unwrap();
        assert_eq!((fetched.status, fetched.header("set-cookie")), (200, None));
    }
    let answer = browser.enter(&link.code).await;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let cookie = answer.header("set-cookie").unwrap();
    let (value, rules) = cookie.split_once("; ").unwrap();
    assert_eq!(value.len(), "cbw=".len() + 43);
    assert_eq!(rules, "Path=/; HttpOnly; SameSite=Strict");
    browser.page("/").await;

    let again = Browser::new(&daemon, &link.host).enter(&link.code).await;
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    browser.page("/").await;
}

#[tokio::test]
async fn without_a_session_one_hears_how_to_sign_in_and_nothing_else() {
    let daemon = daemon().await;
    let run = asked(&daemon, "kumquat fake-codex: ok").await;
    let host = link(daemon.client()).await.host;
    let mut browser = Browser::new(&daemon, &host);
    let pages = [
        "/",
        "/window/runs",
        &format!("/window/runs/{run}"),
        "/window/usage",
        "/window/context",
        "/window/projects",
        "/window/health",
        "/window/events",
    ];
    for cookie in [None, Some("A".repeat(43)), Some("A".to_owned()), Some(String::new())] {
        browser.cookie = cookie;
        for path in pages {
            let answer = browser.get(path).await;
            let text = answer.body.as_str().unwrap();
            assert_eq!(answer.status, 401, "{path}");
            assert!(text.contains("codex-bridge open"), "{path}: {text}");
            assert!(!text.contains("kumquat"), "{path}: {text}");
        }
    }
    // A program gets the failure as every route gives it.
    let answer = send(daemon.client().bare(Method::GET, "/")).await.unwrap();
    assert_eq!((answer.status, answer.code().unwrap().as_str()), (401, "unauthorized"));
    assert!(answer.header("www-authenticate").is_some());
    // The token of programs opens no page.
    let answer = send(daemon.client().request(Method::GET, "/")).await.unwrap();
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn the_cookie_opens_no_route_of_programs() {
    let daemon = daemon().await;
    let run = asked(&daemon, "fake-codex: ok").await;
    let browser = Browser::signed_in(&daemon).await;
    let routes = [
        (Method::POST, "/analyze".to_owned()),
        (Method::POST, "/orchestrate".to_owned()),
        (Method::GET, "/runs".to_owned()),
        (Method::GET, format!("/runs/{run}")),
        (Method::DELETE, format!("/runs/{run}")),
        (Method::GET, format!("/runs/{run}/events")),
        (Method::GET, format!("/sessions/{run}")),
        (Method::GET, "/readyz".to_owned()),
        (Method::GET, "/metrics".to_owned()),
        (Method::GET, "/openapi.json".to_owned()),
        (Method::GET, "/schemas/run".to_owned()),
        (Method::POST, "/window/links".to_owned()),
        (Method::DELETE, "/window/links".to_owned()),
    ];
    for (method, path) in routes {
        let answer = send(browser.request(method.clone(), &path)).await.unwrap();
        assert_eq!(answer.status, 401, "{method} {path}");
    }
}

#[tokio::test]
async fn three_links_are_open_and_a_fourth_ends_the_first() {
    let daemon = daemon().await;
    let mut links = Vec::new();
    for _ in 0..4 {
        links.push(link(daemon.client()).await);
    }
    let mut entered = Vec::new();
    for link in &links {
        entered.push(Browser::new(&daemon, &link.host).enter(&link.code).await.status);
    }
    assert_eq!(entered, [403, 303, 303, 303]);
}

#[tokio::test]
async fn leaving_ends_the_session_and_no_other() {
    let daemon = daemon().await;
    let (leaving, staying) = (Browser::signed_in(&daemon).await, Browser::signed_in(&daemon).await);
    let token = token(&leaving.page("/").await, "/leave");
    let answer = leaving.post("/leave", &[("token", &token)]).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    let ended = "cbw=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
    assert_eq!(answer.header("set-cookie"), Some(ended));
    assert_eq!(leaving.get("/").await.status, 401);
    staying.page("/").await;
}

#[tokio::test]
async fn the_end_of_the_daemon_ends_sessions_and_links_and_keeps_the_name() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let before = link(daemon.client()).await;
    let daemon = daemon.restart().await.unwrap();
    let mut again = Browser::new(&daemon, &before.host);
    again.cookie = browser.cookie;
    let name = |host: &str| host.split(':').next().unwrap().to_owned();
    let now = link(daemon.client()).await;
    assert_eq!(name(&now.host), name(&before.host));
    again.host.clone_from(&now.host);
    assert_eq!(again.get("/").await.status, 401);
    // Neither is the key of forms the old one: a page of before cannot be sent.
    assert_eq!(again.enter(&before.code).await.status, 403);
    assert_eq!(again.enter(&now.code).await.status, 303);
}

#[tokio::test]
async fn a_session_shows_no_more_than_the_token_of_its_link() {
    let daemon = daemon().await;
    let turn = serde_json::json!({
        "prompt": "kumquat fake-codex: ok", "workspace": daemon.folder().work(), "mode": "exec",
    });
    let asked = daemon.orchestrator().request(Method::POST, "/orchestrate").json(&turn);
    let answer = send(asked).await.unwrap();
    let runs = daemon.orchestrator().get("/runs").await.unwrap();
    let run = &runs.body["runs"][0];
    assert_eq!(run["kind"], "orchestrate", "{:#}", answer.body);
    let id = |name: &str| run[name].as_str().unwrap().to_owned();
    let (run, session) = (id("run_id"), id("session_id"));
    let full = Browser::signed_in_by(&daemon, daemon.orchestrator()).await;
    let narrow = Browser::signed_in_by(&daemon, daemon.client()).await;
    for path in ["/", "/window/runs", "/window/runs?kind=orchestrate", "/window/runs?q=kumquat"] {
        assert!(full.page(path).await.contains(&run), "{path}");
        assert!(!narrow.page(path).await.contains(&run), "{path}");
    }
    for path in [format!("/window/runs/{run}"), format!("/window/sessions/{session}")] {
        assert!(full.page(&path).await.contains("kumquat"), "{path}");
        assert_eq!(narrow.get(&path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn without_a_window_nothing_of_it_is_routed() {
    let daemon = builder().env("CODEX_BRIDGE_WINDOW", "false").start().await.unwrap();
    let client = daemon.client();
    let paths = [
        (Method::GET, "/"),
        (Method::GET, "/enter"),
        (Method::POST, "/leave"),
        (Method::GET, "/window/runs"),
        (Method::POST, "/window/links"),
    ];
    for (method, path) in paths {
        let answer = send(client.request(method, path)).await.unwrap();
        assert_eq!((answer.status, answer.code().unwrap().as_str()), (404, "not_found"), "{path}");
    }
    let named = client.bare(Method::GET, "/healthz").header("host", "cb-00000000.localhost");
    assert_eq!(send(named).await.unwrap().status, 403);
}

#[tokio::test]
async fn every_answer_keeps_the_page_to_itself() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let page = browser.page("/").await;
    let name = page.split("/window/assets/").nth(1).and_then(|it| it.split('"').next()).unwrap();
    let asset = browser.get(&format!("/window/assets/{name}")).await;
    assert_eq!(asset.status, 200);
    assert_eq!(asset.header("cache-control"), Some("max-age=31536000, immutable"));
    let mut answers: Vec<(String, Answer)> = vec![(name.to_owned(), asset)];
    let paths = [
        "/",
        "/enter",
        "/enter?code=x",
        "/leave",
        "/window/runs",
        "/window/usage",
        "/window/health",
        "/window/runs/x",
        "/window/sessions/x",
        "/window/assets/x",
        "/window/nothing",
        "/window/",
    ];
    for path in paths {
        let mut guest = browser.clone();
        guest.cookie = None;
        for browser in [&browser, &guest] {
            let answer = browser.get(path).await;
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
            answers.push((path.to_owned(), answer));
        }
        answers.push((path.to_owned(), browser.post(path, &[]).await));
    }
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                  connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    for (path, answer) in answers {
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}: {name}");
        }
        assert!(answer.status < 500, "{path}: {}", answer.status);
    }
}

#[tokio::test]
async fn the_language_is_asked_for_kept_or_the_browsers() {
    let daemon = daemon().await;
    let mut browser = Browser::signed_in(&daemon).await;
    let is_chinese = |page: &str| page.contains("<html lang=\"zh\"");
    assert!(!is_chinese(&browser.page("/").await));
    let answer = browser.get("/?lang=zh").await;
    assert!(is_chinese(answer.body.as_str().unwrap()));
    let kept = answer.header("set-cookie").unwrap();
    assert_eq!(kept, "cbl=zh; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
    assert_eq!(browser.get("/?lang=xx").await.header("set-cookie"), None);
    let cookie = browser.cookie.take().unwrap();
    browser.cookie = Some(format!("{cookie}; cbl=zh"));
    assert!(is_chinese(&browser.page("/").await));
    assert!(!is_chinese(&browser.page("/?lang=en").await));
}
