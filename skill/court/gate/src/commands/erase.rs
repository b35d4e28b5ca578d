//! Commands that delete, empty or overwrite.

pub(super) use super::acts::Reach;
use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said, lists};
use super::options::{has, operands, value};
use super::words::words;
use crate::path::Zone;
use crate::rules::Rule;
use crate::rules::files::{
    DELETE, DELETE_ALL, DELETE_FORCED, DELETE_OUTSIDE, DELETE_TREE, DELETE_UNKNOWN, DISK, EMPTY,
    SECURE_ERASE, WRITE, WRITE_COURT, WRITE_WIRING,
};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("rm zf_rm grm del"), rm, [&[], &["src/a.rs"], &["-rf src"], &["-rf /"]]),
    Command::code(
        words!("trash trash-put rip rmtrash"),
        rm,
        [&[], &["src/a.rs", "-rf src"], &["-rf /"], &[]],
    ),
    Command::said(
        words!("gio kioclient kioclient5 gvfs-trash"),
        Said::cases(&[], &[&[Case(Always, &WRITE)]]).also(&[
            Also(Verbs("trash|remove"), Act::Deletes(Pick::From(1), Reach::File)),
            Also(Verbs("move|mv"), Act::Deletes(Pick::Nth(1), Reach::File)),
        ]),
        [&[], &["trash build", "open a.md"], &["trash ~/Documents", "move ~/work trash:/"], &[]],
    ),
    Command::cases(
        words!("trash-empty trash-rm"),
        &[],
        &[&[Case(Always, &DELETE_OUTSIDE)]],
        [&[], &[], &["", "x"], &[]],
    ),
    // A hole, or zeros, in a file that is there.
    Command::said(
        words!("fallocate"),
        Said::cases(words!("-l --length -o --offset"), &[&[Case(Always, &WRITE)]]).also(&[
            Also(
                Word("-p --punch-hole -z --zero-range -c --collapse-range -d --dig-holes"),
                Act::Erases(Pick::Nth(0)),
            ),
            Also(Always, Act::Writes(Pick::Nth(0))),
        ]),
        [&[], &["-l 1M target/a.bin"], &["-p -l 1G ~/a.db", "-z -l 1 ~/a.db"], &[]],
    ),
    Command::code(
        words!("rimraf del-cli"),
        rm,
        [&[], &["src/a.rs"], &["src", "-rf src"], &["-rf /"]],
    ),
    Command::said(
        words!("unlink rmdir"),
        Said::cases(&[], &[])
            .also(&[Also(Always, Act::Deletes(Pick::From(0), Reach::File))])
            .gives(Gives::Nothing),
        [&["--help"], &["src/a.rs"], &["/etc/x"], &[]],
    ),
    Command::said(
        words!("shred wipe srm scrub"),
        Said::cases(words!("-n -s --iterations --size --random-source"), &[])
            .also(&[Also(Always, Act::Erases(Pick::From(0)))])
            .gives(Gives::Nothing),
        [&["--help"], &["-u /tmp/x"], &["-u src/a.rs"], &["/dev/sda"]],
    ),
    // A file that is made large is no work.
    Command::said(
        words!("truncate"),
        Said::cases(words!("-s --size -r --reference"), &[])
            .also(&[
                Also(
                    Not(&All(&[Value(SIZE, "*M *G *T *B"), Not(&Value(SIZE, "-* <* 0*"))])),
                    Act::Empties(Pick::From(0)),
                ),
                Also(Always, Act::Writes(Pick::From(0))),
            ])
            .gives(Gives::Nothing),
        [&["--help"], &["-s 1G src/a.img", "-s 0 /tmp/x"], &["-s 0 src/a.rs"], &[]],
    ),
    Command::cases(
        words!(
            "mkdosfs mkntfs mkexfatfs mkudffs mkfatfs restore wipefs fdisk cfdisk gdisk sgdisk \
             parted blkdiscard mkswap cryptsetup lvremove vgremove pvremove zpool zfs mdadm hdparm \
             nvme diskutil badblocks newfs"
        ),
        ON_DISK,
        &[ASKS, MAKES],
        [&["--help", "list"], &["x.img"], &["", "prod"], &["/dev/sda", "--delete -l /dev/sda"]],
    ),
    // For these `-n` is a rehearsal.
    Command::cases(
        words!("sfdisk mke2fs mkfs"),
        ON_DISK,
        &[ASKS, &[Case(Word("-n"), READS)], MAKES],
        [&["--help", "-n /dev/sda"], &["x.img"], &["prod"], &["/dev/sda"]],
    ),
    Command::cases(
        words!("blockdev"),
        ON_DISK,
        &[ASKS, &[Case(Word("--get*"), READS)], MAKES],
        [&["--help", "--getsize64 /dev/sda"], &[], &["prod"], &["--setrw /dev/sda"]],
    ),
    Command::cases(
        words!("partprobe"),
        ON_DISK,
        &[ASKS, &[Case(Word("-s -d"), READS)], MAKES],
        [&["--help", "-s /dev/sda"], &[], &["prod"], &["/dev/sda"]],
    ),
    Command::code(words!("dd dcfldd dc3dd"), dd, [&[], &[], &[], &["if=/dev/zero of=/dev/sda"]]),
];

