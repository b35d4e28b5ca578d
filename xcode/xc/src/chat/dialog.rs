//! A dialog: a question to the user from the agent or the program. Not here: handling the answer.

use agent::Review;
use contract::id::SessionId;
use llm::Provider;
use ratatui_core::text::Line;

use super::event::{Loading, Token};
use crate::terminal::{Code, Input, Key};
use crate::view::field::{Field, Shown};
use crate::view::permission::{Decided, Permission};
use crate::view::select::{Chosen, Select};

/// A question, and the data needed to handle its answer.
#[derive(Debug)]
pub(crate) enum Dialog {
    /// Whether a call may run.
    Permission(Token, Permission),
    /// The model's question.
    Question(Token, Select),
    /// Whether a plan is carried out.
    Review(Token, Select),
    /// Which model to use.
    Models(Select, Vec<String>),
    /// Which session to resume.
    Sessions(Select, Vec<SessionId>),
    /// Whether to send a prompt that contains a secret.
    Secret(Select, String),
    /// Asks for a new key.
    Key(Field, Provider, String),
    /// Whether to load the folder's own configuration.
    Foreign(Select),
    /// A question with yes and no.
    Confirm(Confirm),
}

/// A yes-or-no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirm {
    /// It ends in `(Y/n)` or `(y/N)`.
    pub(crate) question: String,
    /// What a yes leads to.
    pub(crate) about: About,
    /// Whether Enter means yes.
    pub(crate) is_yes_usual: bool,
}

/// What a [`Confirm`] is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// Taking over a session with unfinished work.
    Continue(SessionId),
    /// Attaching a command's output to the next message.
    Join(String),
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Answered {
    /// Of [`Dialog::Permission`].
    Permission(Token, Decided),
    /// Of [`Dialog::Question`].
    Question(Token, Chosen),
    /// Of [`Dialog::Review`].
    Review(Token, Review),
    /// Of [`Dialog::Models`].
    Model(String),
    /// Of [`Dialog::Sessions`].
    Session(SessionId),
    /// Of [`Dialog::Secret`]: sent masked, or back to the input.
    Secret(String, Sending),
    /// Of [`Dialog::Key`].
    Key(Provider, String),
    /// Of [`Dialog::Foreign`].
    Loading(Loading),
    /// Of [`Dialog::Confirm`].
    Confirmed(About, Consent),
}

/// What to do with a prompt that contains a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    /// It is sent; the secret is masked.
    Masked,
    /// It is not sent.
    Held,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Yes,
    No,
}

impl Dialog {
    /// Whether the agent waits for its answer; such a dialog ends with the turn.
    pub(crate) const fn is_of_turn(&self) -> bool {
        matches!(self, Self::Permission(..) | Self::Question(..) | Self::Review(..))
    }

    /// Whether text is typed in it now, or may be.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            // A cursor is shown while the message to the model is typed.
            Self::Permission(_, permission) => permission.lines(u16::MAX).1.is_some(),
            Self::Question(..) | Self::Review(..) | Self::Models(..) | Self::Key(..) => true,
            Self::Sessions(..) | Self::Secret(..) | Self::Foreign(_) | Self::Confirm(_) => false,
        }
    }

    /// A dialog that asks for a provider's key.
    pub(crate) fn key(provider: Provider, question: String) -> Self {
        Self::Key(Field::new(Shown::Masked), provider, question)
    }

    /// Handles an input and returns the answer, if it completes the dialog.
    pub(crate) fn input(&mut self, input: &Input) -> Option<Answered> {
        match self {
            Self::Permission(token, permission) => {
                permission.input(input).map(|decided| Answered::Permission(*token, decided))
            }
            Self::Question(token, select) => {
                select.input(input).map(|chosen| Answered::Question(*token, chosen))
            }
            Self::Review(token, select) => {
                let review = match select.input(input)? {
                    Chosen::Item(0) => Review::Approve,
                    Chosen::Item(_) => Review::Reject(None),
                    Chosen::Own(words) => Review::Reject(Some(words)),
                };
                Some(Answered::Review(*token, review))
            }
            Self::Models(select, models) => match select.input(input)? {
                Chosen::Item(place) => models.get(place).cloned().map(Answered::Model),
                Chosen::Own(name) => Some(Answered::Model(name)),
            },
            Self::Sessions(select, sessions) => match select.input(input)? {
                Chosen::Item(place) => sessions.get(place).copied().map(Answered::Session),
                Chosen::Own(_) => None,
            },
            Self::Secret(select, text) => {
                let sending = match select.input(input)? {
                    Chosen::Item(0) => Sending::Masked,
                    Chosen::Item(_) | Chosen::Own(_) => Sending::Held,
                };
                Some(Answered::Secret(std::mem::take(text), sending))
            }
            Self::Foreign(select) => Some(Answered::Loading(match select.input(input)? {
                Chosen::Item(1) => Loading::NotNow,
                Chosen::Item(2) => Loading::Always,
                Chosen::Item(_) | Chosen::Own(_) => Loading::Never,
            })),
            Self::Key(field, provider, _) => {
                field.input(input).map(|key| Answered::Key(*provider, key))
            }
            Self::Confirm(confirm) => {
                let consent = confirm.input(input)?;
                Some(Answered::Confirmed(confirm.about.clone(), consent))
            }
        }
    }

    /// The rows, and the cursor's position.
    pub(crate) fn lines(&self, columns: u16) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        match self {
            Self::Permission(_, permission) => permission.lines(columns),
            Self::Question(_, select)
            | Self::Review(_, select)
            | Self::Models(select, _)
            | Self::Sessions(select, _)
            | Self::Secret(select, _)
            | Self::Foreign(select) => select.lines(columns),
            Self::Key(field, _, question) => {
                let (line, column) = field.line("> ", columns);
                (vec![Line::from(question.clone()), line], Some((1, column)))
            }
            Self::Confirm(confirm) => {
                let line = format!("> {} ", confirm.question);
                let column = Line::from(line.as_str()).width();
                (vec![Line::from(line)], Some((0, column)))
            }
        }
    }

    /// The same for a plain terminal.
    pub(crate) fn asked(&self) -> Vec<Line<'static>> {
        match self {
            Self::Permission(_, permission) => permission.asked(),
            Self::Question(_, select)
            | Self::Review(_, select)
            | Self::Models(select, _)
            | Self::Sessions(select, _)
            | Self::Secret(select, _)
            | Self::Foreign(select) => select.asked(),
            Self::Key(_, _, question) => vec![Line::from(question.clone())],
            Self::Confirm(confirm) => vec![Line::from(confirm.question.clone())],
        }
    }
}

impl Confirm {
    fn input(&self, input: &Input) -> Option<Consent> {
        let usual = if self.is_yes_usual { Consent::Yes } else { Consent::No };
        match input {
            Input::Key(Key { code: Code::Enter, .. }) => Some(usual),
            Input::Key(key) => letter(key.typed()?),
            Input::Line(line) => match line.trim().chars().next() {
                Some(first) => letter(first),
                None => Some(usual),
            },
            Input::Paste(_) | Input::Resize | Input::Closed => None,
        }
    }
}

fn letter(letter: char) -> Option<Consent> {
    match letter {
        'y' | 'Y' => Some(Consent::Yes),
        'n' | 'N' => Some(Consent::No),
        _ => None,
    }
}
