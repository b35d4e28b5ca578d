//! What a command in a new container does to the folders and volumes that are mounted there: they outlive it. Absent:
//! mounts that give the container the machine itself (see `services`).

use super::options::{value, values};
use crate::judgement::Finding;
use crate::level::Level;
use crate::path::{absolute, within};
use crate::shell::{Field, Io, Step, Walker};

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

impl Walker<'_> {
    /// Judges the command of a new container, as far as it deletes or overwrites what is mounted; what it changes
    /// otherwise goes away with the container.
    pub(super) fn acts_on_mounts(
        &mut self,
        options: &[Field],
        command: &[Field],
        io: &Io<'_>,
    ) -> Step {
        let cwd = &self.state.cwd;
        let volumes =
            values(options, &["-v", "--volume"]).filter_map(|text| Mount::of_volume(text, cwd));
        let mounts: Vec<Mount> = values(options, &["--mount"])
            .filter_map(|text| Mount::of_mount(text, cwd))
            .chain(volumes)
            .collect();
        if mounts.is_empty() {
            return Ok(());
        }
        let translated =
            |text: &str| mounts.iter().fold(text.to_owned(), |text, mount| mount.translated(&text));
        let mut words = command.to_vec();
        if let Some(program) = value(options, &["--entrypoint"]) {
            words.insert(0, Field::new(program));
        }
        if words.is_empty() {
            return Ok(());
        }
        for word in &mut words {
            word.text = translated(&word.text);
        }
        // Without the option it is the image's, which is not known, unless the command goes to a mount.
        let goes = |mount: &&Mount| {
            let goes = format!("cd {}", mount.source);
            words.iter().any(|word| word.text.contains(&goes))
        };
        let place = match mounts.iter().find(goes) {
            Some(mount) => mount.source.clone(),
            None => translated(value(options, &["-w", "--workdir"]).unwrap_or("/")),
        };
        let before = self.findings.len();
        let (scope, opaque) = (self.scope(), self.opaque.clone());
        self.state.cwd.clone_from(&place);
        self.via.push("docker run".to_owned());
        self.run(&words, io)?;
        self.via.pop();
        self.restore(scope);
        self.opaque = opaque;
        let stays = |path: &str| mounts.iter().any(|mount| within(path, &mount.source));
        let kept = |found: &Finding| match found.rule.id.split('.').next() {
            Some("files" | "code") => stays(&absolute(&found.what, &place)),
            Some("git") => stays(&place),
            _ => false,
        };
        let mut index = 0;
        self.findings.retain(|found| {
            index += 1;
            index <= before || found.level >= Level::L2 && kept(found)
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
