//! Order, keys, bounds and conflicts; the same items for every order of arrival.

use proptest::prelude::*;

use super::{Fused, ITEMS_MAX, SUMMARY_MAX, Traced, fuse, shares};
use crate::tool::Finding;

fn traced(tool: &str, path: &str, symbol: &str, confidence: f64, summary: &str) -> Traced {
    Traced {
        tool: tool.to_owned(),
        version: "t 1".to_owned(),
        at: "2026-01-01T00:00:00Z".to_owned(),
        finding: Finding {
            path: (!path.is_empty()).then(|| path.to_owned()),
            symbol: (!symbol.is_empty()).then(|| symbol.to_owned()),
            summary: summary.to_owned(),
            confidence,
            ..Finding::default()
        },
    }
}

fn places(fused: &Fused) -> Vec<String> {
    fused.items.iter().map(|item| format!("{} {}", item.traced.tool, item.place())).collect()
}

#[test]
fn items_stand_in_their_order() {
    let fused = fuse(vec![
        traced("ci_search", "b.rs", "x", 0.1, "s"),
        traced("ci_search", "a.rs", "z", 0.9, "s"),
        traced("ci_search", "a.rs", "", 0.2, "s"),
        traced("ci_graph_rag", "z.rs", "x", 0.1, "s"),
    ]);
    assert_eq!(
        places(&fused),
        ["ci_graph_rag z.rs `x`", "ci_search a.rs", "ci_search a.rs `z`", "ci_search b.rs `x`"]
    );
}

#[test]
fn one_key_is_one_item() {
    let fused = fuse(vec![
        traced("ci_search", "./a.rs", "run()", 0.1, "weak"),
        traced("ci_search", "a.rs", "run", 0.9, "sure"),
    ]);
    assert_eq!((fused.items.len(), fused.total), (1, 1));
    assert_eq!(fused.items[0].traced.finding.summary, "sure");
    assert!(fused.items[0].conflict.is_empty());
}

#[test]
fn what_contradicts_is_shown_and_not_resolved() {
    let claim = |text: &str, at: &str| {
        let mut traced = traced("ci_impact", "a.rs", "run", 0.5, "s");
        traced.finding.claim = Some(text.to_owned());
        traced.at = at.to_owned();
        traced
    };
    let fused = fuse(vec![claim("unused", "t2"), claim("used", "t1")]);
    let value = fused.items[0].to_value();
    assert_eq!(value["conflict"], true);
    assert_eq!(value["claims"].as_array().unwrap().len(), 2);
    assert!(fuse(vec![claim("used", "t1"), claim("used", "t2")]).items[0].conflict.is_empty());
}

#[test]
fn bounds_hold() {
    let long = "字".repeat(SUMMARY_MAX + 1);
    let fused =
        fuse((0..30).map(|index| traced("t", &format!("{index:02}.rs"), "", 0.5, &long)).collect());
    assert_eq!((fused.items.len(), fused.total), (ITEMS_MAX, 30));
    assert!(fused.items.iter().all(|item| item.truncated));
    assert_eq!(fused.items[0].traced.finding.summary.chars().count(), SUMMARY_MAX + 1);
    assert!(fused.items[0].traced.finding.summary.ends_with('…'));
    let exact = fuse(vec![traced("t", "a", "", 0.5, &"x".repeat(SUMMARY_MAX))]);
    assert!(!exact.items[0].truncated);
}

#[test]
fn no_tool_takes_all_places() {
    let many = (0..20).map(|index| traced("a", &format!("{index}.rs"), "", 0.9, "s"));
    let few = (0..3).map(|index| traced("b", &format!("{index}.rs"), "", 0.1, "s"));
    let kept = shares(many.chain(few).collect());
    assert_eq!(kept.iter().filter(|traced| traced.tool == "a").count(), 6);
    assert_eq!(kept.iter().filter(|traced| traced.tool == "b").count(), 3);
}

fn some() -> impl Strategy<Value = Traced> {
    let text = |words: &'static str| proptest::sample::select(words.split(' ').collect::<Vec<_>>());
    let parts = (text("a b"), text("x.rs y.rs ./x.rs"), text("f g f()"), 0..4_u8, text("one two"));
    let rest = (text("- u v"), text("t1 t2"), 0..3_u32);
    (parts, rest).prop_map(|((tool, path, symbol, confidence, summary), (claim, at, line))| {
        let mut traced = traced(tool, path, symbol, f64::from(confidence) / 4.0, summary);
        traced.finding.claim = (claim != "-").then(|| claim.to_owned());
        traced.finding.lines = (line, line);
        traced.at = at.to_owned();
        traced
    })
}

proptest! {
    #[test]
    fn the_order_of_arrival_never_shows(
        (found, shuffled) in proptest::collection::vec(some(), 0..40)
            .prop_flat_map(|found| (Just(found.clone()), Just(found).prop_shuffle()))
    ) {
        prop_assert_eq!(fuse(found.clone()), fuse(shuffled.clone()));
        prop_assert_eq!(fuse(shares(found)), fuse(shares(shuffled)));
    }
}
