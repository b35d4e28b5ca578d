//! A small package with its tests, in a repository made here.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::root::RepoRoot;
use crate::tests::git::{PATH, git};

const PATIENCE: Duration = Duration::from_secs(120);

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        let files = [
            (
                "shop/price.py",
                "def parse(text):\n    return clean(text)\n\n\ndef clean(text):\n    return text\n",
            ),
            (
                "shop/cart.py",
                "from shop.price import parse\n\n\ndef add(text):\n    return parse(text)\n\n\ndef other():\n    pass\n",
            ),
            (
                "shop/web.py",
                "from shop.cart import add\n\n\ndef post(request):\n    return add(request)\n",
            ),
            ("shop/alone.py", "def alone():\n    pass\n"),
            (
                "tests/test_price.py",
                "from shop.price import clean\n\n\ndef test_clean():\n    assert clean('a')\n",
            ),
            (
                "tests/test_web.py",
                "from shop.web import post\n\n\ndef test_post():\n    assert post('a')\n",
            ),
        ];
        for (path, text) in files {
            let path = bench.tree().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        bench
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.tree().join(path), text).unwrap();
    }

    fn commit(&self) {
        self.git(&["init", "--quiet"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "all"]);
    }

    fn git(&self, args: &[&str]) {
        git(&self.tree(), 0, args);
    }

    fn ask(&self, target: Target) -> Result<Answer<Impacted>, EngineError> {
        let tree = RepoRoot::at(&self.tree()).unwrap();
        let engine = Engine::new(tree, self.folder.path().join("cache"));
        let request = ImpactRequest { target, depth: 3, limit: 100, program_path: PATH.into() };
        impact(&engine, &request, &Deadline::after(PATIENCE))
    }

    /// `relation depth path symbol` of each item, sorted.
    fn places(&self, target: Target) -> Vec<String> {
        let answer = self.ask(target).unwrap();
        assert_eq!(answer.limits, [""; 0]);
        let mut places: Vec<String> = answer.items.iter().map(place).collect();
        places.sort();
        places
    }
}

fn place(item: &Impacted) -> String {
    let symbol = item.symbol.as_deref().unwrap_or("*");
    format!("{:?} {} {} {symbol}", item.relation, item.depth, item.path)
}

#[test]
fn a_symbol_has_its_users_and_the_tests_that_reach_it() {
    let places = Bench::new().places(Target::Symbol("parse".into()));
    assert_eq!(
        places,
        [
            "Changed 0 shop/price.py parse",
            "Test 1 tests/test_price.py *",
            "Test 3 tests/test_web.py test_post",
            "User 1 shop/cart.py add",
            "User 2 shop/web.py post",
        ]
    );
}

#[test]
fn a_file_is_changed_as_a_whole() {
    let places = Bench::new().places(Target::File("shop/price.py".into()));
    assert_eq!(
        places,
        [
            "Changed 0 shop/price.py *",
            "Test 1 tests/test_price.py *",
            "Test 1 tests/test_price.py test_clean",
            "Test 3 tests/test_web.py test_post",
            "User 1 shop/cart.py add",
            "User 2 shop/web.py post",
        ]
    );
    let alone = Bench::new().places(Target::File("shop/alone.py".into()));
    assert_eq!(alone, ["Changed 0 shop/alone.py *"]);
}

#[test]
fn the_working_diff_is_followed_from_its_lines() {
    let bench = Bench::new();
    bench.commit();
    assert_eq!(bench.places(Target::WorkingDiff), [""; 0]);
    bench.write("shop/cart.py", "from shop.price import parse\n\n\ndef add(text):\n    return parse(text + text)\n\n\ndef other():\n    pass\n");
    assert_eq!(
        bench.places(Target::WorkingDiff),
        [
            "Changed 0 shop/cart.py add",
            "Test 2 tests/test_web.py *",
            "Test 2 tests/test_web.py test_post",
            "User 1 shop/web.py post",
        ]
    );
}

#[test]
fn what_cannot_be_followed_is_said() {
    let bench = Bench::new();
    let outside = bench.ask(Target::WorkingDiff).unwrap();
    assert_eq!(outside.limits, ["not in a git repository: nothing is known of the history"]);
    bench.commit();
    fs::remove_file(bench.tree().join("shop/alone.py")).unwrap();
    let removed = bench.ask(Target::WorkingDiff).unwrap();
    assert_eq!(removed.limits, ["shop/alone.py was removed: who used it is not known any more"]);
    let missing = bench.ask(Target::Symbol("pars".into())).unwrap_err();
    assert_eq!(missing.to_string(), "there is no symbol `pars`: did you mean parse?");
}

#[test]
fn when_time_is_over_what_was_found_is_the_answer() {
    let bench = Bench::new();
    let tree = RepoRoot::at(&bench.tree()).unwrap();
    let engine = Engine::new(tree, bench.folder.path().join("cache"));
    let view = engine.view(&Deadline::after(PATIENCE)).unwrap();
    let target = Target::Symbol("parse".into());
    let request = ImpactRequest { target, depth: 3, limit: 100, program_path: PATH.into() };
    let answer = impact_in(&view, &request, &Deadline::after(Duration::ZERO)).unwrap();
    assert_eq!(
        answer.items.iter().map(place).collect::<Vec<_>>(),
        ["Changed 0 shop/price.py parse"]
    );
    assert_eq!(
        answer.limits,
        [
            "time was over: what is 1 steps away is not complete",
            "time was over: not all tests were found",
        ]
    );
    let graph = Graph::new(&view);
    let parse = graph.named("parse")[0];
    assert_eq!(graph.callers_until(parse, &Deadline::after(Duration::ZERO)), []);
    assert_eq!(graph.callers_until(parse, &Deadline::after(PATIENCE)), graph.callers(parse));
}
