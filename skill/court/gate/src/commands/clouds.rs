//! Infrastructure as code and the programs of clouds and services: by the verbs that they are given.

use super::options::{has_word, operands, value};
use super::{Handler, Walker};
use crate::rules::{execution, infrastructure as rules, network, secrets};
use crate::shell::{Field, Flow, Io, Step};

pub(super) fn handler(name: &str) -> Option<Handler> {
    match name {
        "terraform" | "tofu" | "terragrunt" | "pulumi" | "cdk" | "cdktf" | "sam" | "serverless"
        | "sls" | "packer" | "vagrant" | "atmos" => Some(plan),
        "aws"
        | "gcloud"
        | "gsutil"
        | "bq"
        | "az"
        | "doctl"
        | "heroku"
        | "fly"
        | "flyctl"
        | "vercel"
        | "netlify"
        | "wrangler"
        | "firebase"
        | "supabase"
        | "gh"
        | "glab"
        | "railway"
        | "linode-cli"
        | "hcloud"
        | "scw"
        | "oci"
        | "ibmcloud"
        | "eb"
        | "s3cmd"
        | "mc"
        | "stripe"
        | "vault"
        | "consul"
        | "nomad"
        | "etcdctl"
        | "rabbitmqctl"
        | "kafka-topics"
        | "kafka-topics.sh"
        | "nats"
        | "confluent"
        | "ovhcloud"
        | "exo"
        | "cf"
        | "render"
        | "hub"
        | "jira"
        | "databricks"
        | "fastly"
        | "ldcli"
        | "unleash"
        | "circleci"
        | "infisical"
        | "apigeecli"
        | "deck"
        | "azcopy"
        | "newrelic"
        | "modal"
        | "kamal"
        | "splunk"
        | "snow"
        | "turso"
        | "neonctl"
        | "pscale"
        | "koyeb"
        | "northflank"
        | "temporal"
        | "bun-fly"
        | "kafka-acls"
        | "kafka-configs"
        | "kafka-consumer-groups"
        | "kafka-delete-records"
        | "borg"
        | "restic"
        | "velero"
        | "kopia"
        | "duplicity"
        | "nsupdate"
        | "kafka-acls.sh"
        | "kafka-configs.sh"
        | "kafka-consumer-groups.sh" => Some(cloud),
        _ => None,
    }
}

fn plan(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let mut rest =
        operands(words, &["-chdir", "-C", "--stack", "-s", "--cwd", "--base-path", "--logs-level"]);
    let inner = ["terraform", "tofu", "opentofu", "tf", "helmfile", "hf"];
    if words[0].text.ends_with("atmos")
        && rest.first().is_some_and(|word| inner.contains(&&*word.text))
    {
        rest.remove(0);
    }
    let verb = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    let noun = rest.get(1).map(|word| word.text.as_str()).unwrap_or_default();
    let everywhere = matches!(verb, "run" | "run-all" | "terraform" | "tofu" | "opentofu")
        && matches!(noun, "destroy" | "apply" | "deploy" | "clean");
    let acts = everywhere
        || matches!(verb, "destroy-all" | "apply-all")
        || matches!(
            verb,
            "apply"
                | "destroy"
                | "down"
                | "taint"
                | "untaint"
                | "import"
                | "up"
                | "deploy"
                | "remove"
                | "rm"
                | "force-unlock"
                | "refresh"
                | "cancel"
                | "delete"
                | "clean"
                | "halt"
        )
        || (verb == "state" && !matches!(noun, "list" | "show" | "pull"))
        || (verb == "workspace" && noun == "delete")
        || (verb == "stack" && matches!(noun, "rm" | "import"));
    let dry = has_word(words, &["--dry-run", "-dry-run", "--preview"]);
    let shows = verb == "output" && has_word(words, &["-json", "-raw", "--json"])
        || (verb == "config" && has_word(words, &["--show-secrets"]));
    let what = format!("{} {verb}", words[0].text);
    if let Some(text) = value(words, &["-c", "--command"]).filter(|_| verb == "ssh") {
        let text = text.to_owned();
        walker.payload(&text, &what, &Flow::default())?;
    }
    walker.found(
        if shows {
            &secrets::SHOW
        } else if acts && !dry {
            &rules::PLAN
        } else {
            &execution::COMMAND
        },
        &what,
    );
    Ok(Flow::unknown())
}

