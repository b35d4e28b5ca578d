//! Programs that talk to a network without executing anything there: fetching and sending.

use super::entry::When::{Always, Test, Word};
use super::entry::{Case, Command, Given};
use super::options::{operands, value};
use super::words::words;
use crate::rules::{execution, network, secrets};
use crate::shell::{Field, Flow, Io, Step, Taint, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("curl http https xh curlie"),
        curl,
        [&[], &["https://a.example"], &["-X POST https://a.example"], &[]],
    ),
    Command::code(words!("wget aria2c axel"), wget, [&[], &["https://a.example"], &[], &[]]),
    Command::code(
        words!("nc ncat netcat telnet"),
        netcat,
        [&[], &["-z host 22"], &["-l 4444"], &[]],
    ),
    Command::code(words!("socat"), socat, [&[], &[], &["TCP:host:1 EXEC:sh"], &[]]),
    Command::code(
        words!("mail mailx sendmail mutt msmtp"),
        mail,
        [&[], &[], &["a@b.example"], &[]],
    ),
    Command::cases(
        words!("ping dig nslookup host"),
        &[],
        &[&[Case(Test(carries), &network::SEND), OTHER]],
        [&[], &["a.example"], &["$(cat .env).a.example", "\u{e000}.a.example"], &[]],
    ),
    Command::cases(
        words!("tailscale"),
        &[],
        &[&[Case(Word("funnel serve"), &network::EXPOSE), OTHER]],
        [&[], &["status"], &["funnel 80"], &[]],
    ),
    Command::cases(
        words!("nmap masscan tcpdump tshark ngrok cloudflared localtunnel lt bore"),
        &[],
        &[&[Case(Word("--version --help"), &execution::COMMAND), Case(Always, &network::LISTEN)]],
        [&[], &["--version", "--help"], &["80", "host"], &[]],
    ),
];

const OTHER: Case = Case(Always, &execution::COMMAND);

/// Whether an address is on this machine.
pub(super) fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host =
        if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]" | "::1" | "")
        || host.ends_with(".localhost")
        || host.starts_with("127.")
}

/// Hosts whose purpose is to keep what they are sent.
const COLLECTORS: &[&str] = words!(
    "webhook.site requestbin pipedream.net interact.sh oast. burpcollaborator requestcatcher \
     beeceptor hookbin postb.in ngrok.io ngrok-free.app ngrok.app trycloudflare.com \
     serveo.net dnslog canarytokens transfer.sh file.io 0x0.st termbin.com ix.io bashupload \
     webhookrelay ceye.io interactsh"
);

/// Whether an address is of such a host.
pub(super) fn collects(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    COLLECTORS.iter().any(|name| host.contains(name))
}

/// Whether an address has letters of two scripts in one word: it looks like another one.
fn looks_alike(url: &str) -> bool {
    url.split(|each: char| !each.is_alphanumeric()).any(|word| {
        word.chars().any(|each| each.is_ascii_alphabetic())
            && word
                .chars()
                .any(|each| matches!(each, '\u{370}'..='\u{52f}' | '\u{ff00}'..='\u{ffef}'))
    })
}

/// Whether an address is of a machine's own metadata, which gives its keys to whoever asks.
fn is_metadata(url: &str) -> bool {
    [
        "169.254.169.254",
        "metadata.google.internal",
        "fd00:ec2::254",
        "100.100.100.200",
        "169.254.170.2",
    ]
    .iter()
    .any(|host| url.contains(host))
}

/// What an address alone says.
fn address(walker: &mut Walker<'_>, urls: &[Field]) {
    for url in urls {
        if is_metadata(&url.text) {
            walker.found(&secrets::SHOW, &url.text);
        }
        if looks_alike(&url.text) {
            walker.found(&network::LOOKALIKE, &url.text);
        }
        // What is not of the project goes away in the address.
        let carries = url.taint.outside && !is_local(&url.text);
        if carries || collects(&url.text) {
            walker.found(&network::SEND, &url.text.replace(UNKNOWN, "?"));
        }
    }
}

/// The flags with which curl and its kin send something.
const SENDS: &[&str] = words!(
    "-d --data --data-raw --data-binary --data-urlencode --data-ascii -F --form --form-string \
     -T --upload-file --json --post-data --post-file --body-data --body-file"
);

