//! A tool that only the repository's file and a rule make known, in the real orchestrator, and what an engine
//! says of files that it does not read.

use std::fs;

use crate::shop::{Shop, context, limits, result};

/// A server of a few lines: a linter whose findings exclude one another, and a tool whose answers have no
/// form of the protocol.
const LINTER: &str = r#"while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"lint","version":"1"}}' ;;
  *'"tools/list"'*) r='{"tools":[{"name":"judge","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object"}}]}' ;;
  *'"judge"'*fn*) r='{"content":[],"structuredContent":{"findings":[{"path":"src/login.rs","symbol":"login","verdict":"safe"},{"path":"src/login.rs","symbol":"login","verdict":"unsafe"}]}}' ;;
  *'"odd"'*) r='{"content":7}' ;;
  *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"#;

/// A shop with the linter, whose tools are asked for by these words.
fn shop(use_: &str) -> Shop {
    let shop = Shop::new("");
    let server = shop.folder.path().join("linter.sh");
    fs::write(&server, LINTER).unwrap();
    let file = format!(
        "servers:\n  lint:\n    command: [sh, {server:?}]\n    use: {use_}\n    tools:\n      \
         lint: {{ tool: judge, when: [linter], arguments: {{ question: 'fn {{query}}' }} }}\n      \
         odd: {{ when: [odd], timeout_ms: 3500 }}\n      unknown: gone\n"
    );
    fs::write(shop.folder.path().join("config/auto-tools.yaml"), file).unwrap();
    shop
}

/// Configuration and a rule are all that a new tool takes. Its two judgements of one place are shown side
/// by side.
#[test]
fn a_new_tool_needs_configuration_and_a_rule_alone() {
    let shop = shop("beside");
    let asked = "fix the bug in the login function that the linter found";
    // Nothing of it runs before the user has agreed.
    let (code, report) = shop.prompt(asked);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(result(&report, "lint")["error"]["code"], "E_TOOL_UNAVAILABLE");
    assert!(limits(&report).contains("is not trusted"), "{report:#}");
    let (_, out, _) = shop.run(&["trust", "--yes"]);
    assert!(
        out.contains("tool: lint is its judge, for prompts with [\"linter\"] (tier 1)"),
        "{out}"
    );

    let (code, report) = shop.ask_until(asked, &["lint", "ci_search"]);
    assert_eq!(code, 0, "{report:#}");
    let items = report["fused_context"]["for_model"]["structured"]["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["tool"] == "lint").unwrap();
    assert_eq!(
        (&item["conflict"], &item["version"]),
        (&true.into(), &"lint 1 (server lint)".into())
    );
    for claim in ["safe", "unsafe"] {
        let line = format!("conflict: {claim} (lint at ");
        assert!(context(&report).contains(&line), "{}", context(&report));
        let results = report["fused_context"]["for_user"]["results_text"].as_str().unwrap();
        assert!(results.contains(&line), "{results}");
    }
    assert!(
        limits(&report).contains("tool unavailable; skipped: unknown (config/auto-tools.yaml"),
        "{report:#}"
    );
    // A prompt that does not ask for it does not get it, and its server is not started.
    let (_, report) = shop.ask();
    let tools = report["tool_results"].as_array().unwrap();
    assert!(tools.iter().all(|result| result["tool"].as_str().unwrap().starts_with("ci_")));
}

#[test]
fn an_answer_of_no_known_form_is_said() {
    let shop = shop("beside");
    assert_eq!(shop.run(&["trust", "--yes"]).0, 0);
    // On a busy machine an answer may come too late.
    let is_late = |report: &serde_json::Value| result(report, "odd")["status"] == "timeout";
    let mut reports = (0..20).map(|_| shop.prompt("fix the odd bug in the login function").1);
    let report = reports.find(|report| !is_late(report)).unwrap();
    assert_eq!(result(&report, "odd")["error"]["code"], "E_PARSE", "{report:#}");
}

/// Of data and of what is too large the model gets path, size and hash, and no content.
#[test]
fn what_is_not_read_is_told_by_path_size_and_hash() {
    let shop = Shop::new("");
    let data = [&b"\x00\x01login function bug"[..], &[7; 5000]].concat();
    fs::write(shop.folder.path().join("src/login_function.bin"), &data).unwrap();
    let (_, report) =
        shop.ask_until("fix the bug with login_function.bin", &["ci_search", "ci_graph_rag"]);
    let told = "src/login_function.bin";
    assert!(context(&report).contains(told), "{}", context(&report));
    let line = context(&report).lines().find(|line| line.contains(told)).unwrap();
    assert!(line.contains("not read: 5020 bytes, sha256 2afe679eab01"), "{line}");
    assert!(!context(&report).contains("| login function bug"), "{}", context(&report));
}
