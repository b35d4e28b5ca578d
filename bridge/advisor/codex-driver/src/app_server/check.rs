//! Checks that a thread has the requested properties. The server silently ignores unknown fields of a
//! request (codex 0.169), so its response is what counts.

use contract::id::ThreadId;
use serde_json::Value;

/// What is wrong with a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is not the thread that was to be resumed.
    OtherThread(String),
    /// It is less confined than requested; the reason in our words.
    Unconfined(&'static str),
}

/// The thread's id, if it is read-only, requests no approval, reads no instruction file, and is the
/// one to be resumed.
///
/// # Errors
/// The property that is wrong.
pub(crate) fn thread(response: &Value, resumed: Option<ThreadId>) -> Result<ThreadId, Unfit> {
    let sandbox = &response["sandbox"];
    if sandbox["type"] != "readOnly" {
        return Err(Unfit::Unconfined("the thread is not read-only"));
    }
    // By the schema, absent means no access; any value other than `false` may mean access.
    if !matches!(sandbox["networkAccess"], Value::Bool(false) | Value::Null) {
        return Err(Unfit::Unconfined("the thread has access to the network"));
    }
    if response["approvalPolicy"] != "never" {
        return Err(Unfit::Unconfined("the thread asks for approvals"));
    }
    match &response["instructionSources"] {
        Value::Null => {}
        Value::Array(sources) if sources.is_empty() => {}
        _ => return Err(Unfit::Unconfined("the thread reads instruction files")),
    }
    let id = response["thread"]["id"].as_str().and_then(|id| id.parse().ok());
    let Some(id) = id else { return Err(Unfit::Unconfined("the thread has no id")) };
    match resumed {
        Some(resumed) if resumed != id => {
            Err(Unfit::OtherThread(format!("asked for thread {resumed}, got {id}")))
        }
        _ => Ok(id),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const THREAD: &str = "01a207bf-2ffd-7a93-9c30-0fb5501b28b1";
    const OTHER: &str = "01a207bf-2ffd-7a93-9c30-0fb5501b28b2";

    /// A response of codex 0.169.
    fn response() -> Value {
        json!({
            "thread": { "id": THREAD }, "model": "gpt-5.5", "instructionSources": [],
            "approvalPolicy": "never", "sandbox": { "type": "readOnly", "networkAccess": false },
        })
    }

    #[test]
    fn a_thread_as_it_was_asked_for_passes() {
        let id: ThreadId = THREAD.parse().unwrap();
        assert_eq!(thread(&response(), None), Ok(id));
        assert_eq!(thread(&response(), Some(id)), Ok(id));
        let mut older = response();
        older.as_object_mut().unwrap().remove("instructionSources");
        older["sandbox"] = json!({ "type": "readOnly" });
        assert_eq!(thread(&older, None), Ok(id));
    }

    #[test]
    fn any_other_thread_is_refused() {
        for (place, value, words) in [
            ("/sandbox/type", json!("workspaceWrite"), "not read-only"),
            ("/sandbox/type", json!("dangerFullAccess"), "not read-only"),
            ("/sandbox", json!(null), "not read-only"),
            ("/sandbox", json!("readOnly"), "not read-only"),
            ("/sandbox/networkAccess", json!(true), "network"),
            ("/sandbox/networkAccess", json!("enabled"), "network"),
            ("/approvalPolicy", json!("on-request"), "approvals"),
            ("/approvalPolicy", json!({ "granular": {} }), "approvals"),
            ("/approvalPolicy", json!(null), "approvals"),
            ("/instructionSources", json!(["/shop/AGENTS.md"]), "instruction"),
            ("/instructionSources", json!("/shop/AGENTS.md"), "instruction"),
            ("/thread/id", json!("latest"), "no id"),
            ("/thread", json!(null), "no id"),
        ] {
            let mut response = response();
            *response.pointer_mut(place).unwrap() = value;
            match thread(&response, None) {
                Err(Unfit::Unconfined(refused)) => assert!(refused.contains(words), "{place}"),
                other => panic!("{place}: {other:?}"),
            }
        }
        let words = format!("asked for thread {OTHER}, got {THREAD}");
        let other = thread(&response(), Some(OTHER.parse().unwrap()));
        assert_eq!(other, Err(Unfit::OtherThread(words)));
    }
}
