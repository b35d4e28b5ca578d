//! Images of containers: the programs that move them without an engine, and which program an image starts. Not here:
//! engines (see `services`), and what a command does in a container (see `mounts`).

use super::entry::When::{All, Always, Any, Not, Test, Verbs, Word};
use super::entry::{Case, Command, Given, lists};
use super::words::words;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Walker};

pub(super) const COMMANDS: &[Command] = &[
    // Registries, without an engine.
    Command::cases(
        words!("skopeo crane regctl oras"),
        words!("--platform --authfile --src-creds --dest-creds --creds -t --image -f --filename"),
        &[&[
            Case(
                All(&[Verbs("delete, * rm|delete|del"), Not(&Word("--help -h"))]),
                &rules::CONTAINER,
            ),
            Case(
                All(&[
                    Verbs(
                        "push|append|mutate|tag|rebase|attach|copy|cp|sync, \
                         * push|copy|put|mod",
                    ),
                    Not(&Any(&[Word("--help -h"), Verbs("tag ls|list"), Test(copies_here)])),
                ]),
                &rules::PUBLISH,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["inspect docker://a", "copy docker://a dir:a", "ls a", "manifest a", "tag ls a"],
            &["copy dir:a docker://a", "push a.tar a", "delete docker://a", "tag a b"],
            &[],
        ],
    ),
    // What is signed is vouched for in the user's name.
    Command::cases(
        words!("cosign notation"),
        words!("--key --identity-token --certificate -k --id -a"),
        &[&[
            Case(
                All(&[
                    Verbs(
                        "sign|attest|attach|clean|copy|upload, policy|key|cert init|delete|import",
                    ),
                    Not(&Word("--help -h")),
                ]),
                &rules::PUBLISH,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["verify --key k.pub a", "tree a", "list a", "sign --help"],
            &["sign --yes a", "clean -f a", "key delete a"],
            &[],
        ],
    ),
    Command::cases(
        words!("ctr"),
        words!("-n --namespace -a --address --timeout"),
        &[&[
            Case(Verbs("images|image|i push"), &rules::PUBLISH),
            Case(
                Any(&[
                    Verbs("namespaces|namespace|ns rm|remove, images|image|i prune, leases rm"),
                    All(&[Verbs("* rm|remove|del|delete|kill"), Word("*\u{e000}*")]),
                ]),
                &rules::CONTAINER,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["-n k8s.io images ls", "images rm a"],
            &["-n k8s.io images rm \u{e000}", "ns rm a", "i push a"],
            &[],
        ],
    ),
];

/// Whether what is copied between registries ends on this machine.
fn copies_here(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.last().is_some_and(|to| {
        lists(
            "dir:* oci:* oci-archive:* docker-archive:* docker-daemon:* containers-storage:*",
            &to.text,
        )
    })
}

/// When an image starts its own program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    /// Whatever it is told.
    Always,
    /// Where it is told an option or a script first, or nothing.
    OnOption,
    /// Where it is told nothing.
    Alone,
}

/// Programs, when they start, and the images that are made for them, without their registries and tags.
const PROGRAMS: &[(&str, Starts, &str)] = &[
    ("git", Starts::Always, "alpine/git bitnami/git"),
    ("aws", Starts::Always, "amazon/aws-cli aws-cli/aws-cli"),
    ("terraform", Starts::Always, "hashicorp/terraform"),
    ("tofu", Starts::Always, "opentofu/opentofu"),
    ("pulumi", Starts::Always, "pulumi/pulumi"),
    ("packer", Starts::Always, "hashicorp/packer"),
    (
        "kubectl",
        Starts::Always,
        "bitnami/kubectl rancher/kubectl kubernetes/kubectl registry.k8s.io/kubectl",
    ),
    ("helm", Starts::Always, "alpine/helm"),
    ("argocd", Starts::Always, "argoproj/argocd-cli"),
    ("doctl", Starts::Always, "digitalocean/doctl"),
    ("flyctl", Starts::Always, "flyio/flyctl"),
    ("rclone", Starts::Always, "rclone/rclone"),
    ("restic", Starts::Always, "restic/restic"),
    ("mc", Starts::Always, "minio/mc"),
    ("s5cmd", Starts::Always, "peakcom/s5cmd"),
    ("curl", Starts::Always, "curlimages/curl alpine/curl"),
    ("http", Starts::Always, "alpine/httpie"),
    ("socat", Starts::Always, "alpine/socat"),
    ("skopeo", Starts::Always, "skopeo/stable containers/skopeo"),
    ("crane", Starts::Always, "go-containerregistry/crane"),
    ("flyway", Starts::Always, "flyway/flyway redgate/flyway"),
    ("liquibase", Starts::Always, "liquibase/liquibase"),
    ("migrate", Starts::Always, "migrate/migrate"),
    ("dbmate", Starts::Always, "amacneil/dbmate"),
    ("yq", Starts::Always, "mikefarah/yq"),
    ("deno", Starts::Always, "denoland/deno"),
    ("bun", Starts::Always, "oven/bun"),
    ("bash", Starts::OnOption, "bash"),
    ("node", Starts::OnOption, "node"),
    ("php", Starts::OnOption, "php"),
    ("python3", Starts::Alone, "python"),
    ("pwsh", Starts::Alone, "microsoft/powershell mcr.microsoft.com/powershell"),
    (
        "sh",
        Starts::Alone,
        "alpine busybox debian ubuntu fedora centos almalinux rockylinux archlinux amazonlinux",
    ),
];

/// The program that an image starts before the words that it is told, if it is known.
pub(super) fn program(image: &str, told: &[Field]) -> Option<&'static str> {
    let image = image.split('@').next().unwrap_or_default();
    let (folder, named) = image.rsplit_once('/').unwrap_or(("", image));
    let bare = named.split(':').next().unwrap_or_default();
    let owner = folder.rsplit('/').next().unwrap_or_default();
    let is_it = |listed: &str| match listed.split_once('/') {
        Some((by, name)) => name == bare && by == owner,
        None => listed == bare,
    };
    PROGRAMS.iter().find_map(|(program, starts, images)| {
        let applies = match starts {
            Starts::Always => true,
            Starts::OnOption => told.first().is_none_or(|first| {
                first.is_option() || lists("js mjs cjs ts", crate::path::extension(&first.text))
            }),
            Starts::Alone => told.is_empty(),
        };
        (applies && images.split(' ').any(is_it)).then_some(*program)
    })
}

#[cfg(test)]
mod tests {
    use super::program;
    use crate::shell::Field;

    #[test]
    fn the_registry_and_the_tag_do_not_count() {
        let option = [Field::new("-c")];
        let word = [Field::new("log")];
        for image in
            ["alpine/git", "docker.io/alpine/git:v2.45", "a.example:5000/alpine/git@sha256:0"]
        {
            assert_eq!(program(image, &word), Some("git"), "{image}");
        }
        assert_eq!(program("acme/git", &word), None);
        assert_eq!(program("docker.io/library/bash:5.2", &option), Some("bash"));
        assert_eq!(program("bash", &word), None);
        assert_eq!(program("alpine:3.20", &option), None);
        assert_eq!(program("alpine:3.20", &[]), Some("sh"));
    }
}
