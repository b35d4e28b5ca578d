//! The files that the gate asks about before reading are the same as those that are never listed or indexed.

use std::path::Path;

use gate::{Context, NoDisk, Policy, ToolCall};
use serde_json::json;

const HOME: &str = "/home/dev";
const PROJECT: &str = "/home/dev/app";

/// Files of the project, one for each entry of both lists and each form of a name.
const IN_PROJECT: &str = ".bash_history .boto .dockercfg .env .env.production .envrc .git-credentials .htpasswd \
    .my.cnf .mylogin.cnf .netrc .pgpass .pgpassfile .pypirc .python_history .s3cfg .vault-token .vault_pass \
    .zsh_history _netrc .credentials.json .npmrc_auth admin.conf application_default_credentials.json auth.json \
    auth.toml cookies.sqlite credentials credentials.db credentials.json credentials.tfrc.json credentials.toml \
    gshadow htpasswd id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk id_rsa key3.db key4.db kubeconfig \
    local.settings.json logins.json master.key master.passwd passwd-s3fs pgpass.conf prod.env rclone.conf \
    secrets.env secrets.json secrets.toml secrets.yaml secrets.yml service-account.json service_account.json \
    serviceaccount.json serviceAccountKey.json shadow terraform.tfstate terraform.tfstate.backup terraform.tfvars \
    token.json wallet.dat wp-config.php a.agekey a.jks a.kdb a.kdbx a.key a.keystore a.keytab a.ovpn a.p12 a.p8 \
    a.pem a.pfx a.pkcs12 a.ppk a.tfstate config/server.key";

/// Files of the user's.
const IN_HOME: &str = ".ssh/work .gnupg/pubring.kbx .aws/config .aws/credentials .aws/sso/cache/a.json \
    .azure/accessTokens.json .azure/msal_token_cache.json .config/gcloud/access_tokens.db .config/gh/hosts.yml \
    .config/hub .config/op/config .config/rclone/rclone.conf .config/glab-cli/config.yml .config/pypoetry/auth.toml \
    .config/doctl/config.yaml .config/containers/auth.json .config/heroku/a .config/stripe/config.toml \
    .config/hcloud/cli.toml .config/netlify/config.json .netlify/config.json .vercel/auth.json \
    .config/BraveSoftware/a .local/share/fly/a .snowflake/config.toml .databrickscfg .m2/settings.xml \
    .gradle/gradle.properties .config/sops/age/keys.txt .docker/config.json .kube/config .npmrc .yarnrc.yml \
    .cargo/credentials.toml .gem/credentials .password-store/a.gpg .local/share/keyrings/a.keyring \
    Library/Keychains/a.keychain .terraformrc .terraform.d/credentials.tfrc.json .psql_history .mysql_history \
    .node_repl_history .local/share/fish/fish_history .claude.json .claude/.credentials.json .codex/auth.json \
    .mozilla/firefox/a/key4.db .config/google-chrome/a .config/chromium/a .oci/config .fly/config.yml .heroku/a \
    .pulumi/credentials.json .xcode/config.json .xcode/mcp.json .xcode/history.jsonl";

/// Files of the system's.
const ELSEWHERE: &str = "/etc/shadow /etc/sudoers /etc/krb5.keytab /etc/ssl/private/a /etc/kubernetes/pki/ca \
    /run/secrets/db /proc/self/environ /proc/1/environ /root/.ssh/id_rsa /home/ann/.aws/credentials";

/// What holds none.
const OPEN: &str = ".env.example .env.sample a.rs src/main.rs docs/credentials.md environment.ts config.json key.rs \
    tests/secrets.rs package-lock.json README.md id_rsa.pub Cargo.toml tokens.rs .gitignore .ssh/known_hosts \
    cookies.rs env.rs public.json";

/// Where they differ: the path, whether the gate asks, whether it is never named. The gate asks a person,
/// who can say yes; the search leaves a file out without a word, and masks what it shows of others.
const DIFFERENT: &[(&str, bool, bool)] = &[
    // A data file that is named for a secret is often a text about one: found, and masked.
    ("/home/dev/app/db_password.yml", true, false),
    ("/home/dev/app/locales/secret.json", true, false),
    // Half of what npm and yarn read of a project is no secret, and is asked for all day.
    ("/home/dev/app/.npmrc", false, true),
    ("/home/dev/app/.yarnrc.yml", false, true),
    // A certificate is public, but the file may hold its key too.
    ("/home/dev/app/server-cert.pem", false, true),
    // Each plan of an environment reads its variables.
    ("/home/dev/app/dev.tfvars", false, true),
    // Most of what is encrypted or signed is no key.
    ("/home/dev/app/release.gpg", false, true),
];

/// Whether the gate asks before a file is read.
fn asks(path: &str) -> bool {
    let context = Context {
        cwd: PROJECT,
        project: PROJECT,
        home: HOME,
        scratch: &[],
        protected: &[],
        disk: &NoDisk,
    };
    let input = json!({ "file_path": path });
    let judgement =
        gate::judge(&ToolCall { name: "Read", input: &input }, &context, Policy::Graded);
    judgement.findings.iter().any(|finding| finding.rule.id == "tool.read-secret")
}

fn words<'a>(list: &'a str, below: &'a str) -> impl Iterator<Item = String> + 'a {
    list.split_whitespace().map(move |name| format!("{below}{name}"))
}

#[test]
fn the_gate_asks_about_the_files_that_are_never_named() {
    let (home, project) = (format!("{HOME}/"), format!("{PROJECT}/"));
    let secret =
        words(IN_PROJECT, &project).chain(words(IN_HOME, &home)).chain(words(ELSEWHERE, ""));
    let open = words(OPEN, &project);
    let same = secret.map(|path| (path, true, true)).chain(open.map(|path| (path, false, false)));
    let different = DIFFERENT.iter().map(|(path, asks, hides)| ((*path).to_owned(), *asks, *hides));
    let mut wrong = Vec::new();
    for (path, asked, hidden) in same.chain(different) {
        let told = (asks(&path), redact::is_sensitive_path(Path::new(&path)));
        if told != (asked, hidden) {
            wrong.push(format!("{path}: the gate asks {}, it is never named {}", told.0, told.1));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
