//! Mounts whose files a program of the user's own serves (FUSE). Such a program may let the one who asks wait for as
//! long as it likes, and the system ends no process that waits for it; so they are not asked. Not here: what a call
//! means.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the system lists the mounts that this process sees.
const LIST: &str = "/proc/self/mountinfo";

/// The mounts that are not asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unasked(Vec<String>);

impl Unasked {
    /// As the system lists them now, without those that hold one of these folders: they answered already.
    pub(super) fn find(folders: &[&Path]) -> Self {
        let own = rustix::process::getuid().as_raw();
        // Without the list no mount can be told from the rest.
        let list = fs::read(LIST).unwrap_or_default();
        let list = String::from_utf8_lossy(&list);
        if Self::listed(&list, own, &[]).0.is_empty() {
            return Self::default();
        }
        let real: Vec<PathBuf> =
            folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        let real: Vec<&Path> = real.iter().map(PathBuf::as_path).collect();
        Self::listed(&list, own, &real)
    }

    fn listed(list: &str, own: u32, folders: &[&Path]) -> Self {
        let owner = format!("user_id={own}");
        let point = |line: &str| {
            let (head, tail) = line.split_once(" - ")?;
            let mut tail = tail.split(' ');
            let kind = tail.next()?;
            let of_user = tail.nth(1)?.split(',').any(|option| option == owner);
            let point = unescaped(head.split(' ').nth(4)?);
            // What the system itself serves there.
            let of_system = ["/proc/", "/sys/"].iter().any(|folder| point.starts_with(folder));
            let holds = folders.iter().any(|folder| folder.starts_with(&point));
            let is_fuse = kind == "fuse" || kind.starts_with("fuse.");
            (is_fuse && of_user && !of_system && !holds).then_some(point)
        };
        Self(list.lines().filter_map(point).collect())
    }

    /// Whether a path without links lies on one of them.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.0.iter().any(|point| Path::new(path).starts_with(point))
    }
}

/// A path as the list writes it: a blank, a tab, a line's end and a backslash in octal.
fn unescaped(text: &str) -> String {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    codes.iter().fold(text.to_owned(), |text, (code, sign)| text.replace(code, sign))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Unasked;

    const LIST: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /run/user/1000/doc rw,nosuid,nodev - fuse.portal portal rw,user_id=1000,group_id=1000
41 22 0:36 / /home/dev/code rw,nosuid - fuse.sshfs h:/code rw,user_id=1000,group_id=1000
42 22 0:37 / /tmp/a\\040b rw - fuse slow rw,user_id=1000,group_id=1000,allow_other
43 22 0:38 / /proc/meminfo rw - fuse.lxcfs lxcfs rw,user_id=1000,group_id=0
44 22 0:39 / /mnt/c rw - fuseblk /dev/sdb1 rw,user_id=0,group_id=0
45 22 0:40 / /srv rw - fuse.other x rw,user_id=0,group_id=0
";

    #[test]
    fn mounts_of_the_user_are_not_asked_but_where_the_project_lies() {
        let unasked = Unasked::listed(LIST, 1000, &[Path::new("/home/dev/code/app")]);
        for path in ["/tmp/a b", "/tmp/a b/x/y", "/run/user/1000/doc/1"] {
            assert!(unasked.covers(path), "{path}");
        }
        for path in ["/tmp/a", "/home/dev/code/app/x", "/proc/meminfo", "/mnt/c/x", "/srv/x", "/"] {
            assert!(!unasked.covers(path), "{path}");
        }
        assert_eq!(Unasked::listed("", 1000, &[]), Unasked::default());
    }
}
