//! Protections that a program is told to switch off, whatever it is: by a verb and what it is done to, by a setting and
//! its value, or by an option. Not here: variables that do so (see `environment`).

use crate::commands::words::words;
use crate::rules::{execution, infrastructure};
use crate::shell::{Field, Walker};

/// What guards, as it is named in many programs.
const GUARDS: &[&str] = words!(
    "firewall guard guards guardrail guardrails sandbox antivirus defender quarantine gatekeeper \
     monitoring detection mfa 2fa totp selinux apparmor seccomp protection protections auditd \
     audit-log auditlog waf policies branch-protection scanner watchdog failsafe malware edr \
     tamper-protection real-time-protection realtime alerting alerts monitors notifications"
);

/// Verbs that take it away.
const OFF: &[&str] = words!(
    "disable stop off unload mask pause suspend unset clear flush bypass skip disarm down \
     deactivate mute silence remove delete reset disabled"
);

/// What keeps a guard from being heard, once it is made.
const SILENCES: &[&str] = words!("silence silences downtime downtimes mute mutes maintenance");

/// Parts of the names of settings that check something.
const CHECKS: &[&str] = words!(
    "verify verification strict-ssl strict_ssl strictssl sandbox firewall gatekeeper signature \
     checksum validatecert validate_cert validate-cert trustcheck protected protection seccomp \
     selinux shields quarantine realtimemonitoring hostkeychecking host_key_checking"
);

/// Values by which they no longer do.
const NO: &[&str] =
    words!("false 0 off no none never disable disabled permissive insecure accept-any $false");

/// Parts of options that let go of a guard.
const UNGUARDED: &[&str] = words!(
    "dangerously bypass-approv bypass-permission bypass-sandbox skip-permission skip-approv \
     trust-all-tools allow-all-tools yolo full-auto disable-sandbox disable-firewall \
     disable-protection disable-guard disable-gatekeeper disable-security disable-policy \
     no-guard no-guardrail without-guard accept-all-actions approve-all auto-approve-all"
);

/// Options by which what is installed is not checked.
const UNCHECKED: &[&str] = words!(
    "--insecure --no-verify-ssl --no-check-certificate --no-gpg-check --nogpgcheck --no-gpg-checks \
     --allow-unauthenticated --allow-untrusted --skip-verify --skip-verification --no-verify \
     --no-signature-check --skip-signature-check --trusted-host --no-ssl-verify --no-check-gpg \
     --skip-checksum --no-checksum --force-yes --no-quarantine"
);

/// Verbs that install.
const INSTALLS: &[&str] = words!("install add upgrade update get pull fetch i");

impl Walker<'_> {
    /// Notes a protection that is switched off.
    pub(crate) fn switches_off(&mut self, name: &str, words: &[Field]) {
        let mut off = false;
        let mut guard = name
            .split(['-', '_'])
            .any(|part| GUARDS.contains(&part) || part == "policy")
            || GUARDS.iter().any(|guard| name.starts_with(guard) && name.len() < guard.len() + 5);
        let mut installs = false;
        let mut unchecked = false;
        for (at, word) in words.iter().enumerate().skip(1).take(24) {
            let text = word.text.as_str();
            if text.len() > 80 {
                continue;
            }
            if matches!(text, "--help" | "--version" | "--dry-run") {
                return;
            }
            if word.is_option() && UNGUARDED.iter().any(|part| text.contains(part)) {
                self.found(&execution::UNGUARDED, text);
            }
            if word.is_option() && disables(text) {
                self.found(&execution::GUARD_OFF, text);
            }
            unchecked |= UNCHECKED.contains(&text);
            let next = words.get(at + 1).map_or("", |next| next.text.as_str());
            if is_off(text, next) {
                self.found(&execution::GUARD_OFF, text);
            }
            if at <= 4 && !word.is_option() {
                let lower = text.to_ascii_lowercase();
                installs |= at == 1 && INSTALLS.contains(&&*lower);
                off |= OFF.contains(&&*lower);
                guard |= GUARDS.contains(&&*lower);
            }
        }
        let verb = words.get(2).map_or("", |word| word.text.as_str());
        let silenced = words.get(1).is_some_and(|noun| SILENCES.contains(&noun.text.as_str()))
            && matches!(verb, "add" | "create" | "set" | "schedule" | "start");
        if off && guard || silenced {
            self.found(&execution::GUARD_OFF, name);
        }
        if installs && unchecked {
            self.found(&infrastructure::FOREIGN_PACKAGE, name);
        }
    }
}

/// `-DisableRealtimeMonitoring`, `--disable-firewall`, `-Dquality.skip=true`, `--allow-anonymous`.
fn disables(option: &str) -> bool {
    let lower = option.to_ascii_lowercase();
    let (name, value) = lower.split_once('=').unwrap_or((&lower, "true"));
    let guard = [
        "monitoring",
        "firewall",
        "protection",
        "gate",
        "guard",
        "sandbox",
        "security",
        "defender",
        "signature",
        "antivirus",
    ];
    let off = ["disable", "skip", "bypass", "ignore"].iter().any(|part| name.contains(part));
    matches!(name, "--allow-anonymous" | "--anonymous")
        || off && guard.iter().any(|part| name.contains(part)) && !NO.contains(&value)
}

/// `sslVerify false`, `--set sandbox=off`, `--sandbox=none`.
fn is_off(text: &str, next: &str) -> bool {
    let (key, value) = text.split_once('=').unwrap_or((text, next));
    // An option without `=` has no value for certain.
    if key.starts_with('-') && !text.contains('=')
        || !NO.contains(&value.to_ascii_lowercase().as_str())
    {
        return false;
    }
    let key = key.to_ascii_lowercase();
    CHECKS.iter().any(|part| key.contains(part))
}
