//! What an approval is bound to: the SHA-256 of tool, input and folder. What only describes a shell
//! call (its description and time limit) does not count; a model words it anew each time.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The digest of a call.
pub fn digest(tool: &str, input: &Value, cwd: &str) -> String {
    let mut hasher = Sha256::new();
    for part in [tool, cwd] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let is_shell = tool == "Bash";
    match input {
        Value::Object(fields) if is_shell => {
            let counts = |name: &&String| !matches!(name.as_str(), "description" | "timeout");
            let mut names: Vec<&String> = fields.keys().filter(counts).collect();
            names.sort();
            for name in names {
                text(name, &mut hasher);
                value(&fields[name], &mut hasher);
            }
        }
        other => value(other, &mut hasher),
    }
    hex(&hasher.finalize())
}

/// The digest of a command's words.
pub fn digest_of_words(words: &[&str]) -> String {
    let mut hasher = Sha256::new();
    words.iter().for_each(|word| text(word, &mut hasher));
    hex(&hasher.finalize())
}

/// Every value begins with its kind and length, so that no two inputs share their bytes.
fn value(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::String(string) => text(string, hasher),
        Value::Array(values) => {
            hasher.update(b"a");
            hasher.update((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| self::value(value, hasher));
        }
        Value::Object(fields) => {
            hasher.update(b"o");
            hasher.update((fields.len() as u64).to_le_bytes());
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            for name in names {
                text(name, hasher);
                self::value(&fields[name], hasher);
            }
        }
        plain => {
            hasher.update(b"p");
            text(&plain.to_string(), hasher);
        }
    }
}

fn text(text: &str, hasher: &mut Sha256) {
    hasher.update(b"s");
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::digest;

    #[test]
    fn only_the_same_call_has_the_same_digest() {
        let same = |one: (&str, serde_json::Value, &str),
                    other: (&str, serde_json::Value, &str)| {
            digest(one.0, &one.1, one.2) == digest(other.0, &other.1, other.2)
        };
        let call = || ("Bash", json!({"command": "rm x", "description": "a"}), "/p");
        assert!(same(call(), ("Bash", json!({"description": "b", "command": "rm x"}), "/p")));
        assert!(same(call(), ("Bash", json!({"command": "rm x", "timeout": 5}), "/p")));
        for other in [
            ("Bash", json!({"command": "rm  x"}), "/p"),
            ("Bash", json!({"command": "rm x"}), "/q"),
            ("Bash", json!({"command": "rm x", "run_in_background": true}), "/p"),
            ("Write", json!({"command": "rm x"}), "/p"),
        ] {
            assert!(!same(call(), other.clone()), "{other:?}");
        }
        let write = |content: &str| ("Write", json!({"file_path": "a", "content": content}), "/p");
        assert!(same(write("x"), ("Write", json!({"content": "x", "file_path": "a"}), "/p")));
        assert!(!same(write("x"), write("y")));
        assert!(!same(("T", json!(["a", "b"]), "/"), ("T", json!(["ab"]), "/")));
    }
}
