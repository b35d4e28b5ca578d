//! Requests of foreign pages, other servers, other users and malformed ones get nothing.

use std::net::SocketAddr;

use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tests::harness::{Daemon, Neighbour, send};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::fixture::{Browser, body, daemon, link, started, token};

/// A header that is left out or wrong; the value is made of the right host.
type Flaw = (&'static str, Option<fn(&str) -> String>);

/// What a browser says of a page that is not ours.
const FLAWS: [Flaw; 15] = [
    ("host", Some(|_| "evil.example".to_owned())),
    ("host", Some(|_| "cb-00000000.localhost".to_owned())),
    ("host", Some(|host| format!("x.{host}"))),
    ("host", Some(|host| host.replace(".localhost", ".localhost.evil.example"))),
    ("origin", None),
    ("origin", Some(|_| "null".to_owned())),
    ("origin", Some(|_| "http://evil.example".to_owned())),
    ("origin", Some(|host| format!("https://{host}"))),
    ("origin", Some(|host| format!("http://{}", host.split(':').next().unwrap()))),
    ("origin", Some(|host| format!("http://{host}1"))),
    ("origin", Some(|host| format!("http://localhost:{}", host.split(':').nth(1).unwrap()))),
    ("sec-fetch-site", None),
    ("sec-fetch-site", Some(|_| "none".to_owned())),
    ("sec-fetch-site", Some(|_| "same-site".to_owned())),
    ("sec-fetch-site", Some(|_| "cross-site".to_owned())),
];

fn flawed(mut headers: HeaderMap, (name, value): Flaw, host: &str) -> HeaderMap {
    let name = HeaderName::from_static(name);
    headers.remove(&name);
    if let Some(value) = value {
        headers.insert(name, HeaderValue::from_str(&value(host)).unwrap());
    }
    headers
}

/// Status of a request that is written byte by byte.
async fn raw(daemon: &Daemon, request: &str) -> u16 {
    let address: SocketAddr = daemon.client().address().parse().unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    String::from_utf8_lossy(&head[9..]).parse().unwrap()
}

/// Every form of the pages: where it leads, and its fields but the token.
async fn forms(daemon: &Daemon, browser: &Browser) -> Vec<(String, String, String)> {
    let run = started(daemon, "fake-codex: hang").await;
    let cancel = format!("/window/runs/{run}/cancel");
    let page = browser.page(&format!("/window/runs/{run}")).await;
    let code = link(daemon.client()).await.code;
    let enter = browser.page(&format!("/enter?code={code}")).await;
    vec![
        (cancel.clone(), String::new(), token(&page, &cancel)),
        ("/enter".to_owned(), format!("&code={code}"), token(&enter, "/enter")),
        ("/leave".to_owned(), String::new(), token(&page, "/leave")),
    ]
}

#[tokio::test]
async fn each_mark_of_a_form_left_out_or_wrong_is_refused_by_every_form() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let other = Browser::signed_in(&daemon).await;
    let others = token(&other.page("/").await, "/leave");
    let forms = forms(&daemon, &browser).await;
    for (path, fields, token) in &forms {
        let whole = format!("token={token}{fields}");
        for flaw in FLAWS {
            let change = |headers| flawed(headers, flaw, &browser.host);
            let answer = browser.post_with(path, &whole, change).await;
            let shown = flaw.1.map(|value| value(&browser.host));
            assert_eq!(answer.status, 403, "{path}: {}: {shown:?}", flaw.0);
        }
        let doubled = |mut headers: HeaderMap| {
            headers.append("sec-fetch-site", HeaderValue::from_static("same-origin"));
            headers
        };
        assert_eq!(browser.post_with(path, &whole, doubled).await.status, 403, "{path}");
        // Of another session, of another form, cut, doubled, empty, left out.
        let next = forms.iter().find(|(it, ..)| it != path).map(|(.., token)| token).unwrap();
        let cut = &token[1..];
        let wrong = [
            format!("token={others}{fields}"),
            format!("token={next}{fields}"),
            format!("token={cut}{fields}"),
            format!("token={token}&token={token}{fields}"),
            format!("token={fields}"),
            format!("x=1{fields}"),
            String::new(),
        ];
        for wrong in wrong {
            if *path == "/leave" && wrong.contains(&others) {
                // It is that of a form to the same path, of another session.
                assert_ne!(token, &others);
            }
            let answer = browser.post_with(path, &wrong, |headers| headers).await;
            assert_eq!(answer.status, 403, "{path}: {wrong}");
        }
    }
    // Nothing of it was done: each form still works, and the last ends the session.
    for (path, fields, token) in &forms {
        let answer = browser.post_with(path, &format!("token={token}{fields}"), |it| it).await;
        assert!([200, 303].contains(&answer.status), "{path}: {}", answer.status);
    }
    assert_eq!(browser.get("/").await.status, 401);
    other.page("/").await;
}

