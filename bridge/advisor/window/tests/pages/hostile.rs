//! Hostile texts in every place of every page where a text of others stands: each is shown as text, and
//! the page's elements are those of the same page with a harmless text.

use window::Lang;

use crate::budget::pages;
use crate::corpus::{CORPUS, UNSEEN};
use crate::shape::{attributes, elements, text};

/// What the same places have for comparison.
const HARMLESS: &str = "harmlessmarker";

#[test]
fn no_text_of_others_changes_what_a_page_is_made_of() {
    let harmless = pages(Lang::En, &|_| HARMLESS.to_owned());
    for hostile in CORPUS.iter().chain(UNSEEN.iter().map(|(hostile, _)| hostile)) {
        let pages = pages(Lang::En, &|_| (*hostile).to_owned());
        for ((name, page), (_, expected)) in pages.iter().zip(&harmless) {
            assert_eq!(elements(page), elements(expected), "{name}: {hostile:?}");
            for (attribute, value) in attributes(page) {
                if ["href", "src", "action"].contains(&&*attribute) {
                    let here = value.starts_with('#') || value.starts_with('/');
                    assert!(here && !value.starts_with("//"), "{name}: {hostile:?}: {value}");
                }
            }
        }
    }
}

#[test]
fn every_text_of_others_is_shown_whole_wherever_it_stands() {
    let harmless = pages(Lang::En, &|_| HARMLESS.to_owned());
    let plain = CORPUS.iter().map(|text| (text, text));
    for (hostile, shown) in plain.chain(UNSEEN.iter().map(|(hostile, shown)| (hostile, shown))) {
        let pages = pages(Lang::En, &|_| (*hostile).to_owned());
        for ((name, page), (_, expected)) in pages.iter().zip(&harmless) {
            // Ticks set code, but where every character counts: there they stand.
            let count = text(page).replace('`', "").matches(&shown.replace('`', "")).count();
            let expected = text(expected).matches(HARMLESS).count();
            assert_eq!(count, expected, "{name}: {hostile:?}");
        }
    }
}

#[test]
fn what_is_not_seen_stands_in_no_page_but_in_fields_that_send_it_back() {
    for (hostile, _) in UNSEEN {
        for (name, page) in pages(Lang::En, &|_| (*hostile).to_owned()) {
            let is_hidden = |char: &char| redact::visible(&char.to_string()).chars().count() > 1;
            let found: Vec<char> = text(&page).chars().filter(is_hidden).collect();
            assert_eq!(found, Vec::<char>::new(), "{name}: {hostile:?}");
            let labels = attributes(&page);
            let labels = labels.iter().filter(|(name, _)| name != "value");
            let found = labels.flat_map(|(_, value)| value.chars()).filter(is_hidden).count();
            assert_eq!(found, 0, "{name}: {hostile:?}");
        }
    }
}
