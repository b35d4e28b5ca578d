//! What a command in a new container does that outlives it: to the folders and volumes that are mounted there, and to
//! others over a network. Not here: mounts that give the container the machine itself (see `services`).

use super::images;
use super::options::{value, values};
use crate::judgement::Finding;
use crate::level::Level;
use crate::path::{Zone, absolute, within};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Value, Walker};

/// Where the engine keeps a volume that has a name.
const VOLUMES: &str = "/var/lib/docker/volumes";

/// A folder or a volume that the container may write to.
struct Mount {
    /// Where it lies on this machine, absolute.
    source: String,
    /// Where the container sees it, without a `/` at its end.
    target: String,
}

impl Mount {
    /// Reads `source:target[:options]`.
    fn of_volume(text: &str, cwd: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (source, target) = (parts.next()?, parts.next()?);
        let read_only = parts.any(|options| options.split(',').any(|option| option == "ro"));
        (!read_only).then(|| Self::new(source, target, cwd)).flatten()
    }

    /// Reads `type=bind,source=..,target=..[,readonly]`.
    fn of_mount(text: &str, cwd: &str) -> Option<Self> {
        let part = |names: &[&str]| {
            text.split(',')
                .filter_map(|part| part.split_once('='))
                .find_map(|(name, value)| names.contains(&name).then_some(value))
        };
        let read_only = text.split(',').any(|part| matches!(part, "readonly" | "ro"));
        let source = part(&["source", "src"])?;
        let target = part(&["target", "dst", "destination"])?;
        (!read_only).then(|| Self::new(source, target, cwd)).flatten()
    }

    fn new(source: &str, target: &str, cwd: &str) -> Option<Self> {
        let target = target.trim_end_matches('/');
        let named = !source.contains('/') && !source.starts_with(['.', '~']);
        let source = if named { format!("{VOLUMES}/{source}") } else { absolute(source, cwd) };
        target.starts_with('/').then(|| Self { source, target: target.to_owned() })
    }

    /// A text of the container, with the paths below this mount as this machine has them.
    fn translated(&self, text: &str) -> String {
        let of_path = |each: char| each.is_alphanumeric() || "/._-".contains(each);
        let mut translated = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&self.target) {
            let (before, from) = rest.split_at(at);
            let after = &from[self.target.len()..];
            let whole = !before.ends_with(of_path)
                && !after.starts_with(|each| of_path(each) && each != '/');
            translated.push_str(before);
            translated.push_str(if whole { &self.source } else { &self.target });
            rest = after;
        }
        translated.push_str(rest);
        translated
    }
}

/// What a new container shares with this machine.
struct Shared {
    mounts: Vec<Mount>,
    /// All that another container has mounted, wherever that is.
    of_another: bool,
}

impl Shared {
    fn new(options: &[Field], cwd: &str) -> Self {
        let volumes =
            values(options, &["-v", "--volume"]).filter_map(|text| Mount::of_volume(text, cwd));
        let mounts = values(options, &["--mount"])
            .filter_map(|text| Mount::of_mount(text, cwd))
            .chain(volumes)
            .collect();
        let of_another =
            values(options, &["--volumes-from"]).any(|container| !container.ends_with(":ro"));
        Self { mounts, of_another }
    }

    /// A text of the container, with the paths of mounts as this machine has them.
    fn translated(&self, text: &str) -> String {
        self.mounts.iter().fold(text.to_owned(), |text, mount| mount.translated(&text))
    }

    /// Whether what is at a path of the container, as it is translated, is there when the container is gone.
    fn keeps(&self, path: &str) -> bool {
        let of_image = ["/tmp", "/var/tmp", "/var/cache", "/var/lib/apt", "/dev"];
        let elsewhere = || path.starts_with('/') && !of_image.iter().any(|it| within(path, it));
        self.mounts.iter().any(|mount| within(path, &mount.source))
            || self.of_another && elsewhere()
    }

    /// Whether a path that a script names as the container has it is of a mount, and no output of a build there.
    fn is_below(&self, path: &str, walker: &Walker<'_>) -> bool {
        self.mounts.iter().any(|mount| within(path, &mount.target))
            && walker.zone(&Field::new(&self.translated(path))) != Zone::Scratch
    }