/// Verbs that destroy or change something at a service.
const CLOUD_ACTS: &[&str] = &[
    "delete",
    "rm",
    "rb",
    "remove",
    "destroy",
    "terminate",
    "drop",
    "purge",
    "prune",
    "wipe",
    "flush",
    "reset",
    "deregister",
    "detach",
    "disable",
    "revoke",
    "cancel",
    "kill",
    "stop",
    "undelete",
    "rollback",
    "promote",
    "publish",
    "deploy",
    "apps:destroy",
    "pg:reset",
    "truncate",
    "mb",
    "archive",
    "transfer",
    "rename",
    "release-lock",
    "uninstall",
    "unlink",
    "clear",
    "seal",
    "del",
    "restart",
    "scale",
    "unset",
    "rotate",
    "roll",
    "leave",
    "undeploy",
    "unsubscribe",
    "untag",
    "forget",
    "suspend",
    "deactivate",
    "on",
    "off",
    "rb",
    "unpublish",
    "compact",
    "recreate",
    "break-lock",
    "rdelete",
    "repo-delete",
];

/// Services whose verbs above are an ordinary part of the work.
fn cloud(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let name = crate::path::name(&words[0].text).to_owned();
    let hosts_code = matches!(name.as_str(), "gh" | "glab" | "hub" | "jira");
    let valued: &[&str] = if hosts_code {
        &[
            "-b",
            "--body",
            "-t",
            "--title",
            "--search",
            "-l",
            "--label",
            "--query",
            "-q",
            "--jq",
            "-F",
            "--body-file",
            "-H",
            "--head",
            "-B",
            "--base",
            "--repo",
            "-R",
        ]
    } else {
        &[
            "--query",
            "--profile",
            "--region",
            "--notes",
            "-n",
            "-o",
            "--output",
            "--subscription",
            "--project",
            "--format",
            "--verbosity",
            "--account",
            "--token",
            "--access-token",
            "--endpoint-url",
            "-p",
            "--scope",
        ]
    };
    let rest: Vec<String> = operands(words, valued).iter().map(|word| word.text.clone()).collect();
    let verbs: Vec<&str> = rest.iter().take(6).map(String::as_str).collect();
    let what = format!("{name} {}", verbs.join(" "));
    if has_word(words, &["--help", "-h", "help", "--dry-run", "--dryrun", "--dry-run=true"])
        && !has_word(words, &["--no-dry-run"])
    {
        walker.found(&execution::COMMAND, &what);
        return Ok(Flow::unknown());
    }
    let shows = match verbs[..] {
        ["auth", "status", ..] if has_word(words, &["-t", "--show-token"]) => true,
        ["auth", "token", ..]
        | ["auth", "print-access-token", ..]
        | ["auth", "application-default", "print-access-token", ..] => true,
        ["configure", "get", what, ..] => {
            ["key", "token", "secret"].iter().any(|part| what.contains(part))
        }
        ["configure", "export-credentials", ..] => true,
        ["secretsmanager", "get-secret-value", ..]
        | ["ssm", "get-parameter" | "get-parameters", ..]
        | ["sts", "get-session-token", ..] => true,
        ["secrets", "versions", "access", ..]
        | ["keyvault", "secret", "show", ..]
        | ["kv", "get", ..]
        | ["read", ..]
            if !matches!(name.as_str(), "gh" | "glab") =>
        {
            true
        }
        ["account", "get-access-token", ..] | ["auth:token", ..] => true,
        ["sts", "assume-role" | "get-federation-token", ..]
        | ["ecr", "get-login-password", ..]
        | ["env", "pull" | "get", ..]
        | ["env:list" | "env:get" | "config:get", ..]
        | ["token", "lookup" | "create", ..]
        | ["ssh", "console", ..] => true,
        ["config", ..] if name == "heroku" => true,
        ["secrets", ..] if name == "infisical" => {
            !verbs.iter().any(|verb| matches!(*verb, "delete" | "set" | "folders"))
        }
        ["export" | "dynamic-secrets", ..] if name == "infisical" => true,
        _ => verbs.iter().any(|verb| {
            matches!(
                *verb,
                "get-secret-value"
                    | "batch-get-secret-value"
                    | "print-access-token"
                    | "get-parameters-by-path"
                    | "get-parameter-history"
            )
        }),
    };
    if shows {
        walker.found(&secrets::SHOW, &what);
        return Ok(Flow {
            taint: crate::shell::Taint { secret: true, ..Default::default() },
            ..Flow::unknown()
        });
    }
    let acts = verbs.iter().any(|verb| {
        let head = verb.split(['-', ':']).next().unwrap_or_default();
        let tail = verb.rsplit(':').next().unwrap_or_default();
        CLOUD_ACTS.contains(verb)
            || (verb.contains('-')
                && !verb.contains('/')
                && (CLOUD_ACTS.contains(&head)
                    || verb.split('-').any(|part| {
                        matches!(
                            part,
                            "delete"
                                | "deletion"
                                | "terminate"
                                | "destroy"
                                | "purge"
                                | "remove"
                                | "reset"
                        )
                    })))
            || verb.contains('_') && verb.split('_').any(|part| CLOUD_ACTS.contains(&part))
            || ["delete", "destroy", "remove"].iter().any(|act| {
                verb.strip_prefix(act).is_some_and(|noun| noun.starts_with(char::is_uppercase))
            })
            || (verb.contains(':') && CLOUD_ACTS.contains(&tail))
    });
    let method =
        value(words, &["-X", "--method", "--http-method"]).unwrap_or_default().to_ascii_uppercase();
    let queries = verbs.get(1) == Some(&"graphql")
        && words
            .iter()
            .any(|word| word.text.starts_with("query=query") || word.text.starts_with("query={"))
        && !words.iter().any(|word| word.text.contains("mutation"));
    let api = (verbs.first() == Some(&"api")
        || verbs.contains(&"invoke")
        || verbs.first() == Some(&"rest"))
        && !queries
        && (matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
            || (method.is_empty()
                && has_word(words, &["-f", "-F", "--field", "--raw-field", "--input"])));
    let athena = verbs.first() == Some(&"athena");
    let queried = words[1..].iter().any(|word| {
        word.text.contains(' ')
            && (super::databases::surely_destroys(&word.text)
                || athena && super::databases::destroys(&word.text))
    }) && !matches!(name.as_str(), "gh" | "glab" | "jira");
    let kafka = name.starts_with("kafka")
        && (name.contains("delete")
            || words.iter().any(|word| {
                ["--delete", "--remove", "--reset-offsets"]
                    .iter()
                    .any(|told| word.text.starts_with(told))
            }));
    let linked = name == "supabase"
        && matches!(
            verbs[..],
            ["db" | "config", "push", ..] | ["migration", "repair" | "down" | "squash", ..]
        )
        || name == "deck" && verbs.iter().any(|verb| matches!(*verb, "sync"));
    // A copy that deletes at its target what the source has not.
    let mirrors = !hosts_code
        && name != "aws"
        && words[1..].iter().any(|word| {
            ["--delete-destination", "--remove"].iter().any(|told| word.text.starts_with(told))
                && !word.text.ends_with("=false")
        });
    let tables = name == "bq"
        && (has_word(words, &["--replace"])
            || verbs.first() == Some(&"update")
            || matches!(verbs.first(), Some(&"mk" | &"cp")) && has_word(words, &["-f", "--force"]));
    let force = kafka
        || queried
        || linked
        || mirrors
        || tables
        || name == "nsupdate"
        || (name == "railway" && verbs.first() == Some(&"down"))
        || name == "aws" && verbs.first() == Some(&"s3") && has_word(words, &["--delete"]);
    let deploys = verbs.first().is_some_and(|verb| matches!(*verb, "deploy" | "publish"))
        || (name == "vercel" && has_word(words, &["--prod"]))
        || (name == "gh"
            && matches!(
                verbs[..],
                ["release", "create" | "delete" | "edit" | "upload", ..]
                    | ["pr", "merge", ..]
                    | ["secret", "set", ..]
                    | ["workflow", "run", ..]
                    | ["repo", "edit", ..]
            ));
    let mutates = verbs.iter().any(|verb| {
        [
            "put-",
            "update-",
            "modify-",
            "create-",
            "change-",
            "attach-",
            "authorize-",
            "set-",
            "add-",
            "run-",
            "invoke",
        ]
        .iter()
        .any(|head| verb.starts_with(head))
            && name == "aws"
    });
    let uploads = matches!(
        (name.as_str(), &verbs[..]),
        ("aws", ["s3", "cp" | "mv" | "sync", ..]) | ("gsutil", ["cp" | "mv" | "rsync", ..])
    ) && rest.last().is_some_and(|target| target.contains("://"));
    let local_only =
        name == "supabase" && verbs.first() == Some(&"stop") && !has_word(words, &["--no-backup"]);
    let rule = if (acts && !local_only) || api || force || deploys || mutates {
        &rules::CLOUD
    } else if uploads || matches!(verbs[..], ["gist", "create", ..]) {
        &network::SEND
    } else {
        &execution::COMMAND
    };
    walker.found(rule, &what);
    Ok(Flow::unknown())
}
