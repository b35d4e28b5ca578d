//! `court approver`: the key that proves the user's approvals.

use std::fs;
use std::path::PathBuf;

use contract::court::{Approver as Told, Standing};
use rustix::process::geteuid;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::approve::{locked, unread};
use super::context::CliContext;
use super::output::{Failed, Output};
use crate::approver::{
    self, Approver, Files, KeyError, KeyState, Locked, Moment, PINNED, Sealed, Voucher,
};
use crate::asker::Terminal;
use crate::config::ApproveBy;

/// `court approver`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a key that a passphrase seals, or a new one in its place
    Init,
    /// As root: let this user's key count whatever the user's own files say (sudo court approver pin)
    Pin(PinArgs),
}

#[derive(Debug, clap::Args)]
struct PinArgs {
    /// Read the passphrase from standard input, not from the terminal
    #[arg(long)]
    passphrase_stdin: bool,
}

/// Shows the approver, creates one, or pins it.
pub(super) fn approver(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    match &args.action {
        None => Ok(Output::done(
            format!("{}\n{}", line(desk), paths(desk.places.approver().files())),
            json(desk),
        )),
        Some(Action::Init) => init(desk),
        Some(Action::Pin(args)) => pin(desk, args),
    }
}

/// The approver in one line.
pub(super) fn line(desk: &CliContext) -> String {
    let only = match desk.resolved.config.approver {
        ApproveBy::Any => "",
        ApproveBy::User => "; nobody else's approvals count",
    };
    match desk.places.approver().standing() {
        KeyState::Absent if only.is_empty() => {
            "none: an approval rests on who seems to ask; `court approver init` makes a key"
                .to_owned()
        }
        KeyState::Absent => "none, and gate.approver is \"user\": no approval counts".to_owned(),
        KeyState::Known { key, by: Voucher::Root } => {
            format!("{} (pinned by root){only}", key.fingerprint())
        }
        KeyState::Known { key, by: Voucher::User } => {
            format!("{} (the user's own files vouch for it){only}", key.fingerprint())
        }
        KeyState::Broken(why) => {
            format!("none that is believed, so no approval of the user counts: {why}")
        }
    }
}

/// The same for programs.
pub(super) fn json(desk: &CliContext) -> Value {
    let mut json = json!(standing(desk));
    json["only_user"] = json!(desk.resolved.config.approver == ApproveBy::User);
    json
}

/// Whether there is an approver, and what proves it.
pub(super) fn standing(desk: &CliContext) -> Told {
    let (standing, key, why) = match desk.places.approver().standing() {
        KeyState::Absent => (Standing::Absent, None, None),
        KeyState::Known { key, by: Voucher::Root } => (Standing::Pinned, Some(key), None),
        KeyState::Known { key, by: Voucher::User } => (Standing::Own, Some(key), None),
        KeyState::Broken(why) => (Standing::Broken, None, Some(why)),
    };
    Told { standing, fingerprint: key.map(|key| key.fingerprint()), why }
}

fn paths(files: &Files) -> String {
    let (key, public) = (files.key.display(), files.public.display());
    format!("  sealed key  {key}\n  public key  {public}\n  root's      {}", files.pinned.display())
}

fn init(desk: &CliContext) -> Result<Output, Failed> {
    desk.person(Terminal::Needed)?;
    let approver = desk.places.approver();
    let now = Moment::now();
    let failed = |error: Locked| locked(desk, &error, "`court approver init`");
    let old = match approver.of_user() {
        KeyState::Absent => None,
        KeyState::Known { key, .. } => {
            let question = format!("There is a key: {}. Its passphrase: ", key.fingerprint());
            let passphrase = approver::ask(&question).map_err(unread)?;
            let old = approver.open(&passphrase, &now).map_err(failed)?;
            if old.public() != key {
                return Err(failed(Locked::Foreign));
            }
            Some(old)
        }
        KeyState::Broken(why) => return agree(desk, &approver, &why),
    };
    let passphrase = approver::ask_for_new().map_err(unread)?;
    let key = approver.make(&passphrase, old.as_ref(), &Moment::now()).map_err(failed)?;
    let how = if old.is_some() { "agreed to by the one before" } else { "made" };
    told(desk, &key.fingerprint(), how)
}

