//! What an approval covers: the SHA-256 of tool, input, folders, session and the content of each
//! file that the judgement depends on. Fields that only describe a shell call (its description and time limit) are
//! excluded, because a model words them differently each time.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::approver::hex;
use crate::records::{Request, SeenFile};

/// Everything that an approval covers.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The arguments, in the client's form.
    pub input: &'a Value,
    /// The working folder, with links resolved.
    pub cwd: &'a str,
    /// Identity of the repository at the project's root, independent of its path.
    pub root: &'a str,
    /// The client's session.
    pub session: &'a str,
    /// The files that the judgement depends on.
    pub files: &'a [SeenFile],
}

impl<'a> Bound<'a> {
    /// As stored in a request.
    pub fn of(request: &'a Request) -> Self {
        Self {
            tool: &request.tool,
            input: &request.input,
            cwd: &request.cwd,
            root: &request.root,
            session: &request.session_id,
            files: &request.files,
        }
    }

    /// SHA-256 of the call and its surroundings, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for part in [self.tool, self.cwd, self.root, self.session] {
            text(part, &mut hasher);
        }
        match self.input {
            Value::Object(fields) => {
                let mut names: Vec<&String> =
                    fields.keys().filter(|name| counts(self.tool, name)).collect();
                names.sort();
                hasher.update((names.len() as u64).to_le_bytes());
                for name in names {
                    text(name, &mut hasher);
                    value(&fields[name], &mut hasher);
                }
            }
            other => value(other, &mut hasher),
        }
        hasher.update((self.files.len() as u64).to_le_bytes());
        for file in self.files {
            text(&file.path, &mut hasher);
            text(&file.digest, &mut hasher);
        }
        hex(&hasher.finalize())
    }
}

/// Whether a field of a tool's input changes what the call does.
pub(super) fn counts(tool: &str, field: &str) -> bool {
    tool != "Bash" || !matches!(field, "description" | "timeout")
}

/// The digest of a command's words.
pub fn digest_of_words(words: &[&str]) -> String {
    let mut hasher = Sha256::new();
    words.iter().for_each(|word| text(word, &mut hasher));
    hex(&hasher.finalize())
}

/// Every value is preceded by its kind and length, so that different inputs never give the same bytes.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Bound;
    use crate::records::SeenFile;

    fn same(one: (&str, Value, &str), other: (&str, Value, &str)) -> bool {
        let digest = |(tool, input, cwd): &(&str, Value, &str)| {
            Bound { tool, input, cwd, root: "r", session: "s", files: &[] }.digest()
        };
        digest(&one) == digest(&other)
    }

    #[test]
    fn only_the_same_call_has_the_same_digest() {
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

    #[test]
    fn session_root_and_each_files_content_count() {
        let input = json!({"command": "sh x.sh"});
        let file = |path: &str, digest: &str| SeenFile { path: path.into(), digest: digest.into() };
        let files = [file("/p/x.sh", "aa"), file("/p/y.sh", "bb")];
        let plain = Bound {
            tool: "Bash",
            input: &input,
            cwd: "/p",
            root: "r",
            session: "s",
            files: &files,
        };
        for other in [
            Bound { root: "q", ..plain },
            Bound { session: "t", ..plain },
            Bound { files: &files[..1], ..plain },
            Bound { files: &[], ..plain },
            Bound { files: &[file("/p/x.sh", "ab"), files[1].clone()], ..plain },
            Bound { files: &[file("/p/z.sh", "aa"), files[1].clone()], ..plain },
        ] {
            assert_ne!(other.digest(), plain.digest(), "{other:?}");
        }
    }
}
