//! Containers: by the verbs that their programs are given. Not here: clusters (see `clusters`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{
    self, All, Always, Any, Not, Operand, Operands, Option, Part, Value, Verbs, Word,
};
use super::entry::{Case, Command, Given, Gives, READS, Said};
use super::options::{first_operand, value, values};
use super::words::words;
use crate::path::Zone;
use crate::rules::{execution, infrastructure as rules, secrets};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("docker podman nerdctl"),
        DOCKER,
        [
            &["ps", "ps -aq -f status=exited", "image ls", "compose ps", "trust inspect x", ""],
            &[
                "rm x",
                "rm --help",
                "run x ls",
                "exec x ls",
                "cp x:/a out",
                "run --privileged=false x",
                "run -v ./src:/src:ro x",
                "run -v ./src:/git alpine/git log",
                "run --volumes-from x y ls /data",
                "run --volumes-from x y rm -rf /tmp/a",
                "cp a x:/a",
                "container create x",
                "image prune -f",
                "builder prune -f",
            ],
            &[
                "volume rm data",
                "system prune -f",
                "rm -fv x",
                "rmi -f x",
                "rm \u{e000}",
                "push x",
                "build https://a.example/x.git",
                "inspect -f {{.Config.Env}} x",
                "run --privileged x",
                "run --cap-add sys_admin --pid host x",
                "run -d --restart=always --network host x",
                "run -v /:/host x",
                "run --mount type=bind,source=/etc,target=/x x",
                "exec x rm -rf /srv/data",
                "container exec x rm -rf /srv/data",
                "container run --privileged x",
                "cp .env x:/a",
                "cp /dev/null x:/a",
                "run -v ./src:/git alpine/git reset --hard",
                "run amazon/aws-cli s3 rm s3://a --recursive",
                "run --volumes-from x y rm -rf /data",
                "run -v ./src:/w -e A=/w y sh -c 'rm -rf $A/a'",
                "-n x volume prune",
                "buildx build --push .",
                "build -o type=registry .",
                "service scale x=0",
                "stack deploy -c a.yml x",
                "unshare rm -rf /srv/data",
                "image prune -af",
                "trust revoke x",
                "trust signer add a x",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("docker-compose podman-compose"),
        COMPOSE,
        [
            &["ps", "-f a.yml logs web"],
            &["up -d", "down", "rm web", "run web ls", "down --help"],
            &[
                "down -v",
                "down --rmi all",
                "rm -fv web",
                "-p x run --rm web rm -rf /srv/data",
                "run --entrypoint rm web -rf /srv/data",
                "exec -T web rm -rf /srv/data",
                "push",
            ],
            &[],
        ],
    ),
];

/// Only help is asked for; `-h` of what starts something is an option of its own.
const HELP: Case =
    Case(All(&[Word("--help -h"), Not(&Verbs("run|exec|create"))]), &execution::COMMAND);

const CONTAINER: &[Case] = &[
    Case(All(&[Verbs("build"), Word("*://* git@*")]), &rules::FOREIGN_PACKAGE),
    Case(
        Any(&[
            Verbs("push, image|manifest push, trust sign|revoke, trust signer add|remove"),
            All(&[
                Verbs("build|bake, buildx|image|builder build|bake"),
                Any(&[
                    Word("--push --push=true"),
                    Value(&["-o", "--output"], "type=registry* *push=true*"),
                ]),
            ]),
        ]),
        &rules::PUBLISH,
    ),
    // A swarm is a cluster.
    Case(
        Any(&[
            Verbs(
                "service create|update|scale|rollback, stack deploy|up, swarm join|update|ca, \
                 node update|promote|demote",
            ),
            Word("--force-new-cluster"),
        ]),
        &rules::CLUSTER,
    ),
    Case(
        Any(&[
            Not(&Operands(1)),
            Operand(
                2,
                "ps images logs inspect version info top stats port diff history events search ls",
            ),
        ]),
        READS,
    ),
    Case(Always, &execution::COMMAND),
];

/// Groups of commands with what destroys in each.
const GROUPS: When = Verbs(
    "system prune|reset, volume rm|remove|prune, container rm|prune|kill, network|pod rm|prune, swarm leave, stack rm|down, \
     service|secret|context|node|config rm, machine rm|reset",
);

