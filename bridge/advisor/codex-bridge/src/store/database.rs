//! The SQLite database: its tables, and how its file is opened, checked, migrated to the newest schema, or set
//! aside when it is damaged.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::error::StoreError;
use super::record::Damage;

/// The name of the database in the state folder.
pub(crate) const DATABASE_FILE: &str = "state.sqlite";

/// Identifies the file as ours: "cdxb" in ASCII, at offset 68 of the SQLite header.
const APPLICATION_ID: i64 = 0x6364_7862;

/// One script per schema version; version N is the result of the first N scripts.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
];

/// The smallest page size of SQLite's file format, and so the smallest database.
const DATABASE_MIN_BYTES: u64 = 512;

/// Up to this size, WAL included, the whole file is checked at every start; it takes about 3 ms per
/// MiB. A larger one is checked in full only after a fault was seen in it; a truncation is
/// detected at every start.
const ALWAYS_CHECKED_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Suffix of the file whose existence says that a fault was seen.
const SUSPECT_SUFFIX: &str = "-suspect";

/// How long a statement waits for a user who has the file open in the `sqlite3` shell.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Full synchronous mode is the initial state of a [`super::writer::Writer`]. Deleted content is
/// overwritten, because retention is a promise. The cache is 1 MiB and the WAL is truncated to
/// 4 MiB after a checkpoint.
const PRAGMAS: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -1024;
    PRAGMA journal_size_limit = 4194304;
";

/// Why a database was not opened.
pub(super) enum Fault {
    /// It is damaged and may be set aside.
    Damaged(Damage),
    /// The file itself cannot be accessed.
    Unusable(io::Error),
    /// The medium failed.
    Medium(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(source: rusqlite::Error) -> Self {
        StoreError::from(source).into()
    }
}

/// How much of a file is checked.
#[derive(Clone, Copy)]
enum Check {
    /// Its header and schema.
    Header,
    /// Every page.
    Pages,
    /// Every page, and every index against its table.
    Everything,
}

/// Opens the database at `path`, checks it and migrates it to the newest schema.
pub(super) fn open(path: &Path) -> Result<Connection, Fault> {
    let check = prepare_file(path)?;
    let connection = Connection::open(path)?;
    // Until the file is known to be ours and intact, it is only read, so that a file that is set aside is
    // unchanged, together with its WAL.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(PRAGMAS)?;
    let version = checked_version(&connection, check)?;
    if version == 0 {
        // Nothing can be lost yet, so creation is synced once, at its end.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF")?;
    }
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    migrate(&connection, version)?;
    let_shrink(&connection)?;
    if version == 0 {
        sync_new(path).map_err(Fault::Unusable)?;
        connection.execute_batch("PRAGMA synchronous = FULL")?;
    }
    if let Check::Everything = check {
        fs::remove_file(beside(path, SUSPECT_SUFFIX)).map_err(Fault::Unusable)?;
    }
    Ok(connection)
}

/// Syncs a new database: the file, its WAL, and their directory entries.
fn sync_new(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    File::open(beside(path, "-wal"))?.sync_all()?;
    sync_names(path)
}

/// Syncs the directory entries of the file's folder.
fn sync_names(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}

/// Records that a fault was seen in the database, so that the next start checks it in full.
pub(super) fn suspect(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(beside(path, SUSPECT_SUFFIX)).map(drop)
}

/// Creates the file, if it is missing, readable by its owner only. SQLite gives `-wal` and `-shm`
/// the permissions of the database. Returns how thoroughly to check its content.
fn prepare_file(path: &Path) -> Result<Check, Fault> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(Fault::Unusable)?;
    let metadata = file.metadata().map_err(Fault::Unusable)?;
    file.set_permissions(Permissions::from_mode(0o600)).map_err(Fault::Unusable)?;
    let log_bytes = fs::metadata(beside(path, "-wal")).map_or(0, |log| log.len());
    // SQLite would treat all of these as a new database, and delete the WAL silently.
    match metadata.len() {
        0 if log_bytes > 0 => Err(Fault::Damaged(Damage::Headless)),
        bytes @ 1..DATABASE_MIN_BYTES => Err(Fault::Damaged(Damage::TooShort { bytes })),
        _ if beside(path, SUSPECT_SUFFIX).exists() => Ok(Check::Everything),
        bytes if bytes + log_bytes <= ALWAYS_CHECKED_MAX_BYTES => Ok(Check::Pages),
        _ => Ok(Check::Header),
    }
}

