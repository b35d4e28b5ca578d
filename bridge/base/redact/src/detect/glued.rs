//! Names in one word that say whose password they are: `pgpass`, `smtppwd`.

/// Whose password a name is of that is written in one word.
const OWNERS: &[&str] = &[
    "admin", "app", "db", "ftp", "http", "imap", "keystore", "ldap", "login", "mail", "my",
    "mysql", "pg", "postgres", "proxy", "root", "sa", "smtp", "ssh", "sudo", "user", "vnc", "wifi",
];

/// `pgpass`, `smtppwd`: whose password it is, and a short word for it, in one.
pub(super) fn is_password(word: &str) -> bool {
    let owner = ["pass", "pwd", "pw"].iter().find_map(|short| word.strip_suffix(short));
    owner.is_some_and(|owner| OWNERS.contains(&owner))
}
