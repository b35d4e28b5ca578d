//! Handles the user's answers to dialogs. Not here: the dialogs, which return the answers.

use std::time::Instant;

use agent::{Answer, Choice};

use super::dialog::{About, Answered, Consent, Dialog, Sending};
use super::event::{Effect, Key as ApiKey};
use super::state::{State, Work};
use super::submit;
use crate::view::permission::Decided;
use crate::view::select::Chosen;
use crate::words;

/// Handles an answer; `dialog` is the dialog it came from, in case it must be shown again.
pub(super) fn answer(
    state: &mut State,
    dialog: Option<Dialog>,
    answered: Answered,
    now: Instant,
) -> Vec<Effect> {
    match answered {
        Answered::Permission(token, decided) => {
            vec![Effect::Permit(
                token,
                match decided {
                    Decided::Once => Answer::Once,
                    Decided::Session => Answer::Session,
                    Decided::No(words) => Answer::No(words),
                    Decided::Hunks(taken) => Answer::Hunks(taken),
                },
            )]
        }
        Answered::Question(token, chosen) => {
            let choice = match chosen {
                Chosen::Item(place) => Choice::Offered(place),
                Chosen::Own(words) => Choice::Own(words),
            };
            if let Some(Dialog::Question(_, select)) = dialog {
                state.print(select.asked());
            }
            if let Choice::Own(words) = &choice {
                state.note(&format!("> {words}"));
            } else if let Choice::Offered(place) = &choice {
                state.note(&format!("> {}", place + 1));
            }
            vec![Effect::Choose(token, choice)]
        }
        Answered::Review(token, review) => vec![Effect::Review(token, review)],
        Answered::Model(model) => vec![Effect::SetModel(model)],
        Answered::Session(id) => {
            state.work = Work::Opening;
            vec![Effect::Resume(id)]
        }
        Answered::Secret(text, Sending::Masked) => submit::send_masked(state, text, now),
        Answered::Secret(text, Sending::Held) => {
            state.editor.set_text(&text);
            Vec::new()
        }
        Answered::Loading(loading) => vec![Effect::Begin(loading)],
        Answered::Key(provider, key) => vec![Effect::SaveKey(provider, ApiKey(key))],
        Answered::Confirmed(About::Join(output), Consent::Yes) => {
            state.joined = Some(output);
            Vec::new()
        }
        Answered::Confirmed(About::Join(_), Consent::No) => Vec::new(),
        Answered::Confirmed(About::Continue(id), Consent::Yes) if state.was_asked => {
            state.fill(&words::CONTINUE_LATER, &[("id", &id.to_string())]);
            Vec::new()
        }
        Answered::Confirmed(About::Continue(id), Consent::Yes) => {
            state.work = Work::Opening;
            vec![Effect::TakeOver(id)]
        }
        Answered::Confirmed(About::Continue(id), Consent::No) => vec![Effect::Abandon(id)],
    }
}
