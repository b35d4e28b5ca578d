//! Addresses of the web: those that the user named, others, and those of this machine and of private networks.

use contract::xc::{CallLevel, DecidedBy, PermitMode, Verdict};
use gate::NoDisk;

use super::super::grants::Grants;
use super::super::judged::Judged;
use super::super::phase::Phase;
use super::super::rules::{Rules, SandboxedCommands};
use super::super::verdict::Terms;
use super::{PRINT, PRINT_TRUST, TERMINAL, TERMINAL_TRUST, ground, rules};
use crate::action::Action;
use crate::known_hosts::KnownHosts;

fn decide(column: super::Column, rules: &Rules, grants: &Grants, url: &str) -> Judged {
    let known = KnownHosts::default();
    known.hear("Look at https://docs.rs/serde, please.");
    let ground = ground();
    let terms = Terms {
        mode: column.mode,
        is_headless: column.is_headless,
        sandboxed: SandboxedCommands::Ask,
        known: &known,
        plan: None,
        rules,
        grants,
        ground: &ground,
        phase: &Phase::Free,
        disk: &NoDisk,
    };
    terms.decide("webFetch", &Action::Fetch { url: url.to_owned() }).judged
}

#[test]
fn hosts_that_the_user_named_run_and_others_ask() {
    let (none, no_grants) = (Rules::default(), Grants::default());
    use Verdict::{Allow, Ask, Deny};
    for (url, expected) in [
        // Terminal, print, both with trust.
        ("https://docs.rs/serde/latest", [Allow, Allow, Allow, Allow]),
        ("https://evil.example/x", [Ask, Deny, Allow, Allow]),
        ("http://localhost:3000/", [Ask, Deny, Ask, Deny]),
        ("http://127.0.0.1/", [Ask, Deny, Ask, Deny]),
        ("http://10.0.0.1/", [Deny; 4]),
        ("http://169.254.169.254/latest/meta-data/", [Deny; 4]),
        ("http://metadata.google.internal/", [Deny; 4]),
        ("http://[fd00:ec2::254]/", [Deny; 4]),
        ("file:///etc/passwd", [Deny; 4]),
    ] {
        let columns = [TERMINAL, PRINT, TERMINAL_TRUST, PRINT_TRUST];
        let verdicts = columns.map(|column| decide(column, &none, &no_grants, url).verdict);
        assert_eq!(verdicts, expected, "{url}");
    }
    let judged = decide(PRINT, &none, &no_grants, "https://docs.rs/serde");
    assert_eq!((judged.by, judged.rule.as_deref()), (DecidedBy::Rule, Some("fetch.named")));
    // What a rule denies or asks about is not run because it was named.
    let denied = rules(&[], &[], &["fetch(docs.rs)"]);
    assert_eq!(decide(TERMINAL, &denied, &no_grants, "https://docs.rs/").verdict, Verdict::Deny);
    let allowed = rules(&["fetch(evil.example)", "fetch(10.0.0.1)"], &[], &[]);
    assert_eq!(
        decide(PRINT, &allowed, &no_grants, "https://evil.example/").verdict,
        Verdict::Allow
    );
    assert_eq!(decide(PRINT, &allowed, &no_grants, "http://10.0.0.1/").verdict, Verdict::Deny);
}

#[test]
fn a_host_is_asked_about_once() {
    let none = Rules::default();
    let mut grants = Grants::default();
    let judged = decide(TERMINAL, &none, &grants, "https://a.example/1");
    assert!(judged.is_grantable && judged.level == CallLevel::L1);
    let ground = ground();
    let terms = Terms {
        mode: PermitMode::Ask,
        is_headless: false,
        sandboxed: SandboxedCommands::Ask,
        known: &KnownHosts::default(),
        plan: None,
        rules: &none,
        grants: &Grants::default(),
        ground: &ground,
        phase: &Phase::Free,
        disk: &NoDisk,
    };
    let asked = terms.decide("webFetch", &Action::Fetch { url: "https://a.example/1".to_owned() });
    grants.add(asked.asked.unwrap());
    for (url, expected) in [
        ("https://a.example/2", Verdict::Allow),
        ("https://b.example/2", Verdict::Ask),
        ("https://a.example.evil.example/", Verdict::Ask),
    ] {
        assert_eq!(decide(TERMINAL, &none, &grants, url).verdict, expected, "{url}");
    }
    assert!(!decide(TERMINAL, &none, &grants, "http://localhost/").is_grantable);
}
