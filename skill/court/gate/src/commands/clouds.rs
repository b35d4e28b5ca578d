//! The programs of clouds and services: by the verbs that they are given. Not here: infrastructure as code (see `plans`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operand, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given, READS, Said, lists};
use super::words::words;
use crate::rules::{execution, infrastructure as rules, network, secrets};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("gh glab hub jira"),
        words!(
            "-b --body -t --title --search -l --label --query -q --jq -F --body-file -H --head \
             -B --base --repo -R"
        ),
        &[
            HELP,
            &[
                Case(All(&[Verbs("auth status"), Word("-t --show-token")]), &secrets::SHOW),
                Case(Verbs("auth token"), &secrets::SHOW),
                Case(All(&[Verbs("auth refresh|login"), Word("-s --scopes")]), &rules::CLOUD),
                Case(
                    Verbs(
                        "release create|delete|edit|upload, pr|mr merge, secret set, workflow run, \
                         repo edit, deploy|publish",
                    ),
                    &rules::CLOUD,
                ),
            ],
            ACTS,
            &[Case(Verbs("gist create"), &network::SEND), OTHER],
        ],
        [
            &[],
            &["issue list", "repo delete x --help", "api graphql -f query='query { viewer }'"],
            &[
                "repo delete x --yes",
                "ssh-key add k.pub",
                "release create v1",
                "auth token",
                "auth status -t",
                "auth refresh -s admin:org",
                "api -X DELETE repos/a/b",
                "gist create a.rs",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("aws"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[
                Case(Verbs("configure get *key*|*token*|*secret*"), &secrets::SHOW),
                Case(
                    Any(&[
                        All(&[Verbs("s3"), Word("--delete")]),
                        All(&[Verbs("athena"), Test(states)]),
                        Test(surely_states),
                        Operand(
                            6,
                            "put-* update-* modify-* create-* change-* attach-* authorize-* \
                             set-* add-* run-* invoke*",
                        ),
                    ]),
                    &rules::CLOUD,
                ),
            ],
            ACTS,
            &[Case(All(&[Verbs("s3 cp|mv|sync"), Test(to_elsewhere)]), &network::SEND), OTHER],
        ],
        [
            &[],
            &["s3 ls", "ec2 describe-instances", "s3 cp s3://b/a .", "s3 rb s3://b --dryrun"],
            &[
                "s3 rb s3://b --force",
                "ec2 terminate-instances --instance-ids i-1",
                "iam put-user-policy --user-name x",
                "s3 sync . s3://b --delete",
                "s3 cp a s3://b",
                "secretsmanager get-secret-value --secret-id x",
                "configure get aws_secret_access_key",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("gsutil"),
        VALUED,
        &[
            HELP,
            SHOWS,
            ACTS,
            STATES,
            &[Case(All(&[Verbs("cp|mv|rsync"), Test(to_elsewhere)]), &network::SEND), OTHER],
        ],
        [&[], &["ls gs://b", "cp gs://b/a ."], &["rm -r gs://b", "cp a gs://b"], &[]],
    ),
    Command::cases(
        words!("bq"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[Case(
                Any(&[
                    Word("--replace"),
                    Verbs("update"),
                    All(&[Verbs("mk|cp"), Word("-f --force")]),
                ]),
                &rules::CLOUD,
            )],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [
            &[],
            &["ls", "mk data", "query 'select 1'"],
            &["rm -r data", "cp -f a b", "update t", "query 'drop table users'"],
            &[],
        ],
    ),
    Command::said(
        words!("heroku"),
        Said::cases(
            words!("-a --app -r --remote -n --num -s --source -d --dyno --size --type -t --team"),
            &[
                HELP,
                SHOWS,
                &[
                    Case(Verbs("config"), &secrets::SHOW),
                    Case(Verbs("run|run:detached|run:inside"), READS),
                ],
                ACTS,
                STATES,
                &[OTHER],
            ],
        )
        .also(&[Also(
            Verbs("run|run:detached|run:inside"),
            Act::There(Pick::From(1), &network::LOOK, &network::REMOTE),
        )]),
        [
            &[],
            &["apps", "logs -a x", "run -a x ls"],
            &[
                "config",
                "config:get A",
                "config:set A=1 -a x",
                "pg:reset",
                "apps:destroy x",
                "run rm -rf /srv/data",
                "run bash",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("infisical"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[Case(
                Any(&[
                    All(&[Verbs("secrets"), Not(&Operand(6, "delete set folders"))]),
                    Verbs("export|dynamic-secrets"),
                ]),
                &secrets::SHOW,
            )],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [&[], &["secrets set A=1"], &["secrets", "export", "secrets delete A"], &[]],
    ),
    Command::cases(
        words!("supabase"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[
                Case(Verbs("db|config push, migration repair|down|squash"), &rules::CLOUD),
                // The data of the local one is kept.
                Case(All(&[Verbs("stop"), Not(&Word("--no-backup"))]), &execution::COMMAND),
            ],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [&[], &["start", "stop", "db diff"], &["db push", "db reset", "stop --no-backup"], &[]],
    ),
    Command::cases(
        words!("deck"),
        VALUED,
        &[HELP, SHOWS, &[Case(Operand(6, "sync"), &rules::CLOUD)], ACTS, STATES, &[OTHER]],
        [&[], &["gateway diff"], &["sync", "gateway reset"], &[]],
    ),
    Command::cases(
        words!("railway"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[Case(Verbs("down"), &rules::CLOUD), Case(Verbs("variables"), &secrets::SHOW)],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [&[], &["status"], &["down", "delete", "variables"], &[]],
    ),
    Command::cases(
        words!("sst convex wasp zeabur clever platform upsun linkerd cilium skaffold"),
        VALUED,
        &[
            HELP,
            SHOWS,
            &[Case(Verbs("remove|uninstall, environment:delete, project:delete"), &rules::CLOUD)],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [
            &[],
            &["dev", "status", "environment:list"],
            &["deploy", "remove --stage prod", "svc delete", "uninstall"],
            &[],
        ],
    ),
    Command::cases(
        words!("vercel"),
        VALUED,
        &[HELP, SHOWS, &[Case(Word("--prod"), &rules::CLOUD)], ACTS, STATES, &[OTHER]],
        [&[], &["ls", "dev"], &["--prod", "rm app", "env pull .env"], &[]],
    ),
    Command::cases(
        words!(
            "kafka-topics kafka-topics.sh kafka-acls kafka-acls.sh kafka-configs kafka-configs.sh \
             kafka-consumer-groups kafka-consumer-groups.sh"
        ),
        VALUED,
        &[
            HELP,
            &[Case(Word("--delete* --remove* --reset-offsets*"), &rules::CLOUD)],
            ACTS,
            STATES,
            &[OTHER],
        ],
        [&[], &["--list", "--describe"], &["--delete --topic t", "--reset-offsets"], &[]],
    ),
    Command::cases(
        words!("kafka-delete-records nsupdate"),
        VALUED,
        &[HELP, &[Case(Always, &rules::CLOUD)]],
        [&[], &["--help"], &["-k key", ""], &[]],
    ),
    Command::said(
        words!(
            "gcloud az openstack doctl fly flyctl netlify wrangler firebase linode-cli hcloud scw oci \
             ibmcloud eb s3cmd mc stripe vault consul nomad etcdctl rabbitmqctl nats confluent \
             ovhcloud exo cf render databricks fastly ldcli unleash circleci apigeecli azcopy \
             newrelic modal kamal splunk snow turso neonctl pscale koyeb northflank temporal \
             bun-fly borg restic velero kopia duplicity"
        ),
        Said::cases(VALUED, &[HELP, SHOWS, MONEY, ACTS, STATES, &[OTHER]]).also(&[Also(
            Any(&[Verbs("compute ssh, * compute ssh, vm run-command, ssh")]),
            Act::Shell(Pick::Values(&["--command"])),
        )]),
        [
            &[],
            &[
                "list",
                "status",
                "instances list",
                "instances delete x --dry-run",
                "compute firewall-rules list",
                "deploy rollouts list",
            ],
            &[
                "delete prod",
                "instances delete prod",
                "compute firewall-rules create x --source-ranges=0.0.0.0/0",
                "iam service-accounts keys create k",
                "projects add-iam-policy-binding x",
                "sql instances delete x",
                "deploy",
                "kv get prod",
                "auth print-access-token",
                "auth status -t",
                "sync a b --delete-destination=true",
                "sql -q 'drop table users'",
                "refunds create --charge a",
                "compute ssh a --command 'rm -rf /srv/data'",
            ],
            &[],
        ],
    ),
];

/// Money that is moved.
const MONEY: &[Case] = &[Case(
    Verbs(
        "refunds|payouts|transfers|topups create, payment_intents|charges capture|confirm|cancel",
    ),
    &network::SEND,
)];

const VALUED: &[&str] = words!(
    "--query --profile --region --notes -n -o --output --subscription --project --format \
     --verbosity --account --token --access-token --endpoint-url -p --scope"
);

const HELP: &[Case] = &[Case(
    Any(&[
        All(&[
            Word("--help -h help --dry-run --dryrun --dry-run=true"),
            Not(&Word("--no-dry-run")),
        ]),
        // A service that is named for what it does.
        Verbs("deploy releases|rollouts|delivery-pipelines|targets|job-runs list|describe"),
    ]),
    &execution::COMMAND,
)];

const SHOWS: &[Case] = &[Case(
    Any(&[
        Verbs(
            "auth token|print-access-token, auth application-default print-access-token, \
             configure export-credentials, secretsmanager get-secret-value, \
             ssm get-parameter|get-parameters, \
             sts get-session-token|assume-role|get-federation-token, secrets versions access, \
             keyvault secret show, kv get, read, account get-access-token, auth:token, \
             ecr get-login-password, env pull|get, env:list|env:get|config:get, \
             token lookup|create, ssh console, * account keys list, * keys list|show, acr credential show",
        ),
        Operand(
            6,
            "get-secret-value batch-get-secret-value print-access-token get-parameters-by-path \
             get-parameter-history",
        ),
        All(&[Verbs("auth status"), Word("-t --show-token")]),
    ]),
    &secrets::SHOW,
)];

const METHOD: &[&str] = words!("-X --method --http-method");

/// What destroys or changes something at any service.
const ACTS: &[Case] = &[Case(
    Any(&[
        Verbs(
            "deploy|publish, config:set|config:add|config:edit|config:remove|env:set|env:import|setenv, \
             secret put|bulk, env add|set, iam|acl|defacl ch|set",
        ),
        Test(acts),
        Test(grants),
        Test(opens),
        // Calls of an interface by hand, but for queries.
        All(&[
            Any(&[Verbs("api|rest"), Operand(6, "invoke")]),
            Any(&[
                Value(METHOD, "POST PUT PATCH DELETE"),
                All(&[Not(&Value(METHOD, "*")), Word("-f -F --field --raw-field --input")]),
            ]),
            Not(&All(&[
                Verbs("* graphql"),
                Word("query=query* query={*"),
                Not(&Word("*mutation*")),
            ])),
        ]),
    ]),
    &rules::CLOUD,
)];

/// Statements for a database; and a copy that deletes at its target what the source has not.
const STATES: &[Case] = &[Case(
    Any(&[
        Test(surely_states),
        All(&[
            Word("--delete-destination* --remove*"),
            Not(&Word("--delete-destination=false --remove=false")),
        ]),
    ]),
    &rules::CLOUD,
)];

const OTHER: Case = Case(Always, &execution::COMMAND);

/// Verbs that destroy or change something at a service.
const DESTROYS: &[&str] = words!(
    "delete rm rb remove destroy terminate drop purge prune wipe flush reset deregister detach \
     disable revoke cancel kill stop undelete rollback promote publish deploy apps:destroy \
     pg:reset truncate mb archive transfer rename release-lock uninstall unlink clear seal del \
     restart scale unset rotate roll leave undeploy unsubscribe untag forget suspend deactivate \
     on off unpublish compact recreate break-lock rdelete repo-delete"
);

/// Verbs of which a part is one of those: `delete-stack`, `apps:destroy`, `DeleteStack`, `force_remove`.
fn acts(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    const PARTS: &[&str] = words!("delete deletion terminate destroy purge remove reset");
    given.operands.iter().take(6).any(|verb| {
        let verb = verb.text.as_str();
        let head = verb.split(['-', ':']).next().unwrap_or_default();
        let dashed = verb.contains('-') && !verb.contains('/');
        DESTROYS.contains(&verb)
            || dashed
                && (DESTROYS.contains(&head) || verb.split('-').any(|part| PARTS.contains(&part)))
            || verb.contains('_') && verb.split('_').any(|part| DESTROYS.contains(&part))
            || ["delete", "destroy", "remove"].iter().any(|act| {
                verb.strip_prefix(act).is_some_and(|noun| noun.starts_with(char::is_uppercase))
            })
            || verb.rsplit_once(':').is_some_and(|(_, tail)| DESTROYS.contains(&tail))
    })
}

/// A change of what may reach a service: of a firewall, or with an address that stands for all.
fn opens(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    const GUARDS: &str = "firewall firewalls firewall-rule firewall-rules firewall-policies nsg security-group \
                          security-groups security-list network-acl authorized-networks";
    const MAKES: &str = "create add update patch set put edit insert add-rule add-rules rules-update rule-create \
                         allow authorize apply-to-resource delete-rule set-permission";
    let verbs = || given.operands.iter().take(6).map(|verb| verb.text.as_str());
    let changes = verbs().any(|verb| lists(MAKES, verb));
    let guards = verbs().any(|verb| lists(GUARDS, verb));
    let mut words = given.words.iter().skip(1).map(|word| word.text.as_str());
    let to_all = words.any(|word| {
        word.contains("0.0.0.0/0")
            || word.contains("::/0")
            || lists("*allUsers *allAuthenticatedUsers --allow-unauthenticated", word)
    });
    let option = |name: &str| super::options::value(given.words, &[name]);
    let public = option("--allow-blob-public-access") == Some("true")
        || matches!(option("--public-access"), Some("blob" | "container"));
    changes && (guards || to_all || public)
}

/// Verbs that give somebody rights or a new secret, by what they are about: `keys create`, `role assignment create`.
fn grants(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    const WHAT: &[&str] = words!(
        "key keys ssh-key ssh-keys gpg-key deploy-key api-key api-keys access-key token tokens pat \
         credential credentials service-key authorization authorizations assignment member members \
         collaborator collaborators invite access iam grant grants"
    );
    const MAKES: &[&str] = words!("create add new generate issue invite assign bind mint put");
    const WHOLE: &[&str] = words!(
        "create-for-rbac add-iam-policy-binding set-iam-policy add-key create-key create-token \
         create-key-pair add-member impersonate"
    );
    let verbs: Vec<&str> =
        given.operands.iter().take(6).flat_map(|verb| verb.text.split(':')).collect();
    verbs.iter().any(|verb| WHOLE.contains(verb))
        || verbs.windows(2).any(|pair| WHAT.contains(&pair[0]) && MAKES.contains(&pair[1]))
}

fn states(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut words = given.words.iter().skip(1).filter(|word| word.text.contains(' '));
    words.any(|word| super::databases::destroys(&word.text))
}

fn surely_states(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut words = given.words.iter().skip(1).filter(|word| word.text.contains(' '));
    words.any(|word| super::databases::surely_destroys(&word.text))
}

fn to_elsewhere(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.last().is_some_and(|target| target.text.contains("://"))
}
