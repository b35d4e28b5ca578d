//! Refusals of the Responses API: outputs without their calls, calls without their outputs.

use serde_json::Value;

use crate::provider_error::ProviderError;

/// Why this body is refused; none if it is valid. With `previous_response_id` the calls may be elsewhere, so
/// only a call without its output is refused.
pub(crate) fn refused(body: &Value) -> Option<ProviderError> {
    let items = body["input"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |kind: &str| -> Vec<&str> {
        let wanted = items.iter().filter(|item| item["type"] == kind);
        wanted.map(|item| item["call_id"].as_str().unwrap_or_default()).collect()
    };
    let (calls, outputs) = (of("function_call"), of("function_call_output"));
    let wrong = calls
        .iter()
        .find(|id| !outputs.contains(id))
        .map(|id| format!("No tool output found for function call {id}."))
        .or_else(|| {
            let elsewhere = !body["previous_response_id"].is_null();
            let mut lost = outputs.iter().filter(|id| !elsewhere && !calls.contains(id));
            lost.next()
                .map(|id| format!("No tool call found for function call output with call_id {id}."))
        });
    wrong.map(|message| ProviderError::bad_request(message).about("input"))
}
