//! Crates that must not be dependencies, not even indirectly: read from Cargo.lock.

use std::collections::BTreeSet;

use crate::tree::toml;

#[test]
fn no_banned_crate_is_locked() {
    let lock = toml("Cargo.lock");
    let packages = lock["package"].as_array().unwrap();
    let locked: BTreeSet<&str> =
        packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let banned = toml("deny.toml");
    let banned = banned["bans"]["deny"].as_array().unwrap();
    assert!(!banned.is_empty());
    for entry in banned {
        let (name, reason) = (entry["crate"].as_str().unwrap(), entry["reason"].as_str().unwrap());
        assert!(!locked.contains(name), "Cargo.lock has {name}: {reason}");
    }
}

#[test]
fn everything_comes_from_crates_io() {
    let lock = toml("Cargo.lock");
    for package in lock["package"].as_array().unwrap() {
        let source = package.get("source").and_then(toml::Value::as_str);
        let known = "registry+https://github.com/rust-lang/crates.io-index";
        assert!(source.is_none_or(|source| source == known), "{package}");
    }
}

#[test]
fn npm_locks_name_no_registry() {
    for file in crate::tree::files() {
        if file.path.ends_with("package-lock.json") {
            assert!(!file.text.contains("\"resolved\""), "{} names a registry", file.path);
        }
    }
}
