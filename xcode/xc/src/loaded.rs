//! Lists what was loaded when a session began, one line per file (XC-164). Not here: loading it (`agent::knowledge`).

use agent::knowledge::{Knowledge, Layer, Loaded};

use crate::words::{self, Language};

/// What was loaded, in order. The last session's summary is reported where the user is asked about it.
pub(crate) fn lines(knowledge: &Knowledge, language: Language) -> Vec<String> {
    knowledge.loaded.iter().filter_map(|loaded| line(loaded, language)).collect()
}

fn line(Loaded { kind, path, count }: &Loaded, language: Language) -> Option<String> {
    let text = match kind {
        Layer::Project => &words::LOADED_KNOWLEDGE,
        Layer::GlobalMemory | Layer::ProjectMemory => &words::LOADED_MEMORY,
        Layer::Rules => &words::LOADED_RULES,
        Layer::Global | Layer::Local => &words::LOADED_PREFERENCES,
        Layer::Session => return None,
    };
    let count = count.unwrap_or_default().to_string();
    Some(language.fill(text, &[("path", path), ("count", &count)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_told_in_the_words_of_the_seed() {
        let loaded = |kind, path: &str, count| Loaded { kind, path: path.to_owned(), count };
        let loaded = vec![
            loaded(Layer::Project, ".x-code/knowledge.md", None),
            loaded(Layer::ProjectMemory, ".x-code/memory/auto.md", Some(42)),
            loaded(Layer::Session, ".x-code/sessions/latest.json", None),
        ];
        let mut knowledge = Knowledge::default();
        knowledge.loaded = loaded;
        assert_eq!(
            lines(&knowledge, Language::Zh),
            ["✓ 项目知识 (.x-code/knowledge.md)", "✓ 自动记忆 (.x-code/memory/auto.md, 42 条)"]
        );
        assert_eq!(
            lines(&knowledge, Language::En),
            [
                "✓ Project knowledge (.x-code/knowledge.md)",
                "✓ Auto memory (.x-code/memory/auto.md, 42 facts)",
            ]
        );
    }
}
