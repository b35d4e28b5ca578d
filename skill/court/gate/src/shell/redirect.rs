//! Redirections: what is read, what is written, and where it goes.

use super::Step;
use super::state::File;
use super::walk::{COMPOUND, Flow, Walker};
use crate::field::{Field, UNKNOWN};
use crate::judgement::{Extent, Source};
use crate::path::{Zone, absolute};
use crate::rules::{files, network, repository, secrets};
use crate::syntax::{Redirect, RedirectKind};

/// What is left of a command's redirections when they have been read.
pub(crate) struct Redirected {
    pub(crate) stdin: Flow,
    /// Files that its standard output goes to.
    outputs: Vec<(Field, Mode)>,
    /// Files that other streams go to.
    others: Vec<(Field, Mode)>,
    /// What can be read from the descriptors that are opened.
    opened: Vec<Flow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Replace,
    Append,
}

impl Walker<'_> {
    pub(crate) fn redirects(&mut self, redirects: &[Redirect], stdin: &Flow) -> Step<Redirected> {
        let mut redirected = Redirected {
            stdin: stdin.clone(),
            outputs: Vec::new(),
            others: Vec::new(),
            opened: Vec::new(),
        };
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Duplicate(word) => {
                    let from = self.text_of(word)?;
                    // What is read from a descriptor that was opened before.
                    let other = !matches!(from.text.as_str(), "0" | "1" | "2" | "-");
                    if redirect.fd.is_none_or(|fd| fd == 0)
                        && other
                        && !self.state.opened.is_empty()
                    {
                        let opened = self.state.opened.clone();
                        let mut all = opened.iter().fold(Flow::default(), |mut all, flow| {
                            all.taint = all.taint.and(flow.taint);
                            all
                        });
                        all.text = match &opened[..] {
                            [one] => one.text.clone(),
                            _ => UNKNOWN.to_string(),
                        };
                        redirected.stdin = all;
                    }
                }
                RedirectKind::HereString(word) => {
                    redirected.stdin = self.text_of(word)?;
                    redirected.stdin.text.push('\n');
                    redirected.opened.push(redirected.stdin.clone());
                }
                RedirectKind::Heredoc(body) => {
                    if let Some(word) = body.get() {
                        redirected.stdin = self.text_of(word)?;
                    }
                }
                RedirectKind::Read(word) | RedirectKind::ReadWrite(word) => {
                    for field in self.expand(word)? {
                        let reads = matches!(redirect.kind, RedirectKind::Read(_));
                        self.opens(&field, reads);
                        if !reads {
                            let written = (field.clone(), Mode::Append);
                            match redirect.fd {
                                Some(1) => redirected.outputs.push(written),
                                _ => redirected.others.push(written),
                            }
                        }
                        let read = self.read_file(&field);
                        if redirect.fd.is_none_or(|fd| fd == 0) {
                            redirected.stdin = read.clone();
                        }
                        redirected.opened.push(read);
                    }
                }
                RedirectKind::Write(word) | RedirectKind::Append(word) => {
                    let mode = if matches!(redirect.kind, RedirectKind::Write(_)) {
                        Mode::Replace
                    } else {
                        Mode::Append
                    };
                    for field in self.expand(word)? {
                        if is_own_port(&field.text) {
                            // To ask whether something listens there.
                            self.found(&network::LOOK, &field.text);
                        } else if !is_near_port(&field.text) {
                            self.connects(&field);
                        }
                        if redirect.fd.is_none_or(|fd| fd == 1) {
                            redirected.outputs.push((field, mode));
                        } else {
                            redirected.others.push((field, mode));
                        }
                    }
                }
            }
        }
        Ok(redirected)
    }

    /// A place is opened to read, or to read and write.
    fn opens(&mut self, field: &Field, reads: bool) {
        if reads && (is_own_port(&field.text) || is_near_port(&field.text)) {
            // As with `curl localhost`; what is read there is not known.
            self.found(&network::LOOK, &field.text);
        } else {
            self.connects(field);
        }
    }

    fn connects(&mut self, field: &Field) {
        if self.zone(field) == Zone::Socket {
            self.found(&network::SHELL, &field.text);
        }
    }

    /// Lets `output` go where the redirections lead; what is left goes on. Groups, loops and the like are [`COMPOUND`].
    pub(crate) fn finish_redirects(
        &mut self,
        redirected: Redirected,
        output: Flow,
        command: &str,
    ) -> Step<Flow> {
        if command == "exec" && self.state.opened.len() < 16 {
            self.state.opened.extend(redirected.opened.iter().cloned());
        }
        for (field, mode) in &redirected.others {
            if command == "exec" && *mode == Mode::Replace && self.keeps(field) {
                self.found(&files::EMPTY, &field.text);
            }
            self.write(field);
        }
        // What is sent to the standard output by its name goes where it would have gone.
        let stays = |field: &Field| {
            matches!(field.text.as_str(), "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1")
        };
        if redirected.outputs.iter().all(|(field, _)| stays(field)) {
            return Ok(output);
        }
        for (field, mode) in &redirected.outputs {
            // Commands that write nothing make the file empty.
            let silent = matches!(
                command,
                "" | ":"
                    | "true"
                    | "false"
                    | "cat"
                    | "printf"
                    | "echo"
                    | "exec"
                    | "head"
                    | "tail"
                    | COMPOUND
            );
            if is_some_port(&field.text) || is_near_port(&field.text) {
                let asks =
                    output.text.trim().is_empty() && matches!(command, "" | ":" | "true" | "echo");
                self.found(if asks { &network::LOOK } else { &network::SHELL }, &field.text);
                continue;
            }
            let in_loop = self.looping > 0 && self.zone(field) == Zone::Unknown;
            self.goes_to(field, *mode, &output, command);
            if (output.text.trim().is_empty() && silent || command == "yes")
                && *mode == Mode::Replace
                && (self.keeps(field) || in_loop)
            {
                self.found(&files::EMPTY, &field.text);
            }
            self.write(field);
            self.remember(field, &output, *mode);
        }
        Ok(Flow::default())
    }

    /// Notes what is lost, or shown, by what a command writes to a place.
    fn goes_to(&mut self, field: &Field, mode: Mode, output: &Flow, command: &str) {
        // `git show "HEAD:$f" > "$f"` for each of many: what is not committed of them is lost.
        let any = self.is_mass(field) && field.text.chars().all(|each| each == UNKNOWN);
        if any && command == "git" && mode == Mode::Replace {
            self.found(&repository::GIT_DISCARD, "git");
        }
        if self.zone(field) == Zone::Socket && output.taint.secret {
            self.found(&secrets::EXFILTRATE, &field.text);
        }
    }

    /// Whether a place keeps what is written to it, and the loss of it matters.
    pub(crate) fn keeps(&self, field: &Field) -> bool {
        !matches!(self.zone(field), Zone::Nowhere | Zone::Scratch | Zone::Socket | Zone::Unknown)
    }

    /// Notes what a file now holds.
    pub(crate) fn remember(&mut self, field: &Field, content: &Flow, mode: Mode) {
        if !field.is_known() || self.zone(field) == Zone::Nowhere {
            return;
        }
        let path = absolute(&field.text, &self.state.cwd);
        let mut file = File { content: String::new(), taint: content.taint };
        if mode == Mode::Append {
            match self.file(&path) {
                Some(old) => {
                    let (content, taint) = (old.content.clone(), old.taint);
                    file.content = content;
                    file.taint = file.taint.and(taint);
                }
                None => file.content.push('\n'),
            }
        }
        file.content.push_str(&content.text);
        if file.content.len() > crate::limits::BYTES_MAX {
            file.content = UNKNOWN.to_string();
        }
        let source = if file.taint.network { Source::Network } else { Source::Local };
        self.target(&path, Extent::File, source);
        self.state.files.insert(path, file);
    }
}

