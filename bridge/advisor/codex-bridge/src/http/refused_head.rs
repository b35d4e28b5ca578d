//! The response to a request whose head is not accepted.
//!
//! hyper answers such a request itself, before any service sees it, with a bare status (hyper 1.12). This
//! module replaces that response by one with a request id, the security and cache headers, and a failure as
//! its body.

use contract::failure::{Failure, FailureCode};
use uuid::Uuid;

/// Start of an error response.
const ERROR_START: &[u8] = b"HTTP/1.1 4";

/// Header that all of our responses have, and hyper's own do not.
const OUR_MARK: &[u8] = b"\r\nx-request-id: ";

/// The response that replaces `written`, if that is a response of hyper's own.
pub(super) fn in_place_of(written: &[u8]) -> Option<Vec<u8>> {
    let is_whole = written.starts_with(ERROR_START)
        && written.windows(4).position(|end| end == b"\r\n\r\n") == Some(written.len() - 4);
    if !is_whole || written.windows(OUR_MARK.len()).any(|part| part == OUR_MARK) {
        return None;
    }
    let line = written.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let failure = match line.split(' ').nth(1)? {
        "431" | "414" => Failure::new(
            FailureCode::BodyTooLarge,
            "the request's head has more than 64 headers or 32 KiB; send fewer or shorter headers",
        ),
        _ => Failure::new(
            FailureCode::InvalidJson,
            "the request's head is not HTTP/1.1 as it is accepted here; send one request line, one Host, and \
             headers without folds, spaces before a colon, or a length that is given twice",
        ),
    };
    let body = serde_json::to_string(&failure).ok()?;
    let id = Uuid::now_v7();
    Some(
        format!(
            "{line}\r\ncontent-type: application/json\r\nx-request-id: {id}\r\ncache-control: no-store\r\n\
             x-content-type-options: nosniff\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_of_hypers_own_is_replaced() {
        let theirs = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let text = String::from_utf8(in_place_of(theirs).unwrap()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        let failure: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(failure["error"]["code"], "body_too_large");
        for ours in [
            &b"HTTP/1.1 400 Bad Request\r\nx-request-id: a\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\n\r\nbody",
            b"HTTP/1.1 400 Bad Request\r\n",
            b"",
        ] {
            assert_eq!(in_place_of(ours), None);
        }
    }
}
