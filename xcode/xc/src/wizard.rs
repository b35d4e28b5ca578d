//! The wizard for a first start without a key: asks for provider, key and model, and writes the settings (XC-40 to
//! XC-45). If the user leaves before its end, nothing is written. Not here: the conversation that follows.

#[cfg(test)]
pub(crate) mod tests;

use std::path::Path;

use llm::{Catalogue, Key as ApiKey, Provider, RemoteModel, Settings, Times};
use ratatui_core::text::Line;

use crate::config::{FirstProvider, save_first};
use crate::terminal::{Code, Input, Key, Live, Terminal};
use crate::view::field::{Field, Shown};
use crate::view::select::{Chosen, Item, Select};
use crate::view::{message, wizard as boxes};
use crate::words::{self, Language};

/// The providers in the order of the seed.
const PROVIDERS: [Provider; 9] = [
    Provider::Anthropic,
    Provider::Openai,
    Provider::Google,
    Provider::Xai,
    Provider::Deepseek,
    Provider::Alibaba,
    Provider::Zhipu,
    Provider::Moonshotai,
    Provider::Custom,
];

/// The outcome of the wizard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The file is written.
    Saved,
    /// The user left; nothing was written.
    Left,
}

#[derive(Debug)]
struct Wizard {
    words: Language,
    step: Step,
    /// Finished lines, taken by the driver.
    finished: Vec<Line<'static>>,
}

/// The current question.
#[derive(Debug)]
enum Step {
    Provider(Select),
    /// The address of the user's own endpoint.
    Url(Field),
    /// The endpoint's model.
    Name(Field, String),
    Key(Field, Provider, Option<(String, String)>),
    Model(Select, FirstProvider, Vec<String>),
    Done(FirstProvider),
}

/// Runs the steps, and writes the file at `path`, displayed as `shown`.
///
/// # Errors
/// The terminal cannot be read or written, or the file cannot be written.
pub(crate) async fn run(
    terminal: &mut Terminal,
    words: Language,
    path: &Path,
    shown: &str,
) -> std::io::Result<Outcome> {
    let mut wizard = Wizard::new(words, terminal.size().columns);
    loop {
        if let Step::Done(first) = &wizard.step {
            save_first(path, first)?;
            let provider = first.provider;
            let mut lines = std::mem::take(&mut wizard.finished);
            lines.extend(saved(provider, shown, words));
            terminal.draw(lines, Live::default())?;
            return Ok(Outcome::Saved);
        }
        let live = wizard.live(terminal.size().columns);
        terminal.draw(std::mem::take(&mut wizard.finished), live)?;
        let input = terminal.next().await?;
        let is_left = match &input {
            Input::Closed => true,
            Input::Key(key) => {
                *key == Key::ctrl('c') || *key == Key::ctrl('d') || *key == Key::of(Code::Esc)
            }
            Input::Paste(_) | Input::Line(_) | Input::Resize => false,
        };
        if is_left {
            let lines = message::note(words.say(&words::WIZARD_ABORTED));
            terminal.draw(lines, Live::default())?;
            return Ok(Outcome::Left);
        }
        wizard.input(&input);
    }
}

impl Wizard {
    fn new(words: Language, columns: u16) -> Self {
        let mut finished = boxes::boxed(
            words.say(&words::WIZARD_TITLE),
            &[words.say(&words::WIZARD_NO_KEY)],
            columns,
        );
        finished.push(Line::default());
        Self { words, step: Step::Provider(providers(words)), finished }
    }

    fn input(&mut self, input: &Input) {
        let step = std::mem::replace(&mut self.step, Step::Provider(providers(self.words)));
        self.step = self.next(step, input);
    }

    /// The step after `step`, or the same one.
    fn next(&mut self, mut step: Step, input: &Input) -> Step {
        let words = self.words;
        match &mut step {
            Step::Provider(select) => {
                let Some(Chosen::Item(place)) = select.input(input) else { return step };
                let Some(provider) = PROVIDERS.get(place).copied() else { return step };
                self.answered(words.say(&words::WIZARD_PROVIDER), &name(provider, words));
                if provider == Provider::Custom {
                    return Step::Url(Field::new(Shown::Plain));
                }
                Step::Key(Field::new(Shown::Masked), provider, None)
            }
            Step::Url(field) => {
                let Some(url) = field.input(input) else { return step };
                if let Err(why) = reachable(&url) {
                    self.invalid(&why);
                    return Step::Url(Field::new(Shown::Plain));
                }
                self.answered(words.say(&words::WIZARD_URL), &url);
                Step::Name(Field::new(Shown::Plain), url)
            }
            Step::Name(field, url) => {
                let Some(name) = field.input(input) else { return step };
                self.answered(words.say(&words::WIZARD_NAME), &name);
                let endpoint = Some((std::mem::take(url), name));
                Step::Key(Field::new(Shown::Masked), Provider::Custom, endpoint)
            }
            Step::Key(field, provider, endpoint) => {
                let Some(key) = field.input(input) else { return step };
                let (provider, endpoint) = (*provider, endpoint.take());
                if let Err(error) = ApiKey::new(key.clone()) {
                    self.invalid(&error.to_string());
                    return Step::Key(Field::new(Shown::Masked), provider, endpoint);
                }
                self.answered(&self.key_question(provider), "***");
                let model = endpoint.as_ref().map(|(_, name)| format!("custom:{name}"));
                let is_known = model.is_some();
                let model = model.unwrap_or_default();
                let first = FirstProvider { provider, key, endpoint, model };
                if is_known {
                    return Step::Done(first);
                }
                let models = models(provider);
                Step::Model(model_list(&models, words), first, models)
            }
            Step::Model(select, first, models) => {
                let Some(Chosen::Item(place)) = select.input(input) else { return step };
                let Some(model) = models.get(place).cloned() else { return step };
                self.answered(words.say(&words::WIZARD_MODEL), &model);
                first.model = format!("{}:{model}", first.provider.word());
                Step::Done(first.clone())
            }
            Step::Done(_) => step,
        }
    }