fn curl(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-d --data --data-raw --data-binary --data-urlencode -F --form -T --upload-file \
         --json -H --header -X --request -o --output -u --user -A --user-agent -e --referer \
         -b --cookie -c --cookie-jar -w --write-out -m --max-time --connect-timeout --retry \
         -x --proxy --cacert --cert --key -K --config -r --range --resolve -C --unix-socket \
         --retry-delay -D --dump-header --output-dir"
    );
    // HTTPie takes the method as a word, and `:8080` as a port of this machine.
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let urls: Vec<Field> = operands(words, valued)
        .into_iter()
        .filter(|word| !methods.contains(&word.text.as_str()))
        .cloned()
        .collect();
    let urls = match crate::path::name(&words[0].text) {
        "http" | "https" | "xh" => urls.into_iter().take(1).collect(),
        _ => urls,
    };
    let worded = words[1..].iter().find(|word| methods.contains(&word.text.as_str()));
    let worded = worded.filter(|_| words[0].text.ends_with("http")).map_or("", |word| &word.text);
    let local = !urls.is_empty() && urls.iter().all(|url| is_local(&url.text))
        || value(words, &["--unix-socket"]).is_some();
    // A key in a header or as the user is how one signs in.
    let signs_in = |index: usize| {
        let before = words.get(index.wrapping_sub(1)).map_or("", |word| word.text.as_str());
        matches!(
            before,
            "-H" | "--header" | "-u" | "--user" | "--oauth2-bearer" | "-b" | "--cookie"
        ) || words[index].text.starts_with("-H")
    };
    let secret =
        words.iter().enumerate().any(|(index, word)| word.taint.secret && !signs_in(index))
            || words.iter().any(|word| sends_secret(walker, &word.text))
            || words.windows(2).any(|pair| {
                matches!(pair[0].text.as_str(), "-T" | "--upload-file")
                    && walker.secret_path(&pair[1].text)
            })
            || (io.stdin.taint.secret && words.iter().any(|word| word.text.ends_with('-')));
    let configured = |word: &Field| {
        let flags = word.text.strip_prefix('-').and_then(|letters| letters.split_once('K'));
        flags.is_some_and(|(flags, _)| {
            flags.chars().all(|each| "sSfLkgivnOJIGN46aBq#".contains(each))
        }) || word.text == "--config"
            || word.text.starts_with("--config=")
    };
    if words[1..].iter().any(configured) {
        walker.found(&execution::UNREADABLE_CODE, "curl --config");
    }
    let method =
        value(words, &["-X", "--request", "--method"]).unwrap_or(worded).to_ascii_uppercase();
    let sends = words[1..].iter().any(|word| {
        let flag = word.text.split('=').next().unwrap_or_default();
        SENDS.contains(&flag)
            || (word.text.starts_with("-d") && word.text.len() > 2)
            || word.text.starts_with("-T")
            || (word.text.starts_with("-F") && word.text.len() > 2)
    }) || matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
    // A part of an address that a substitution fills in may carry anything away.
    let fills = urls.iter().any(|url| {
        url.text.contains(UNKNOWN)
            && url.text.split_once("://").map_or(&*url.text, |(_, rest)| rest).contains(['?', '='])
            && (url.taint.secret || url.text.matches(UNKNOWN).count() > 1)
    });
    let what = urls.first().map_or("", |url| &url.text).replace(UNKNOWN, "?");
    let store = [
        "9200", "5984", "8500", "2379", "6333", "8529", "7474", "15672", "6443", "2375", "7700",
        "8001", "9090", "8108", "8983", "6443",
    ]
    .iter()
    .any(|port| what.contains(&format!(":{port}")));
    address(walker, &urls);
    let drops =
        ["_delete_by_query", "/_close", "delete_series", "delete-batch", "_cluster/settings"]
            .iter()
            .any(|path| what.contains(path));
    let told = words[1..].iter().any(|word| word.text.eq_ignore_ascii_case("delete"));
    if local && (store && (method == "DELETE" || told) || drops && (sends || told)) {
        walker.found(&crate::rules::infrastructure::DATABASE, &what);
    } else if local {
        walker.found(&network::FETCH, &what);
    } else if secret {
        walker.found(&secrets::EXFILTRATE, &what);
    } else if sends || fills {
        walker.found(&network::SEND, &what);
    } else {
        walker.found(&network::FETCH, &what);
    }
    let fetched =
        Flow { text: UNKNOWN.to_string(), taint: Taint { network: true, ..Taint::default() } };
    let mut outputs: Vec<Field> =
        value(words, &["-o", "--output"]).map(Field::new).into_iter().collect();
    // `-sSLo file`: the last of several short options takes the value.
    for (index, word) in words.iter().enumerate() {
        let cluster = word.text.len() > 2
            && word.text.starts_with('-')
            && !word.text.starts_with("--")
            && word.text.ends_with('o');
        if cluster && word.text[1..].bytes().all(|byte| byte.is_ascii_alphabetic()) {
            outputs.extend(words.get(index + 1).cloned());
        }
        let remote_name = word.text == "--remote-name"
            || (word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.contains('O')
                && word.text.len() < 8);
        if remote_name {
            outputs.extend(urls.iter().map(|url| Field::new(crate::path::name(&url.text))));
        }
    }
    for output in outputs.iter().filter(|output| output.text != "-") {
        walker.write(output);
        walker.remember(output, &fetched, crate::shell::Mode::Replace);
    }
    Ok(fetched)
}

/// `@file` of a secret file.
fn sends_secret(walker: &mut Walker<'_>, text: &str) -> bool {
    text.rsplit_once(['@', '<']).is_some_and(|(_, file)| walker.secret_path(file))
        || text.strip_prefix("-T").is_some_and(|file| walker.secret_path(file))
}

