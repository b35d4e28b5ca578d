//! Just enough of a client for the demo: one request over loopback, one JSON answer.

use std::net::SocketAddr;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Posts a question and waits for the answer.
pub(super) async fn analyze(
    address: SocketAddr,
    token: &str,
    question: &Value,
) -> anyhow::Result<(StatusCode, Value)> {
    let stream = TcpStream::connect(address)
        .await
        .with_context(|| format!("the daemon does not answer on {address}"))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let driving = tokio::spawn(connection);
    let request = Request::builder()
        .method(Method::POST)
        .uri("/analyze")
        .header(HOST, address.to_string())
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(serde_json::to_vec(question)?)))?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    driving.abort();
    let answer = serde_json::from_slice(&body).context("the daemon's answer is not JSON")?;
    Ok((status, answer))
}
