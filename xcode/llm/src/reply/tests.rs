//! Replies of the nine providers, and what they mean.

use std::time::Duration;

use redact::Redactor;

use super::{Reply, classify};
use crate::failure::Failure;

fn failure(status: u16, body: &str) -> Failure {
    let redactor = Redactor::with_values(vec!["sk-planted-0123456789".into()]);
    classify(Reply { status, after: None, body }, &redactor)
}

#[test]
fn each_reply_has_its_class() {
    let cases: &[(u16, &str, &str)] = &[
        (
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            "auth",
        ),
        (403, r#"{"error":{"message":"Your organization has disabled this"}}"#, "auth"),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            "auth",
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: sk***"}"#,
            "auth",
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance","code":"invalid_request_error"}}"#,
            "quota",
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            "quota",
        ),
        (429, r#"{"error":{"type":"exceeded_current_quota_error","message":"..."}}"#, "quota"),
        (
            400,
            r#"{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
            "quota",
        ),
        (
            400,
            r#"{"error":{"code":"Arrearage","message":"Access denied, overdue payment"}}"#,
            "quota",
        ),
        (429, r#"{"error": {"code": "1113", "message": "您的账户已欠费"}}"#, "quota"),
        (429, r#"{"error":{"message":"Rate limit reached"}}"#, "rate_limited"),
        (429, r#"{"error":{"type":"engine_overloaded_error","message":"busy"}}"#, "overloaded"),
        (503, "<html>Service Unavailable</html>", "overloaded"),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "overloaded",
        ),
        (
            400,
            r#"{"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
            "context_length",
        ),
        (400, r#"{"error":{"code":"context_length_exceeded","message":"..."}}"#, "context_length"),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 131072 tokens."}}"#,
            "context_length",
        ),
        (
            400,
            r#"{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            "context_length",
        ),
        (
            400,
            r#"{"error":{"message":"Range of input length should be [1, 30720]"}}"#,
            "context_length",
        ),
        (
            400,
            r#"{"error":"This model's maximum prompt length is 131072 but the request contains 180001 tokens."}"#,
            "context_length",
        ),
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072"}}"#,
            "context_length",
        ),
        (400, r#"{"error":{"code": "1261", "message":"Prompt 超长"}}"#, "context_length"),
        (413, "", "context_length"),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}"#,
            "model_unknown",
        ),
        (
            404,
            r#"{"error":{"code":"model_not_found","message":"The model `x` does not exist"}}"#,
            "model_unknown",
        ),
        (400, r#"{"error":{"message":"Model Not Exist"}}"#, "model_unknown"),
        (400, r#"{"error":{"code":"1211","message":"模型不存在"}}"#, "model_unknown"),
        (400, r#"{"error":{"code":"data_inspection_failed","message":"..."}}"#, "refused"),
        (
            400,
            r#"{"error":{"message":"function.arguments must be in JSON format"}}"#,
            "bad_request",
        ),
        (400, "", "bad_request"),
        (307, "", "bad_request"),
        (500, r#"{"error":{"message":"Internal error"}}"#, "server"),
        (502, "<html>Bad gateway</html>", "server"),
        (504, "", "server"),
        (204, "", "unreadable"),
    ];
    for &(status, body, class) in cases {
        assert_eq!(failure(status, body).class(), class, "{status} {body}");
    }
}

#[test]
fn a_message_is_the_providers_without_its_secrets() {
    let body =
        r#"{"error":{"message":"Incorrect API key: sk-planted-0123456789\u001b[31m. See docs."}}"#;
    let told = failure(401, body);
    let message = "Incorrect API key: [REDACTED:known-secret]. See docs.";
    assert_eq!(told, Failure::Auth { status: 401, message: message.into() });
    let page = Failure::Server { status: 502, message: "a page of HTML".into() };
    assert_eq!(failure(502, "<html>…</html>"), page);
    let Failure::BadRequest { message, .. } = failure(400, &"长".repeat(10_000)) else { panic!() };
    assert_eq!(message.chars().count(), 500);
    assert_eq!(failure(400, "").to_string(), "the request was not accepted (400): no explanation");
}

#[test]
fn a_delay_of_the_header_goes_before_that_of_the_body() {
    let body = r#"{"error":{"message":"Please try again in 20s"}}"#;
    let after = |after| match classify(Reply { status: 429, after, body }, &Redactor::new()) {
        Failure::RateLimited { after, .. } => after,
        other => panic!("{other:?}"),
    };
    assert_eq!(after(None), Some(Duration::from_secs(20)));
    assert_eq!(after(Some(Duration::from_secs(3))), Some(Duration::from_secs(3)));
}
