//! A booted systemd: a container of this machine's own root folder, with everything that is written
//! kept in memory, and nothing left of it afterwards.
//!
//! Mounts and processes are in namespaces of their own, so that the kernel takes them away with the
//! first process, whatever happens to the test. Only empty control groups have to be removed.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tests::harness::{Client, StateDir, codex_bin, wait_until, wait_until_some};

use crate::fixture::{LIMIT, top, unit};

/// How long the container may take to power off.
const END_LIMIT: Duration = Duration::from_secs(30);

const DROP_INTERVAL: Duration = Duration::from_millis(20);

/// What the container has on its own.
const PROGRAMS: [&str; 4] = ["systemd-nspawn", "nsenter", "unshare", "setpriv"];

/// Joins the control groups, makes the container's root and boots it. Arguments: the name of the
/// mount point, the folder with the executables, Codex's folder, the repository; control groups on
/// the standard input.
const BOOT: &str = r#"
while read -r group; do echo 0 > "$group/cgroup.procs"; done
exec setpriv --pdeathsig KILL unshare --mount --propagation private \
    --pid --fork --kill-child --mount-proc sh -euc '
  mount -t tmpfs tmpfs "$1"
  mkdir "$1/upper" "$1/work" "$1/root"
  mount -t overlay overlay \
    -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
  exec systemd-nspawn --quiet --directory="$1/root" --boot --register=no --keep-unit \
    --link-journal=no --console=pipe --bind-ro="$2:/opt/bin:norbind" \
    --bind-ro="$3:/opt/codex:norbind" --bind-ro="$4:/opt/source:norbind" \
    systemd.unit=basic.target systemd.mask=postgresql.service
' sh "$@"
"#;

/// A running systemd. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Machine {
    folder: StateDir,
    groups: Vec<PathBuf>,
    child: Child,
    /// The container's process 1, by its number here.
    init: u32,
}

impl Machine {
    /// Boots. `None` says on stderr that the test is skipped, and why.
    pub(crate) async fn boot() -> Option<Self> {
        let codex = codex_bin()?;
        if !rustix::process::geteuid().is_root() {
            return impossible("only root can boot a systemd in a container");
        }
        if let Some(missing) = PROGRAMS.iter().find(|program| !on_path(program)) {
            skipping::missing(missing, "run `make debian`");
            return None;
        }
        let folder = StateDir::new().unwrap();
        let groups = match control_groups() {
            Ok(groups) => groups,
            Err(error) => return impossible(&format!("no control groups of our own: {error}")),
        };
        let child = start(&folder, &groups, &codex);
        let mut machine = Self { folder, groups, child, init: 0 };
        // A container that gets no process 1 is a limit of this machine. From then on the boot is
        // that of a system with our units in it, and a boot that fails may be their fault.
        if let Err(why) = machine.begun().await {
            let printed = machine.printed();
            drop(machine);
            return impossible(&format!("no container starts here: {why}: {printed}"));
        }
        machine.booted().await;
        Some(machine)
    }

