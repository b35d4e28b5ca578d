//! The real daemon's routes: the order of the checks, and what every answer has in common.

use std::fmt::Write as _;
use std::net::SocketAddr;

use contract::limits::BODY_MAX_BYTES;
use expect_test::expect;
use serde_json::Value;
use tests::harness::{Daemon, DaemonBuilder, send, wait_until};

use crate::wire::{Answer, LIMIT, Wire, ask};

/// A daemon, its address, and a request's lines that pass Host and token.
struct Surface {
    daemon: Daemon,
    address: SocketAddr,
    admitted: String,
}

impl Surface {
    async fn start() -> Self {
        let daemon = DaemonBuilder::new().unwrap().start().await.unwrap();
        let address = daemon.client().address().parse().unwrap();
        let admitted =
            format!("host: {address}\r\nauthorization: Bearer {}", daemon.client().token());
        Self { daemon, address, admitted }
    }

    async fn ask(&self, line: &str, headers: &str, body: impl AsRef<[u8]>) -> Answer {
        let mut request = format!("{line} HTTP/1.1\r\n{headers}\r\n\r\n").into_bytes();
        request.extend_from_slice(body.as_ref());
        ask(self.address, request).await.expect("an answer")
    }
}

/// Status and code of an answer.
fn verdict(answer: &Answer) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    format!("{} {}", answer.status, body["error"]["code"].as_str().unwrap_or("-"))
}

