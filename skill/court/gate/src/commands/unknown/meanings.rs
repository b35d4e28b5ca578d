//! Words that mean the same to every program: what each list and each test of a word is for stands beside it. Not here:
//! where in a command such a word counts (see `verbs`).

use crate::commands::tables;
use crate::commands::words::words;

/// What follows these is a name, or is only looked at.
pub(super) const NAMING: &[&str] = words!(
    "list ls get show describe status logs view search find grep lint fmt format new create \
     generate gen make add init explain help version diff plan preview validate template render \
     why info inspect watch completion completions can-i test invoke bench doc man which g"
);

/// Verbs that undo or remove, beside those of the tables: with force, for all, or in production.
pub(super) const UNDOES: &[&str] = words!(
    "unset flush rollback revert abandon forget expire evict drain cordon disable deactivate \
     suspend cancel abort discard unlink detach close retire overwrite reinit downgrade leave \
     eject kick lock scale-down scale-in unregister deregister undeploy unrecord strip restore hide archive empty gc \
     unban unblock takedown remove-all down reinstall unmonitor disconnect desync unpair \
     decommit unseat off reclaim"
);

/// Verbs that change what runs: in production.
pub(super) const CHANGES: &[&str] =
    words!("deploy promote rollout migrate failover cutover rollback restart undeploy trigger");

/// Options by which a program only says what it would do, or how it is used.
pub(super) const DOES_NOTHING: &[&str] = words!(
    "--help --version --dry-run --dryrun --list --preview --check --dry-run=true --dry-run=client --what-if --plan"
);

/// Options that name another host.
pub(super) const ELSEWHERE: &[&str] =
    words!("node nodes host hosts server cluster endpoint remote");

/// Options that hand out rights, and the high ones.
pub(super) const GRANTS: &[&str] =
    words!("role policy permission permissions scope scopes grant privilege privileges");
pub(super) const HIGH: &[&str] = words!("admin owner root superuser Administrator");

/// How options begin that show a secret.
pub(super) const SHOWN: &[&str] = words!(
    "reveal show-secret show-token show-password plaintext decrypt with-decryption unmask show-key raw-secret"
);

/// Whether the value of an option is the path of a secret.
pub(super) fn names_secret(value: &str) -> bool {
    value.contains('/')
        && value.len() < 200
        && value.split(|each: char| !each.is_ascii_alphanumeric()).any(is_secret_noun)
}

/// Verbs that start what is named: in production.
pub(super) const STARTS: &[&str] = words!("exec execute trigger");

/// Verbs that put something before others.
pub(super) const PUBLISHES: &[&str] =
    words!("publish unpublish yank republish deploy promote submit deliver");

/// What is sent once it is made, and what makes it.
pub(super) const MESSAGES: &[&str] = words!(
    "message messages sms mms email emails campaign campaigns refund refunds payment payments payout \
     payouts transfer transfers charge charges invoice invoices broadcast broadcasts newsletter"
);
pub(super) const MAKES: &[&str] = words!("create send new post issue execute");

/// Whose rights end where something is done to them.
pub(super) const PEOPLE: &[&str] = words!(
    "user users node nodes device devices machine machines host hosts peer peers account accounts \
     member members tenant tenants team teams role roles org orgs key \
     keys token tokens certificate cert identity identities session sessions"
);

/// Options whose value is a name, a pattern or prose: no verb stands there.
pub(super) const TEXTS: &[&str] = words!(
    "message title name pattern filter grep search match description comment label branch body \
     subject reason notes author summary example bench bin package profile module suite spec \
     scenario function R k p param parameter parameters"
);

/// What a program pushes that others fetch.
pub(super) const PUSHED: &[&str] = words!(
    "model models image images kernel kernels package packages chart charts module modules \
     dataset datasets plugin plugins artifact artifacts bundle space"
);

/// What generators make: to destroy it takes files of the project away.
pub(super) const GENERATED: &[&str] = words!(
    "scaffold scaffold_controller model controller migration generator mailer job helper resource \
     component service serializer"
);

/// What lets in whoever holds it, and verbs that make one.
pub(super) const TOKENS: &[&str] =
    words!("token tokens access-key access-keys api-key api-keys apikey apikeys service-account");
pub(super) const MINTS: &[&str] = words!("create add issue mint new generate");

/// Verbs that take something from those who use it, behind what it is.
pub(super) const TAKES_AWAY: &[&str] =
    words!("evict deactivate suspend withdraw empty ban unlist deprecate release");

/// What is the whole of something, so that to reset it takes all away.
pub(super) const WHOLE: &[&str] =
    words!("network device cluster system database db factory node operations");

/// Verbs that turn a machine off.
pub(super) const TURNS_OFF: &[&str] = words!("reboot halt powercycle power-cycle reload-hard");

/// Verbs that send something to others.
pub(super) const SENDS: &[&str] = words!(
    "send upload share broadcast transfer refund refunds payout withdraw sendtoaddress sendmail \
     post-message send-message sendmany exfil pay payinvoice sendpayment"
);

/// Verbs that let others in.
pub(super) const EXPOSES: &[&str] = words!("tunnel expose funnel");

