//! Clusters of machines that run containers: by the verbs that their programs are given.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operands, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS, Said};
use super::hosts::is_production;
use super::words::words;
use crate::rules::{execution, infrastructure as rules, network, secrets};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("kubectl oc k helm helmfile flux kustomize"),
        CLUSTER,
        [
            &[],
            &[
                "get pods",
                "config view",
                "config set-context --current --namespace=a",
                "config use-context kind-dev",
                "get secrets",
                "cp a:/x out",
                "rollout status deploy/a",
                "delete pod a --dry-run=client",
                "exec pod -- ls",
                "describe pod a",
                "argo rollouts get rollout a",
                "delete --help",
            ],
            &[
                "delete ns prod",
                "get secret x -o yaml",
                "config view --raw",
                "config use-context prod-eu",
                "config use-context \u{e000}",
                "exec pod -- sh",
                "exec pod -- rm -rf /srv/data",
                "debug pod -- ls",
                "argo rollouts promote a",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("k3s"),
        Said::cases(&[], &[&[Case(Verbs("kubectl|crictl *"), READS)], CLUSTER_CASES])
            .also(&[Also(Verbs("kubectl|crictl *"), Act::Verb(0, &CLUSTER))]),
        [
            &[],
            &["kubectl get pods", "kubectl exec pod -- ls"],
            &["kubectl delete ns prod", "kubectl exec pod -- rm -rf /srv/data", "server"],
            &[],
        ],
    ),
    // A workflow that waits goes on with `resume`: that is how it is approved.
    Command::cases(
        words!("argo"),
        CLUSTER_VALUED,
        &[&[
            Case(
                All(&[
                    Verbs(
                        "submit|resubmit|resume|retry|stop|suspend|terminate|delete, node set, \
                         cron|template|cluster-template|archive \
                         create|update|delete|suspend|resume|retry|resubmit",
                    ),
                    Not(&Any(&[Word("--help -h"), Test(is_dry)])),
                ]),
                &rules::CLUSTER,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["list", "get a", "logs a", "submit --dry-run=client a.yml"],
            &["resume a", "node set a --phase Succeeded", "cron delete a", "delete a"],
            &[],
        ],
    ),
    // Their verbs stand behind a noun, or are their own.
    Command::cases(
        words!("argocd istioctl eksctl kops"),
        CLUSTER_VALUED,
        &[&[
            Case(
                Any(&[
                    Not(&Operands(1)),
                    Word("--help -h"),
                    Test(is_dry),
                    Verbs(
                        "app|cluster|proj|repo|account|cert list|get|history|diff|manifests|resources|\
                         logs|wait|can-i, analyze|validate|proxy-status|proxy-config|ps|pc|bug-report, \
                         utils describe-stacks, \
                         get|describe|logs|version|explain|diff|list|status|completion|options|help",
                    ),
                ]),
                &execution::COMMAND,
            ),
            Case(Always, &rules::CLUSTER),
        ]],
        [
            &[],
            &["get cluster", "app list", "analyze", "validate", "version", "delete x --dry-run"],
            &["delete cluster prod", "app delete x", "app sync x", "repo rm x", "install"],
            &[],
        ],
    ),
];

/// Whether nothing is changed: the last `--dry-run` counts, where it is an option and no value.
fn is_dry(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let words = given.words;
    let mut dry = false;
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text != "--") {
        at += 1 + usize::from(CLUSTER_VALUED.contains(&word.text.as_str()));
        if let Some(rest) = word.text.strip_prefix("--dry-run") {
            dry = !matches!(rest, "=none" | "=false" | "=0");
        }
    }
    dry && words.iter().all(|word| word.is_known() && !word.glob)
}

/// The context is not known, or its name says that others work with it.
fn to_production(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.get(2).is_none_or(|name| !name.is_known() || is_production(&name.text))
}

const CLUSTER_VALUED: &[&str] = words!(
    "-n --namespace --context --kubeconfig -o --output -l --selector -f --filename -c --container \
     --cluster --user -s --server --as --kube-context --cache-dir --description \
     --request-timeout --token --certificate-authority"
);

const CLUSTER: Said =
    Said::cases(CLUSTER_VALUED, &[&[Case(Verbs("exec|debug"), READS)], CLUSTER_CASES]).also(&[
        Also(Verbs("exec"), Act::There(Pick::Behind("--"), &network::LOOK, &network::REMOTE)),
        Also(All(&[Verbs("cp *:* *"), Not(&Verbs("cp * *:*"))]), Act::Fetched(Pick::Nth(2))),
        Also(Verbs("debug"), Act::Command(Pick::Behind("--"))),
        Also(Verbs("debug"), Act::Finds(&network::REMOTE)),
    ]);

const CLUSTER_CASES: &[Case] = &[
    Case(
        All(&[
            Verbs("get|describe secret*|Secret*"),
            // Without a form to show them in, the names and kinds are listed.
            Any(&[Verbs("describe"), Word("-o* --output* --template* -ojson -w --watch")]),
            Not(&Word("name --help -h")),
        ]),
        &secrets::SHOW,
    ),
    Case(
        Any(&[
            All(&[
                Verbs("config view|current-context|get-contexts|get-clusters|get-users"),
                Not(&Word("--raw")),
            ]),
            Verbs(
                "rollout status|history, port-forward|proxy, argo list|get|logs|version, \
                 argo rollouts get|list|status|version|lint",
            ),
        ]),
        &execution::COMMAND,
    ),
    Case(All(&[Verbs("cp *:* *"), Not(&Verbs("cp * *:*"))]), &execution::COMMAND),
    // Where one looks, not what one may do.
    Case(
        Any(&[
            All(&[
                Verbs("config set-context"),
                Word("--current"),
                Not(&Word("--user* --cluster* --kubeconfig*")),
            ]),
            All(&[Verbs("config use-context *"), Not(&Test(to_production))]),
        ]),
        &execution::COMMAND,
    ),
    Case(Verbs("config"), &rules::CLUSTER),
    Case(
        Any(&[
            Not(&Operands(1)),
            Word("--help -h"),
            Test(is_dry),
            Verbs(
                "help, plugin|dep|inspect list|ls|verify|all|chart|values|readme|crds, \
                 get|describe|logs|top|version|cluster-info|explain|api-resources|api-versions|\
                 diff|events|wait|auth|template|lint|list|ls|status|history|show|search|env|\
                 dependency|verify|build|repo|package|pull|create-config|completion|options|kustomize",
            ),
        ]),
        &execution::COMMAND,
    ),
    Case(Always, &rules::CLUSTER),
];
