//! Paths that are known to hold secrets.

use std::path::Path;

/// File names, in lower case and in order, that hold secrets wherever they lie.
const NAMES: &[&str] = &[
    ".bash_history",
    ".boto",
    ".claude.json",
    ".credentials.json",
    ".dockercfg",
    ".env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".npmrc_auth",
    ".pgpass",
    ".pgpassfile",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".terraformrc",
    ".vault-token",
    ".vault_pass",
    ".yarnrc.yml",
    ".zsh_history",
    "_netrc",
    "admin.conf",
    "application_default_credentials.json",
    "auth.json",
    "auth.toml",
    "cookies",
    "cookies.sqlite",
    "credentials",
    "credentials.db",
    "credentials.json",
    "credentials.tfrc.json",
    "credentials.toml",
    "fish_history",
    "gshadow",
    "htpasswd",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "key3.db",
    "key4.db",
    "kubeconfig",
    "local.settings.json",
    "login data",
    "logins.json",
    "master.key",
    "master.passwd",
    "passwd-s3fs",
    "pgpass.conf",
    "rclone.conf",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "service_account.json",
    "serviceaccount.json",
    "shadow",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "token.json",
    "wallet.dat",
    "wp-config.php",
];

/// File name endings, in lower case, of keys, key stores and variable files.
const ENDINGS: &[&str] = &[
    ".agekey",
    ".gpg",
    ".jks",
    ".kdb",
    ".kdbx",
    ".key",
    ".keystore",
    ".keytab",
    ".ovpn",
    ".p12",
    ".p8",
    ".pem",
    ".pfx",
    ".pkcs12",
    ".ppk",
    ".tfstate",
    ".tfvars",
    ".tfvars.json",
];

/// The last parts of a path, in lower case.
const TAILS: &[&str] = &[
    ".aws/config",
    ".aws/credentials",
    ".azure/accesstokens.json",
    ".azure/msal_token_cache.json",
    ".cargo/credentials",
    ".claude/.credentials.json",
    ".composer/auth.json",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/op/config",
    ".docker/config.json",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".kube/config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".oci/config",
    ".terraform.d/credentials.tfrc.json",
    ".databrickscfg",
    ".fly/config.yml",
    ".config/doctl/config.yaml",
    ".xcode/config.json",
    ".xcode/history.jsonl",
    ".xcode/mcp.json",
    "sops/age/keys.txt",
    "etc/sudoers",
    "etc/krb5.keytab",
];

/// Folders of which every file is sensitive, in lower case and in order, wherever they lie. None begins with
/// another.
const PLACES: &[&str] = &[
    ".aws",
    ".azure",
    ".config/bravesoftware",
    ".config/chromium",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hcloud",
    ".config/heroku",
    ".config/hub",
    ".config/netlify",
    ".config/op",
    ".config/pypoetry",
    ".config/rclone",
    ".config/sops",
    ".config/stripe",
    ".fly",
    ".heroku",
    ".local/share/fly",
    ".local/share/keyrings",
    ".mozilla",
    ".netlify/config.json",
    ".oci",
    ".pulumi",
    ".snowflake",
    ".terraform.d",
    ".vercel",
    "etc/kubernetes/pki",
    "etc/ssl/private",
    "library/application support/google/chrome",
    "library/keychains",
    "run/secrets",
];

/// Folders whose files are all sensitive, with the file names that are not.
const FOLDERS: &[(&str, &[&str])] = &[
    (".ssh", &["known_hosts", "known_hosts.old", "config", "authorized_keys"]),
    (".gnupg", &[]),
    (".password-store", &[]),
    (".secrets", &[]),
];

/// True if the file at `path` is known to hold secrets, going by the path alone; no file is
/// opened. Letter case does not count. Public halves (`id_rsa.pub`) and templates (`.env.example`)
/// are not sensitive.
pub fn is_sensitive_path(path: &Path) -> bool {
    let path = normal(&path.to_string_lossy());
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    if name.is_empty() || name.ends_with(".pub") || is_template(name) {
        return false;
    }
    if NAMES.binary_search(&name).is_ok() || ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    if name.starts_with(".env.") || name.ends_with(".env") || is_service_account(name) {
        return true;
    }
    if matches!(name, "environ" | "mem") && folders.split('/').next() == Some("proc") {
        return true;
    }
    let is_tail = |tail: &&str| {
        path.strip_suffix(*tail).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    TAILS.iter().any(is_tail)
        || from_each_part(&path).any(is_below_a_place)
        || folders.split('/').filter(|folder| folder.starts_with('.')).any(|folder| {
            FOLDERS.iter().any(|(secret, open)| *secret == folder && !open.contains(&name))
        })
}

/// The path from its first part on, from its second part on, and so on.
fn from_each_part(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(slashes).map(|begin| &path[begin..])
}

/// Whether a path is one of [`PLACES`], or lies below one. What a path begins with stands at it or before it
/// in the order of texts, and nothing stands between: one look is enough.
fn is_below_a_place(path: &str) -> bool {
    let next = PLACES.partition_point(|place| *place <= path);
    let place = next.checked_sub(1).map(|before| PLACES[before]);
    place
        .and_then(|place| path.strip_prefix(place))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The path in lower case, its parts apart by one `/`, without `.` and `..`.
fn normal(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    for part in path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")) {
        if !normal.is_empty() {
            normal.push('/');
        }
        normal.push_str(part);
    }
    if !normal.is_ascii() {
        return normal.to_lowercase();
    }
    normal.make_ascii_lowercase();
    normal
}

/// Whether a name says that the file is an example: by its ending, or by a word before that.
fn is_template(name: &str) -> bool {
    let mut words = name.split('.').skip(1).peekable();
    while let Some(word) = words.next() {
        let is_last = words.peek().is_none();
        let ends = is_last && matches!(word, "template" | "dist" | "tmpl" | "defaults");
        if ends || matches!(word, "example" | "sample") {
            return true;
        }
    }
    false
}

/// The names under which cloud consoles save a service account's key.
fn is_service_account(name: &str) -> bool {
    name.ends_with(".json")
        && (name.starts_with("client_secret")
            || name.contains("firebase-adminsdk")
            || name.contains("service-account")
            || name.contains("serviceaccountkey"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_is_in_order() {
        assert!(NAMES.is_sorted() && PLACES.is_sorted());
        let begins = |pair: &[&str]| pair[1].starts_with(pair[0]);
        assert!(!PLACES.windows(2).any(begins));
    }

    #[test]
    fn what_lies_in_a_place_is_found_wherever_that_lies() {
        for place in PLACES {
            for path in [format!("/home/u/{place}/a/b"), format!("{place}/a"), format!("x/{place}")]
            {
                assert!(from_each_part(&path).any(is_below_a_place), "{path}");
            }
            let other = format!("/home/u/{place}x/a");
            assert!(!from_each_part(&other).any(is_below_a_place), "{other}");
        }
    }

    #[test]
    fn a_path_is_read_in_its_plain_form() {
        for path in ["/a/./B//c/", "a\\b/c", "./a/../b/c", "a/b/C/."] {
            assert_eq!(normal(path), "a/b/c", "{path}");
        }
        assert_eq!(normal("Ä/.ENV"), "ä/.env");
    }
}
