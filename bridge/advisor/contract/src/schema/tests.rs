//! The schema files are consistent, and fulfil the requirements of the contract and of the model's provider.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::failure::{FailureCode, FailureKind};
use crate::limits;

/// Calls back for every node of a schema that describes a value, with its pointer.
fn each_node(pointer: &str, node: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    visit(pointer, node);
    for keyword in ["properties", "$defs"] {
        for (key, child) in node.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            each_node(&format!("{pointer}/{keyword}/{key}"), child, visit);
        }
    }
    if let Some(items) = node.get("items") {
        each_node(&format!("{pointer}/items"), items, visit);
    }
}

#[test]
fn every_file_is_here_and_is_a_schema_of_2020_12() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../schemas");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    let known = ALL.iter().map(|schema| format!("{}.schema.json", schema.name));
    assert_eq!(files, known.collect::<BTreeSet<_>>());
    for schema in ALL {
        let document = schema.document();
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
        jsonschema::draft202012::meta::validate(document).unwrap();
        if schema.name != ADVICE_WIRE.name {
            assert_eq!(document["$id"], schema.address());
        }
    }
}

#[test]
fn a_schema_is_found_by_name_and_by_file_name() {
    assert_eq!(find("advice").unwrap().name, "advice");
    assert_eq!(find("advice.wire.schema.json").unwrap().name, "advice.wire");
    assert!(find("../Cargo.toml").is_none());
    assert!(find("").is_none());
}

#[test]
fn every_node_is_described() {
    for schema in ALL {
        each_node("", schema.document(), &mut |pointer, node| {
            // A bare reference is described where it leads.
            let is_reference = node.get("$ref").is_some();
            let description = node.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(description.ends_with('.') || is_reference, "{}#{pointer}", schema.name);
        });
    }
}

#[test]
fn every_object_is_closed() {
    for schema in ALL {
        each_node("", schema.document(), &mut |pointer, node| {
            // What tools are asked and say is the tools' business; the report says so in so many words.
            let is_open =
                schema.name == ORCHESTRATOR_REPORT.name && node["additionalProperties"] == true;
            if node["type"] == "object" && !is_open {
                assert_eq!(node["additionalProperties"], json!(false), "{}#{pointer}", schema.name);
            }
        });
    }
}

/// The subset that providers accept under `strict`: facts of codex 0.169's `--output-schema`,
/// which passes the file on verbatim.
#[test]
fn the_wire_form_stays_in_the_strict_subset() {
    let allowed: BTreeSet<&str> = [
        "$schema",
        "description",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
    ]
    .into();
    each_node("", ADVICE_WIRE.document(), &mut |pointer, node| {
        let node = node.as_object().unwrap();
        let extra: Vec<_> = node.keys().filter(|key| !allowed.contains(key.as_str())).collect();
        assert!(extra.is_empty(), "{pointer}: {extra:?}");
        assert!(node.contains_key("type"), "{pointer} has no type");
        if node["type"] == "object" {
            let properties: Vec<_> = node["properties"].as_object().unwrap().keys().collect();
            assert_eq!(json!(properties), node["required"], "{pointer}");
        }
    });
    assert_eq!(ADVICE_WIRE.document()["type"], "object");
}

#[test]
fn both_forms_of_advice_have_the_same_fields_and_choices() {
    let outline = |schema: &Schema| {
        let mut outline = BTreeSet::new();
        let mut stack = vec![(String::new(), schema.document())];
        while let Some((path, node)) = stack.pop() {
            let node = match node.get("$ref").and_then(Value::as_str) {
                Some(reference) => schema.document().pointer(&reference[1..]).unwrap(),
                None => node,
            };
            outline.insert(format!("{path} {}", node.get("enum").unwrap_or(&Value::Null)));
            stack.extend(node.get("items").map(|items| (format!("{path}/-"), items)));
            let fields = node.get("properties").and_then(Value::as_object).into_iter().flatten();
            stack.extend(fields.map(|(key, child)| (format!("{path}/{key}"), child)));
        }
        outline
    };
    assert_eq!(outline(&ADVICE), outline(&ADVICE_WIRE));
}

#[test]
fn the_numbers_are_those_of_the_limits() {
    let timeout = &ADVISOR_INPUT.document()["properties"]["options"]["properties"]["timeout_ms"];
    assert_eq!(timeout["minimum"], json!(limits::TIMEOUT_MIN_MS));
    assert_eq!(timeout["maximum"], json!(limits::TIMEOUT_MAX_MS));
    let turn = &ORCHESTRATE_INPUT.document()["properties"]["options"]["properties"]["timeout_ms"];
    assert_eq!(turn["minimum"], json!(limits::TIMEOUT_MIN_MS));
    assert_eq!(turn["maximum"], json!(limits::TURN_TIMEOUT_MAX_MS));
    let questions = &ADVICE.document()["properties"]["clarifying_questions"];
    assert_eq!(questions["maxItems"], json!(limits::CLARIFYING_QUESTIONS_MAX));
    let summary = &FAILURE.document()["$defs"]["error"]["properties"]["summary"];
    assert_eq!(summary["maxLength"], json!(limits::SUMMARY_MAX_BYTES));
    let meta = &REPORT.document()["$defs"]["meta"]["properties"];
    assert_eq!(meta["round"]["maximum"], json!(limits::ROUNDS_MAX));
    let session = &RUN.document()["$defs"]["session"]["properties"];
    assert_eq!(session["rounds_used"]["maximum"], json!(limits::ROUNDS_MAX));
}

/// The table of codes that users rely on: type, then codes.
const CODES: [(FailureKind, &str, &str); 3] = [
    (
        FailureKind::InputError,
        "input_code",
        "invalid_json, unsupported_media_type, body_too_large, contract_violation, \
         unknown_session, session_expired, session_busy, phase_order, round_limit, \
         idempotency_conflict, unauthorized, forbidden, not_found, method_not_allowed",
    ),
    (
        FailureKind::BridgeFailure,
        "bridge_code",
        "overloaded, draining, codex_not_found, codex_incompatible, codex_misconfigured, \
         codex_home_unusable, spawn_failed, store_failed, interrupted, internal, \
         bridge_unreachable",
    ),
    (
        FailureKind::CodexFailure,
        "codex_code",
        "auth, quota, rate_limited, context_length, model_unavailable, upstream_error, network, \
         bad_request, refused, bad_output, output_limit, crashed, session_lost, timeout, stalled, \
         cancelled",
    ),
];

#[test]
fn the_failure_codes_are_the_fixed_ones() {
    for (kind, definition, codes) in CODES {
        let fixed: Vec<&str> = codes.split(", ").collect();
        let typed: Vec<&str> = FailureCode::ALL
            .iter()
            .filter(|code| code.kind() == kind)
            .map(|code| code.as_str())
            .collect();
        assert_eq!(typed, fixed, "{kind:?}");
        assert_eq!(FAILURE.document()["$defs"][definition]["enum"], json!(fixed), "{definition}");
    }
}