    /// Whether what was found changes more than the container, which works at a place.
    fn outlives(
        &self,
        found: &Finding,
        place: &str,
        names_mount: bool,
        walker: &Walker<'_>,
    ) -> bool {
        let (room, _) = found.rule.id.split_once('.').unwrap_or_default();
        match found.rule.id {
            "git.rewrite-remote" | "secret.send" | "network.remote" | "package.publish" => true,
            "network.send" => !self.mounts.is_empty() && reaches_out(&found.what),
            _ => match room {
                "files" | "code" if found.what.starts_with(UNKNOWN) => {
                    names_mount || self.keeps(place)
                }
                "files" | "code" => {
                    let path = absolute(&found.what, place);
                    self.keeps(&path) || self.is_below(&path, walker)
                }
                "git" => self.keeps(place),
                "cloud" | "cluster" | "infrastructure" | "database" => true,
                _ => false,
            },
        }
    }
}

/// Whether data goes further than to a container beside this one, whose name has no dot.
fn reaches_out(what: &str) -> bool {
    let Some((_, rest)) = what.split_once("://") else { return true };
    let host = rest.split(['/', ':', ' ']).next().unwrap_or_default();
    host.contains('.') || host.contains(UNKNOWN)
}

impl Walker<'_> {
    /// Judges the command of a new container by what outlives it: what it deletes or overwrites in folders and volumes
    /// that are mounted, and what it does to others over a network.
    pub(super) fn runs_in_container(
        &mut self,
        options: &[Field],
        image: &str,
        command: &[Field],
        io: &Io<'_>,
    ) -> Step {
        let shared = Shared::new(options, &self.state.cwd);
        let own = images::program(image, command);
        let told = value(options, &["--entrypoint"]);
        let first = told.or(own).into_iter().flat_map(str::split_whitespace);
        let mut words: Vec<Field> = first.map(Field::new).collect();
        words.extend(command.iter().cloned());
        for word in &mut words {
            word.text = shared.translated(&word.text);
        }
        if words.is_empty() {
            return Ok(());
        }
        let input = Flow { text: shared.translated(&io.stdin.text), taint: io.stdin.taint };
        let texts = || words.iter().map(|word| &word.text).chain([&input.text]);
        // Without the option it is the image's, which is not known, unless the command goes to a mount, or the image is
        // made for one program, which then works on what is mounted.
        let goes = |mount: &&Mount| {
            let goes = format!("cd {}", mount.source);
            texts().any(|text| text.contains(&goes))
        };
        let alone = || shared.mounts.first().filter(|_| own.is_some() && told.is_none());
        let folder = value(options, &["-w", "--workdir"]).map(|folder| shared.translated(folder));
        let place = match (shared.mounts.iter().find(goes), folder) {
            (Some(mount), _) => mount.source.clone(),
            (None, Some(folder)) => folder,
            (None, None) => alone().map_or_else(|| "/".to_owned(), |mount| mount.source.clone()),
        };
        let names_mount =
            shared.mounts.iter().any(|mount| texts().any(|text| text.contains(&mount.source)));
        let (before, written) = (self.findings.len(), self.ledger.writes.len());
        let (scope, opaque) = (self.scope(), self.opaque.clone());
        self.state.cwd.clone_from(&place);
        for (name, text) in values(options, &["-e", "--env"]).filter_map(|it| it.split_once('=')) {
            self.state.set(name, Value::new(&shared.translated(text)));
        }
        self.via.push("docker run".to_owned());
        self.run(&words, &Io { stdin: &input })?;
        self.via.pop();
        self.restore(scope);
        self.opaque = opaque;
        let outlives = |found: &Finding| {
            found.level >= Level::L2 && shared.outlives(found, &place, names_mount, self)
        };
        let inside = self.findings.get(before..).unwrap_or_default();
        let kept: Vec<bool> = inside.iter().map(outlives).collect();
        let mut index = 0;
        self.findings.retain(|_| {
            index += 1;
            index <= before || kept[index - 1 - before]
        });
        let mut index = 0;
        self.ledger.writes.retain(|target| {
            index += 1;
            index <= written || shared.keeps(&target.path)
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Mount;

    #[test]
    fn only_whole_paths_are_translated() {
        let mount = Mount::of_volume(".:/w", "/home/dev/app").unwrap();
        assert_eq!(mount.translated("rm -rf /w/src; ls /www /x/w"), {
            "rm -rf /home/dev/app/src; ls /www /x/w"
        });
        assert_eq!(mount.translated("cd /w && rm -rf '/w'"), {
            "cd /home/dev/app && rm -rf '/home/dev/app'"
        });
        assert!(Mount::of_volume(".:/w:ro", "/home/dev/app").is_none());
        let volume = Mount::of_mount("type=volume,src=data,dst=/data/", "/").unwrap();
        assert_eq!(volume.translated("/data/a"), "/var/lib/docker/volumes/data/a");
    }
}