    fn answered(&mut self, question: &str, answer: &str) {
        self.finished.push(boxes::answered(question, &redact::visible_line(answer)));
    }

    fn invalid(&mut self, why: &str) {
        let text = self.words.fill(&words::WIZARD_INVALID, &[("why", why)]);
        self.finished.extend(message::failure(&redact::visible_line(&text)));
    }

    fn key_question(&self, provider: Provider) -> String {
        let name = short_name(provider, self.words);
        self.words.fill(&words::WIZARD_KEY, &[("provider", &name)])
    }

    /// The current question, for display.
    fn live(&self, columns: u16) -> Live {
        let words = self.words;
        let (lines, cursor, asked) = match &self.step {
            Step::Provider(select) | Step::Model(select, ..) => {
                let (lines, cursor) = select.lines(columns);
                (lines, cursor, select.asked())
            }
            Step::Url(field) => asked(words.say(&words::WIZARD_URL), field, columns, None),
            Step::Name(field, _) => asked(words.say(&words::WIZARD_NAME), field, columns, None),
            Step::Key(field, provider, _) => {
                let page = Catalogue::built_in().provider(*provider).key_page.as_deref();
                let page = page.map(|url| words.fill(&words::WIZARD_PAGE, &[("url", url)]));
                asked(&self.key_question(*provider), field, columns, page)
            }
            Step::Done(_) => (Vec::new(), None, Vec::new()),
        };
        Live { lines, cursor, asked, ..Live::default() }
    }
}

/// The message after the file was written.
fn saved(provider: Provider, path: &str, words: Language) -> Vec<Line<'static>> {
    let variable = &Catalogue::built_in().provider(provider).key_variable;
    let hint = words.fill(&words::WIZARD_VARIABLE, &[("variable", variable)]);
    let mut lines = vec![boxes::done(&words.fill(&words::WIZARD_SAVED, &[("path", path)]))];
    lines.extend(message::note(&format!("  {hint}")));
    lines.extend([Line::default(), Line::from(words.say(&words::READY))]);
    lines
}

type Shape = (Vec<Line<'static>>, Option<(usize, usize)>, Vec<Line<'static>>);

/// A question with its field, and a line below it.
fn asked(question: &str, field: &Field, columns: u16, below: Option<String>) -> Shape {
    let (line, column) = field.line("  > ", columns);
    let question = Line::from(format!("? {question}"));
    let mut lines = vec![question.clone(), line];
    let mut plain = vec![question];
    if let Some(below) = below {
        lines.push(Line::from(format!("  {below}")));
        plain.push(Line::from(format!("  {below}")));
    }
    (lines, Some((1, column)), plain)
}

fn providers(words: Language) -> Select {
    let item =
        |provider: Provider| Item { label: name(provider, words), description: String::new() };
    let question = format!("? {}", words.say(&words::WIZARD_PROVIDER));
    Select::new(&question, PROVIDERS.map(item).into(), None, words.say(&words::SELECT_FOOTER))
}

fn model_list(models: &[String], words: Language) -> Select {
    let item = |(place, model): (usize, &String)| Item {
        label: match place {
            0 => format!("{model} {}", words.say(&words::WIZARD_RECOMMENDED)),
            _ => model.clone(),
        },
        description: String::new(),
    };
    let question = format!("? {}", words.say(&words::WIZARD_MODEL));
    let items = models.iter().enumerate().map(item).collect();
    Select::new(&question, items, None, words.say(&words::SELECT_FOOTER))
}

/// The models of a provider, the default one first.
fn models(provider: Provider) -> Vec<String> {
    let catalogue = Catalogue::built_in();
    let usual = catalogue.provider(provider).default_model.clone();
    let all = catalogue.models().filter(|id| id.provider() == provider);
    let others = all.map(|id| id.name().to_owned()).filter(|name| Some(name) != usual.as_ref());
    usual.clone().into_iter().chain(others).collect()
}

/// The name of a provider in the list.
fn name(provider: Provider, words: Language) -> String {
    match provider {
        Provider::Custom => words.say(&words::WIZARD_CUSTOM).to_owned(),
        _ => Catalogue::built_in().provider(provider).name.clone(),
    }
}

/// The name of a provider without the part in brackets.
fn short_name(provider: Provider, words: Language) -> String {
    if provider == Provider::Custom {
        return words.say(&words::WIZARD_ENDPOINT).to_owned();
    }
    let name = name(provider, words);
    name.split([' ', '（']).next().unwrap_or_default().to_owned()
}

/// Whether a key may be sent to an address.
fn reachable(url: &str) -> Result<(), String> {
    let id = "custom:any".parse().map_err(|_| "internal".to_owned())?;
    let key = ApiKey::new("none".to_owned()).map_err(|error| error.to_string())?;
    let base_url = Some(url.to_owned());
    let settings = Settings { id, key, base_url, window: None, times: Times::USUAL, proxy: None };
    RemoteModel::new(settings).map(drop).map_err(|error| error.to_string())
}