    /// Waits for process 1 of the container.
    async fn begun(&mut self) -> Result<(), String> {
        let child = &mut self.child;
        let init = wait_until_some(LIMIT, async || {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(Err(format!("it ended ({status})")));
            }
            init_below(child.id()).map(Ok)
        });
        self.init = init.await.ok_or("no process 1")??;
        Ok(())
    }

    /// Waits until the system is up.
    async fn booted(&self) {
        let state = wait_until_some(LIMIT, async || {
            let said = text(&self.command(&["systemctl", "is-system-running"]).stdout);
            ["running", "degraded"].contains(&said.as_str()).then_some(())
        });
        assert!(state.await.is_some(), "it does not get to its target: {}", self.printed());
        // Executables of the package, where the units look for them.
        self.run(&["ln", "-s", "/opt/bin/bridge-under-test", "/usr/local/bin/codex-bridge"]);
    }

    /// Runs a command in the container.
    #[expect(clippy::disallowed_methods, reason = "the test plays the operator")]
    pub(crate) fn command(&self, words: &[&str]) -> Output {
        Command::new("nsenter")
            .args(["--target", &self.init.to_string(), "--all"])
            .args(words)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs a command in the container to its good end; what it printed.
    pub(crate) fn run(&self, words: &[&str]) -> String {
        let output = self.command(words);
        let (printed, complaint) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{words:?}: {}\n{printed}\n{complaint}\n{}",
            output.status,
            self.journal()
        );
        printed
    }

    /// A path of the container, seen from here.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        Path::new("/proc").join(self.init.to_string()).join("root").join(&path[1..])
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Puts a system unit, or a drop-in of the service, in place.
    pub(crate) fn install(&self, name: &str) {
        let folder = match name.ends_with(".conf") {
            true => "/etc/systemd/system/codex-bridge.service.d",
            false => "/etc/systemd/system",
        };
        self.write(&format!("{folder}/{name}"), &unit(name));
    }

    /// Settings of the test's own for the system service; they count at the next start.
    pub(crate) fn drop_in(&self, name: &str, lines: &[&str]) {
        let path = format!("/etc/systemd/system/codex-bridge.service.d/{name}.conf");
        self.write(&path, &format!("[Service]\n{}\n", lines.join("\n")));
        self.run(&["systemctl", "daemon-reload"]);
    }

    /// Lets systemd limit the memory of its units.
    ///
    /// # Errors
    /// Why it cannot, as far as this kernel tells.
    pub(crate) fn limit_memory(&self) -> Result<(), String> {
        let read = |path: &str| fs::read_to_string(self.path(path)).unwrap_or_default();
        if read("/sys/fs/cgroup/cgroup.controllers").split(' ').any(|name| name.trim() == "memory")
        {
            return Ok(());
        }
        if !self.path("/sys/fs/cgroup/memory/tasks").exists() {
            let known = read("/proc/cgroups").lines().any(|line| line.starts_with("memory\t"));
            let why = if known { "it is delegated to nobody here" } else { "the kernel has none" };
            return Err(format!("no unit can be limited in memory: {why}"));
        }
        // nspawn mounts the controllers of the first version for reading alone.
        let writable = ["mount", "-o", "remount,bind,rw", "/sys/fs/cgroup/memory"];
        for words in [&writable[..], &["systemctl", "daemon-reexec"]] {
            let said = self.command(words);
            if !said.status.success() {
                return Err(format!("no unit can be limited in memory: {}", text(&said.stderr)));
            }
        }
        Ok(())
    }

    /// A property of the system service.
    pub(crate) fn property(&self, name: &str) -> String {
        self.run(&["systemctl", "show", "--value", "--property", name, "codex-bridge.service"])
    }

    /// The daemon's process, by its number here; 0 where there is none.
    pub(crate) fn main_pid(&self) -> u32 {
        let inside: u32 = self.property("MainPID").parse().unwrap();
        // The number it has in the container's namespace is the one below ours.
        let is_it = |pid: &u32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
            let ids: Vec<u32> = ids
                .unwrap_or_default()
                .split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect();
            ids.last() == Some(&inside) && ids.len() == crate::fixture::namespaces(self.init)
        };
        if inside == 0 { 0 } else { below(self.init).into_iter().find(is_it).unwrap_or(0) }
    }

    /// A client of the daemon whose state lies there, as soon as it answers.
    pub(crate) async fn client(&self, state: &str) -> Client {
        let client = wait_until_some(LIMIT, async || {
            let read = |name: &str| fs::read_to_string(self.path(&format!("{state}/{name}"))).ok();
            let token = fs::read_to_string(self.path("/etc/credstore/codex-bridge.token")).ok();
            let (address, token) = (read("address")?, token.or_else(|| read("token"))?);
            let client = Client::new(address.trim().strip_prefix("http://")?, token.trim()).ok()?;
            let answer = client.get("/runs?limit=1").await.ok()?;
            (answer.status == 200).then_some(client)
        });
        client.await.unwrap_or_else(|| panic!("no answer:\n{}", self.journal()))
    }

    /// Waits until a property of the system service is what it should be.
    pub(crate) async fn has(&self, name: &str, is_right: impl Fn(&str) -> bool) {
        let right = wait_until(LIMIT, || is_right(&self.property(name))).await;
        assert!(right, "{name} = {}\n{}", self.property(name), self.journal());
    }

    /// What was logged.
    pub(crate) fn journal(&self) -> String {
        text(&self.command(&["journalctl", "--no-pager", "--output=cat", "--lines=200"]).stdout)
    }

    fn printed(&self) -> String {
        fs::read_to_string(self.folder.root().join("console.log")).unwrap_or_default()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() && self.init != 0 {
            let _ = writeln!(io::stderr(), "the journal:\n{}", self.journal());
        }
        // nspawn powers its container off at SIGTERM; process 1 here is its parent's namespace's.
        let nspawn = children(self.child.id()).first().copied();
        let pid = nspawn.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        let end = Instant::now() + END_LIMIT;
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < end {
            pause();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let end = Instant::now() + END_LIMIT;
        // A control group can be removed once its last process is reaped.
        while !self.groups.iter().all(|group| remove(group)) && Instant::now() < end {
            pause();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the test boots a machine")]
fn start(folder: &StateDir, groups: &[PathBuf], codex: &Path) -> Child {
    let executables = Path::new(env!("CARGO_BIN_EXE_bridge-under-test")).parent().unwrap();
    // `vendor/TRIPLE/bin/codex`: what Codex brings along lies beside `bin`.
    let package = codex.ancestors().nth(2).unwrap();
    let log = fs::File::create(folder.root().join("console.log")).unwrap();
    let mut child = Command::new("sh")
        .args(["-euc", BOOT, "sh"])
        .args([&folder.work(), executables, package, top()])
        .stdin(Stdio::piped())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let list: String = groups.iter().map(|group| format!("{}\n", group.display())).collect();
    // A shell that has ended says why on its own.
    let _ = child.stdin.take().unwrap().write_all(list.as_bytes());
    child
}

/// A control group below the one this process is in, in each hierarchy that systemd uses, and in that of memory where
/// it is one of its own: without it, two containers would share theirs.
fn control_groups() -> io::Result<Vec<PathBuf>> {
    let mut groups = Vec::new();
    let name = format!("codex-bridge-test-{}", std::process::id());
    for line in fs::read_to_string("/proc/self/cgroup")?.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" if Path::new("/sys/fs/cgroup/cgroup.controllers").exists() => "/sys/fs/cgroup",
            "" => "/sys/fs/cgroup/unified",
            "name=systemd" => "/sys/fs/cgroup/systemd",
            "memory" => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let group = Path::new(root).join(path.trim_start_matches('/')).join(&name);
        fs::create_dir_all(&group)?;
        groups.push(group);
    }
    Ok(groups)
}

/// Removes a control group and those below it; says whether it is gone.
fn remove(group: &Path) -> bool {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
    fs::remove_dir(group).is_ok() || !group.exists()
}

/// The container's process 1 below the process that was started here.
fn init_below(pid: u32) -> Option<u32> {
    below(pid).into_iter().find(|pid| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "systemd")
    })
}

/// Every process below this one, nearest first.
fn below(pid: u32) -> Vec<u32> {
    let mut found = children(pid);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(children(pid));
        next += 1;
    }
    found
}

fn children(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let list = fs::read_to_string(path).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn on_path(program: &str) -> bool {
    let search = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&search).any(|folder| folder.join(program).is_file())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn impossible<T>(reason: &str) -> Option<T> {
    skipping::impossible(reason);
    None
}

#[expect(clippy::disallowed_methods, reason = "drop cannot await, and polls a condition")]
fn pause() {
    std::thread::sleep(DROP_INTERVAL);
}
