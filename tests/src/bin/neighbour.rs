//! A process of another user of this machine for the tests: it listens on the daemon's former address, or
//! opens connections and sends nothing on them. It needs no file that only the tests' user can read.
//!
//! `neighbour listen ADDRESS`: prints `listening`, then what each connection received, when it is closed.
//! `neighbour flood ADDRESS COUNT`: prints `open` when COUNT connections are open, each with half a
//! request, and reopens each connection that is closed, until it is killed.
//! `neighbour ask ADDRESS REQUEST`: sends the request, and prints the first line of the response.

use std::io::{BufRead as _, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// The longest silence on a connection that it listens to.
const SILENCE: Duration = Duration::from_secs(20);

/// The interval of checking all connections.
const INTERVAL: Duration = Duration::from_millis(5);

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["listen", address] => listen(address),
        ["flood", address, count] => flood(address, count.parse().map_err(std::io::Error::other)?),
        ["ask", address, request] => ask(address, request),
        _ => Err(ErrorKind::InvalidInput.into()),
    }
}

fn ask(address: &str, request: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    say(&format!("heard {}", line.trim_end()))
}

fn listen(address: &str) -> std::io::Result<()> {
    let listener = TcpListener::bind(address)?;
    say("listening")?;
    loop {
        let (mut stream, _) = listener.accept()?;
        stream.set_read_timeout(Some(SILENCE))?;
        let (mut heard, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = stream.read(&mut bytes) {
            heard.extend_from_slice(&bytes[..read]);
        }
        say(&format!("heard {:?}", String::from_utf8_lossy(&heard)))?;
    }
}

#[expect(clippy::disallowed_methods, reason = "it looks at its connections again and again")]
fn flood(address: &str, count: usize) -> std::io::Result<()> {
    let connect = || -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n")?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    };
    let mut streams: Vec<Option<TcpStream>> = (0..count).map(|_| connect().ok()).collect();
    say("open")?;
    loop {
        for stream in &mut streams {
            let is_open = stream.as_mut().is_some_and(|stream| {
                let read = stream.read(&mut [0]);
                matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
            });
            if !is_open {
                *stream = connect().ok();
            }
        }
        std::thread::sleep(INTERVAL);
    }
}

fn say(line: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
