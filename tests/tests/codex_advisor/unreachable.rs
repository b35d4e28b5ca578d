//! No listener, another program, no response, a wrong token: the command itself reports `bridge_unreachable`.

use std::net::SocketAddr;

use contract::failure::{FailureCode, FailureKind, Fallback};
use tests::harness::StateDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use wiremock::MockServer;

use crate::fixture::{Advisor, Told, daemon, question};

/// A token that no daemon has.
const WRONG: &str = "wrong-wrong-wrong-wrong-wrong-wrong-wrong";

/// The failure is the client's own and says these words.
#[track_caller]
fn check(told: Told, words: &[&str]) {
    let failure = told.failure(3);
    let error = &failure.error;
    assert_eq!(error.code, FailureCode::BridgeUnreachable, "{error:#?}");
    assert_eq!(error.kind, FailureKind::BridgeFailure);
    assert_eq!(error.fallback, Some(Fallback::CodexFallback));
    for word in words {
        assert!(error.message.contains(word), "{word}: {}", error.message);
    }
}

/// A listener that answers every connection with these bytes, or with silence.
async fn listener(answer: Option<&'static str>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            if let Some(answer) = answer {
                // The request is read first: a close with unread input is a reset.
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
            open.push(stream);
        }
    });
    (address, serving)
}

/// The question to whoever is at `address`, with a token.
async fn ask(address: SocketAddr, more: &[&str]) -> Told {
    let folder = StateDir::new().unwrap();
    let url = format!("http://{address}");
    let args: Vec<_> = ["ask"].iter().chain(more).copied().collect();
    let advisor = Advisor::of(&folder).env("CODEX_BRIDGE_TOKEN", WRONG);
    let advisor = advisor.env("CODEX_BRIDGE_URL", url);
    advisor.tell(&args, &question("ok")).await
}

#[tokio::test]
async fn nobody_listens() {
    let folder = StateDir::new().unwrap();
    // Port 1 is reserved (tcpmux), and nobody without privileges can listen on it.
    let advisor = Advisor::of(&folder).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    let words = ["not running", "http://127.0.0.1:1", "CODEX_BRIDGE_URL", "codex-bridge serve"];
    check(advisor.tell(&["ask"], &question("ok")).await, &words);
    let run = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    for args in [&["runs"][..], &["show", run], &["wait", run], &["cancel", run]] {
        check(advisor.tell(args, "").await, &words);
    }
    // What a killed daemon leaves behind is named.
    std::fs::write(folder.state().join("address"), "http://127.0.0.1:1\n").unwrap();
    let told = Advisor::of(&folder).tell(&["runs"], "").await;
    check(told, &["not running", &folder.state().join("address").display().to_string()]);
}

#[tokio::test]
async fn the_token_is_wrong_or_missing() {
    let daemon = daemon().await;
    let wrong = Advisor::of(daemon.folder()).env("CODEX_BRIDGE_TOKEN", WRONG);
    let told = wrong.tell(&["ask"], &question("ok")).await;
    check(told, &["does not take the token", "CODEX_BRIDGE_TOKEN", "codex-bridge token --path"]);

    let elsewhere = StateDir::new().unwrap();
    let url = format!("http://{}", daemon.client().address());
    let lost = Advisor::of(&elsewhere).env("CODEX_BRIDGE_URL", &url);
    let told = lost.tell(&["ask"], &question("ok")).await;
    let path = elsewhere.state().join("token").display().to_string();
    check(told, &["there is no token", &path, "CODEX_BRIDGE_STATE_DIR"]);

    let token = std::fs::read_to_string(daemon.state().join("token")).unwrap();
    let found = lost.env("CODEX_BRIDGE_TOKEN", token.trim());
    found.json(&["ask"], &question("ok"), 0).await;
}

#[tokio::test]
async fn another_program_listens() {
    let server = MockServer::start().await;
    check(ask(*server.address(), &[]).await, &["another program", "404"]);
    let (address, serving) = listener(Some("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")).await;
    check(ask(address, &[]).await, &["another program", "200"]);
    serving.abort();
    let unauthorized = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nnope";
    let (address, serving) = listener(Some(unauthorized)).await;
    check(ask(address, &[]).await, &["another program", "401"]);
    serving.abort();
    let (address, serving) = listener(Some("SSH-2.0-OpenSSH_9.9\r\n")).await;
    check(ask(address, &[]).await, &["another program", "HTTP"]);
    serving.abort();
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_once_more() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
        }
    });
    check(ask(address, &[]).await, &["was lost", "codex-advisor runs"]);
    serving.await.unwrap();
}

#[tokio::test]
async fn whoever_listens_says_nothing() {
    let (address, serving) = listener(None).await;
    check(ask(address, &["--timeout", "2"]).await, &["gave no answer within"]);
    serving.abort();
}

#[tokio::test]
async fn a_token_does_not_leave_this_machine_unasked() {
    let folder = StateDir::new().unwrap();
    let ask = async |url: &str| {
        let advisor = Advisor::of(&folder).env("CODEX_BRIDGE_URL", url);
        advisor.tell(&["ask"], &question("ok")).await
    };
    for url in ["http://192.0.2.1:4517", "http://bridge.example:4517"] {
        check(ask(url).await, &["not on this machine", "CODEX_BRIDGE_URL"]);
    }
    check(ask("https://127.0.0.1:4517").await, &["TLS"]);
}