/// Handles a key that this machine does not know: its passphrase makes it valid, unless another key
/// was agreed to before.
fn agree(desk: &CliContext, approver: &Approver, why: &str) -> Result<Output, Failed> {
    let files = approver.files();
    let wrong = |error: Locked| Failed::Wrong(format!("{why}; {error}"));
    let sealed = approver.sealed().map_err(wrong)?.ok_or_else(|| wrong(Locked::Absent))?;
    let public = sealed.public().map_err(|error| wrong(error.into()))?;
    if approver.believed().map_err(wrong)?.is_some_and(|believed| believed != public) {
        return Err(Failed::Wrong(format!(
            "{why}. Put the files of the key that was agreed to back. If you have lost it, remove {}, {} \
             and {} yourself, and run this again",
            files.key.display(),
            files.public.display(),
            files.memory.display()
        )));
    }
    let question = format!("{why}.\nThe key is {}. Its passphrase: ", public.fingerprint());
    let passphrase = approver::ask(&question).map_err(unread)?;
    let now = Moment::now();
    let failed = |error: Locked| locked(desk, &error, "`court approver init`");
    let key = approver.open(&passphrase, &now).map_err(failed)?;
    approver.agree(&key, &now).map_err(failed)?;
    told(desk, &public.fingerprint(), "agreed to")
}

fn told(desk: &CliContext, fingerprint: &str, how: &str) -> Result<Output, Failed> {
    desk.note(format!("approver: the key {fingerprint} was {how}"));
    let approver = desk.places.approver();
    let text = format!(
        "The key {fingerprint} was {how}.\n{}\nFrom now on `court approve` asks for the passphrase.\n\
         To let root vouch for the key: sudo {} approver pin",
        paths(approver.files()),
        std::env::current_exe().unwrap_or_else(|_| "court".into()).display(),
    );
    Ok(Output::done(text, json!({"fingerprint": fingerprint, "how": how})))
}

/// Writes the user's public key to a place where only root can write. The passphrase proves that it is the user's.
fn pin(desk: &CliContext, args: &PinArgs) -> Result<Output, Failed> {
    if !geteuid().is_root() {
        return Err(Failed::Wrong("only root pins a key: sudo court approver pin".to_owned()));
    }
    let (uid, files) = sudoer(desk)?;
    let failed = |error: &dyn std::fmt::Display| Failed::Wrong(error.to_string());
    let text = approver::read_of_user(&files.key, uid).map_err(|error| failed(&error))?;
    let text = text.ok_or_else(|| failed(&format!("{} is not there", files.key.display())))?;
    let sealed = Sealed::parse(&text).map_err(|error| failed(&error))?;
    let passphrase: Zeroizing<String> = if args.passphrase_stdin {
        approver::of_stdin().map_err(unread)?
    } else {
        let public = sealed.public().map_err(|error| failed(&error))?;
        approver::ask(&format!("The key is {}. Its passphrase: ", public.fingerprint()))
            .map_err(unread)?
    };
    let opened = sealed.open(&passphrase);
    let key = opened.map_err(|error: KeyError| failed(&error))?.public();
    let path = approver::pin(&files.pinned, uid, &key).map_err(|error| failed(&error))?;
    let fingerprint = key.fingerprint();
    let text = format!("{} says now that {fingerprint} is the key of user {uid}.", path.display());
    Ok(Output::done(text, json!({"fingerprint": fingerprint, "uid": uid, "path": PINNED})))
}

/// The owner of the key: the user who ran sudo, or root itself.
fn sudoer(desk: &CliContext) -> Result<(u32, Files), Failed> {
    let Some(uid) = desk.environment.text("SUDO_UID") else {
        return Ok((0, desk.places.approver().files().clone()));
    };
    let uid: u32 = uid.parse().map_err(|_| Failed::Input("SUDO_UID is no number".to_owned()))?;
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let home = users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let is_of = fields.get(2).is_some_and(|found| *found == uid.to_string());
        fields.get(5).filter(|_| is_of).map(PathBuf::from)
    });
    let home = home.ok_or_else(|| Failed::Wrong(format!("/etc/passwd has no user {uid}")))?;
    let state = home.join(".local/state/codex-bridge/court");
    Ok((uid, Files::of(&home.join(".config/codex-bridge"), &state)))
}
