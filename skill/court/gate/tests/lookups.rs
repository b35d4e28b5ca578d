//! What a judgement asks of the file system: counted, cached, from the root downwards, and never without end.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use gate::{
    Context, Disk, Entry, Extent, Identity, Judgement, LOOKUPS_MAX, Level, Outcome, Policy, Source,
    Target, ToolCall, Written,
};
use serde_json::json;
use shell::judge;

mod shell;

/// A file system that counts what it is asked.
#[derive(Default)]
struct Counting {
    links: HashMap<String, String>,
    /// Nothing exists below this folder.
    empty: Option<&'static str>,
    /// It never answers below this folder.
    stopped: Option<&'static str>,
    files: Vec<Written>,
    /// Names of files with several, and their numbers.
    inodes: HashMap<String, u64>,
    asked: RefCell<Vec<String>>,
    count: Cell<usize>,
}

impl Disk for Counting {
    fn entry(&self, path: &str) -> Entry {
        self.count.set(self.count.get() + 1);
        self.asked.borrow_mut().push(path.to_owned());
        let below = |folder: Option<&str>| folder.is_some_and(|folder| path.starts_with(folder));
        if below(self.stopped) {
            return Entry::Unanswered;
        }
        if below(self.empty) {
            return Entry::Missing;
        }
        if let Some(target) = self.links.get(path) {
            return Entry::Link(target.clone());
        }
        let folder = format!("{path}/");
        let holds = self.inodes.keys().any(|file| file.starts_with(&folder));
        if holds { Entry::Folder } else { Entry::Other }
    }

    fn identity(&self, path: &str) -> Option<Identity> {
        self.count.set(self.count.get() + 1);
        self.inodes.get(path).map(|inode| Identity { device: 1, inode: *inode })
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let inside = |path: &String| {
            Some(path.strip_prefix(folder)?.strip_prefix('/')?.split('/').next()?.to_owned())
        };
        self.inodes.keys().filter_map(inside).collect()
    }

    fn written(&self, path: &str) -> Option<Written> {
        self.count.set(self.count.get() + 1);
        self.files.written(path)
    }
}

fn is_judged(judgement: &Judgement) -> bool {
    judgement.outcome == Outcome::Judged
}

#[test]
fn a_path_of_4000_parts_ends_at_its_first_missing_part() {
    let disk = Counting { empty: Some("/home/dev/app/a"), ..Counting::default() };
    let judgement = judge(&format!("cat {}; rm -rf ~", "a/".repeat(4_000)), &disk);
    assert_eq!(judgement.level, Level::L3, "{:?}", judgement.outcome);
    assert!(is_judged(&judgement), "{:?}", judgement.outcome);
    assert!(disk.count.get() < 20, "{}", disk.count.get());
}

#[test]
fn folders_as_deep_as_they_go_are_over_the_budget_and_not_judged() {
    let disk = Counting::default();
    let judgement = judge(&format!("cat {}; ls", "a/".repeat(4_000)), &disk);
    assert!(!is_judged(&judgement));
    assert!(judgement.level >= Level::L2);
    assert!(disk.count.get() <= LOOKUPS_MAX, "{}", disk.count.get());
}

#[test]
fn links_in_circles_are_followed_forty_times() {
    let links = [
        ("/sys/class/net/lo", "../../devices/virtual/net/lo"),
        ("/sys/devices/virtual/net/lo/subsystem", "../../../../class/net"),
    ];
    let links = links.map(|(link, target)| (link.to_owned(), target.to_owned()));
    let disk = Counting { links: links.into(), ..Counting::default() };
    let path =
        format!("/sys/class/net/lo/subsystem{}{}", "/lo/subsystem".repeat(18), "/b".repeat(1_700));
    let judgement = judge(&format!("cat {path}; rm -rf ~"), &disk);
    assert_eq!(judgement.level, Level::L3);
    assert!(disk.count.get() <= LOOKUPS_MAX, "{}", disk.count.get());
    let itself = [("/home/dev/app/x".to_owned(), "x".to_owned())];
    let disk = Counting { links: itself.into(), ..Counting::default() };
    assert!(is_judged(&judge("cat x/y/z", &disk)));
    assert!(disk.count.get() < 60, "{}", disk.count.get());
}

