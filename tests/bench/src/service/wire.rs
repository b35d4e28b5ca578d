//! A client of low overhead: one HTTP/1.1 connection, requests written as bytes, responses of known
//! length.

use std::io;

use reqwest::Method;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use tests::harness::Client;

/// The size of a read, in bytes: more than a response has here.
const CHUNK: usize = 16 << 10;

/// A persistent connection.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// Holds the present response from its first byte on.
    buffer: Vec<u8>,
}

/// The parts of a response that matter here.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) has_retry_after: bool,
    pub(super) body: Vec<u8>,
}

/// A request as bytes, to be sent many times.
pub(super) fn request(client: &Client, method: Method, path: &str, body: &[u8]) -> Vec<u8> {
    let (host, token, length) = (client.address(), client.token(), body.len());
    let mut bytes = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

impl Connection {
    pub(super) async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Sends the request and reads the whole response.
    pub(super) async fn ask(&mut self, request: &[u8]) -> io::Result<Reply> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = self.buffer.windows(4).position(|part| part == b"\r\n\r\n") {
                break end + 4;
            }
            self.read().await?;
        };
        let text = str::from_utf8(&self.buffer[..head]).map_err(io::Error::other)?;
        let status = text.get(9..12).and_then(|code| code.parse().ok()).ok_or_else(malformed)?;
        let length: usize = field(text, "content-length")
            .and_then(|length| length.parse().ok())
            .ok_or_else(malformed)?;
        let has_retry_after = field(text, "retry-after").is_some();
        while self.buffer.len() < head + length {
            self.read().await?;
        }
        Ok(Reply { status, has_retry_after, body: self.buffer[head..].to_vec() })
    }

    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(CHUNK);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

fn field<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(each, _)| each.eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no status, or no length")
}