/// Only containers that have ended are listed: which is not known, but nothing runs in them.
const ENDED: When = Value(&["-f", "--filter"], "status=exited status=created status=dead");

const DOCKER: Said = Said::cases(
    words!(
        "-H --host --context -l -c --config --log-level --connection --url --tlscacert --tlscert \
         --tlskey --identity -n --namespace --address --snapshotter --data-root \
         --cgroup-manager --root --runroot --storage-driver --storage-opt --tmpdir"
    ),
    &[
        &[
            Case(Verbs("compose"), READS),
            HELP,
            Case(
                Any(&[
                    GROUPS,
                    // Without `-a` only images go that nothing names; what a build keeps can be made again.
                    All(&[Verbs("image prune"), Option('a', "all")]),
                    // A container can be made again; its volumes cannot, nor can all of them at once.
                    All(&[Verbs("rm|kill"), Any(&[Option('v', "volumes"), Option('a', "all")])]),
                    All(&[Verbs("rmi"), Option('f', "force")]),
                    All(&[Verbs("rm|kill|rmi, * rm"), Word("*\u{e000}*")]),
                ]),
                &rules::CONTAINER,
            ),
            Case(
                All(&[Verbs("inspect, container inspect"), Word("*.Env* *Config}}*")]),
                &secrets::ENVIRONMENT,
            ),
        ],
        CONTAINER,
    ],
)
.gives(Gives::Inner)
.also(&[
    Also(Always, Act::Calls(|_, _, _| Ok(Flow::unknown()))),
    Also(Verbs("compose"), Act::Verb(0, &COMPOSE)),
    Also(Verbs("cp, container cp"), Act::Calls(copies)),
    Also(Verbs("unshare"), Act::Command(Pick::From(1))),
    Also(
        All(&[Verbs("ps|ls, container ls|ps"), ENDED]),
        Act::Calls(|_, _, _| Ok(Flow::new("4242"))),
    ),
    Also(Verbs("run|create"), Act::Verb(0, &RUN)),
    Also(Verbs("container run|create"), Act::Verb(1, &RUN)),
    Also(Verbs("exec"), Act::Verb(0, &EXEC)),
    Also(Verbs("container exec"), Act::Verb(1, &EXEC)),
]);

const COMPOSE: Said = Said::cases(
    words!(
        "-f --file -p --project-name --profile --env-file --progress --ansi --project-directory \
         --parallel"
    ),
    &[
        &[
            HELP,
            Case(
                Any(&[
                    GROUPS,
                    All(&[Verbs("down"), Any(&[Option('v', "volumes"), Part("--rmi")])]),
                    All(&[Verbs("rm"), Option('v', "volumes")]),
                ]),
                &rules::CONTAINER,
            ),
        ],
        CONTAINER,
    ],
)
.also(&[
    Also(Verbs("up|run|create|start"), Act::Calls(composes)),
    // What runs in a service of one's own acts on data that lives on, as in `exec`.
    Also(Verbs("run|create|exec"), Act::Verb(0, &EXEC)),
]);

/// A container that gets what is the machine's.
const ESCAPES: &[&[Case]] = &[&[Case(
    Any(&[
        All(&[Part("--privileged"), Not(&Word("--privileged=false"))]),
        Value(&["--pid", "--ipc", "--userns"], "host"),
        // It has the machine's network, and starts with it.
        All(&[
            Value(&["--network", "--net"], "host"),
            Value(&["--restart"], "always unless-stopped on-failure*"),
        ]),
        Value(&["--cap-add"], "ALL SYS_ADMIN SYS_PTRACE CAP_SYS_ADMIN SYS_MODULE"),
        Value(&["--security-opt"], "*unconfined*"),
        Value(&["--device"], "/dev/sd* /dev/nvme* /dev/mem*"),
    ]),
    &rules::CONTAINER_ESCAPE,
)]];

const RUN: Said = Said::cases(RUN_VALUED, ESCAPES)
    .also(&[Also(Always, Act::Calls(mounts)), Also(Always, Act::Calls(runs))]);

/// It acts on something that lives on: what is dangerous here is dangerous there.
const EXEC: Said = Said::cases(RUN_VALUED, ESCAPES)
    .also(&[Also(Always, Act::Calls(mounts)), Also(Always, Act::Calls(starts))]);