#[tokio::test]
async fn links_are_made_for_programs_of_this_machine_alone() {
    let daemon = daemon().await;
    let host = link(daemon.client()).await.host;
    for method in [Method::POST, Method::DELETE] {
        for (name, value) in [
            ("host", "evil.example"),
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let request = daemon.client().request(method.clone(), "/window/links");
            let answer = send(request.header(name, value)).await.unwrap();
            assert_eq!(answer.status, 403, "{method} {name}: {value}");
        }
        let bare = daemon.client().bare(method.clone(), "/window/links").header("host", &host);
        assert_eq!(send(bare).await.unwrap().status, 401, "{method}");
    }
}

#[tokio::test]
async fn a_page_of_another_server_gets_no_page_and_no_session() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    for flaw in FLAWS.iter().filter(|(name, value)| *name != "origin" && value.is_some()) {
        let is_typed = flaw.1.is_some_and(|value| value("") == "none");
        for path in ["/", "/window/runs", "/window/events", "/enter?code=x"] {
            if is_typed {
                continue;
            }
            let request = browser.request(Method::GET, path);
            let (client, request) = request.build_split();
            let mut request = request.unwrap();
            *request.headers_mut() = flawed(request.headers().clone(), *flaw, &browser.host);
            assert_eq!(client.execute(request).await.unwrap().status(), 403, "{path} {}", flaw.0);
        }
    }
    // The cookie is good under the name that it was given to, and nowhere else.
    let port = browser.host.split(':').nth(1).unwrap();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]
    {
        let mut other = browser.clone();
        other.host.clone_from(&host);
        assert_eq!(other.get("/").await.status, 401, "{host}");
    }
}

#[tokio::test]
async fn odd_requests_find_no_way_around_the_checks() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let (host, cookie) = (&browser.host, browser.cookie.clone().unwrap());
    let head = |line: &str, headers: &str| format!("{line} HTTP/1.1\r\n{headers}\r\n\r\n");
    let good = format!("host: {host}\r\ncookie: cbw={cookie}");
    let other = "B".repeat(43);
    let cases = [
        ("as it should be", 200, head("GET /", &good)),
        ("no Host", 403, head("GET /", &format!("cookie: cbw={cookie}"))),
        ("two Hosts", 403, head("GET /", &format!("{good}\r\nhost: {host}"))),
        ("absolute form", 403, head(&format!("GET http://{host}/"), &good)),
        ("absolute form of another", 403, head("GET http://evil.example/", &good)),
        ("two cookies", 401, head("GET /", &format!("{good}; cbw={other}"))),
        ("two lines of cookies", 401, head("GET /", &format!("{good}\r\ncookie: cbw={other}"))),
        ("a line of other cookies", 200, head("GET /", &format!("{good}\r\ncookie: a=b"))),
        (
            "a cookie in quotes",
            401,
            head("GET /", &format!("host: {host}\r\ncookie: cbw=\"{cookie}\"")),
        ),
        ("escaped path", 404, head("GET /window%2fruns", &good)),
        ("escaped letter", 404, head("GET /windo%77/runs", &format!("host: {host}"))),
        ("dots", 404, head("GET /window/../window/runs", &good)),
        ("two slashes", 404, head("GET //window/runs", &good)),
        ("another case", 404, head("GET /Window/runs", &good)),
        ("escaped file", 404, head("GET /window/assets/%2e%2e%2f%2e%2e%2ftoken", &good)),
        ("wrong method", 405, head("GET /leave", &good)),
        ("method override", 405, head("PUT /", &format!("{good}\r\nx-http-method-override: GET"))),
        (
            "preflight",
            405,
            head("OPTIONS /leave", &format!("{good}\r\norigin: http://evil.example")),
        ),
    ];
    for (name, expected, request) in cases {
        assert_eq!(raw(&daemon, &request).await, expected, "{name}");
    }
}