/// The schema version of a database that is ours and intact.
fn checked_version(connection: &Connection, check: Check) -> Result<usize, Fault> {
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let found = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if (application, found, tables) == (0, 0, 0) {
        return Ok(0);
    }
    if application != APPLICATION_ID || found < 1 {
        return Err(Fault::Damaged(Damage::Foreign));
    }
    let known = MIGRATIONS.len();
    let version = match usize::try_from(found) {
        Ok(version) if version <= known || least_version(connection)? <= known => version,
        _ => {
            let known = i64::try_from(known).unwrap_or(i64::MAX);
            return Err(Fault::Damaged(Damage::NewerVersion { found, known }));
        }
    };
    let pragma = match check {
        Check::Header => return Ok(version),
        Check::Pages => "PRAGMA quick_check(1)",
        Check::Everything => "PRAGMA integrity_check(1)",
    };
    let verdict: String = connection.query_row(pragma, [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Fault::Damaged(Damage::Inconsistent(verdict)));
    }
    Ok(version)
}

/// The oldest schema version that a program must know to use a file with a newer schema; none if the file does not
/// say so.
fn least_version(connection: &Connection) -> Result<usize, Fault> {
    let told =
        connection.query_row("SELECT least_version FROM compatibility", [], |row| row.get(0));
    match told {
        Ok(least) => Ok(least),
        Err(error) => match StoreError::from(error) {
            error if error.is_medium() => Err(Fault::Medium(error)),
            _ => Ok(usize::MAX),
        },
    }
}

/// Lets the file return free pages (see [`super::retention::shrink`]). A file made by an earlier
/// codex-bridge is rewritten once for that; if there is not enough space, a later start
/// tries again.
fn let_shrink(connection: &Connection) -> Result<(), Fault> {
    let mode: i64 = connection.query_row("PRAGMA auto_vacuum", [], |row| row.get(0))?;
    if mode != 0 {
        return Ok(());
    }
    let written = connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
    match written.map_err(StoreError::from) {
        Err(error) if error.is_medium() => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "the state file could not be written anew, and does not shrink");
            Ok(())
        }
        written => Ok(written?),
    }
}

fn migrate(connection: &Connection, version: usize) -> Result<(), Fault> {
    for (index, script) in MIGRATIONS.iter().enumerate().skip(version) {
        let reached = index + 1;
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {script}; PRAGMA application_id = {APPLICATION_ID}; \
             PRAGMA user_version = {reached}; COMMIT"
        ))?;
    }
    Ok(())
}

/// Renames the database and its companion files, with a suffix for the kind of damage. Returns the database's new
/// path.
pub(super) fn set_aside(path: &Path, damage: &Damage, now: Timestamp) -> io::Result<PathBuf> {
    let word = match damage {
        Damage::NewerVersion { .. } => "newer",
        _ => "corrupt",
    };
    let stamp = now.strftime("%Y%m%dT%H%M%SZ");
    let mut aside = beside(path, &format!(".{word}-{stamp}"));
    let mut count = 1_u32;
    while aside.exists() {
        count += 1;
        aside = beside(path, &format!(".{word}-{stamp}-{count}"));
    }
    for suffix in ["", "-wal", "-shm", SUSPECT_SUFFIX] {
        match fs::rename(beside(path, suffix), beside(&aside, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    sync_names(path)?;
    Ok(aside)
}

/// The path with a suffix appended to its file name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
