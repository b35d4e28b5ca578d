//! Files that hold secrets, by their names. Not here: their content.

use super::{coverage, extension, name, within};

/// Files that hold a secret wherever they are.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".s3cfg",
    ".boto",
    "credentials",
    ".credentials.json",
    "credentials.json",
    "application_default_credentials.json",
    "auth.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "shadow",
    "gshadow",
    "master.key",
    "secrets.env",
    "token.json",
    "terraform.tfstate",
    "terraform.tfvars",
    "service-account.json",
    "service_account.json",
    "serviceAccountKey.json",
    "firebase-adminsdk.json",
    "Login Data",
    "Cookies",
    "key4.db",
    "logins.json",
    "wallet.dat",
    ".dockercfg",
    "admin.conf",
    "kubeconfig",
    ".npmrc_auth",
    "auth.toml",
    ".pgpassfile",
    "rclone.conf",
    ".vault_pass",
    ".bash_history",
    ".mylogin.cnf",
    ".python_history",
    ".zsh_history",
    "cookies.sqlite",
    "credentials.db",
    "credentials.tfrc.json",
    "credentials.toml",
    "htpasswd",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "key3.db",
    "local.settings.json",
    "master.passwd",
    "passwd-s3fs",
    "pgpass.conf",
    "serviceaccount.json",
    "terraform.tfstate.backup",
    "wp-config.php",
    "sudoers",
];

/// Files in the home folder that hold a secret, and folders that hold only such.
const IN_HOME: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".aws/sso",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/glab-cli",
    ".config/pypoetry",
    ".config/doctl",
    ".config/containers/auth.json",
    ".config/heroku",
    ".config/stripe",
    ".config/hcloud",
    ".config/netlify",
    ".netlify/config.json",
    ".vercel",
    ".config/BraveSoftware",
    "Library/Application Support/Google/Chrome",
    ".local/share/fly",
    ".snowflake",
    ".databrickscfg",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/sops",
    ".docker/config.json",
    ".kube/config",
    ".npmrc",
    ".yarnrc.yml",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".password-store",
    ".local/share/keyrings",
    "Library/Keychains",
    ".terraformrc",
    ".terraform.d",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".local/share/fish/fish_history",
    ".claude.json",
    ".codex/auth.json",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".oci",
    ".fly",
    ".heroku",
    ".pulumi",
    ".xcode/config.json",
    ".xcode/history.jsonl",
    ".xcode/mcp.json",
];

/// Names of files that hold a secret below the hidden folders of a home folder.
const TOKENS: &[&str] = &[
    "token",
    "token-orchestrate",
    "token.txt",
    "tokens.json",
    "access_token",
    "refresh_token",
    "auth_token",
    "api_key",
    "apikey",
    "session.json",
    "secret",
];

/// Files of such a folder that hold none.
const PUBLIC: &[&str] = &["known_hosts", "config", "authorized_keys"];

/// Endings of keys, key stores and states of an infrastructure.
const KEYS: &[&str] = &[
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "asc", "gpg", "agekey", "kdb",
    "keytab", "ovpn", "p8", "pkcs12", "tfstate",
];

/// Endings of data: only in such a file does a telling name mean that the secret is inside.
const DATA: &[&str] =
    &["yml", "yaml", "json", "toml", "ini", "cfg", "conf", "txt", "env", "xml", "csv"];

const TELLING: &[&str] =
    &["secret", "password", "passwd", "credential", "api_key", "apikey", "api-key"];

/// Endings that say: an example without secrets.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "tpl", "defaults", "schema"];

/// Whether the absolute `path` holds a secret.
pub(crate) fn is_secret(path: &str, home: &str) -> bool {
    let file = name(path);
    let lower = file.to_ascii_lowercase();
    if EXAMPLES.iter().any(|word| lower.split(['.', '-', '_']).any(|part| part == *word)) {
        return false;
    }
    let folders = ["/run/secrets", "/var/run/secrets", "/etc/ssl/private", "/etc/kubernetes/pki"];
    if folders.iter().any(|folder| within(path, folder)) {
        return true;
    }
    if within(path, "/proc") && (file == "environ" || file == "mem") {
        return true;
    }
    if finds_name(file) || is_name(file, &lower) {
        return true;
    }
    let inside = inside_home(path, home);
    let covers = coverage(inside);
    if inside.starts_with('.') && TOKENS.contains(&file) {
        return true;
    }
    if !inside.is_empty() && IN_HOME.iter().any(|place| covers(place, inside)) {
        return !(PUBLIC.contains(&file) && covers(".ssh", inside)) && extension(file) != "pub";
    }
    let ending = extension(&lower);
    // `app.tar.gz.asc`: a signature.
    let signs = |stem: &str| {
        const SIGNED: &[&str] = &[
            "gz", "tgz", "xz", "bz2", "zst", "zip", "txt", "deb", "rpm", "jar", "dmg", "exe",
            "iso", "whl", "pom", "apk", "img", "sha256", "msi",
        ];
        SIGNED.contains(&extension(stem))
    };
    if ending == "asc" && lower.rsplit_once('.').is_some_and(|(stem, _)| signs(stem)) {
        return false;
    }
    if KEYS.contains(&ending) && !lower.contains("pub") && !lower.contains("cert") {
        return ending != "gpg" || lower.contains("secring");
    }
    DATA.contains(&ending) && TELLING.iter().any(|word| lower.contains(word))
}

/// Whether a file's name is one of the names, or a pattern that such a name begins.
fn is_name(file: &str, lower: &str) -> bool {
    let unwrapped = lower.trim_end_matches(['*', '?']);
    NAMES.iter().any(|name| *name == file || (name.len() > 4 && *name == unwrapped))
        || [".env.", ".env*"].iter().any(|start| lower.starts_with(start))
        || lower.ends_with(".env")
}

/// Whether a pattern would find one of the names.
fn finds_name(pattern: &str) -> bool {
    let plain = pattern.chars().filter(|each| !"*?[]".contains(*each)).count();
    plain != pattern.len()
        && plain >= 2
        && !pattern.starts_with(['*', '?', '['])
        && (NAMES.iter().any(|name| crate::pattern::matches(pattern, name))
            || pattern.to_ascii_lowercase().starts_with(".env?"))
}

/// The part of a path below a home folder, the user's or any other's; empty elsewhere.
fn inside_home<'p>(path: &'p str, home: &str) -> &'p str {
    if within(path, home) {
        return path[home.trim_end_matches('/').len()..].trim_start_matches('/');
    }
    path.strip_prefix("/root/").unwrap_or_else(|| {
        ["/home/", "/Users/"]
            .iter()
            .find_map(|homes| path.strip_prefix(homes)?.split_once('/'))
            .map_or("", |(_, inside)| inside)
    })
}

/// Whether a variable's name says that its value is a secret.
pub(crate) fn is_secret_word(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "APIKEY",
        "API_KEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "PASSPHRASE",
    ];
    let upper = name.to_ascii_uppercase();
    WORDS.iter().any(|word| {
        upper == *word
            || upper.ends_with(&format!("_{word}"))
            || upper.starts_with(&format!("{word}_"))
            || upper.contains(&format!("_{word}_"))
    })
}
