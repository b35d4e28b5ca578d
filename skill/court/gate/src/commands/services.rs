//! Containers and clusters: by the verbs that their programs are given.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operands, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS, Said};
use super::options::{first_operand, has_word, operands};
use super::words::words;
use crate::path::Place;
use crate::rules::{execution, infrastructure as rules, network, secrets};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("docker podman nerdctl docker-compose podman-compose"),
        docker,
        [&["ps"], &[], &["volume rm data", "system prune -f"], &[]],
    ),
    Command::said(
        words!("kubectl oc k helm helmfile flux kustomize"),
        CLUSTER,
        [
            &[],
            &[
                "get pods",
                "config view",
                "rollout status deploy/a",
                "delete pod a --dry-run=client",
                "exec pod -- ls",
                "describe pod a",
                "delete --help",
            ],
            &[
                "delete ns prod",
                "get secret x -o yaml",
                "config view --raw",
                "config use-context x",
                "exec pod -- sh",
                "exec pod -- rm -rf /srv/data",
                "debug pod -- ls",
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

/// Containers: verbs that destroy.
const DOCKER_DESTROYS: &[(&str, &[&str])] = &[
    ("system", &["prune", "reset"]),
    ("volume", &["rm", "remove", "prune"]),
    ("container", &["rm", "prune", "kill"]),
    ("image", &["prune"]),
    ("network", &["rm", "prune"]),
    ("builder", &["prune"]),
    ("swarm", &["leave"]),
    ("stack", &["rm", "down"]),
    ("service", &["rm"]),
    ("secret", &["rm"]),
    ("context", &["rm"]),
    ("buildx", &["prune"]),
    ("node", &["rm"]),
    ("config", &["rm"]),
    ("pod", &["rm", "prune"]),
    ("machine", &["rm", "reset"]),
];

const DOCKER_READS: &[&str] =
    words!("ps images logs inspect version info top stats port diff history events search ls");

/// Whether a word is several short options and has this one: `-fv`.
fn is_cluster_with(text: &str, option: char) -> bool {
    text.strip_prefix('-').is_some_and(|letters| {
        letters.contains(option) && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

fn docker(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-H --host --context -l -f --file -p --project-name --profile --env-file --config -c \
         --log-level --progress --ansi --project-directory --parallel --connection --url \
         --tlscacert --tlscert --tlskey --identity"
    );
    let mut at = first_operand(words, valued);
    let compose = words[0].text.ends_with("compose")
        || words.get(at).is_some_and(|word| word.text == "compose");
    if compose && !words[0].text.ends_with("compose") {
        at += first_operand(&words[at..], valued);
    }
    let Some(verb) = words.get(at).map(|word| word.text.clone()) else {
        return Ok(Flow::unknown());
    };
    let rest = &words[at..];
    let second = operands(rest, &[]).first().map(|word| word.text.clone()).unwrap_or_default();
    let what = format!("{} {verb}", words[0].text);
    let destroys = DOCKER_DESTROYS
        .iter()
        .any(|(group, verbs)| *group == verb && verbs.contains(&second.as_str()))
        || (compose
            && verb == "down"
            && (has_word(rest, &["-v", "--volumes", "--rmi"])
                || rest.iter().any(|word| is_cluster_with(&word.text, 'v'))))
        || (compose
            && verb == "rm"
            && rest
                .iter()
                .any(|word| word.text == "--volumes" || is_cluster_with(&word.text, 'v')))
        || (!compose
            && matches!(verb.as_str(), "rm" | "kill")
            && rest.iter().any(|word| {
                let short = word.text.starts_with('-') && !word.text.starts_with("--");
                // A container can be made again; its volumes cannot, nor can all of them at once.
                (short && word.text.contains(['v', 'a']))
                    || matches!(word.text.as_str(), "--volumes" | "--all")
            }))
        || (verb == "rmi"
            && rest.iter().any(|word| is_cluster_with(&word.text, 'f') || word.text == "--force"));
    if has_word(words, &["--help", "-h"]) && !matches!(verb.as_str(), "run" | "exec" | "create") {
        walker.found(&execution::COMMAND, &what);
        return Ok(Flow::unknown());
    }
    let destroys = destroys
        || (!compose
            && (matches!(verb.as_str(), "rm" | "kill" | "rmi") || second == "rm")
            && rest.iter().skip(1).any(|word| !word.is_known()));
    let reveals = verb == "inspect"
        && words.iter().any(|word| word.text.contains(".Env") || word.text.contains("Config}}"));
    if reveals {
        walker.found(&secrets::ENVIRONMENT, &what);
    }
    if verb == "cp" && !compose {
        let rest: Vec<Field> = operands(rest, &[]).into_iter().cloned().collect();
        if let Some((target, sources)) = rest.split_last() {
            let of_container = |word: &Field| word.text.contains(':');
            for source in sources.iter().filter(|word| !of_container(word)) {
                walker.secret_path(&source.text);
            }
            if !of_container(target) && target.text != "-" {
                walker.write(target);
            }
        }
    }
    if destroys {
        walker.found(&rules::CONTAINER, &what);
    } else if verb == "build"
        && rest.iter().any(|word| word.text.contains("://") || word.text.starts_with("git@"))
    {
        walker.found(&rules::FOREIGN_PACKAGE, &what);
    } else if verb == "push" || (verb == "image" && second == "push") {
        walker.found(&rules::PUBLISH, &what);
    } else if !DOCKER_READS.contains(&verb.as_str()) && !DOCKER_READS.contains(&second.as_str()) {
        walker.found(&execution::COMMAND, &what);
    }
    if compose && matches!(verb.as_str(), "up" | "run" | "create" | "start") {
        let mut files = walker
            .in_folder(words!("docker-compose.yml docker-compose.yaml compose.yml compose.yaml"));
        files.extend(
            super::options::value(words, &["-f", "--file"])
                .map(|file| crate::path::absolute(file, &walker.state.cwd)),
        );
        for file in &files {
            let telling = ["privileged: true", "docker.sock", "/:/", "pid: host", "- /:"];
            let content = walker.file(file).map(|file| file.content.clone());
            if content.is_some_and(|content| telling.iter().any(|word| content.contains(word))) {
                walker.found(&rules::CONTAINER_ESCAPE, file);
            }
        }
    }
    if matches!(verb.as_str(), "run" | "create" | "exec")
        || (verb == "container" && matches!(second.as_str(), "run" | "exec"))
    {
        contained(walker, rest, if compose { "compose" } else { &verb }, io)?;
    }
    Ok(Flow::unknown())
}

const RUN_VALUED: &[&str] = words!(
    "-v --volume -w --workdir -e --env -p --publish --name -u --user --network --net --mount \
     --entrypoint --env-file -m --memory --cpus -h --hostname -l --label --platform --pid \
     --ipc --add-host --cap-add --security-opt --device --tmpfs --restart --index --gpus \
     --shm-size --ulimit --dns --pull --log-driver --cap-drop --userns --cgroupns"
);

/// What runs in a container, and what the container may reach.
fn contained(walker: &mut Walker<'_>, words: &[Field], verb: &str, io: &Io<'_>) -> Step {
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map(|word| word.text.clone()).unwrap_or_default();
        let (name, text) = word
            .text
            .split_once('=')
            .map_or((word.text.clone(), next), |(name, text)| (name.to_owned(), text.to_owned()));
        let escape = match name.as_str() {
            "--privileged" => text != "false",
            "--pid" | "--ipc" | "--userns" | "--net" | "--network" => {
                text == "host" && name != "--net" && name != "--network"
            }
            "--cap-add" => matches!(
                text.to_ascii_uppercase().as_str(),
                "ALL" | "SYS_ADMIN" | "SYS_PTRACE" | "CAP_SYS_ADMIN" | "SYS_MODULE"
            ),
            "--security-opt" => text.contains("unconfined"),
            "--device" => {
                text.starts_with("/dev/sd")
                    || text.starts_with("/dev/nvme")
                    || text.starts_with("/dev/mem")
            }
            "-v" | "--volume" | "--mount" => {
                let source = if name == "--mount" {
                    text.split(',')
                        .find_map(|part| {
                            part.strip_prefix("source=").or_else(|| part.strip_prefix("src="))
                        })
                        .unwrap_or_default()
                } else {
                    text.split(':').next().unwrap_or_default()
                };
                let read_only = text.ends_with(":ro") || text.contains("readonly");
                let socket = source.ends_with("docker.sock");
                let place = walker.place(&Field::new(source));
                let reaches = source.contains('/') || source.starts_with('~');
                walker.secret_path(source);
                socket
                    || (reaches
                        && matches!(
                            place,
                            Place::Root | Place::Home | Place::System | Place::Wiring
                        )
                        && !(read_only && place == Place::System))
            }
            _ => false,
        };
        if escape {
            walker.found(&rules::CONTAINER_ESCAPE, &format!("{name} {text}"));
        }
    }
    // What runs in a service of one's own acts on data that lives on, as in `exec`.
    let names_service = verb == "compose";
    let at = first_operand(words, RUN_VALUED);
    let command = words.get(at + 1..).unwrap_or_default();
    if (verb == "exec" || names_service) && !command.is_empty() {
        // It acts on something that lives on: what is dangerous here is dangerous there.
        walker.via.push("docker exec".to_owned());
        walker.run(command, io)?;
        walker.via.pop();
    }
    Ok(())
}

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

const CLUSTER_VALUED: &[&str] = words!(
    "-n --namespace --context --kubeconfig -o --output -l --selector -f --filename -c --container \
     --cluster --user -s --server --as --kube-context --cache-dir --description \
     --request-timeout --token --certificate-authority"
);

const CLUSTER: Said =
    Said::cases(CLUSTER_VALUED, &[&[Case(Verbs("exec|debug"), READS)], CLUSTER_CASES]).also(&[
        Also(Verbs("exec"), Act::There(Pick::Behind("--"), &network::LOOK, &network::REMOTE)),
        Also(Verbs("debug"), Act::Command(Pick::Behind("--"))),
        Also(Verbs("debug"), Act::Finds(&network::REMOTE)),
    ]);

const CLUSTER_CASES: &[Case] = &[
    Case(
        All(&[Verbs("get|describe secret*|Secret*"), Not(&Word("name --help -h"))]),
        &secrets::SHOW,
    ),
    Case(
        Any(&[
            All(&[
                Verbs("config view|current-context|get-contexts|get-clusters|get-users"),
                Not(&Word("--raw")),
            ]),
            Verbs("rollout status|history, port-forward|proxy"),
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
                 dependency|verify|build|repo|create-config|completion|options|kustomize",
            ),
        ]),
        &execution::COMMAND,
    ),
    Case(Always, &rules::CLUSTER),
];
