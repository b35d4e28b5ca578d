//! The connection itself: who is connected to, by which way, for how long.

use std::time::Duration;

use futures_util::StreamExt;
use llm::{Cancel, Failure, InvalidAddress, Model, Proxy, RemoteModel, Settings};
use mock_model::{Fault, MockModel, Reply, Trouble, Turn};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::provider::{KEY, PROVIDERS, ask, failure, request, settings, turn, user};

/// Well above what loopback needs.
const LIMIT: Duration = Duration::from_secs(20);

/// Waits until no connection to the mock is open.
async fn closed(mock: &MockModel) {
    let closed = async {
        while mock.open_connections() > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, closed).await.expect("the connection is closed");
}

#[tokio::test]
async fn an_interrupt_ends_a_stream_and_a_wait_and_their_connections() {
    for provider in PROVIDERS {
        let silent = Reply::from(turn()).with(Fault::after(3, Trouble::Silence));
        let mock = provider.mock(silent).await;
        let cancel = Cancel::new();
        let model = provider.model(&mock);
        let mut events = model.stream(request(vec![user("x")]), cancel.clone()).await.unwrap();
        cancel.cancel();
        let last = timeout(LIMIT, async {
            let mut last = None;
            while let Some(event) = events.next().await {
                last = Some(event);
            }
            last
        });
        assert_eq!(last.await.unwrap(), Some(Err(Failure::Cancelled)), "{}", provider.id);
        closed(&mock).await;

        let before = model.stream(request(vec![user("x")]), cancel).await.err();
        assert_eq!(before, Some(Failure::Cancelled), "{}", provider.id);
    }
}

#[tokio::test]
async fn a_stream_that_is_dropped_closes_its_connection() {
    let provider = PROVIDERS[0];
    let silent = Reply::from(turn()).with(Fault::after(3, Trouble::Silence));
    let mock = provider.mock(silent).await;
    let model = provider.model(&mock);
    let events = model.stream(request(vec![user("x")]), Cancel::new()).await.unwrap();
    assert_eq!(mock.open_connections(), 1);
    drop(events);
    closed(&mock).await;
}

#[tokio::test]
async fn requests_that_follow_one_another_share_a_connection() {
    for provider in PROVIDERS {
        let mock = provider.mock(Reply::from(Turn::text("x"))).await;
        let model = provider.model(&mock);
        for _ in 0..4 {
            ask(&model).await;
            assert_eq!(mock.open_connections(), 1, "{}", provider.id);
        }
        assert_eq!(mock.request_count(), 4);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_a_key() {
    let elsewhere = PROVIDERS[1].mock(Reply::from(Turn::text("x"))).await;
    for provider in PROVIDERS {
        for code in [301, 302, 307, 308] {
            let location = format!("{}/chat/completions", elsewhere.base_url());
            let headers = vec![("location".to_owned(), location)];
            let mock = provider.mock(Reply::Status { code, headers, body: String::new() }).await;
            let failure = failure(&provider.model(&mock)).await;
            assert_eq!(failure.class(), "bad_request", "{}: {failure}", provider.id);
        }
    }
    assert_eq!(elsewhere.request_count(), 0);
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_unreadable() {
    let provider = PROVIDERS[1];
    let body = r#"{"choices":[{"message":{"content":"x"}}]}"#.to_owned();
    let mock = provider.mock(Reply::Status { code: 200, headers: Vec::new(), body }).await;
    let failure = failure(&provider.model(&mock)).await;
    let message = "application/json instead of a stream".to_owned();
    assert_eq!(failure, Failure::Unreadable { message });
}

#[tokio::test]
async fn nobody_there_and_no_tls_are_failures_of_the_network() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let plain = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let no_tls = RemoteModel::new(settings("custom:x", &format!("https://{address}"))).unwrap();
    assert_eq!(failure(&no_tls).await.class(), "network");
    plain.await.unwrap();

    let nobody = RemoteModel::new(settings("custom:x", &format!("http://{address}"))).unwrap();
    let Failure::Network { message } = failure(&nobody).await else { panic!() };
    assert!(message.contains("refused"), "{message}");
}

/// The proxy learns the name of the provider, and nothing of the request.
#[tokio::test]
async fn a_proxy_is_asked_for_a_tunnel_and_sees_no_key() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            stream.read_line(&mut head).await.unwrap();
        }
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        head
    });
    let through = Settings {
        proxy: Some(Proxy { address: format!("http://{address}"), except: String::new() }),
        ..settings("anthropic:claude-sonnet-4-5", "https://api.anthropic.com")
    };
    let model = RemoteModel::new(through).unwrap();
    assert_eq!(failure(&model).await.class(), "network");
    let head = proxy.await.unwrap();
    assert!(head.starts_with("CONNECT api.anthropic.com:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains(KEY));
}

#[test]
fn custom_needs_an_address() {
    let nowhere = Settings { base_url: None, ..settings("custom:x", "") };
    assert_eq!(RemoteModel::new(nowhere).unwrap_err(), InvalidAddress::Missing);
    let catalogue = Settings { base_url: None, ..settings("xai:grok-3", "") };
    assert!(RemoteModel::new(catalogue).is_ok());
}
