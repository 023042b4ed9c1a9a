//! Answers to requests for snapshots.

use super::fault::Fault;
use super::http::{parameter, Answer};
use super::state::{Shared, Snapshot};
use crate::venue::Venue;
use tungstenite::http::Request;

/// The numbers of levels that futures can be asked for.
const FUTURES_LIMITS: [usize; 7] = [5, 10, 20, 50, 100, 500, 1000];

/// Answers a request.
pub(super) fn answer(shared: &Shared, request: &Request<()>) -> Answer {
    let venue = shared.options.venue;
    if request.method() != "GET" || request.uri().path() != venue.depth_path() {
        return Answer::new(404, String::new());
    }
    let Some(symbol) = parameter(request, "symbol").filter(|symbol| !symbol.is_empty()) else {
        return error(400, -1102, "a symbol is mandatory");
    };
    let Some(limit) = limit(venue, parameter(request, "limit")) else {
        return error(400, -4021, "no such depth");
    };
    let (body, fault) = match shared.snapshot(symbol, limit) {
        Some(Snapshot::Given(body, fault)) => (body, fault),
        Some(Snapshot::Refused) => return error(418, -1003, "still too many requests"),
        None => return error(400, -1121, "Invalid symbol."),
    };
    match fault {
        Some(Fault::TooManyRequests) => Answer {
            retry_after: Some(shared.options.retry_after),
            ..error(429, -1003, "too many requests")
        },
        Some(Fault::ServerError) => error(500, -1000, "an unknown error"),
        Some(Fault::TruncatedSnapshot) => Answer {
            is_truncated: true,
            ..Answer::new(200, body)
        },
        Some(Fault::SlowSnapshot) => {
            shared.pause(shared.options.delay);
            Answer::new(200, body)
        }
        _ => Answer::new(200, body),
    }
}

/// How many levels a side to give; spot gives 5000 at most, futures only certain numbers.
fn limit(venue: Venue, asked: Option<&str>) -> Option<usize> {
    match venue {
        Venue::Spot | Venue::Us => match asked {
            None => Some(100),
            Some(asked) => Some(asked.parse::<usize>().ok()?.min(5000)),
        },
        Venue::Futures => match asked {
            None => Some(500),
            Some(asked) => {
                let asked = asked.parse().ok()?;
                FUTURES_LIMITS.contains(&asked).then_some(asked)
            }
        },
    }
}

/// An error in the exchange's form.
fn error(status: u16, code: i32, reason: &str) -> Answer {
    Answer::new(status, format!(r#"{{"code":{code},"msg":"{reason}"}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_venue() {
        assert_eq!(limit(Venue::Spot, None), Some(100));
        assert_eq!(limit(Venue::Us, Some("9999")), Some(5000));
        assert_eq!(limit(Venue::Spot, Some("many")), None);
        assert_eq!(limit(Venue::Futures, None), Some(500));
        assert_eq!(limit(Venue::Futures, Some("1000")), Some(1000));
        assert_eq!(limit(Venue::Futures, Some("7")), None);
    }
}