const SIZE: &[&str] = &["-s", "--size"];

const ON_DISK: &[&str] = &["-t", "-L", "-b", "-i", "-m"];

/// What a disk holds is only asked for.
const ASKS: &[Case] = &[Case(
    Any(&[
        All(&[
            Word(
                "-l --list --report --version --help -V --test --no-act --pretend --detail \
                 --list-free",
            ),
            Not(&Word(
                "--stop --remove --grow --fail --zero-superblock --delete -o -Z -z -d -n mklabel \
                 mktable mkpart rm resizepart",
            )),
        ]),
        Verbs(
            "list|status|info|print|activity|information|listFilesystems|luksDump|isLuks|get|\
             smart-log|id-ctrl|iostat|history|verifyVolume",
        ),
    ]),
    READS,
)];

const MAKES: &[Case] =
    &[Case(Test(on_disk), &DISK), Case(Test(in_file), &WRITE), Case(Always, &SECURE_ERASE)];

fn rm(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let by_name = crate::path::name(&words[0].text);
    let tree = has(words, 'r', "recursive")
        || has(words, 'R', "")
        || matches!(by_name, "rimraf" | "del-cli");
    // What lies in the bin can be taken out again.
    let tree = tree && !matches!(by_name, "trash" | "trash-put" | "rip" | "rmtrash");
    let reach = match tree {
        true => Reach::Tree,
        false if has(words, 'f', "force") => Reach::Forced,
        false => Reach::File,
    };
    let targets: Vec<Field> = operands(words, &[]).into_iter().cloned().collect();
    if targets.is_empty() && has(words, ' ', "no-preserve-root") {
        walker.found(&DELETE_ALL, "--no-preserve-root");
    }
    let pair = is_pair(&targets);
    for target in &targets {
        if pair && PAIRS.iter().any(|(_, other)| crate::path::name(plain(target)) == *other) {
            walker.found(&DELETE, &target.text);
        } else {
            walker.delete(target, reach);
        }
    }
    Ok(Flow::default())
}

/// A name that is a build output for certain, and one that is so beside it.
const PAIRS: &[(&str, &str)] = &[("obj", "bin"), ("_build", "deps")];

fn plain(target: &Field) -> &str {
    target.text.trim_end_matches(['/', '*']).trim_end_matches('/')
}

/// Whether both of a pair are deleted: `rm -rf bin obj` in a project of .NET.
fn is_pair(targets: &[Field]) -> bool {
    let named = |wanted: &str| {
        targets.iter().any(|target| {
            crate::path::name(plain(target)) == wanted && !target.text.starts_with(['/', '~'])
        })
    };
    named("obj") && named("bin") || named("_build") && named("deps")
}

fn dd(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let source = value(words, &["if="]).unwrap_or_default().to_owned();
    let mut targets: Vec<Field> = words[1..]
        .iter()
        .filter_map(|word| word.text.strip_prefix("of=").map(Field::new))
        .collect();
    let last = targets.pop();
    for target in &targets {
        walker.write(target);
    }
    if let Some(target) = last {
        let blank =
            matches!(source.as_str(), "/dev/zero" | "/dev/null" | "/dev/urandom" | "/dev/random");
        let image =
            matches!(crate::path::extension(&target.text), "img" | "bin" | "raw" | "iso" | "dat");
        if blank && !image && walker.keeps(&target) {
            walker.found(&EMPTY, &target.text);
        }
        super::files::copied(walker, &Field::new(&source), &target);
        walker.write(&target);
        return Ok(Flow::default());
    }
    if source.is_empty() {
        Ok(io.stdin.clone())
    } else {
        Ok(walker.read_file(&Field::new(&source)))
    }
}

fn on_disk(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words[1..].iter().any(|word| walker.zone(word) == Zone::Disk)
}

/// A file system within a file of one's own.
fn in_file(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut rest = given.operands.iter();
    !given.operands.is_empty()
        && rest.all(|word| {
            lists("img iso raw qcow2 bin fat ext4", crate::path::extension(&word.text))
                && matches!(walker.zone(word), Zone::InProject | Zone::Scratch)
        })
}

