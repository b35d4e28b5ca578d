//! Settings of git that execute something, and values of them that are harmless.

use super::words::words;

/// Settings whose value is a command, by their names; a star stands for any part.
const EXECUTE: &[&str] = words!(
    "core.sshcommand core.fsmonitor core.pager core.editor core.askpass core.hookspath \
     core.gitproxy core.alternaterefscommand core.worktree sequence.editor pager.* \
     diff.external diff.*.command diff.*.textconv merge.*.driver filter.*.clean \
     filter.*.smudge filter.*.process credential.helper credential.*.helper gpg.program \
     gpg.*.program uploadpack.packobjectshook remote.*.uploadpack remote.*.receivepack \
     remote.*.vcs remote.*.url remote.*.pushurl man.*.cmd man.*.path browser.*.cmd \
     browser.*.path difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path \
     guitool.*.cmd sendemail.smtpserver sendemail.tocmd interactive.difffilter web.browser \
     init.templatedir include.path includeif.*.path submodule.*.update trailer.*.command \
     trailer.*.cmd protocol.ext.allow protocol.allow url.*.insteadof url.*.pushinsteadof \
     http.proxy http.sslverify http.*.sslverify imap.tunnel instaweb.httpd ssh.variant gc.recentobjectshook \
     receive.procreceiverefs"
);

/// Values with which these are harmless.
pub(super) const HARMLESS: &[&str] = &[
    "",
    "cat",
    "less",
    "more",
    "true",
    "false",
    ":",
    "vim",
    "vi",
    "nvim",
    "nano",
    "emacs",
    "code --wait",
    "delta",
    "bat",
    "never",
    "always",
    "input",
    "less -R",
    "less -FRX",
    "less -F",
    "subl -w",
    "hx",
    "/bin/true",
    "/usr/bin/true",
    "/bin/cat",
    "ed",
    "store",
    "cache",
    "osxkeychain",
    "head",
    "tail",
    "manager",
    "/usr/bin/less",
    "/usr/bin/vim",
    "user",
    "0",
    "1",
    "auto",
    "gpg",
    "gpg2",
    "most",
    "micro",
    "kak",
    "less -S",
    "less -RFX",
    "less -FRSX",
    "-R",
    "-FRX",
    "-F",
    "-FRSX",
    "-FX",
    "-SRX",
    "-RFX",
];

/// Whether a setting with this value executes something.
pub(super) fn executes(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let known = EXECUTE.iter().any(|pattern| crate::shell::matches(pattern, &key));
    // A proxy or a rewritten address is never harmless, whatever it is.
    let value = value.trim();
    match key.ends_with(".sslverify") {
        true => known && matches!(value, "false" | "0" | "no" | "off"),
        false => known && !HARMLESS.contains(&value),
    }
}