/// Verbs that show what they are asked for.
pub(super) const REVEALS: &[&str] = words!(
    "get show read reveal export download access print decrypt dump view cat fetch pull display \
     copy unseal retrieve"
);

/// Parts of options that say that a question would have been asked.
pub(super) const RECKLESS: &[&str] = words!(
    "data-loss --dangerous consequences doit auto-exec auto-run yes-really really no-dry-run dry-run=false dryrun=false \
     auto-approve autoapprove auto_approve i-understand i-know iamsure iamexpert i-am-sure \
     yolo allow-destructive allow_destructive"
);

/// What is secret, by its name.
pub(super) fn is_secret_noun(word: &str) -> bool {
    matches!(
        word.strip_suffix('s').unwrap_or(word),
        "secret"
            | "password"
            | "passwd"
            | "credential"
            | "cred"
            | "passphrase"
            | "keychain"
            | "mnemonic"
            | "apikey"
    )
}

/// A word without its case; `deleteAccount` is `delete-account`.
pub(super) fn lower(word: &str) -> std::borrow::Cow<'_, str> {
    if !word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return word.into();
    }
    let mut plain = String::with_capacity(word.len() + 4);
    for each in word.chars() {
        if each.is_ascii_uppercase() && plain.ends_with(|last: char| last.is_ascii_lowercase()) {
            let inner = word.starts_with(|first: char| first.is_ascii_lowercase());
            plain.extend(inner.then_some('-'));
        }
        plain.push(each.to_ascii_lowercase());
    }
    // `dropAll` is one word in the lists.
    if plain.ends_with("-all") { plain.replace('-', "").into() } else { plain.into() }
}

/// `deploy-prod`, `org/deploy-production`.
pub(super) fn deploys(word: &str) -> bool {
    is_production(word)
        && !word.contains('.')
        && word
            .split(|each: char| !each.is_ascii_alphanumeric())
            .any(|part| matches!(part, "deploy" | "release"))
}

/// `acme/app`, `acme/app:1.0`: what an owner publishes, not a path.
pub(super) fn is_owned(text: &str) -> bool {
    let Some((owner, name)) = text.split_once('/') else { return false };
    let plain = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    };
    plain(owner) && plain(name) && !owner.starts_with('.')
}

/// An address of a service, or of its machine, that is not this one.
pub(super) fn is_service(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    scheme.len() < 24
        && scheme != "file"
        && !rest.starts_with('/')
        && !crate::commands::hosts::is_local(text)
}

/// `--keep-last 0`, `--older-than 0d`: nothing is kept.
pub(super) fn keeps_nothing(name: &str, value: &str) -> bool {
    value.starts_with('0')
        && !value.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
        && ["keep", "older", "retain", "retention", "days", "max-age", "age", "ttl"]
            .iter()
            .any(|part| name.starts_with(part))
}

/// A word that may be a verb.
pub(super) fn is_plain(word: &str) -> bool {
    word.len() < 40
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
}

pub(super) fn is_production(word: &str) -> bool {
    word.len() < 64
        && word
            .split(|each: char| !each.is_ascii_alphanumeric())
            .any(|part| matches!(part, "prod" | "production" | "mainnet" | "prd"))
}

/// Options that ask for no confirmation, whatever is meant by them otherwise.
pub(super) fn forces(option: &str) -> bool {
    tables::FORCES.contains(&option)
        || ["no-confirm", "skip-confirm", "no-prompt", "no-input", "noinput", "no-interact"]
            .iter()
            .any(|part| option.contains(part))
}

/// Whether a verb, or a part of one that has a namespace (`app:delete`), holds.
pub(super) fn verb_of(verb: &str, holds: impl Fn(&str) -> bool) -> bool {
    holds(verb) || verb.contains(':') && verb.split(':').any(holds)
}

/// Whether a verb with its object in one word (`delete-topic`) begins so.
pub(super) fn headed(verb: &str, holds: impl Fn(&str) -> bool) -> bool {
    let part = verb.rsplit(':').next().unwrap_or_default();
    part.split_once(['-', '_']).is_some_and(|(head, _)| holds(head))
}

pub(super) fn is_strong(verb: &str) -> bool {
    const MORE: &[&str] = words!(
        "deprovision undefine revoke expunge eradicate dismantle shred deleteall tear-down \
         tear_down dropall labelclear zeroize unenroll delist sabotage impersonate reset-configuration \
         factory-default factory-defaults restore-defaults reset-config"
    );
    let strong = |part: &str| tables::DESTROY_VERBS.contains(&part) || MORE.contains(&part);
    // `DLTLIB`, `CLRPFM`, as one family of machines writes them.
    let short = verb.len() < 11
        && (verb.strip_prefix("dlt").is_some_and(|what| what.len() > 1)
            || matches!(verb, "clrpfm" | "clrlib" | "pwrdwnsys" | "endsbs"));
    short
        || verb_of(verb, strong)
        || headed(verb, |head| {
            strong(head) && head != "drop" || head == "drop" && !verb.contains("drop-shadow")
        })
        || verb
            .rsplit_once(['-', '_'])
            .is_some_and(|(_, tail)| tables::DESTROY_VERBS.contains(&tail))
        || ["unregister", "deregister", "terminate", "destroy"]
            .iter()
            .any(|head| verb.starts_with(head))
}

