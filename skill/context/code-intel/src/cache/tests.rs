//! Which indexes are removed and which are kept, with real indexes.

use std::thread;

use super::*;
use crate::deadline::Deadline;
use crate::engine::Engine;
use crate::index::store::Store;
use crate::root::RepoRoot;

const DAY: Duration = Duration::from_secs(86_400);

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("cache")).unwrap();
        Self { folder }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("cache")
    }

    fn root(&self, name: &str) -> PathBuf {
        let root = self.folder.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(&root).unwrap();
        if !root.join("a.rs").exists() {
            fs::write(root.join("a.rs"), format!("fn {name}() {{}}\n")).unwrap();
        }
        root
    }

    fn engine(&self, name: &str) -> Engine {
        Engine::new(RepoRoot::at(&self.root(name)).unwrap(), self.cache())
    }

    /// Makes the index of a root, and has it last used so long ago.
    fn index(&self, name: &str, ago: Duration) -> PathBuf {
        self.engine(name).view(&Deadline::after(Duration::from_secs(60))).unwrap();
        let folder = Store::new(&self.cache(), &self.root(name)).folder().to_owned();
        let manifest = File::open(folder.join(MANIFEST)).unwrap();
        manifest.set_modified(SystemTime::now() - ago).unwrap();
        folder
    }

    fn roots(&self) -> Vec<String> {
        let name = |index: Index| Some(index.root?.rsplit_once('/')?.1.to_owned());
        list(&self.cache()).unwrap().into_iter().filter_map(name).collect()
    }
}

#[test]
fn the_list_has_roots_sizes_and_last_use() {
    let bench = Bench::new();
    assert!(list(&bench.cache().join("none")).unwrap().is_empty());
    bench.index("old", 9 * DAY);
    bench.index("young", DAY);
    // What is no index is not listed, and not removed either.
    fs::create_dir(bench.cache().join("photos-0123456789abcdef")).unwrap();
    fs::write(bench.cache().join("photos-0123456789abcdef/a.jpg"), "x").unwrap();
    assert_eq!(bench.roots(), ["young", "old"]);
    let indexes = list(&bench.cache()).unwrap();
    assert!(indexes.iter().all(|index| index.bytes > 100), "{indexes:?}");
    assert!(indexes[0].used_s > indexes[1].used_s);
    assert_eq!(clear(&bench.cache(), None).unwrap().dropped.len(), 2);
    assert!(bench.cache().join("photos-0123456789abcdef/a.jpg").exists());
}

#[test]
fn a_month_without_use_and_too_much_together_are_dropped_the_oldest_first() {
    let bench = Bench::new();
    let forgotten = bench.index("forgotten", 31 * DAY);
    for (name, days) in [("a", 20), ("b", 10), ("c", 5), ("today", 0)] {
        bench.index(name, days * DAY);
    }
    let now = SystemTime::now();
    assert_eq!(prune(&bench.cache(), now).unwrap().kept, 4);
    assert!(!forgotten.exists());
    assert_eq!(bench.roots(), ["today", "c", "b", "a"]);
    let sizes: Vec<u64> = list(&bench.cache()).unwrap().iter().map(|it| it.bytes).collect();
    let pruned = prune_to(&bench.cache(), now, sizes[0] + sizes[1]).unwrap();
    assert_eq!((pruned.dropped.len(), pruned.kept), (2, 2));
    assert_eq!(bench.roots(), ["today", "c"]);
    // What was used within a day stays, however large.
    prune_to(&bench.cache(), now, 0).unwrap();
    assert_eq!(bench.roots(), ["today"]);
}

#[test]
fn it_is_looked_at_most_once_a_day() {
    let bench = Bench::new();
    bench.index("forgotten", 31 * DAY);
    let now = SystemTime::now();
    let due = |now| prune_if_due(&bench.cache(), now).unwrap().map(|it| it.dropped.len());
    assert_eq!(due(now), Some(1));
    bench.index("forgotten", 31 * DAY);
    assert_eq!(due(now), None);
    assert_eq!(due(SystemTime::now() + DAY), Some(1));
    assert_eq!(prune_if_due(&bench.cache().join("none"), now).unwrap().map(|it| it.kept), None);
    assert!(!bench.cache().join("none").exists());
}

#[test]
fn a_use_is_noted_and_keeps_an_index() {
    let bench = Bench::new();
    bench.index("shop", 40 * DAY);
    bench.engine("shop").view(&Deadline::after(Duration::from_secs(60))).unwrap();
    assert_eq!(prune(&bench.cache(), SystemTime::now()).unwrap().dropped.len(), 0);
    assert_eq!(bench.roots(), ["shop"]);
}

#[test]
fn an_index_that_is_being_written_stays_and_a_writer_that_waits_gets_a_new_one() {
    let bench = Bench::new();
    let folder = bench.index("shop", 40 * DAY);
    let store = Store::new(&bench.cache(), &bench.root("shop"));
    let long = Deadline::after(Duration::from_secs(60));
    let writing = store.lock(&long).unwrap().unwrap();
    let pruned = prune(&bench.cache(), SystemTime::now()).unwrap();
    assert_eq!((pruned.dropped.len(), pruned.busy.len(), pruned.kept), (0, 1, 1));
    drop(writing);
    // The lock is held as the pruner holds it, and goes away with the index while a writer waits.
    let held = File::options().write(true).open(folder.join(LOCK)).unwrap();
    held.lock().unwrap();
    thread::scope(|threads| {
        let waiting = threads.spawn(|| store.lock(&long).unwrap().is_some());
        for file in fs::read_dir(&folder).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
        // The one who waits may have made a lock in it already.
        let _ = fs::remove_dir(&folder);
        drop(held);
        assert!(waiting.join().unwrap());
    });
    assert!(folder.join(LOCK).exists(), "the lock that was given is the one in place");
}

#[test]
fn many_users_and_one_who_clears_all_get_whole_answers() {
    let bench = Bench::new();
    bench.index("shop", DAY);
    thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..20 {
                    let deadline = Deadline::after(Duration::from_secs(60));
                    let view = bench.engine("shop").view(&deadline).unwrap();
                    assert_eq!(view.limits(), [""; 0]);
                    assert_eq!(view.files().count(), 1);
                }
            });
        }
        threads.spawn(|| {
            for _ in 0..40 {
                clear(&bench.cache(), None).unwrap();
            }
        });
    });
    clear(&bench.cache(), Some(&bench.root("other"))).unwrap();
    bench.index("shop", DAY);
    assert_eq!(clear(&bench.cache(), Some(&bench.root("shop"))).unwrap().dropped.len(), 1);
    assert!(bench.roots().is_empty());
}