const RUN_VALUED: &[&str] = words!(
    "-v --volume -w --workdir -e --env -p --publish --name -u --user --network --net --mount \
     --entrypoint --env-file -m --memory --cpus -h --hostname -l --label --platform --pid \
     --ipc --add-host --cap-add --security-opt --device --tmpfs --restart --index --gpus \
     --shm-size --ulimit --dns --pull --log-driver --cap-drop --userns --cgroupns --volumes-from \
     --network-alias --ip --link --expose --group-add --sysctl --log-opt --label-file \
     --health-cmd --health-interval --health-retries --health-timeout --stop-signal \
     --stop-timeout --cidfile --cpuset-cpus -c --cpu-shares --pids-limit --runtime \
     --storage-opt --volume-driver --dns-search --memory-swap --annotation -a --attach \
     --detach-keys --domainname --mac-address --pod --authfile --secret --arch --os --umask \
     --uidmap --gidmap --oom-score-adj --blkio-weight --device-cgroup-rule"
);

/// What the command of a new container does to what is mounted there.
fn runs(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    let at = first_operand(given.words, RUN_VALUED).min(given.words.len());
    let (options, command) = given.words.split_at(at);
    let Some((image, command)) = command.split_first() else { return Ok(Flow::default()) };
    walker.runs_in_container(options, &image.text, command, io)?;
    Ok(Flow::default())
}

/// A command in a container, behind the program that an option puts before it.
fn starts(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    let at = first_operand(given.words, RUN_VALUED).min(given.words.len());
    let (options, command) = given.words.split_at(at);
    let program = value(options, &["--entrypoint"]).into_iter().flat_map(str::split_whitespace);
    let mut words: Vec<Field> = program.map(Field::new).collect();
    words.extend(command.iter().skip(1).cloned());
    walker.via.push(given.program().to_owned());
    let output = walker.run(&words, io)?;
    walker.via.pop();
    Ok(output)
}

/// What of the machine is shown to a container.
fn mounts(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    for text in values(given.words, &["-v", "--volume", "--mount"]) {
        let named = |part: &'_ str| ["source=", "src="].iter().any(|key| part.starts_with(key));
        let source = match text.split(',').find(|part| named(part)) {
            Some(part) => part.split_once('=').map_or("", |(_, source)| source),
            None => text.split(':').next().unwrap_or_default(),
        };
        let read_only = text.ends_with(":ro") || text.contains("readonly");
        let place = walker.zone(&Field::new(source));
        let reaches = source.contains('/') || source.starts_with('~');
        let machines = matches!(place, Zone::Root | Zone::Home | Zone::System | Zone::Persistence);
        walker.secret_path(source);
        if source.ends_with("docker.sock")
            || reaches && machines && !(read_only && place == Zone::System)
        {
            walker.found(&rules::CONTAINER_ESCAPE, text);
        }
    }
    Ok(Flow::default())
}

/// Files that go into a container, or come out of one.
fn copies(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let here = |word: &&&Field| !word.text.contains(':') && word.text != "-";
    let from = 1 + usize::from(given.operands[0].text == "container");
    if let Some((target, sources)) = given.operands.get(from..).unwrap_or_default().split_last() {
        for source in sources.iter().filter(here) {
            walker.secret_path(&source.text);
            // Nothing is put in the place of something.
            if source.text == "/dev/null" {
                walker.found(&rules::CONTAINER, &target.text);
            }
        }
        if here(&target) {
            walker.write(target);
        }
    }
    Ok(Flow::default())
}

/// Services whose file gives them what is the machine's.
fn composes(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let mut files =
        walker.in_folder(words!("docker-compose.yml docker-compose.yaml compose.yml compose.yaml"));
    let told = values(given.words, &["-f", "--file"]);
    files.extend(told.map(|file| crate::path::absolute(file, &walker.state.cwd)));
    for file in &files {
        let telling = ["privileged: true", "docker.sock", "/:/", "pid: host", "- /:"];
        let content = walker.file(file).map(|file| file.content.clone());
        if content.is_some_and(|content| telling.iter().any(|word| content.contains(word))) {
            walker.found(&rules::CONTAINER_ESCAPE, file);
        }
    }
    Ok(Flow::default())
}