/// A port of a machine that is only known when the command runs.
fn is_some_port(path: &str) -> bool {
    ["/dev/tcp/", "/dev/udp/"]
        .iter()
        .any(|head| path.strip_prefix(head).is_some_and(|host| host.starts_with(['/', UNKNOWN])))
}

/// A port of a machine beside this one: a name without a dot, as services of one network of containers have, or a name
/// or an address that is only known within a network.
fn is_near_port(path: &str) -> bool {
    let rest = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|head| path.strip_prefix(head));
    let Some((host, port)) = rest.and_then(|rest| rest.split_once('/')) else { return false };
    let plain = |each: char| each.is_ascii_alphanumeric() || matches!(each, '-' | '_' | '.');
    let private =
        ["10.", "192.168.", "172.17.", "172.18."].iter().any(|head| host.starts_with(head));
    let named = [".local", ".internal", ".svc", ".svc.cluster.local", ".lan", ".test"]
        .iter()
        .any(|tail| host.ends_with(tail));
    !host.is_empty()
        && host.chars().all(plain)
        && !port.contains('/')
        && (private
            || named
            || !host.contains('.') && host.contains(|each: char| each.is_alphabetic()))
}

/// A port of this machine, as bash opens it.
fn is_own_port(path: &str) -> bool {
    ["/dev/tcp/localhost/", "/dev/tcp/127.0.0.1/", "/dev/udp/localhost/", "/dev/udp/127.0.0.1/"]
        .iter()
        .any(|own| path.starts_with(own))
}
