//! Requests that two parsers could interpret differently, and bytes that are not a request.

use std::fmt::Write as _;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::Value;

use crate::connection::Server;
use crate::wire::{Wire, ask};

/// The statuses of all answers to these bytes, in order, and `closed` where the peer ended it.
async fn statuses(server: &Server, bytes: &[u8]) -> String {
    let mut wire = Wire::connect(server.address).await;
    let _ = wire.send(bytes).await;
    let mut text = String::new();
    while let Some(answer) = wire.answer().await {
        // Also where no service of ours saw the request.
        if [400, 431].contains(&answer.status) {
            let id = answer.header("x-request-id").expect("every answer has an id");
            assert_eq!(id.parse::<uuid::Uuid>().unwrap().get_version_num(), 7);
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            let failure: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!(failure["error"]["type"], "input_error", "{failure}");
        }
        write!(text, "{} ", answer.status).unwrap();
    }
    text + "closed"
}

#[tokio::test]
async fn ambiguous_requests_are_refused_and_nothing_is_smuggled() {
    let server = Server::start(64).await;
    let smuggled = "GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let post = |headers: &str, body: &str| {
        format!("POST /ping HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n\r\n{body}{smuggled}")
    };
    let get = |headers: &str| format!("GET /ping HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n\r\n");
    let cases = [
        ("plain", get("accept: */*")),
        ("lengths 5 and 6", post("content-length: 5\r\ncontent-length: 6", "hello")),
        ("length 5, 5", post("content-length: 5, 5", "hello")),
        ("length +5", post("content-length: +5", "hello")),
        ("length -1", post("content-length: -1", "")),
        ("length 0x5", post("content-length: 0x5", "hello")),
        ("length beyond 64 bits", post("content-length: 99999999999999999999", "")),
        ("xchunked", post("transfer-encoding: xchunked", "0\r\n\r\n")),
        ("chunked, identity", post("transfer-encoding: chunked, identity", "0\r\n\r\n")),
        (
            "length and chunked",
            post("content-length: 4\r\ntransfer-encoding: chunked", "0\r\n\r\n"),
        ),
        ("bad chunk size", post("transfer-encoding: chunked", "zz\r\n\r\n")),
        ("space before the colon", get("accept : */*")),
        ("folded header", get("accept: */*\r\n folded")),
        ("NUL in a header", get("accept: a\0b")),
        ("65 headers", get(&(0..65).map(|n| format!("x-{n}: 1\r\n")).collect::<String>())),
        ("a header of 100 KiB", get(&format!("x-long: {}", "x".repeat(100 * 1024)))),
        ("a path of 100 KiB", format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100 * 1024))),
        ("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n".to_owned()),
        ("no version", "GET /ping\r\n\r\n".to_owned()),
    ];
    let mut table = String::new();
    for (name, request) in cases {
        writeln!(table, "{name}: {}", statuses(&server, request.as_bytes()).await).unwrap();
    }
    expect![[r#"
        plain: 200 closed
        lengths 5 and 6: 400 closed
        length 5, 5: 400 closed
        length +5: 400 closed
        length -1: 400 closed
        length 0x5: 400 closed
        length beyond 64 bits: 400 closed
        xchunked: 400 closed
        chunked, identity: 400 closed
        length and chunked: 405 closed
        bad chunk size: 405 closed
        space before the colon: 400 closed
        folded header: 400 closed
        NUL in a header: 400 closed
        65 headers: 431 closed
        a header of 100 KiB: 431 closed
        a path of 100 KiB: 431 closed
        HTTP/2 preface: closed
        TLS: 400 closed
        no version: 400 closed
    "#]]
    .assert_eq(&table);
}

#[test]
fn random_bytes_never_stop_the_server() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(64));
    // Half of the time they begin like a request, so that they get further.
    let start = prop_oneof![
        Just(&b""[..]),
        Just(&b"GET /ping HTTP/1.1\r\nhost: localhost\r\n"[..]),
        Just(&b"POST /ping HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"[..]),
    ];
    proptest!(ProptestConfig::with_cases(64), |(
        start in start,
        bytes in prop::collection::vec(any::<u8>(), 0..2048),
    )| {
        runtime.block_on(async {
            let mut wire = Wire::connect(server.address).await;
            let _ = wire.send(start).await;
            let _ = wire.send(&bytes).await;
            drop(wire);
            let ping = "GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n";
            prop_assert_eq!(ask(server.address, ping).await.unwrap().status, 200);
            Ok(())
        })?;
    });
}
