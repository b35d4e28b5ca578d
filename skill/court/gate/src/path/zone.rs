//! What kind of place a path is, by the context's folders and the tables here.

use super::{absolute, is_persistence, name, within};
use crate::context::Context;
use crate::field::UNKNOWN;

/// A kind of place, for what may happen to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// `/dev/null`, terminals and descriptors: nothing is kept.
    Nowhere,
    /// A disk or a memory device.
    Disk,
    /// `/dev/tcp/...`: a network connection.
    Socket,
    /// The root folder, or all that is in it.
    Root,
    /// A folder of the system, or what is in one.
    System,
    /// The home folder itself, or all that is in it.
    Home,
    /// Somewhere in the home folder, outside the project.
    InHome,
    /// The project's root, what holds it, or all that is in it.
    Project,
    /// Somewhere in the project.
    InProject,
    /// What guards or drives the work: `.git`, hooks, settings, start-up files.
    Persistence,
    /// What can be made anew: temporary files, build outputs.
    Scratch,
    /// Elsewhere.
    Outside,
    /// Not known before it runs.
    Unknown,
}

/// Folders in a project whose content is made by tools.
const OUTPUTS: &[&str] = &[
    "target",
    "build",
    "dist",
    "out",
    "node_modules",
    ".next",
    ".nuxt",
    ".turbo",
    ".svelte-kit",
    "coverage",
    ".nyc_output",
    ".pytest_cache",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".cache",
    ".parcel-cache",
    ".venv",
    "venv",
    ".gradle",
    "obj",
    "htmlcov",
    "logs",
    "tmp",
    ".tmp",
    ".vite",
    ".angular",
    ".terraform",
    ".eggs",
    "cmake-build-debug",
    "cmake-build-release",
    ".nox",
    "_build",
    ".dart_tool",
    "DerivedData",
    "storybook-static",
    "playwright-report",
    "test-results",
    ".coverage",
    ".eslintcache",
    "temp",
    "zig-out",
    ".DS_Store",
    "Thumbs.db",
    "zig-cache",
    ".output",
    ".docusaurus",
    "Pods",
    ".expo",
    ".serverless",
    ".aws-sam",
    "cdk.out",
    ".pytype",
    ".ipynb_checkpoints",
    ".hypothesis",
    "elm-stuff",
    ".stack-work",
    "dist-newstyle",
    "_site",
    ".jekyll-cache",
    "bower_components",
    ".swiftpm",
    ".build",
    ".bundle",
    "allure-results",
    "allure-report",
    "mochawesome-report",
    ".wrangler",
    ".vercel",
    ".netlify",
    ".phpunit.cache",
    ".phpunit.result.cache",
    "CMakeFiles",
    "CMakeCache.txt",
    ".zig-cache",
    "wandb",
    "mlruns",
    "lightning_logs",
    ".rollup.cache",
    ".webpack",
    "output",
    "artifacts",
    "outputs",
    "__generated__",
    ".sass-cache",
    ".phpstan",
    ".php-cs-fixer.cache",
    ".stylelintcache",
    ".prettiercache",
    "nohup.out",
    "TestResults",
    ".tsbuildinfo",
    ".swc",
    ".nx",
    ".scannerwork",
    "site-build",
    ".yarn-cache",
    "generated",
];

/// The same, of frameworks: by their place below the root.
const OUTPUTS_OF_FRAMEWORKS: &[&str] = &[
    "storage/framework/cache",
    "storage/framework/sessions",
    "storage/framework/testing",
    "storage/framework/views",
    "storage/debugbar",
    "bootstrap/cache",
    "var/cache",
    "vendor/bundle",
];

/// Endings of files that tools leave behind.
const LEFTOVERS: &[&str] = &[
    "log",
    "tmp",
    "pyc",
    "o",
    "orig",
    "rej",
    "swp",
    "bak",
    "class",
    "obj",
    "tsbuildinfo",
    "egg-info",
    "gcda",
    "gcno",
    "prof",
    "profraw",
    "pid",
    "out",
];

/// Folders in the home folder whose content is fetched or made anew.
const CACHES: &[&str] = &[
    ".cache",
    ".npm/_cacache",
    ".npm/_npx",
    ".npm/_logs",
    ".yarn/cache",
    ".gradle/caches",
    ".cargo/registry/cache",
    ".bun/install/cache",
    "Library/Caches",
    "Library/Developer/Xcode/DerivedData",
    ".local/share/Trash",
];

/// Temporary folders of the system.
const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/private/var/tmp",
    "/private/var/folders",
    "/dev/shm",
    "/var/folders",
];

/// Whether a path is such a folder itself: new files in it harm nothing.
pub(crate) fn is_temporary(path: &str) -> bool {
    TEMPORARY.contains(&path)
}

/// Folders of the system. `/srv`, `/data` and the like are merely outside.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
    "/System",
    "/Library",
    "/Users",
    "/Applications",
];

const NOWHERE: &[&str] = &[
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

const DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "loop", "dm-", "md", "mapper",
    "mem", "kmem", "sr", "block", "mtd", "ubi", "sg", "fd0", "dasd", "pmem",
];

