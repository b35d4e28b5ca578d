//! The languages that a repository is written in: beside them there are scripts, bindings and samples,
//! which questions are rarely about.

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::paths;
use crate::view::View;

/// A language with so large a part of the sources' lines is one of the repository's.
const PART: f32 = 0.1;

/// The languages that count as the repository's; headers go with C and C++, types with JavaScript.
pub(crate) fn of(view: &View) -> Vec<Language> {
    let mut lines: FxHashMap<Language, u64> = FxHashMap::default();
    let mut all = 0;
    for file in view.files().filter(|file| !file.is_test && !paths::is_example(file.path)) {
        if let Some(language) = file.language {
            *lines.entry(family(language)).or_default() += u64::from(file.lines);
            all += u64::from(file.lines);
        }
    }
    let is_main = |language: Language| {
        lines.get(&family(language)).is_some_and(|lines| *lines as f32 >= PART * all as f32)
    };
    crate::language::LANGUAGES.into_iter().filter(|language| is_main(*language)).collect()
}

fn family(language: Language) -> Language {
    match language {
        Language::C | Language::Cpp => Language::Cpp,
        Language::Java | Language::Kotlin => Language::Java,
        Language::JavaScript | Language::TypeScript | Language::Tsx => Language::TypeScript,
        other => other,
    }
}