#[tokio::test]
async fn the_checks_come_in_their_order() {
    let surface = Surface::start().await;
    let ours = surface.admitted.as_str();
    let host = format!("host: {}", surface.address);
    let json = "content-type: application/json";
    let long = BODY_MAX_BYTES + 1;
    // Each request has the fault of its line and all those of the lines below.
    let cases = [
        ("no route", "POST /nothing", "host: evil.example".to_owned(), ""),
        ("wrong method", "PUT /analyze", "host: evil.example".to_owned(), ""),
        ("no Host", "POST /analyze", format!("content-length: {long}"), ""),
        ("foreign Host", "POST /analyze", "host: evil.example".to_owned(), ""),
        ("two Hosts", "POST /analyze", format!("{host}\r\n{host}"), ""),
        ("absolute form", "POST http://127.0.0.1/analyze", host.clone(), ""),
        ("foreign Origin", "POST /analyze", format!("{ours}\r\norigin: http://evil.example"), ""),
        ("other site", "POST /analyze", format!("{ours}\r\nsec-fetch-site: cross-site"), ""),
        ("no token", "POST /analyze", format!("{host}\r\ncontent-length: {long}"), ""),
        ("wrong token", "POST /analyze", format!("{host}\r\nauthorization: Bearer x"), ""),
        ("no type", "POST /analyze", format!("{ours}\r\ncontent-length: {long}"), ""),
        (
            "form type",
            "POST /analyze",
            format!("{ours}\r\ncontent-type: text/plain\r\ncontent-length: {long}"),
            "",
        ),
        (
            "compressed",
            "POST /analyze",
            format!("{ours}\r\n{json}\r\ncontent-encoding: gzip\r\ncontent-length: {long}"),
            "",
        ),
        (
            "declared size",
            "POST /analyze",
            format!("{ours}\r\n{json}\r\ncontent-length: {long}"),
            "",
        ),
        ("no JSON", "POST /analyze", format!("{ours}\r\n{json}\r\ncontent-length: 1"), "{"),
        ("no body", "POST /analyze", format!("{ours}\r\n{json}"), ""),
        ("no question", "POST /analyze", format!("{ours}\r\n{json}\r\ncontent-length: 2"), "{}"),
    ];
    let mut table = String::new();
    for (name, line, headers, body) in cases {
        let answer = surface.ask(line, &headers, body).await;
        writeln!(table, "{name}: {}", verdict(&answer)).unwrap();
    }
    expect![[r#"
        no route: 404 not_found
        wrong method: 405 method_not_allowed
        no Host: 403 forbidden
        foreign Host: 403 forbidden
        two Hosts: 403 forbidden
        absolute form: 403 forbidden
        foreign Origin: 403 forbidden
        other site: 403 forbidden
        no token: 401 unauthorized
        wrong token: 401 unauthorized
        no type: 415 unsupported_media_type
        form type: 415 unsupported_media_type
        compressed: 415 unsupported_media_type
        declared size: 413 body_too_large
        no JSON: 400 invalid_json
        no body: 400 invalid_json
        no question: 422 contract_violation
    "#]]
    .assert_eq(&table);
}

#[tokio::test]
async fn every_answer_has_an_id_and_stays_out_of_caches() {
    let surface = Surface::start().await;
    let ours = surface.admitted.clone();
    let cases = [
        ("GET /healthz", ours.clone()),
        ("HEAD /healthz", ours.clone()),
        ("GET /openapi.json", ours.clone()),
        ("GET /metrics", ours.clone()),
        ("GET /readyz", ours.clone()),
        ("GET /nothing", ours.clone()),
        ("PUT /analyze", ours.clone()),
        ("OPTIONS *", ours.clone()),
        ("OPTIONS /analyze", format!("{ours}\r\norigin: http://evil.example")),
        ("GET /runs", "host: evil.example".to_owned()),
        ("GET /runs", format!("host: {}", surface.address)),
        ("GET /runs/latest", ours.clone()),
        ("GET /runs?limit=0", ours.clone()),
        ("CONNECT 127.0.0.1:80", ours),
    ];
    for (line, headers) in cases {
        let mut wire = Wire::connect(surface.address).await;
        wire.send(format!("{line} HTTP/1.1\r\n{headers}\r\n\r\n")).await.unwrap();
        let method = line.split(' ').next().unwrap();
        let answer = wire.answer_to(method).await.unwrap();
        let id = answer.header("x-request-id").unwrap_or_else(|| panic!("{line}: no id"));
        assert_eq!(id.parse::<uuid::Uuid>().unwrap().get_version_num(), 7, "{line}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{line}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{line}");
        let cors = answer.headers.iter().find(|(name, _)| name.starts_with("access-control"));
        assert_eq!(cors, None, "{line}");
        if answer.status >= 400 && method != "HEAD" && !line.contains("readyz") {
            assert_ne!(verdict(&answer), format!("{} -", answer.status), "{line}");
        }
    }
}

#[tokio::test]
async fn a_sane_request_id_is_taken_over_and_logged() {
    let surface = Surface::start().await;
    let ours = &surface.admitted;
    let given = |id: &str| format!("{ours}\r\nx-request-id: {id}");
    let answer = surface.ask("GET /runs?limit=0", &given("build-42_a.b"), "").await;
    assert_eq!(answer.header("x-request-id"), Some("build-42_a.b"));
    for bad in ["", "a b", "a\"b", "\u{e4}", &"x".repeat(65), "a\r\nx-request-id: b"] {
        let answer = surface.ask("GET /healthz", &given(bad), "").await;
        let id = answer.header("x-request-id").unwrap();
        assert_eq!(id.len(), 36, "{bad:?} became {id:?}");
    }
    let line = wait_until(LIMIT, || {
        surface.daemon.log().lines().any(|line| {
            line.contains("build-42_a.b")
                && line.contains("contract_violation")
                && line.contains("/runs")
        })
    });
    assert!(line.await, "no line in {}", surface.daemon.log());
    assert!(!surface.daemon.log().contains("limit=0"), "the log has the caller's query");
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let surface = Surface::start().await;
    for (line, allowed) in [
        ("GET /analyze", "POST"),
        ("POST /runs", "GET,HEAD"),
        ("PATCH /runs/0199a213-81c0-7800-8aa1-bbab2a035a53", "GET,HEAD,DELETE"),
        ("DELETE /healthz", "GET,HEAD"),
        ("TRACE /healthz", "GET,HEAD"),
    ] {
        let answer = surface.ask(line, &surface.admitted, "").await;
        assert_eq!(verdict(&answer), "405 method_not_allowed", "{line}");
        let found = answer.header("allow").unwrap();
        let sorted = |list: &str| {
            let mut names: Vec<String> = list.split(',').map(|n| n.trim().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(sorted(found), sorted(allowed), "{line}");
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let surface = Surface::start().await;
    for path in ["/healthz", "/openapi.json", "/schemas/advisor-input"] {
        let get = surface.ask(&format!("GET {path}"), &surface.admitted, "").await;
        let mut wire = Wire::connect(surface.address).await;
        let request = format!("HEAD {path} HTTP/1.1\r\n{}\r\n\r\n", surface.admitted);
        wire.send(request.repeat(2)).await.unwrap();
        for _ in 0..2 {
            let head = wire.answer_to("HEAD").await.unwrap();
            assert_eq!((get.status, head.status), (200, 200), "{path}");
            for name in ["content-length", "content-type"] {
                assert_eq!(head.header(name), get.header(name), "{path} {name}");
            }
        }
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_however_it_comes() {
    let surface = Surface::start().await;
    let ours = format!("{}\r\ncontent-type: application/json", surface.admitted);
    let body = vec![b' '; BODY_MAX_BYTES + 1];
    let declared = format!("{ours}\r\ncontent-length: {}", body.len());
    let answer = surface.ask("POST /analyze", &declared, &body).await;
    assert_eq!(verdict(&answer), "413 body_too_large");

    let chunked = format!("{ours}\r\ntransfer-encoding: chunked");
    let mut chunks = format!("{:x}\r\n", body.len()).into_bytes();
    chunks.extend_from_slice(&body);
    chunks.extend_from_slice(b"\r\n0\r\n\r\n");
    let answer = surface.ask("POST /analyze", &chunked, chunks).await;
    assert_eq!(verdict(&answer), "413 body_too_large");

    // The largest that is allowed is read, and is not JSON.
    let fits = format!("{ours}\r\ncontent-length: {BODY_MAX_BYTES}");
    let answer = surface.ask("POST /analyze", &fits, &body[..BODY_MAX_BYTES]).await;
    assert_eq!(verdict(&answer), "400 invalid_json");

    // A caller that asks first is answered before it sends.
    let asks = format!("{ours}\r\ncontent-length: {}\r\nexpect: 100-continue", body.len());
    let answer = surface.ask("POST /analyze", &asks, "").await;
    assert_eq!(verdict(&answer), "413 body_too_large");
}

#[tokio::test]
async fn a_body_that_stops_is_answered_and_the_connection_closed() {
    let surface = Surface::start().await;
    let headers =
        format!("{}\r\ncontent-type: application/json\r\ncontent-length: 10", surface.admitted);
    let mut wire = Wire::connect(surface.address).await;
    wire.send(format!("POST /analyze HTTP/1.1\r\n{headers}\r\n\r\n{{\"a\"")).await.unwrap();
    let answer = wire.answer().await.unwrap();
    assert_eq!(verdict(&answer), "400 invalid_json");
    assert_eq!(wire.rest().await, b"");
}

#[tokio::test]
async fn hostile_bodies_are_the_callers_fault() {
    let surface = Surface::start().await;
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let wide = format!("{{\"candidate_plans\": [{}1]}}", "1,".repeat(200_000));
    let cases: [(&str, Vec<u8>); 8] = [
        ("deep", deep.into_bytes()),
        ("wide", wide.into_bytes()),
        ("not UTF-8", b"{\"problem\": \"\xff\xfe\"}".to_vec()),
        ("lone surrogate", br#"{"problem": "\ud800"}"#.to_vec()),
        ("NUL", b"{\"problem\": \"\0\"}".to_vec()),
        ("escaped NUL", br#"{"problem": "\u0000"}"#.to_vec()),
        ("huge number", br#"{"options": {"timeout_ms": 1e999}}"#.to_vec()),
        ("two documents", b"{} {}".to_vec()),
    ];
    for (name, body) in cases {
        let headers = format!(
            "{}\r\ncontent-type: application/json\r\ncontent-length: {}",
            surface.admitted,
            body.len(),
        );
        let answer = surface.ask("POST /analyze", &headers, body).await;
        assert!(matches!(answer.status, 400 | 422), "{name}: {}", verdict(&answer));
    }
}

#[tokio::test]
async fn the_contracts_are_published() {
    let surface = Surface::start().await;
    let client = surface.daemon.client();
    let document = client.get("/openapi.json").await.unwrap();
    assert_eq!(document.body, codex_bridge::http::openapi::document());
    for schema in contract::schema::ALL {
        for suffix in ["", ".schema.json"] {
            let answer = client.get(&format!("/schemas/{}{suffix}", schema.name)).await.unwrap();
            assert_eq!(answer.header("content-type"), Some("application/schema+json"));
            assert_eq!(&answer.body, schema.document());
        }
    }
    let missing = client.get("/schemas/passwd").await.unwrap();
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn health_needs_no_token_and_everything_else_does() {
    let surface = Surface::start().await;
    let client = surface.daemon.client();
    let health = send(client.bare(reqwest::Method::GET, "/healthz")).await.unwrap();
    assert_eq!(health.status, 200);
    assert_eq!(health.body["status"], "ok");
    let document = codex_bridge::http::openapi::document();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let is_open = operation["security"] == serde_json::json!([]);
            // Whoever has no session yet gets as far as a link's page and the files that it names; a
            // form from nowhere is refused, and there is neither this code nor this file.
            let opened = match (method.as_str(), path.as_str()) {
                ("get", "/healthz") => Some(200),
                ("get" | "post", "/enter") => Some(403),
                ("get", "/window/assets/{name}") => Some(404),
                _ => None,
            };
            assert_eq!(is_open, opened.is_some(), "{method} {path}");
            let method = method.to_uppercase().parse().unwrap();
            let answer = send(client.bare(method, path)).await.unwrap();
            assert_eq!(answer.status, opened.unwrap_or(401), "{path}");
            let challenge = answer.header("www-authenticate");
            assert_eq!(challenge.is_some(), !is_open, "{path}");
        }
    }
}

#[tokio::test]
async fn a_refusal_does_not_repeat_secrets() {
    let surface = Surface::start().await;
    let client = surface.daemon.client();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let named = serde_json::json!({ &secret: 1 });
    let quoted = serde_json::json!({ "phase": secret, "problem": [secret] });
    for body in [named, quoted] {
        let answer = client.analyze(&body).await.unwrap();
        assert_eq!(answer.status, 422);
        assert!(!answer.body.to_string().contains(&secret), "{:#}", answer.body);
    }
    let answer = client.get(&format!("/runs?{secret}=1")).await.unwrap();
    assert_eq!(answer.status, 422);
    assert!(!answer.body.to_string().contains(&secret), "{:#}", answer.body);
    assert!(!surface.daemon.log().contains(&secret));
}