/// The kind of place that `path` is, seen from `cwd`. Unquoted patterns count as what they match.
pub(crate) fn zone_of(path: &str, cwd: &str, context: &Context<'_>) -> Zone {
    // A tilde that the shell would leave as it stands is rarely meant so.
    let plain = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            absolute(&format!("{}{rest}", context.home), cwd)
        }
        _ => absolute(path, cwd),
    };
    if !plain.starts_with('/') {
        return Zone::Unknown;
    }
    let known = plain.split([UNKNOWN]).next().unwrap_or_default();
    let pattern = known.find(['*', '?', '[']);
    if known.len() == plain.len() && pattern.is_none() {
        // As links they lead to what the judging process has there, not the command.
        if NOWHERE.contains(&plain.as_str()) {
            return Zone::Nowhere;
        }
        let real = context.disk.resolve(&plain);
        return of_plain(real.as_deref().unwrap_or(&plain), context);
    }
    of_uncertain(&plain, pattern, known.len(), context)
}

/// The place of a path with a pattern in it, or with an end that is not known.
fn of_uncertain(plain: &str, pattern: Option<usize>, known: usize, context: &Context<'_>) -> Zone {
    // The folder that holds the first component that is not certain.
    let certain = &plain[..pattern.unwrap_or(known)];
    let folder = &certain[..certain.rfind('/').unwrap_or(0)];
    let beginning = &certain[folder.len()..];
    let rest = &plain[folder.len()..];
    let last = name(plain);
    if within(rest, "/.git") || is_persistence(plain, context) {
        return Zone::Persistence;
    }
    let holder = context.disk.resolve(folder).unwrap_or_else(|| folder.to_owned());
    let everything = rest.trim_start_matches('/').chars().all(|each| "*?.[]!^/".contains(each));
    match of_plain(if holder.is_empty() { "/" } else { &holder }, context) {
        Zone::Root if beginning.len() > 1 && pattern.is_none() => Zone::Unknown,
        Zone::Root => Zone::Root,
        _ if TEMPORARY.contains(&holder.as_str()) => Zone::Scratch,
        Zone::Home if everything => Zone::Home,
        Zone::Home => Zone::InHome,
        Zone::Project if is_leftover(last) => Zone::Scratch,
        Zone::Project if everything => Zone::Project,
        Zone::Project => Zone::InProject,
        Zone::InProject if is_leftover(last) => Zone::Scratch,
        Zone::InProject if last.starts_with('.') || rest.contains("..") => Zone::InProject,
        other => other,
    }
}

fn of_plain(plain: &str, context: &Context<'_>) -> Zone {
    if let Some(place) = of_device(plain) {
        return place;
    }
    if plain == "/" {
        return Zone::Root;
    }
    if is_persistence(plain, context) {
        return Zone::Persistence;
    }
    if context.scratch.iter().any(|folder| within(plain, folder)) {
        return Zone::Scratch;
    }
    let project = context.project;
    if plain == project
        || (within(project, plain) && plain != context.home && within(plain, context.home))
    {
        return Zone::Project;
    }
    if within(plain, project) {
        return if is_made(plain, project) { Zone::Scratch } else { Zone::InProject };
    }
    // A home below a temporary folder, as in a sandbox, is a home all the same.
    if plain == context.home {
        return Zone::Home;
    }
    let is_temporary = TEMPORARY.iter().any(|folder| within(plain, folder));
    let is_inner = !is_temporary || TEMPORARY.iter().any(|folder| within(context.home, folder));
    if within(plain, context.home) && is_inner && !TEMPORARY.contains(&context.home) {
        let inside = plain[context.home.trim_end_matches('/').len()..].trim_start_matches('/');
        let cache = CACHES.iter().any(|cache| inside.starts_with(cache) && within(inside, cache));
        return if cache { Zone::Scratch } else { Zone::InHome };
    }
    if is_temporary {
        return if TEMPORARY.contains(&plain) { Zone::System } else { Zone::Scratch };
    }
    if SYSTEM.iter().any(|folder| within(plain, folder)) {
        return Zone::System;
    }
    Zone::Outside
}

fn of_device(path: &str) -> Option<Zone> {
    let device = path.strip_prefix("/dev/")?;
    let starts = |heads: &[&str]| heads.iter().any(|head| device.starts_with(head));
    if NOWHERE.contains(&path) || starts(&["fd/", "pts/"]) {
        Some(Zone::Nowhere)
    } else if starts(&["tcp/", "udp/"]) {
        Some(Zone::Socket)
    } else {
        starts(DISKS).then_some(Zone::Disk)
    }
}

/// Whether a file of the project is made by tools.
fn is_made(path: &str, project: &str) -> bool {
    let inside = path[project.trim_end_matches('/').len()..].trim_start_matches('/');
    let aside = |part: &str| {
        let (head, tail) = part.rsplit_once(['.', '-', '_']).unwrap_or_default();
        matches!(tail, "old" | "bak" | "prev" | "new" | "orig" | "backup")
            && OUTPUTS.contains(&head)
    };
    let built = |part: &str| {
        OUTPUTS.contains(&part)
            || aside(part)
            || ["build-", "cmake-build-", "bazel-"].iter().any(|head| part.starts_with(head))
    };
    inside.split('/').any(built)
        || OUTPUTS_OF_FRAMEWORKS.iter().any(|folder| within(inside, folder))
        || is_leftover(name(path))
}

fn is_leftover(name: &str) -> bool {
    let ending = super::extension(name);
    name.ends_with('~') || LEFTOVERS.contains(&ending) || OUTPUTS.contains(&name)
}
