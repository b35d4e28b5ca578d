//! A local HTTP listener for a client's requests: it searches for a text in them and refuses
//! them. It does not simulate a model.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Maximum size of a request, in bytes: the tested client sends some 100 KB.
const REQUEST_MAX: usize = 8 << 20;
/// Read timeout of a connection.
const SILENCE: Duration = Duration::from_secs(2);
/// The refusal, which clients do not retry.
const REFUSAL: &str =
    r#"{"type":"error","error":{"type":"invalid_request_error","message":"this is no model"}}"#;

/// A listener on its own thread.
pub(super) struct Listener {
    address: SocketAddr,
    has_heard: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens for requests that contain this text.
    ///
    /// # Errors
    /// No port or no thread is available.
    pub(super) fn start(text: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (has_heard, is_over) =
            (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (heard, over) = (Arc::clone(&has_heard), Arc::clone(&is_over));
        let serve = move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Acquire) {
                    return;
                }
                // A broken connection does not count.
                if stream.and_then(|stream| answer(stream, text)).unwrap_or(false) {
                    heard.store(true, Ordering::Release);
                }
            }
        };
        let thread = thread::Builder::new().name("listener".to_owned()).spawn(serve)?;
        Ok(Self { address, has_heard, is_over, thread: Some(thread) })
    }

    /// Its address.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it, and returns whether a request contained the text.
    pub(super) fn stop(mut self) -> bool {
        self.end();
        self.has_heard.load(Ordering::Acquire)
    }

    fn end(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.is_over.store(true, Ordering::Release);
        // It waits for a connection; if none can be made, it has ended already.
        if TcpStream::connect(self.address).is_ok() {
            let _ = thread.join();
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads one request, refuses it, and returns whether it contained the text.
fn answer(mut stream: TcpStream, text: &str) -> io::Result<bool> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let mut request = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    while !is_whole(&request) && request.len() < REQUEST_MAX {
        match stream.read(&mut chunk)? {
            0 => break,
            read => request.extend_from_slice(&chunk[..read]),
        }
    }
    let length = REFUSAL.len();
    let head =
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {length}\r\n\r\n{REFUSAL}")?;
    Ok(request.windows(text.len()).any(|window| window == text.as_bytes()))
}

/// Whether a request has its head and a body of the length given there.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    request.len() >= end.saturating_add(4).saturating_add(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(listener: &Listener, request: &str) -> String {
        let mut stream = TcpStream::connect(listener.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_text_is_heard_in_the_body_of_a_request_which_is_refused() {
        for (body, expected) in [("{\"a\":\"the mark\"}", true), ("{\"a\":1}", false)] {
            let listener = Listener::start("the mark").unwrap();
            assert!(send(&listener, "HEAD / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
            let length = body.len();
            let request = format!("POST /v1 HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}");
            assert!(send(&listener, &request).ends_with(REFUSAL));
            assert_eq!(listener.stop(), expected);
        }
    }
}
