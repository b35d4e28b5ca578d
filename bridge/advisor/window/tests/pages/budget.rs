//! Limits of every page: its size, its form, and its permitted content.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use window::{Frame, Lang, Viewer, asset};

use crate::sample;
use crate::shape::{attributes, nodes};

/// Most bytes of `/` with 20 runs.
const NOW_BYTES_MAX: usize = 60 * 1024;

/// Every page with these texts, in a language.
pub(crate) fn pages(lang: Lang, texts: sample::Texts<'_>) -> Vec<(&'static str, String)> {
    let form_token = |path: &str| format!("token of {path}");
    let waits = sample::waits(texts);
    let (viewer, now_ms) = (Viewer::User, sample::NOW_MS);
    let frame = Frame {
        lang,
        path: "/x?a=1&b=%22",
        now_ms,
        viewer,
        waits: &waits,
        form_token: &form_token,
    };
    let guest = Frame { viewer: Viewer::Guest, ..frame };
    sample::pages(texts, &frame, &guest)
}

fn harmless(text: &str) -> String {
    text.to_owned()
}

#[test]
fn the_first_page_is_small() {
    for lang in [Lang::En, Lang::Zh] {
        let pages = pages(lang, &harmless);
        let (_, html) = pages.iter().find(|(name, _)| *name == "now").unwrap();
        assert_eq!(html.matches("<tr>").count(), 21, "20 runs and a head");
        assert!(html.len() <= NOW_BYTES_MAX, "{} bytes", html.len());
    }
}

#[test]
fn every_page_is_well_formed_and_has_its_landmarks() {
    for lang in [Lang::En, Lang::Zh] {
        for (name, html) in pages(lang, &harmless) {
            let (_, errors) = nodes(&html);
            assert_eq!(errors, Vec::<String>::new(), "{name}");
            for (tag, count) in [("<main ", 1), ("<header>", 1), ("<h1", 1), ("class=\"skip\"", 1)]
            {
                assert_eq!(html.matches(tag).count(), count, "{name}: {tag}");
            }
            assert!(html.contains(&format!("<html lang=\"{}\">", lang.tag())), "{name}");
            let ids: Vec<String> = attributes(&html)
                .into_iter()
                .filter_map(|(attribute, value)| (attribute == "id").then_some(value))
                .collect();
            let unique: BTreeSet<&String> = ids.iter().collect();
            assert_eq!(ids.len(), unique.len(), "{name}: an id stands twice: {ids:?}");
            for (attribute, value) in attributes(&html) {
                if ["aria-labelledby", "list"].contains(&&*attribute) {
                    assert!(ids.contains(&value), "{name}: {attribute}={value} names nothing");
                }
            }
        }
    }
}

#[test]
fn no_style_or_script_stands_in_a_page_and_nothing_leads_elsewhere() {
    for (name, html) in pages(Lang::En, &harmless) {
        assert_eq!(html.matches("<script").count(), 1, "{name}");
        assert!(!html.contains("<style"), "{name}");
        for (attribute, value) in attributes(&html) {
            assert!(attribute != "style" && !attribute.starts_with("on"), "{name}: {attribute}");
            if ["href", "src", "action"].contains(&&*attribute) {
                let here = value.starts_with('#') || value.starts_with('/');
                assert!(here && !value.starts_with("//"), "{name}: {value}");
            }
            if let Some(file) = value.strip_prefix("/window/assets/") {
                assert!(asset(file).is_some(), "{name}: no file {file}");
            }
        }
    }
}

#[test]
fn every_form_that_is_sent_has_the_token_of_its_path() {
    let mut forms = 0;
    for (name, html) in pages(Lang::En, &harmless) {
        for form in html.split("<form ").skip(1).filter(|form| form.contains("method=\"post\"")) {
            let action = form.split("action=\"").nth(1).and_then(|rest| rest.split('"').next());
            let action = action.unwrap();
            let token = format!("name=\"token\" value=\"token of {action}\"");
            assert!(form.split("</form>").next().unwrap().contains(&token), "{name}: {action}");
            forms += 1;
        }
    }
    assert!(forms > 15, "{forms} forms");
}

#[test]
fn the_other_language_shows_none_of_the_first_ones_words() {
    let han =
        |html: &str| html.chars().filter(|char| matches!(char, '\u{4e00}'..='\u{9fff}')).count();
    let latin = |_: &str| "x".to_owned();
    for ((name, en), (_, zh)) in pages(Lang::En, &latin).into_iter().zip(pages(Lang::Zh, &latin)) {
        // The way to the other language is named in that language.
        assert_eq!(han(&en), 2, "{name}");
        assert!(han(&zh) > 8, "{name}");
    }
}

#[test]
fn no_template_writes_a_text_unescaped() {
    let templates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")).unwrap();
    let mut seen = 0;
    for file in templates.map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&file).unwrap();
        for way in ["|safe", "| safe", "|escape(", "| escape(", "{% filter", "autoescape"] {
            assert!(!text.contains(way), "{}: {way}", file.display());
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen} templates");
}

/// A type that is put into a page as it is must be made by a template of its own, which escapes.
#[test]
fn only_templates_are_put_into_a_page_as_they_are() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut marked = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("source =") && !text.contains("escape ="), "{}", path.display());
        for rest in text.split("impl HtmlSafe for ").skip(1) {
            let name: String = rest.chars().take_while(|char| char.is_alphanumeric()).collect();
            let before = text.split(&format!("struct {name}")).next().unwrap();
            let derived = before.rfind("#[derive(Template)]").unwrap();
            assert!(before[derived..].lines().count() < 4, "{name} is no template");
            marked += 1;
        }
    }
    assert_eq!(marked, 11);
}