fn wget(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-O -P -o -a -t -T -U --output-document --directory-prefix --post-data --post-file \
         --header -i -e --execute -l -A -R -D -w -Q --tries --timeout"
    );
    let urls: Vec<Field> = operands(words, valued).into_iter().cloned().collect();
    if value(words, &["--use-askpass"]).is_some() || value(words, &["-e", "--execute"]).is_some() {
        walker.found(&execution::CODE_EXECUTES, "wget -e");
    }
    let sends = words.iter().any(|word| {
        word.text.starts_with("--post")
            || word.text.starts_with("--body")
            || word.text.starts_with("--method")
    });
    let secret = words.iter().any(|word| word.taint.secret)
        || value(words, &["--post-file", "--body-file"])
            .map(str::to_owned)
            .is_some_and(|file| walker.secret_path(&file));
    let what = urls.first().map_or("", |url| &url.text).replace(UNKNOWN, "?");
    let local = !urls.is_empty() && urls.iter().all(|url| is_local(&url.text));
    address(walker, &urls);
    walker.found(
        if local {
            &network::FETCH
        } else if secret {
            &secrets::EXFILTRATE
        } else if sends {
            &network::SEND
        } else {
            &network::FETCH
        },
        &what,
    );
    let fetched =
        Flow { text: UNKNOWN.to_string(), taint: Taint { network: true, ..Taint::default() } };
    // `-qO-`, `-O -`, `-O file`.
    let mut to = value(words, &["-O", "--output-document"]).map(str::to_owned);
    for (index, word) in words.iter().enumerate() {
        if word.text.starts_with('-')
            && !word.text.starts_with("--")
            && let Some((options, file)) = word.text.split_once('O')
            && options.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        {
            to = if file.is_empty() {
                words.get(index + 1).map(|word| word.text.clone())
            } else {
                Some(file.to_owned())
            };
        }
    }
    let folder = value(words, &["-P", "--directory-prefix"])
        .map(|folder| format!("{folder}/"))
        .unwrap_or_default();
    match to {
        Some(file) if file == "-" => return Ok(fetched),
        Some(file) => {
            let file = Field::new(&file);
            walker.write(&file);
            walker.remember(&file, &fetched, crate::shell::Mode::Replace);
        }
        None => {
            for url in &urls {
                let file = Field::new(&format!(
                    "{folder}{}",
                    crate::path::name(url.text.split('?').next().unwrap_or_default())
                ));
                walker.write(&file);
                walker.remember(&file, &fetched, crate::shell::Mode::Replace);
            }
        }
    }
    // Behind a pipe the page itself was meant.
    Ok(fetched)
}

fn netcat(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let short = |option: char| {
        words[1..].iter().any(|word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(option)
        })
    };
    let what = super::options::joined(&words[1..]);
    if short('e')
        || short('c')
        || words
            .iter()
            .any(|word| matches!(word.text.as_str(), "--exec" | "--sh-exec" | "--lua-exec"))
    {
        walker.found(&network::SHELL, &what);
    } else if io.stdin.taint.secret {
        walker.found(&secrets::EXFILTRATE, &what);
    } else if short('z') {
        walker.found(&network::FETCH, &what);
        return Ok(Flow::unknown());
    } else if short('l') {
        walker.found(&network::LISTEN, &what);
    } else if !io.stdin.text.is_empty() && !words.iter().any(|word| is_local(&word.text)) {
        walker.found(&network::SEND, &what);
    } else if words.iter().any(|word| is_local(&word.text)) {
        walker.found(&network::FETCH, &what);
    } else {
        walker.found(&network::LISTEN, &what);
    }
    Ok(Flow { text: UNKNOWN.to_string(), taint: Taint { network: true, ..Taint::default() } })
}

fn socat(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let mut rule = &network::LISTEN;
    for word in &words[1..] {
        let upper = word.text.to_ascii_uppercase();
        if upper.starts_with("EXEC:") || upper.starts_with("SYSTEM:") || upper.starts_with("SHELL:")
        {
            rule = &network::SHELL;
            let text = word
                .text
                .split_once(':')
                .map_or("", |(_, text)| text)
                .split(',')
                .next()
                .unwrap_or_default()
                .to_owned();
            walker.payload(&text, "socat", &Flow::default())?;
        }
    }
    if io.stdin.taint.secret {
        rule = &secrets::EXFILTRATE;
    }
    walker.found(rule, "socat");
    Ok(Flow { text: UNKNOWN.to_string(), taint: Taint { network: true, ..Taint::default() } })
}

fn mail(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    walker.found(
        if io.stdin.taint.secret { &secrets::EXFILTRATE } else { &network::SEND },
        &words[0].text.clone(),
    );
    Ok(Flow::default())
}

/// A name that is asked for may carry what stands before its domain.
fn carries(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let carries = |word: &Field| word.text.contains(&format!("{UNKNOWN}.")) || word.taint.secret;
    given.words[1..].iter().any(carries)
}
