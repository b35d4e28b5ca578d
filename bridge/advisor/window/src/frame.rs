//! The data that every page needs in addition to its content: viewer, time, language.

use std::fmt;

use url::form_urlencoded::Serializer;

use crate::lang::Lang;

/// The data that every page needs in addition to its content.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The language of our own words.
    pub lang: Lang,
    /// Path and query of this page, as requested; links to the other language are made from it.
    pub path: &'a str,
    /// The present time, in milliseconds since 1970 UTC; ages are computed from it.
    pub now_ms: i64,
    /// Who sees the page.
    pub viewer: Viewer,
    /// Calls that wait for the user in the court's projects, shown on every page of a user.
    pub waits: &'a [Waiting],
    /// The form token for a form that is sent to this path, for the hidden field `token`.
    pub form_token: &'a dyn Fn(&str) -> String,
}

/// A project in which calls wait for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its key in links: [`contract::court::is_key`].
    pub key: String,
    /// Its root.
    pub root: String,
    /// How many calls; not zero.
    pub count: usize,
}

/// Who sees a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// A browser without a session: the page has no links into the window.
    Guest,
    /// The user.
    User,
}

impl Frame<'_> {
    /// This page in another language.
    pub(crate) fn in_language(&self, lang: Lang) -> String {
        let (path, query) = self.path.split_once('?').unwrap_or((self.path, ""));
        let pairs = url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key != "lang");
        let mut query = Serializer::new(String::new());
        query.extend_pairs(pairs).append_pair("lang", lang.tag());
        // Exactly one slash: two would name another host.
        format!("/{}?{}", path.trim_start_matches(['/', '\\']), query.finish())
    }
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Frame");
        shown.field("lang", &self.lang).field("path", &self.path).field("now_ms", &self.now_ms);
        shown.field("viewer", &self.viewer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Viewer};
    use crate::lang::Lang;

    #[test]
    fn the_other_language_keeps_every_filter_and_the_host() {
        for (path, expected) in [
            ("/", "/?lang=zh"),
            ("/window/runs?q=a+b%26&lang=en&page=2", "/window/runs?q=a+b%26&page=2&lang=zh"),
            ("//evil.example/x?a=1", "/evil.example/x?a=1&lang=zh"),
            ("/\\evil.example", "/\\evil.example?lang=zh"),
            ("\\/evil.example", "/evil.example?lang=zh"),
        ] {
            let form_token = |_: &str| String::new();
            let frame = Frame {
                lang: Lang::En,
                path,
                now_ms: 0,
                viewer: Viewer::User,
                waits: &[],
                form_token: &form_token,
            };
            let link = frame.in_language(Lang::Zh);
            let at_home = !link.starts_with("//") && !link.starts_with("/\\");
            assert_eq!((link.as_str(), at_home), (expected.replace("/\\e", "/e").as_str(), true));
        }
    }
}