#[tokio::test]
async fn a_form_is_small_whole_and_of_its_type() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let token = token(&browser.page("/").await, "/leave");
    let whole = body(&[("token", &token)]);
    let typed = |kind: &'static str| {
        move |mut headers: HeaderMap| {
            headers.insert("content-type", HeaderValue::from_static(kind));
            headers
        }
    };
    for kind in ["text/plain", "multipart/form-data; boundary=x", "application/json", ""] {
        assert_eq!(browser.post_with("/leave", &whole, typed(kind)).await.status, 415, "{kind}");
    }
    let long = format!("{whole}&x={}", "x".repeat(5000));
    assert_eq!(browser.post_with("/leave", &long, |headers| headers).await.status, 413);
    assert_eq!(browser.post_with("/leave", "\u{0}\u{1}", |headers| headers).await.status, 422);
    browser.page("/").await;
}

#[tokio::test]
async fn thousands_of_links_leave_three_and_all_sessions() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let first = link(daemon.client()).await;
    for _ in 0..1000 {
        let answer = send(daemon.client().request(Method::POST, "/window/links")).await.unwrap();
        assert_eq!(answer.status, 200);
    }
    let last = link(daemon.client()).await;
    browser.page("/").await;
    assert_eq!(Browser::new(&daemon, &first.host).enter(&first.code).await.status, 403);
    assert_eq!(Browser::new(&daemon, &last.host).enter(&last.code).await.status, 303);
    // Nine sessions are one too many: that which was used longest ago makes room.
    let mut browsers = vec![browser];
    for _ in 0..8 {
        browsers.push(Browser::signed_in(&daemon).await);
    }
    assert_eq!(browsers[0].get("/").await.status, 401);
    browsers[1].get("/").await;
}

/// A browser that is started shows the link in its arguments, which every user of a machine can read.
#[tokio::test]
async fn another_user_who_saw_a_link_cannot_sign_in_with_it() {
    let daemon = daemon().await;
    let seen = link(daemon.client()).await;
    let browser = Browser::new(&daemon, &seen.host);
    let page = browser.page(&format!("/enter?code={}", seen.code)).await;
    let body = body(&[("code", &seen.code), ("token", &token(&page, "/enter"))]);
    let host = &seen.host;
    let request = format!(
        "POST /enter HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let neighbour = Neighbour::start(&["ask", daemon.client().address(), &request]).unwrap();
    let Some(mut neighbour) = neighbour else { return };
    let said = neighbour.line().await.unwrap();
    assert_eq!(said, "heard HTTP/1.1 403 Forbidden");
    let mut browser = browser;
    assert_eq!(browser.enter(&seen.code).await.status, 303, "its own user can");
}

/// A browser gives its cookie to every server under the name of the pages, on whichever port, of whichever user.
#[tokio::test]
async fn another_user_who_caught_the_cookie_gets_no_page() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let (host, cookie) = (&browser.host, browser.cookie.clone().unwrap());
    let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\ncookie: cbw={cookie}\r\n\r\n");
    let neighbour = Neighbour::start(&["ask", daemon.client().address(), &request]).unwrap();
    let Some(mut neighbour) = neighbour else { return };
    assert_eq!(neighbour.line().await.unwrap(), "heard HTTP/1.1 401 Unauthorized");
    browser.page("/").await;
}