pub(super) fn is_weak(verb: &str) -> bool {
    verb_of(verb, |part| tables::REMOVE_VERBS.contains(&part))
}

pub(super) fn undoes(verb: &str) -> bool {
    verb_of(verb, |part| UNDOES.contains(&part))
        || headed(verb, |head| UNDOES.contains(&head) || tables::REMOVE_VERBS.contains(&head))
}

/// `stop-all`, `kill_all`.
pub(super) fn ends_in_all(verb: &str) -> bool {
    verb.strip_suffix("all").is_some_and(|head| {
        head.split(['-', '_', ':'])
            .any(|part| tables::REMOVE_VERBS.contains(&part) || UNDOES.contains(&part))
    })
}

/// `deluser`, `rm-princ`, `dropindex`: the verb and what it is done to in one word.
pub(super) fn glued(verb: &str) -> bool {
    const THINGS: &[&str] = words!(
        "user users group groups princ account accounts key keys host hosts node nodes zone db \
         database table index topic queue vhost policy role cert project bucket volume member \
         domain domains mailbox peer record records"
    );
    ["delete", "del", "remove", "rm", "drop", "purge", "destroy"]
        .iter()
        .any(|head| verb.strip_prefix(head).is_some_and(|rest| THINGS.contains(&rest)))
}

/// `add-role`, `assign-permissions`, `make-admin`.
fn gives_role(part: &str) -> bool {
    const GIVES: &[&str] = words!("add assign set make grant bind");
    const ROLES: &[&str] = words!(
        "role roles permission permissions admin owner superuser group groups rights acl \
         role-binding rolebinding"
    );
    part.split_once('-').is_some_and(|(verb, role)| GIVES.contains(&verb) && ROLES.contains(&role))
}

/// Verbs that give rights to somebody.
pub(super) fn hands_out(verb: &str) -> bool {
    let part = verb.rsplit(':').next().unwrap_or_default();
    matches!(
        part,
        "grant" | "impersonate" | "assume-role" | "make-public" | "add-member" | "addmember"
    ) || part.contains("password")
        && ["reset", "set", "change", "update"].iter().any(|head| part.starts_with(head))
        || gives_role(part)
        || part.contains("policy")
            && ["attach", "put", "set", "add"].iter().any(|head| part.starts_with(head))
        || part.starts_with("create-") && (part.ends_with("-token") || part.ends_with("-key"))
}

/// `--delete`, `--purge-all`, `--drop-database`.
pub(super) fn deletes_by_option(name: &str) -> bool {
    let name = name.trim_matches('-');
    // `--destroy-check`, `--remove-all-unused-imports`: how something is looked at, or a text is cleaned.
    const RATHER: &[&str] = words!("-check -protection -policy -timeout -after -report -delay");
    const TEXT: &[&str] = words!("unused comments imports whitespace blank trailing console debug");
    let cleans = TEXT.iter().any(|what| name.contains(what));
    if cleans || RATHER.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    matches!(
        name,
        "delete"
            | "destroy"
            | "purge"
            | "wipe"
            | "nuke"
            | "erase"
            | "factory-reset"
            | "obliterate"
            | "uninstall"
            | "terminate"
            | "drop"
            | "shred"
            | "revoke"
            | "expunge"
            | "shutdown"
            | "deprovision"
            | "unregister"
    ) || name.strip_suffix("-all").is_some_and(|head| {
        matches!(
            head,
            "delete"
                | "remove"
                | "purge"
                | "prune"
                | "drop"
                | "reset"
                | "wipe"
                | "kill"
                | "revoke"
                | "stop"
        )
    }) || [
        "delete-all-",
        "remove-all-",
        "drop-database",
        "drop-schema",
        "drop-table",
        "wipe-",
        "destroy-",
        "erase-",
    ]
    .iter()
    .any(|head| name.starts_with(head))
}

/// A program whose name says that it destroys: `kafka-delete-records`, `k3s-uninstall.sh`.
pub(super) fn told_by_name(name: &str, unasked: bool) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let weak = |part: &str| tables::REMOVE_VERBS.contains(&part) || part == "cleanup";
    if unasked && stem.split_once(['-', '_']).is_some_and(|(_, tail)| weak(tail)) {
        return true;
    }
    let ending = ["delete", "destroy", "wipe", "purge", "teardown"];
    ending.iter().any(|verb| stem.len() > verb.len() && stem.ends_with(verb))
        || stem.split(['-', '_']).any(|part| {
            matches!(
                part,
                "delete"
                    | "destroy"
                    | "purge"
                    | "wipe"
                    | "dropdb"
                    | "nuke"
                    | "teardown"
                    | "uninstall"
                    | "erase"
                    | "zap"
                    | "obliterate"
                    | "eraser"
                    | "wiper"
                    | "shredder"
                    | "killall"
            )
        })
}
