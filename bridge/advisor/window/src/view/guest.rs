//! The pages before signing in, after signing out, and for refusals.

use askama::Template;

use super::shell::{Place, Shell, render};
use crate::frame::Frame;

/// `GET /enter`: one button, which sends the code to `POST /enter` in the field `code`.
#[derive(Debug, Clone)]
pub struct Enter {
    /// The code in the link.
    pub code: String,
}

/// After `POST /leave`.
#[derive(Debug, Clone, Copy)]
pub struct Left;

/// A page or an action was refused.
#[derive(Debug, Clone, Copy)]
pub struct Refused {
    /// The reason.
    pub why: Refusal,
}

/// Why a page or an action was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No session, or one that has ended: 401. Explains how to sign in, and nothing else.
    SignIn,
    /// The code of the link was used, has expired, or never existed: 403.
    Code,
    /// The request did not come from one of our pages: 403.
    Forbidden,
    /// No such page, run or session: 404.
    NotFound,
    /// The limit of signed-in or open windows is reached: 429.
    TooMany,
    /// The store could not be read: 500.
    Fault,
}

#[derive(Template)]
#[template(path = "enter.html")]
struct EnterPage<'a> {
    shell: Shell<'a>,
    view: &'a Enter,
}

#[derive(Template)]
#[template(path = "refused.html")]
struct MessagePage<'a> {
    shell: Shell<'a>,
    title: &'static str,
    text: &'static str,
    /// Whether the command for signing in is shown.
    command: bool,
}

impl Enter {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        render(&EnterPage { shell: Shell::new(frame, Place::Guest), view: self })
    }
}

impl Left {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::Guest);
        let (title, text) = (shell.w.left_title, shell.w.left_text);
        render(&MessagePage { shell, title, text, command: true })
    }
}

impl Refused {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::Guest);
        let w = shell.w;
        let (title, text, command) = match self.why {
            Refusal::SignIn => (w.sign_in_title, w.sign_in_text, true),
            Refusal::Code => (w.code_title, w.code_text, true),
            Refusal::Forbidden => (w.forbidden_title, w.forbidden_text, false),
            Refusal::NotFound => (w.not_found_title, w.not_found_text, false),
            Refusal::TooMany => (w.too_many_title, w.too_many_text, false),
            Refusal::Fault => (w.fault_title, w.fault_text, false),
        };
        render(&MessagePage { shell, title, text, command })
    }
}
