//! A client that sends exactly the given bytes.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longest time a test waits for anything; no promise is longer.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// One answer, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Lower-case names, in the order of the answer.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// One connection.
pub(crate) struct Wire {
    stream: TcpStream,
    /// Read, but not yet part of an answer.
    buffer: Vec<u8>,
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(LIMIT, TcpStream::connect(address)).await.unwrap().unwrap();
        Self { stream, buffer: Vec::new() }
    }

    /// Writes as far as the peer lets us.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        timeout(LIMIT, self.stream.write_all(bytes.as_ref())).await.unwrap()
    }

    /// The next answer, or nothing where the peer closed instead.
    pub(crate) async fn answer(&mut self) -> Option<Answer> {
        self.answer_to("GET").await
    }

    /// The next answer; that to a HEAD has no body, whatever its headers say.
    pub(crate) async fn answer_to(&mut self, method: &str) -> Option<Answer> {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            if !self.read_some().await {
                assert!(self.buffer.is_empty(), "cut inside a head: {:?}", self.buffer);
                return None;
            }
        };
        let head = String::from_utf8(self.buffer.drain(..end).collect()).unwrap();
        let mut lines = head.trim_end().lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        if method != "HEAD" {
            let length = answer.header("content-length").unwrap_or("0").parse().unwrap();
            while self.buffer.len() < length {
                assert!(self.read_some().await, "cut inside a body");
            }
            answer.body = self.buffer.drain(..length).collect();
        }
        Some(answer)
    }

    /// Reads until the peer closes.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.read_some().await {}
        std::mem::take(&mut self.buffer)
    }

    async fn read_some(&mut self) -> bool {
        let mut chunk = [0; 4096];
        match timeout(LIMIT, self.stream.read(&mut chunk)).await.expect("an answer in time") {
            // A reset is a close as well: the peer had not read what we sent.
            Ok(0) | Err(_) => false,
            Ok(read) => {
                self.buffer.extend_from_slice(&chunk[..read]);
                true
            }
        }
    }
}

/// Sends one request on a connection of its own and gives the first answer.
pub(crate) async fn ask(address: SocketAddr, request: impl AsRef<[u8]>) -> Option<Answer> {
    let mut wire = Wire::connect(address).await;
    // The peer may answer and close before it has read all; the answer counts.
    let _ = wire.send(request).await;
    wire.answer().await
}
