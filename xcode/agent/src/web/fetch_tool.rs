//! `webFetch`: fetches a web page and converts it to Markdown.

use std::rc::Rc;

use contract::xc::CallStatus;
use futures_util::future::BoxFuture;
use htmd::Node;
use redact::Redactor;
use serde_json::{Map, Value, json};
use url::Url;

use super::fetch::{Fetcher, Page};
use super::quote::quoted;
use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};

/// Parts of a page that are not its text.
const SKIPPED: [&str; 9] =
    ["script", "style", "nav", "footer", "aside", "svg", "form", "head", "noscript"];

/// How deep elements may be nested; the converter is recursive and needs stack for each level.
const DEPTH_MAX: usize = 400;

/// Elements without an end tag, or that the next element of their kind ends.
const ALONE: [&str; 27] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "optgroup", "option", "p", "param", "script", "source", "style", "tbody", "td", "tfoot", "th",
    "thead", "tr", "wbr",
];

pub(super) struct WebFetch {
    pub fetcher: Fetcher,
    pub redactor: Redactor,
}

impl Tool for WebFetch {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "webFetch".to_owned(),
            description: "Fetch a web page and return its content as Markdown.".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "description": "The URL to fetch (http or https)" }
                },
                "required": ["url"],
                "additionalProperties": false
            }),
        }
    }

    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        let url = arguments.get("url").and_then(Value::as_str).unwrap_or_default().trim();
        // The URL is normalised, so that what is judged is what is fetched.
        let plain = Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
        Action::Fetch { url: plain }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let Action::Fetch { url } = call.action else {
                return Outcome::error("No address was judged, so none was fetched.");
            };
            // Both arms are cancel safe.
            let fetched = tokio::select! {
                () = call.cancel.cancelled() => {
                    return Outcome { status: CallStatus::Interrupted, ..Outcome::error("") };
                }
                fetched = self.fetcher.fetch(url) => fetched,
            };
            match fetched {
                Ok(page) => Outcome::ok(self.shown(page).await),
                Err(error) => Outcome::error(error.to_string()),
            }
        })
    }
}

impl WebFetch {
    async fn shown(&self, page: Page) -> String {
        let Page { url, body, is_html, is_cut } = page;
        let text = String::from_utf8_lossy(&body).into_owned();
        let text = match is_html {
            // A page of some megabytes takes time.
            true => tokio::task::spawn_blocking(move || markdown(&text)).await.unwrap_or_default(),
            false => text,
        };
        let cut = match is_cut {
            true => format!("\n[cut: only its first {} bytes were read]", self.fetcher.max_bytes),
            false => String::new(),
        };
        format!("{}{cut}", quoted(&self.redactor, url.as_str(), &text))
    }
}

/// The approximate nesting of elements, by the tags alone; elements without an end tag are not counted.
fn nesting(html: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    // In these elements a `<` begins no tag.
    let mut raw: Option<&str> = None;
    for tag in html.split('<').skip(1) {
        let (is_end, rest) = match tag.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, tag),
        };
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = &rest[..end];
        if let Some(within) = raw {
            if is_end && name.eq_ignore_ascii_case(within) {
                raw = None;
            }
            continue;
        }
        raw = ["script", "style"].into_iter().find(|raw| !is_end && name.eq_ignore_ascii_case(raw));
        let is_short =
            name.is_empty() || ALONE.iter().any(|alone| name.eq_ignore_ascii_case(alone));
        if raw.is_some() || is_short {
            continue;
        }
        open = if is_end { open.saturating_sub(1) } else { open + 1 };
        most = most.max(open);
    }
    most
}

/// The depth of the deepest element.
fn depth(tree: &Rc<Node>) -> usize {
    let mut deepest = 0;
    let mut open = vec![(Rc::clone(tree), 0)];
    while let Some((node, depth)) = open.pop() {
        deepest = deepest.max(depth);
        open.extend(node.children.borrow().iter().map(|child| (Rc::clone(child), depth + 1)));
    }
    deepest
}

/// The text of a page. Content that cannot be parsed as HTML is returned unchanged.
fn markdown(html: &str) -> String {
    let converter = htmd::HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build();
    // Checked before parsing: the parser searches all open elements for each new one.
    let is_shallow = nesting(html) <= DEPTH_MAX;
    let text = match is_shallow.then(|| converter.html_to_tree(html)) {
        Some(Ok(tree)) if depth(&tree) <= DEPTH_MAX => converter.tree_to_markdown(&tree),
        _ => html.to_owned(),
    };
    let mut kept = String::with_capacity(text.len());
    let mut blank = 0;
    for line in text.lines() {
        blank = if line.trim().is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            kept.push_str(line.trim_end());
            kept.push('\n');
        }
    }
    kept
}
