//! A fresh home folder, the programs as they were built, and the installer on them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tests::harness::StateDir;

/// Where the system's own programs are; nobody's pm2 or claude.
const SYSTEM: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// The entry as the tests build it.
const ENTRY: &str = env!("CARGO_BIN_EXE_inject-under-test");

/// A home folder, and what the installer is called with.
#[derive(Debug)]
pub(crate) struct Fresh {
    folder: StateDir,
    environment: Vec<(OsString, OsString)>,
}

/// How a call ended and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Fresh {
    pub(crate) fn new() -> Self {
        let folder = StateDir::new().unwrap();
        let fresh = Self { folder, environment: Vec::new() };
        let programs = fresh.programs();
        fs::create_dir(&programs).unwrap();
        for (program, built) in [
            ("codex-bridge", env!("CARGO_BIN_EXE_bridge-under-test")),
            ("codex-advisor", env!("CARGO_BIN_EXE_advisor-under-test")),
            ("codex-auto", env!("CARGO_BIN_EXE_auto-under-test")),
        ] {
            fs::hard_link(slim(Path::new(built)), programs.join(program)).unwrap();
        }
        // Where a test is not about these, a line of shell becomes them.
        for (program, built) in [
            ("auto-tool-orchestrator", env!("CARGO_BIN_EXE_orchestrator-under-test")),
            ("context-inject", ENTRY),
            ("ci", env!("CARGO_BIN_EXE_ci-under-test")),
            ("court", env!("CARGO_BIN_EXE_court-under-test")),
            ("xc", env!("CARGO_BIN_EXE_xc-under-test")),
        ] {
            let path = programs.join(program);
            fs::write(&path, format!("#!/bin/sh\nexec '{built}' \"$@\"\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        // What somebody has in a home folder already.
        fs::create_dir_all(fresh.home().join(".local/bin")).unwrap();
        fs::write(fresh.home().join(".local/bin/mine"), "#!/bin/sh\n").unwrap();
        let (home, temp) = (fresh.home(), fresh.folder.temp());
        let path = format!("{}:{SYSTEM}", fresh.extra().display());
        fs::create_dir(fresh.extra()).unwrap();
        // A home folder that is not the one of this machine's accounts has no service manager.
        fresh
            .env("HOME", home)
            .env("TMPDIR", temp)
            .env("PATH", path)
            .env("XDG_RUNTIME_DIR", "/nonexistent")
    }

    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// With the entry itself, which writes its own path into the hook.
    pub(crate) fn with_entry(self) -> Self {
        let path = self.programs().join("context-inject");
        fs::remove_file(&path).unwrap();
        fs::hard_link(ENTRY, path).unwrap();
        self
    }

    /// Puts one more program on the PATH.
    pub(crate) fn with_program(self, name: &str, target: &Path) -> Self {
        symlink(target, self.extra().join(name)).unwrap();
        self
    }

    pub(crate) fn folder(&self) -> &StateDir {
        &self.folder
    }

    /// The home folder, which is the prefix's place too.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.home()
    }

    /// A file below the prefix.
    pub(crate) fn installed(&self, path: &str) -> PathBuf {
        self.home().join(".local").join(path)
    }

    /// Where the programs to install lie.
    pub(crate) fn programs(&self) -> PathBuf {
        self.folder.work().join("programs")
    }

    fn extra(&self) -> PathBuf {
        self.folder.work().join("extra")
    }

    /// Runs the installer without asking anybody.
    pub(crate) fn install(&self, options: &[&str]) -> Said {
        let programs = self.programs();
        let fixed = ["--yes", "--from", programs.to_str().unwrap()];
        self.call(&[&fixed, options].concat())
    }

    /// Runs the installer to its good end; what it said.
    pub(crate) fn installs(&self, options: &[&str]) -> String {
        let said = self.install(options);
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        said.out
    }

    /// Runs the installer to remove everything.
    pub(crate) fn uninstalls(&self, options: &[&str]) -> String {
        let said = self.call(&[&["--yes", "--uninstall"], options].concat());
        assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
        said.out
    }

    /// Runs the installer with these options alone.
    pub(crate) fn call(&self, options: &[&str]) -> Said {
        self.run(top().join("deploy/install.sh").as_os_str(), options)
    }

    /// Runs a program in the environment of the installer.
    #[expect(clippy::disallowed_methods, reason = "the test plays the user")]
    pub(crate) fn run(&self, program: &OsStr, arguments: &[&str]) -> Said {
        let output = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.work())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let Output { status, stdout, stderr } = output;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { code: status.code(), out: text(&stdout), err: text(&stderr) }
    }

    /// Everything in the home folder: path, and mode with content or target.
    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        walk(&self.home(), &mut found);
        found
    }
}

/// The program without what only a debugger reads: as they are built for tests, programs are huge, and each test reads
/// them many times. It is made once a build, and stays until the next one.
#[expect(clippy::disallowed_methods, reason = "the test plays the packager")]
fn slim(built: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slim");
    let metadata = fs::metadata(built).unwrap();
    let name = built.file_name().unwrap().to_str().unwrap();
    let slim = folder.join(format!("{name}-{}-{}", metadata.mtime(), metadata.mtime_nsec()));
    if !slim.exists() {
        fs::create_dir_all(&folder).unwrap();
        let draft = folder.join(format!("draft-{}-{name}", std::process::id()));
        // Where there is no `strip`, the whole program does as well.
        if !Command::new("strip")
            .arg("-o")
            .arg(&draft)
            .arg(built)
            .status()
            .is_ok_and(|ended| ended.success())
        {
            fs::copy(built, &draft).unwrap();
        }
        for old in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            // Other tests make the same file beside this one.
            let is_stale =
                old != slim && old.file_name().unwrap().to_str().unwrap().starts_with(name);
            let _ = is_stale.then(|| fs::remove_file(old));
        }
        fs::rename(draft, &slim).unwrap();
    }
    slim
}

/// The repository.
pub(crate) fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn walk(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        let content = if metadata.is_dir() {
            "folder".to_owned()
        } else if metadata.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else {
            use std::hash::{DefaultHasher, Hash as _, Hasher as _};
            let mut hasher = DefaultHasher::new();
            fs::read(&path).unwrap().hash(&mut hasher);
            // A file that was written anew has another inode, even where nothing changed.
            format!("{:x} {}", hasher.finish(), metadata.ino())
        };
        found.insert(path.display().to_string(), format!("{mode:o} {content}"));
        if metadata.is_dir() {
            walk(&path, found);
        }
    }
}
