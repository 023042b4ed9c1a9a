//! As much of HTTP/1.1 as the exchange speaks: requests without a body, answers with one.

use super::transport::Transport;
use anyhow::{bail, Result};
use std::io::{Read, Write};
use tungstenite::http::{Request, Version};

/// A head beyond this is no client's of ours.
const LONGEST_HEAD: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;

/// Reads a request, and leaves in `buffer` what was read beyond it. Nothing at the connection's end.
pub(super) fn read(stream: &mut Transport, buffer: &mut Vec<u8>) -> Result<Option<Request<()>>> {
    loop {
        if let Some((request, length)) = parse(buffer)? {
            buffer.drain(..length);
            return Ok(Some(request));
        }
        if buffer.len() > LONGEST_HEAD {
            bail!("a request's head is longer than {LONGEST_HEAD} bytes");
        }
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes)?;
        if count == 0 {
            return Ok(None);
        }
        buffer.extend_from_slice(&bytes[..count]);
    }
}

fn parse(buffer: &[u8]) -> Result<Option<(Request<()>, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = parsed.parse(buffer)? else {
        return Ok(None);
    };
    let version = match parsed.version {
        Some(0) => Version::HTTP_10,
        _ => Version::HTTP_11,
    };
    let mut request = Request::builder()
        .method(parsed.method.unwrap_or_default())
        .uri(parsed.path.unwrap_or_default())
        .version(version);
    for header in parsed.headers.iter() {
        request = request.header(header.name, header.value);
    }
    Ok(Some((request.body(())?, length)))
}

/// The value of a parameter in a request's query.
pub(super) fn parameter<'a>(request: &'a Request<()>, name: &str) -> Option<&'a str> {
    let pairs = request.uri().query()?.split('&');
    pairs
        .filter_map(|pair| pair.split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// After how many seconds to ask again.
    pub(super) retry_after: Option<u64>,
    pub(super) body: String,
    /// The connection ends in the middle of the body.
    pub(super) is_truncated: bool,
}

impl Answer {
    pub(super) const fn new(status: u16, body: String) -> Self {
        Self {
            status,
            retry_after: None,
            body,
            is_truncated: false,
        }
    }

    /// Writes it.
    pub(super) fn write(&self, stream: &mut Transport) -> Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            404 => "Not Found",
            418 => "I'm a teapot",
            429 => "Too Many Requests",
            _ => "Internal Server Error",
        };
        let retry = self.retry_after.map_or(String::new(), |seconds| {
            format!("Retry-After: {seconds}\r\n")
        });
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{retry}\r\n",
            self.status,
            self.body.len()
        );
        let body = if self.is_truncated {
            &self.body[..self.body.len() / 2]
        } else {
            &self.body
        };
        stream.write_all(format!("{head}{body}").as_bytes())?;
        Ok(stream.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_far_as_it_goes() {
        let text = b"GET /api/v3/depth?symbol=BTCUSDT&limit=5 HTTP/1.1\r\nHost: h\r\n\r\nrest";
        for length in 0..text.len() - 4 {
            assert!(parse(&text[..length]).unwrap().is_none(), "{length} bytes");
        }
        let (request, length) = parse(text).unwrap().unwrap();
        assert_eq!(&text[length..], b"rest");
        assert_eq!(request.uri().path(), "/api/v3/depth");
        assert_eq!(parameter(&request, "symbol"), Some("BTCUSDT"));
        assert_eq!(parameter(&request, "limit"), Some("5"));
        assert_eq!(parameter(&request, "lim"), None);
        assert_eq!(request.headers()["host"], "h");
        assert!(parse(b"nothing of the kind\r\n\r\n").is_err());
    }
}
