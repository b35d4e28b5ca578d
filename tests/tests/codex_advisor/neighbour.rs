//! Another user of this machine listens at the daemon's address: that user gets neither token nor
//! question.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};

use contract::failure::FailureCode;
use rustix::process::Signal;
use tests::harness::{NEIGHBOUR, Neighbour, StateDir, wait_until_some};

use crate::fixture::{Advisor, LIMIT, builder, daemon, question};

/// A token that a daemon might have.
const TOKEN: &str = "secret-secret-secret-secret-secret-secret";

/// A neighbour who listens on the port of `url`.
async fn listening(url: &str) -> Option<Neighbour> {
    let address = url.strip_prefix("http://").unwrap();
    let mut neighbour = Neighbour::start(&["listen", address]).unwrap()?;
    assert_eq!(neighbour.line().await.unwrap(), "listening");
    Some(neighbour)
}

/// An address where nobody listens.
fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// The failure is the client's own and says these words; the question's text and the token are in none
/// of what it says.
async fn refused(advisor: &Advisor, args: &[&str], words: &[&str]) {
    let failure = advisor.tell(args, &question("ok")).await.failure(3);
    assert_eq!(failure.error.code, FailureCode::BridgeUnreachable, "{args:?} {failure:#?}");
    for word in words {
        assert!(failure.error.message.contains(word), "{args:?} {word}: {}", failure.error.message);
    }
}

#[tokio::test]
async fn another_users_listener_hears_nothing() {
    let url = free();
    let Some(mut neighbour) = listening(&url).await else { return };
    // It would be heard.
    let plain = TcpStream::connect(url.strip_prefix("http://").unwrap());
    plain.unwrap().write_all(b"hello").unwrap();
    assert_eq!(neighbour.line().await.unwrap(), "heard \"hello\"");

    let folder = StateDir::new().unwrap();
    let by_variable = Advisor::of(&folder).env("CODEX_BRIDGE_TOKEN", TOKEN);
    let named = by_variable.clone().env("CODEX_BRIDGE_URL", &url);
    let noted = by_variable.clone();
    fs::write(folder.state().join("address"), format!("{url}\n")).unwrap();
    let run = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    let words = [&format!("user {NEIGHBOUR}"), url.as_str(), "nothing was sent"];
    for args in [&["runs"][..], &["ask"], &["show", run], &["wait", run], &["cancel", run]] {
        for advisor in [&named, &noted] {
            refused(advisor, args, &words).await;
            assert_eq!(neighbour.line().await.unwrap(), "heard \"\"", "{args:?}");
        }
    }
    // Neither does a look at who is there, nor a start of a daemon in its place.
    refused(&named, &["ask", "--start"], &words).await;
    assert_eq!(neighbour.line().await.unwrap(), "heard \"\"");
    let status = noted.json(&["status"], "", 3).await;
    assert_eq!(status["daemon"]["running"], false, "{status:#}");
    assert_eq!(neighbour.line().await.unwrap(), "heard \"\"");

    // The user may name the user who runs a service; no other number does.
    let another = named.clone().env("CODEX_BRIDGE_SERVICE_UID", "1");
    refused(&another, &["runs"], &words).await;
    assert_eq!(neighbour.line().await.unwrap(), "heard \"\"");
    let service = named.env("CODEX_BRIDGE_SERVICE_UID", NEIGHBOUR);
    refused(&service, &["runs", "--json"], &["gave no answer"]).await;
    let heard = neighbour.line().await.unwrap();
    assert!(heard.contains(TOKEN), "who is trusted is asked: {heard}");
}

#[tokio::test]
async fn the_address_of_a_killed_daemon_is_not_asked() {
    let builder = builder();
    let mut killed = builder.start().await.unwrap();
    let url = format!("http://{}", killed.client().address());
    killed.kill().await.unwrap();
    let state = killed.folder().state();
    let address = fs::read_to_string(state.join("address")).unwrap();
    assert_eq!(address.trim(), url, "it is left behind");

    let advisor = Advisor::of(killed.folder());
    let words = ["is not running", "was killed", &url, "codex-bridge serve"];
    // Where nobody listens, and where this user's own program does: it is not the daemon.
    refused(&advisor, &["runs"], &words).await;
    let own = TcpListener::bind(killed.client().address()).unwrap();
    own.set_nonblocking(true).unwrap();
    refused(&advisor, &["ask"], &words).await;
    assert!(own.accept().is_err(), "nobody came");
    drop(own);

    if let Some(mut neighbour) = listening(&url).await {
        refused(&advisor, &["ask"], &words).await;
        fs::remove_file(state.join("address.process")).unwrap();
        // Without the note he is known by his number.
        refused(&advisor, &["ask"], &[&format!("user {NEIGHBOUR}")]).await;
        assert_eq!(neighbour.line().await.unwrap(), "heard \"\"");
    }

    let again = killed.restart().await.unwrap();
    advisor.json(&["runs"], "", 0).await;
    again.signal(Signal::TERM).unwrap();
    let gone = || async { (!state.join("address.process").exists()).then_some(()) };
    assert!(wait_until_some(LIMIT, gone).await.is_some(), "the note goes with the daemon");
}

#[tokio::test]
async fn every_connection_of_a_caller_is_looked_at() {
    // The daemon is asked as before, over each of its addresses.
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
        let port = daemon.client().address().rsplit(':').next().unwrap();
        let url = format!("http://{host}:{port}");
        let advisor = advisor.clone().env("CODEX_BRIDGE_URL", &url);
        advisor.json(&["ask"], &question("ok"), 0).await;
    }
}
