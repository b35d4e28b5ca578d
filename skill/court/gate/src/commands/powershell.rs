//! PowerShell: a scan for what deletes, executes and fetches. It has no grammar for it.

use super::entry::Command;
use super::options::value;
use super::words::words;
use crate::rules::{execution, files, network, secrets};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!("pwsh powershell powershell.exe cmd cmd.exe"),
    powershell,
    [&[], &["-Command Get-ChildItem"], &["-Command Remove-Item -Recurse src"], &[]],
)];

/// Commands and their aliases that delete, empty or end, as they begin a command.
const DESTROYS: &[&str] = words!(
    "remove-item rm ri del erase rd rmdir clear-content clear-item format-volume clear-disk \
     remove-partition stop-computer restart-computer format remove-itemproperty \
     clear-recyclebin diskpart cipher stop-process taskkill set-executionpolicy vssadmin \
     bcdedit reg"
);
/// What executes a text, or fetches one.
const EXECUTES: &[&str] = words!(
    "invoke-expression iex downloadstring downloadfile frombase64string invoke-command \
     start-process register-scheduledtask add-type net.webclient"
);
/// What changes the machine: its guards, its services, its users, what starts on it.
const CHANGES: &[&str] = words!(
    "add-mppreference set-mppreference remove-mppreference set-netfirewallprofile \
     new-netfirewallrule remove-netfirewallrule disable-netfirewallrule new-service set-service \
     remove-service new-localuser set-localuser remove-localuser add-localgroupmember \
     disable-computerrestore enable-psremoting unregister-scheduledtask set-scheduledtask \
     disable-scheduledtask disable-windowsoptionalfeature uninstall-windowsfeature set-acl unblock-file"
);

/// Methods of .NET that delete or overwrite, as they are called.
const METHODS: &[&str] = words!(
    "directory]::delete( file]::delete( directory]::move( file]::move( file]::writeall \
     process]::start( shell.application scriptblock]::create( .delete($true)"
);
const REVEALS: &[&str] = &["env:", "get-credential", "convertfrom-securestring"];

/// Commands and their aliases that delete files and folders.
const DELETES: &[&str] = words!("remove-item rm ri del erase rd rmdir");

/// Whether a command, in lower case, deletes a folder with all that is in it.
fn deletes_tree(part: &str) -> bool {
    let mut words = part.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    words.by_ref().any(|word| DELETES.contains(&word))
        && words.any(|word| word.len() > 1 && "-recurse".starts_with(word) || word == "/s")
}

fn powershell(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let text = super::options::joined(&words[1..]) + "\n" + &io.stdin.text;
    walker.budget.steps(text.len().saturating_mul(4))?;
    // `for %f in (*) do del %f`
    let lower = text.to_ascii_lowercase().replace(" do ", ";");
    walker.found(&execution::CODE, "powershell");
    if io.stdin.taint.network {
        walker.found(&execution::FETCHED_SCRIPT, "powershell");
    }
    let encoded = words[1..].iter().any(|word| {
        let lower = word.text.to_ascii_lowercase();
        lower.len() > 1 && "-encodedcommand".starts_with(lower.as_str()) || lower == "-ec"
    });
    if encoded {
        walker.found(&execution::UNREADABLE_CODE, "powershell -EncodedCommand");
    }
    let destroys = |part: &str| {
        part.split_whitespace()
            .map(|word| word.strip_prefix("/c").or(word.strip_prefix("/k")).unwrap_or(word))
            .find(|word| !word.is_empty() && !word.starts_with(['-', '/']))
            .is_some_and(|word| DESTROYS.contains(&word.trim_matches(['\'', '"'])))
    };
    if lower.split([';', '|', '\n', '{', '(', '&']).any(destroys) {
        walker.found(&execution::CODE_DESTROYS, "powershell");
    }
    if lower.split([';', '|', '\n', '{', '(', '&']).any(deletes_tree) {
        walker.found(&files::DELETE_TREE, "powershell");
    }
    let mut words_of =
        lower.split(|each: char| !each.is_ascii_alphanumeric() && !"-.".contains(each));
    if words_of.any(|word| EXECUTES.iter().any(|call| word.ends_with(call))) {
        walker.found(&execution::CODE_EXECUTES, "powershell");
    }
    let changes = |part: &str| {
        let mut words = part.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        let first = words.find(|word| !word.is_empty() && !word.starts_with(['-', '/']));
        let writes = matches!(first, Some("new-itemproperty" | "set-itemproperty" | "new-item"));
        first.is_some_and(|word| CHANGES.contains(&word))
            || writes && ["hkcu:", "hklm:", "registry::"].iter().any(|hive| part.contains(hive))
    };
    if lower.split([';', '|', '\n', '{', '(', '&']).any(changes) {
        walker.found(&execution::SYSTEM, "powershell");
    }
    let compact: String = lower.chars().filter(|each| !each.is_whitespace()).collect();
    if METHODS.iter().any(|method| compact.contains(method)) {
        walker.found(&execution::CODE_DESTROYS, "powershell");
    }
    if REVEALS.iter().any(|word| lower.contains(word)) {
        walker.found(&secrets::ENVIRONMENT, "powershell");
    }
    let sends =
        lower.contains("-body") || lower.contains("-infile") || lower.contains("uploadfile");
    if sends && !lower.contains("localhost") {
        let mut words =
            text.split(|each: char| each.is_whitespace() || "'\"()=@{};,".contains(each));
        let secret = words.any(|word| walker.holds_secret(word));
        walker.found(if secret { &secrets::EXFILTRATE } else { &network::SEND }, "powershell");
    }
    if let Some(file) = value(words, &["-File", "-file"]).map(Field::new) {
        return walker.execute(&file, "pwsh", &[], io);
    }
    Ok(Flow::unknown())
}