impl Walker<'_> {
    /// Whether a name that is only a pattern, or only known when it runs, stands for many: in a loop,
    /// or behind a search.
    pub(crate) fn is_mass(&self, target: &Field) -> bool {
        let name = crate::path::name(&target.text);
        // In a loop a name with a star is what a search gave to it.
        let open = target.glob || name.contains(UNKNOWN) || self.looping > 0 && name.contains('*');
        let many = |via: &String| matches!(via.as_str(), "find" | "fd" | "xargs" | "parallel");
        open && (self.looping > 0 || self.via.iter().any(many))
    }

    /// Whether there is nothing, and this call puts nothing there.
    fn is_absent(&self, target: &Field) -> bool {
        if target.glob || !target.is_known() {
            return false;
        }
        let path = self.led(&crate::path::absolute(&target.text, &self.state.cwd));
        let path = self.context.disk.resolve(&path).unwrap_or(path);
        let made =
            |other: &str| crate::path::within(other, &path) || crate::path::within(&path, other);
        self.context.disk.entry(&path) == crate::context::Entry::Missing
            && !self.ledger.writes.iter().any(|target| made(&target.path))
            && !self.state.files.keys().any(|file| made(file))
    }

    /// Whether a name is that of one file: by its ending, where the disk does not say that it is a folder.
    fn is_file(&self, target: &Field) -> bool {
        const ENDINGS: &[&str] = words!(
            "rs ts tsx js jsx mjs cjs json py go rb java kt c h cc cpp hpp cs php swift md mdx rst txt html css \
             scss svg png jpg jpeg gif webp snap csv tsv yml yaml toml ini xml sql sh lock pdf zip gz tgz map vue \
             svelte ipynb"
        );
        let ending = crate::path::extension(&target.text);
        if target.text.ends_with('/')
            || !ENDINGS.contains(&ending)
            || target.glob
            || !target.is_known()
        {
            return false;
        }
        let path = crate::path::absolute(&target.text, &self.state.cwd);
        self.context.disk.entry(&path) != crate::context::Entry::Folder
    }

    /// Notes that something is overwritten so that nothing of it is left.
    pub(super) fn erases(&mut self, target: &Field) {
        let rule = match self.zone(target) {
            Zone::Scratch => &DELETE,
            Zone::Disk => &DISK,
            _ => &SECURE_ERASE,
        };
        self.found(rule, &target.text);
    }

    /// Notes that something is emptied.
    pub(super) fn empties(&mut self, target: &Field) {
        if self.keeps(target) || !target.is_known() {
            self.found(&EMPTY, &target.text);
        }
    }

    /// Notes that something is deleted.
    pub(super) fn delete(&mut self, target: &Field, reach: Reach) {
        let tree = reach == Reach::Tree && !self.is_file(target) || self.is_mass(target);
        let everything = is_everything(target);
        if self.is_record(target) || tree && self.holds_records(target) {
            self.found(&WRITE_COURT, &target.text);
            return;
        }
        let rule = match self.zone(target) {
            Zone::Nowhere | Zone::Socket => return,
            Zone::Disk => &DISK,
            Zone::Root | Zone::Home if tree => &DELETE_ALL,
            Zone::System if tree && is_top(&target.text, &self.state.cwd) => &DELETE_ALL,
            Zone::Root | Zone::Home | Zone::System | Zone::InHome | Zone::Outside => {
                &DELETE_OUTSIDE
            }
            Zone::Persistence if tree => &DELETE_TREE,
            Zone::Persistence => &WRITE_WIRING,
            Zone::InProject if is_lock(&target.text) || self.is_absent(target) => &DELETE,
            Zone::Scratch => &DELETE,
            zone => work(zone, tree, everything, reach),
        };
        self.found(rule, &target.text);
    }
}

/// The rule for a project's own files, and for places that are not known.
fn work(zone: Zone, tree: bool, everything: bool, reach: Reach) -> &'static Rule {
    match zone {
        Zone::Unknown if tree => &DELETE_UNKNOWN,
        Zone::Project | Zone::InProject if tree || everything => &DELETE_TREE,
        _ if reach == Reach::Forced => &DELETE_FORCED,
        _ => &DELETE,
    }
}

/// Whether a pattern is for all that lies in a folder.
fn is_everything(target: &Field) -> bool {
    target.glob && crate::path::name(&target.text).chars().all(|each| "*?.[]!^".contains(each))
}

/// Files that package managers write anew.
fn is_lock(path: &str) -> bool {
    const LOCKS: &[&str] =
        &["package-lock.json", "pnpm-lock.yaml", "bun.lockb", "npm-shrinkwrap.json"];
    let name = crate::path::name(path);
    LOCKS.contains(&name) || crate::path::extension(name) == "lock"
}

/// Whether a path is a folder right below the root, and not the temporary one.
fn is_top(path: &str, cwd: &str) -> bool {
    crate::path::absolute(path, cwd).matches('/').count() == 1
        && crate::path::name(path.trim_end_matches('/')) != "tmp"
}
