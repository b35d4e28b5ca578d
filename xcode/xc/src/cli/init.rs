//! `xc init`: the project's `.x-code`, filled in from its files without a model. Nothing that is there is changed.

use agent::Places;
use agent::knowledge::{Fate, Found, Initialised, Language, Made, init};
use host::{Environment, streams};
use jiff::Zoned;

use super::args::{Lang, PlaceArgs};
use crate::config::{Config, Places as ConfigPlaces};
use crate::exit::Exit;
use crate::knowing;
use crate::words;

/// How many lines of one file are shown that would be new in it.
const LINES_MAX: usize = 40;

/// The words of one language.
struct Words {
    begin: &'static str,
    found: &'static str,
    inferred: &'static str,
    packages: &'static str,
    nothing: &'static str,
    made: &'static str,
    kept: &'static str,
    would_add: &'static str,
    up_to_date: &'static str,
    more: &'static str,
    /// What each file is for, in the order in which they are made.
    purposes: [&'static str; 4],
}

const ZH: Words = Words {
    begin: "分析项目结构...",
    found: "检测到",
    inferred: "推断",
    packages: "包",
    nothing: "没有识别出项目文件",
    made: "已生成:",
    kept: "已存在，未修改:",
    would_add: "可以补充:",
    up_to_date: "无需补充",
    more: "行未显示",
    purposes: [
        "含以上分析结果，可手动补充业务上下文",
        "初始自动记忆（包管理器、框架、命令等）",
        "空目录，可按需添加路径规则",
        "个人配置目录（已添加到 .gitignore）",
    ],
};

const EN: Words = Words {
    begin: "Analysing the project...",
    found: "found",
    inferred: "inferred",
    packages: "packages",
    nothing: "no file of a project that is known",
    made: "Made:",
    kept: "There already, not changed:",
    would_add: "it could say too:",
    up_to_date: "nothing to add",
    more: "lines are not shown",
    purposes: [
        "what was found; add what only you know",
        "first facts (package manager, frameworks, commands)",
        "empty; for rules by path",
        "your own preferences (kept out of git)",
    ],
};

/// Runs the command.
pub(super) fn run(environment: &Environment, place: &PlaceArgs) -> Exit {
    let Some(home) = environment.folder(host::environment::HOME) else {
        streams::note("xc: HOME does not name a folder");
        return Exit::Usage;
    };
    let places = Places::new(home, environment.working_dir());
    // A fault of the settings is no matter here.
    let config = Config::read(
        environment,
        ConfigPlaces { root: environment.working_dir(), named: place.config.as_deref() },
    );
    let typed = place.lang.map(|lang| match lang {
        Lang::Zh => words::Language::Zh,
        Lang::En => words::Language::En,
    });
    let language = match (typed, config) {
        (Some(typed), _) => knowing::of(typed),
        (None, Ok(config)) => knowing::language(environment, &config),
        (None, Err(_)) => knowing::of(words::Language::of(environment)),
    };
    match initialised(&places, language) {
        Ok(lines) => {
            lines.iter().for_each(|line| streams::print(line));
            Exit::Answered
        }
        Err(error) => {
            streams::note(&format!("xc: .x-code cannot be made: {error}"));
            Exit::Internal
        }
    }
}

/// Makes what is missing, and says what was found and made, a line each.
///
/// # Errors
/// What the file system says.
pub(crate) fn initialised(places: &Places, language: Language) -> std::io::Result<Vec<String>> {
    let done = init(places, language, Zoned::now().date())?;
    let words = match language {
        Language::Zh => &ZH,
        Language::En => &EN,
    };
    Ok(told(&done, words, language))
}

fn told(done: &Initialised, words: &Words, language: Language) -> Vec<String> {
    let mut lines = vec![format!("  {}", words.begin)];
    let colon = if language == Language::Zh { "" } else { " " };
    for Found { name, value, is_command } in &done.found {
        let what = if *is_command { words.inferred } else { words.found };
        let space = if *is_command { colon } else { " " };
        let name = if *is_command && language == Language::En {
            name.to_lowercase()
        } else {
            (*name).to_owned()
        };
        lines.push(format!("  ✓ {what}{space}{name}: {value}"));
    }
    if !done.packages.is_empty() {
        lines.push(format!("  ✓ {} {}: {}", words.found, words.packages, done.packages.join(", ")));
    }
    if done.found.is_empty() {
        lines.push(format!("  ℹ {}", words.nothing));
    }
    let purposes = done.files.iter().zip(words.purposes);
    let (made, kept): (Vec<_>, Vec<_>) = purposes.partition(|(file, _)| file.fate == Fate::Made);
    if !made.is_empty() {
        lines.extend([String::new(), format!("  {}", words.made)]);
        let line = |(file, purpose): (&Made, &str)| format!("    {:24}← {purpose}", file.path);
        lines.extend(made.into_iter().map(line));
    }
    if !kept.is_empty() {
        lines.extend([String::new(), format!("  {}", words.kept)]);
        for (file, _) in kept {
            let Fate::Kept(new) = &file.fate else { continue };
            let is_folder = file.path.ends_with('/');
            match new.is_empty() {
                true if is_folder => lines.push(format!("    {}", file.path)),
                true => lines.push(format!("    {:24}  {}", file.path, words.up_to_date)),
                false => lines.push(format!("    {:24}  {}", file.path, words.would_add)),
            }
            lines.extend(new.iter().take(LINES_MAX).map(|line| format!("      + {line}")));
            if new.len() > LINES_MAX {
                lines.push(format!("      ({} {})", new.len() - LINES_MAX, words.more));
            }
        }
    }
    lines
}
