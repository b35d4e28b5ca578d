//! The web hosts that a session may fetch from without a question: those that the user mentioned, and
//! those that a search found. Not here: the question about other hosts.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::address;

/// Name endings by which a name without `https://` is taken for a host. Endings that are also those of files (`main.rs`,
/// `README.md`, `app.py`) are not among them: anybody can own such a host.
const ENDINGS: [&str; 9] = ["com", "org", "net", "io", "dev", "gov", "edu", "cn", "app"];

/// How many hosts are kept; nobody mentions more.
const MOST: usize = 1_000;

/// The known hosts. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct KnownHosts {
    hosts: Arc<Mutex<BTreeSet<String>>>,
}

impl KnownHosts {
    /// Adds the hosts in the user's own words; text that is piped in, read or found must not be passed.
    pub fn hear(&self, words: &str) {
        let ends = |char: char| {
            char.is_whitespace() || "<>\"'`()[]{}|,;，。、；：（）《》「」".contains(char)
        };
        for word in words.split(ends) {
            let word = word.trim_end_matches(['.', ':', '!', '?', '！', '？']);
            if word.starts_with("http://") || word.starts_with("https://") {
                self.add(word);
            } else if is_name(word) {
                self.add(&format!("https://{word}"));
            }
        }
    }

    /// Adds the host of a URL.
    pub(crate) fn add(&self, url: &str) {
        let Some(host) = address::host(url) else { return };
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() < MOST {
            hosts.insert(host);
        }
    }

    /// Whether the host of a URL is known.
    pub(crate) fn has(&self, url: &str) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        address::host(url).is_some_and(|host| hosts.contains(&host))
    }
}

/// Whether a word is a host name, optionally followed by a path.
fn is_name(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or_default();
    let plain = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '.';
    let ending = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && host.chars().all(plain)
        && host.split('.').all(|label| !label.is_empty())
        && (ENDINGS.contains(&ending) || host.starts_with("www."))
}

#[cfg(test)]
mod tests {
    use super::KnownHosts;

    #[test]
    fn the_users_words_name_hosts() {
        let known = KnownHosts::default();
        known.hear(
            "look at https://docs.rs/serde/latest, then (example.org/a?b) 和 http://b.example。",
        );
        known.hear("www.python.org too; src/main.rs, README.md and a.b are files");
        for url in [
            "https://docs.rs/other",
            "http://example.org",
            "https://b.example/",
            "https://www.python.org/x",
        ] {
            assert!(known.has(url), "{url}");
        }
        for url in [
            "https://main.rs/",
            "https://readme.md/",
            "https://README.md",
            "https://a.b",
            "https://evil.example.org",
            "https://docs.rs.evil.com",
            "https://docs.rs@evil.com/",
        ] {
            assert!(!known.has(url), "{url}");
        }
    }
}