#[test]
fn six_thousand_files_are_over_the_budget_and_not_judged() {
    let files: Vec<String> = (0..6_000).map(|number| format!("f{number}.sh")).collect();
    let disk = Counting::default();
    let judgement = judge(&format!("cat {}; rm -rf ~", files.join(" ")), &disk);
    assert!(!is_judged(&judgement));
    assert!(judgement.level >= Level::L2);
    assert!(disk.count.get() <= LOOKUPS_MAX, "{}", disk.count.get());
}

#[test]
fn nothing_is_asked_twice() {
    let disk = Counting::default();
    judge("cat a b c; rm a; cp b c; cat a b c; sh a; sh a; source ./a", &disk);
    let mut asked = disk.asked.borrow().clone();
    let count = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), count);
    assert!(count > 3);
}

#[test]
fn a_file_system_that_does_not_answer_is_not_judged_by() {
    let disk = Counting { stopped: Some("/mnt/gone"), ..Counting::default() };
    let judgement = judge("cat /mnt/gone/x", &disk);
    assert!(!is_judged(&judgement));
    assert!(judgement.level >= Level::L2);
    assert!(is_judged(&judge("cat /mnt/other/x", &Counting::default())));
}

#[test]
fn a_hard_link_of_an_earlier_call_counts_as_the_file_that_it_is() {
    let names = [
        ("/home/dev/app/notes.txt", 1),
        ("/home/dev/.bashrc", 1),
        ("/home/dev/app/hook.txt", 2),
        ("/home/dev/app/.git/hooks/pre-push", 2),
        ("/home/dev/app/rules.txt", 3),
        ("/home/dev/app/.court/court.toml", 3),
        ("/home/dev/app/target/debug/app", 4),
        ("/home/dev/app/target/debug/deps/app-1", 4),
    ];
    let inodes = names.map(|(path, inode)| (path.to_owned(), inode));
    let disk = Counting { inodes: inodes.into(), ..Counting::default() };
    for (command, level) in [
        ("echo x >> notes.txt", Level::L2),
        ("tee hook.txt < x", Level::L2),
        ("sed -i s/a/b/ notes.txt", Level::L2),
        ("cp x rules.txt", Level::L3),
        ("cp x target/debug/app", Level::L1),
        ("echo x > other.txt", Level::L1),
    ] {
        let judgement = judge(command, &disk);
        assert_eq!(judgement.level, level, "{command}: {:?}", judgement.findings);
        assert!(is_judged(&judgement), "{command}");
    }
    let context = Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk: &disk,
    };
    for (file, level) in [("rules.txt", Level::L3), ("notes.txt", Level::L2), ("a.rs", Level::L1)] {
        let input = json!({ "file_path": format!("/home/dev/app/{file}"), "content": "x" });
        let call = ToolCall { name: "Write", input: &input };
        assert_eq!(gate::judge(&call, &context, Policy::Graded).level, level, "{file}");
    }
}

#[test]
fn a_judgement_names_the_files_that_it_depends_on_and_those_that_the_call_writes() {
    let text = "sh ./other.sh\n";
    let script = Written { path: "/srv/real/run.sh".to_owned(), content: Some(text.to_owned()) };
    let links = [("/home/dev/app/tools".to_owned(), "/srv/real".to_owned())];
    let disk = Counting { files: vec![script], links: links.into(), ..Counting::default() };
    let judgement = judge("cd tools && sh run.sh > out.txt; git clone https://h/x y", &disk);
    assert_eq!(judgement.files[..2], ["/srv/real/run.sh", "/srv/real/other.sh"]);
    assert!(judgement.files.iter().skip(2).all(|file| file.ends_with("/post-checkout")));
    let target = |path: &str, extent, source| Target { path: path.to_owned(), extent, source };
    let expected = [
        target("/srv/real/out.txt", Extent::File, Source::Local),
        target("/srv/real/y", Extent::Tree, Source::Network),
    ];
    assert_eq!(judgement.writes, expected);
}
