//! The token's life, and every way it is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;
use crate::config::{Environment, Flags, resolve};

fn config(state_dir: &Path, token: &str) -> Config {
    let environment: Environment = [
        ("CODEX_BRIDGE_STATE_DIR", state_dir.to_str().unwrap()),
        if token.is_empty() { ("LANG", "C") } else { ("CODEX_BRIDGE_TOKEN", token) },
    ]
    .into_iter()
    .collect();
    resolve(&Flags::default(), &environment).unwrap().config
}

fn write(path: &Path, content: &[u8], mode: u32) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn it_is_made_once_and_only_for_its_owner() {
    let folder = TempDir::new().unwrap();
    let config = config(folder.path(), "");
    let first = ensure(&config, Rights::Advisor).unwrap();
    assert_eq!(first.expose().len(), 43, "32 bytes in base64url");
    let metadata = fs::metadata(path(folder.path(), Rights::Advisor)).unwrap();
    assert_eq!(metadata.mode() & 0o777, 0o600);
    assert!(ensure(&config, Rights::Advisor).unwrap() == first);
    assert!(load(&config, Rights::Advisor).unwrap() == first);
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["token"], "no scratch file is left");
}

#[test]
fn many_at_once_get_the_same_one() {
    let folder = TempDir::new().unwrap();
    let config = config(folder.path(), "");
    let tokens: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..16).map(|_| scope.spawn(|| ensure(&config, Rights::Advisor).unwrap())).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(tokens.iter().all(|token| *token == tokens[0]));
}

#[test]
fn a_rotated_one_is_new_and_private() {
    let folder = TempDir::new().unwrap();
    let config = config(folder.path(), "");
    let first = ensure(&config, Rights::Advisor).unwrap();
    let second = rotate(folder.path(), Rights::Advisor).unwrap();
    assert!(first != second);
    assert!(load(&config, Rights::Advisor).unwrap() == second);
    assert_eq!(fs::metadata(path(folder.path(), Rights::Advisor)).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn the_configured_one_wins_and_makes_no_file() {
    let folder = TempDir::new().unwrap();
    let token = "0123456789abcdef0123456789abcdef";
    assert_eq!(ensure(&config(folder.path(), token), Rights::Advisor).unwrap().expose(), token);
    assert!(!path(folder.path(), Rights::Advisor).exists());
}

#[test]
fn a_file_that_is_not_safe_is_refused() {
    let strong = b"0123456789abcdef0123456789abcdef\n";
    type Arrange<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Arrange<'_>); 9] = [
        ("mode 640", &|path| write(path, strong, 0o640)),
        ("mode 604", &|path| write(path, strong, 0o604)),
        ("does not hold a token", &|path| write(path, b"", 0o600)),
        ("does not hold a token", &|path| write(path, b"\n", 0o600)),
        ("does not hold a token", &|path| write(path, b"short", 0o600)),
        ("does not hold a token", &|path| write(path, &[0xff; 64], 0o600)),
        ("does not hold a token", &|path| {
            write(path, [strong, &[b' '; 4096][..], b"more"].concat().as_slice(), 0o600);
        }),
        ("symbolic link", &|path| {
            let target = path.with_file_name("elsewhere");
            write(&target, strong, 0o600);
            symlink(target, path).unwrap();
        }),
        ("not a regular file", &|path| fs::create_dir(path).unwrap()),
    ];
    for (expected, arrange) in cases {
        let folder = TempDir::new().unwrap();
        arrange(&path(folder.path(), Rights::Advisor));
        let error = ensure(&config(folder.path(), ""), Rights::Advisor).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(!error.contains("0123456789abcdef"), "{error}");
    }
}

#[test]
fn the_two_are_not_the_same() {
    let folder = TempDir::new().unwrap();
    let config = config(folder.path(), "");
    let Tokens { advisor, orchestrate } = Tokens::ensure(&config).unwrap();
    assert!(advisor != orchestrate);
    let path = path(folder.path(), Rights::Orchestrate);
    assert_eq!(path.file_name().unwrap(), "token-orchestrate");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert!(rotate(folder.path(), Rights::Orchestrate).unwrap() != orchestrate);
    assert!(load(&config, Rights::Advisor).unwrap() == advisor);
    write(&path, advisor.expose().as_bytes(), 0o600);
    assert!(matches!(Tokens::ensure(&config), Err(TokenError::Same)));
}
