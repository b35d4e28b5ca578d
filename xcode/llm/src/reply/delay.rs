//! Parses the delay that a provider requests, from headers or from the message.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use serde_json::Value;

/// Maximum plausible delay: a day. A longer one is a mistake of units.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// `retry-after-ms`, then `Retry-After` in seconds or as a date.
pub(super) fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(delay) = text("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(delay);
    }
    let told = text("retry-after")?;
    seconds(told, 1.0).or_else(|| {
        let at = httpdate::parse_http_date(told).ok()?;
        Some(at.duration_since(now).unwrap_or_default().min(LONGEST))
    })
}

/// `details[].retryDelay` of Gemini, then `try again in 1m2.5s` of OpenAI and others.
pub(super) fn from_body(body: &str) -> Option<Duration> {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let error = value.pointer("/error").or_else(|| value.pointer("/0/error"));
    let details = error.and_then(|error| error["details"].as_array()).into_iter().flatten();
    let told = details.filter_map(|detail| detail["retryDelay"].as_str()).find_map(spoken);
    told.or_else(|| {
        let body = body.to_ascii_lowercase();
        let (_, rest) = body.split_once("try again in ")?;
        spoken(rest)
    })
}

/// Parses a duration such as `34.4s`, `340ms`, `1m30s`, `2 seconds` at the beginning of `text`.
fn spoken(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut whole: Option<Duration> = None;
    loop {
        let end = rest.find(|each: char| !each.is_ascii_digit() && each != '.')?;
        let (number, behind) = rest.split_at(end);
        let behind = behind.trim_start();
        let (unit, length) = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
            .into_iter()
            .find(|(unit, _)| behind.starts_with(unit))?;
        let part = seconds(number.trim_end_matches('.'), length)?;
        whole = Some(whole.unwrap_or_default() + part);
        rest = &behind[unit.len()..];
        if !rest.starts_with(|each: char| each.is_ascii_digit()) {
            return whole;
        }
    }
}

/// `number` in a unit of `length` seconds.
fn seconds(number: &str, length: f64) -> Option<Duration> {
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number * length).ok().map(|delay| delay.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::{HeaderMap, HeaderValue};

    use super::{from_body, from_headers};

    #[test]
    fn a_delay_is_read_from_each_place() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let header = |name: &'static str, value: &'static str| {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )]);
            from_headers(&headers, now).map(|delay| delay.as_millis())
        };
        assert_eq!(header("retry-after", "7"), Some(7_000));
        assert_eq!(header("retry-after", "1.5"), Some(1_500));
        assert_eq!(header("retry-after-ms", "340"), Some(340));
        assert_eq!(header("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), Some(10_000));
        assert_eq!(header("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for nonsense in ["soon", "-1", "NaN", "inf"] {
            assert_eq!(header("retry-after", nonsense), None, "{nonsense}");
        }
        assert_eq!(header("retry-after", "99999999999"), Some(86_400_000));
    }

    /// docs/MODELS.md, Gemini: a 429 names its delay in the body.
    #[test]
    fn gemini_and_openai_tell_the_delay_in_the_body() {
        let told = |body: &str| from_body(body).map(|delay| delay.as_millis());
        let gemini = r#"{"error":{"code":429,"details":[{"@type":"x"},{"retryDelay":"34.4s"}]}}"#;
        assert_eq!(told(gemini), Some(34_400));
        assert_eq!(told(&format!("[{gemini}]")), Some(34_400));
        let openai = r#"{"error":{"message":"Limit reached. Please try again in 1m2.5s. Visit"}}"#;
        assert_eq!(told(openai), Some(62_500));
        assert_eq!(told("Please try again in 340ms."), Some(340));
        assert_eq!(told("please try again in 2 seconds"), Some(2_000));
        for body in ["", "try again in", "try again in a while", "try again in 5"] {
            assert_eq!(told(body), None, "{body}");
        }
    }
}
