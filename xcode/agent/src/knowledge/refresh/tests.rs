//! Facts at the beginning of a session.

use std::fs;

use jiff::civil::Date;
use tempfile::TempDir;

use super::super::language::Language;
use super::refresh;
use crate::places::Places;
use crate::trust::Trust;

struct Home {
    folder: TempDir,
}

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.folder.path().join("app/.x-code/memory")).unwrap();
        home.write("package.json", r#"{ "scripts": { "test": "vitest" } }"#);
        home.write("pnpm-lock.yaml", "");
        home
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.path().join("app").join(path), text).unwrap();
    }

    fn memory(&self) -> String {
        fs::read_to_string(self.folder.path().join("app/.x-code/memory/auto.md")).unwrap()
    }

    fn refresh(&self, is_trusted: bool, today: &str) -> Vec<String> {
        let places = Places::new(self.folder.path(), self.folder.path().join("app"));
        let mut trust = Trust::look(&places);
        if is_trusted {
            trust.assume();
        }
        let refreshed = refresh(&places, &trust, 90, Language::En, date(today));
        assert_eq!(refreshed.notes, Vec::<String>::new());
        refreshed.facts.iter().map(|fact| format!("{}: {}", fact.key, fact.fact)).collect()
    }
}

/// XC-156, XC-157, D-8, D-23: changed values replace, what still holds is dated anew, old facts go, a file keeps its
/// language and what people wrote.
#[test]
fn what_the_project_says_now_replaces_what_it_said() {
    let home = Home::new();
    home.write(
        ".x-code/memory/auto.md",
        "## 自动记忆\n\n### tech-stack\n- [2026-11-20] 包管理器: npm\n- [2026-11-20] Language: JavaScript\n\
         - [2026-10-01] 数据库: PostgreSQL\n- [2026-06-01] 旧: gone\n手写\n\n### commands\n- [2026-11-01] 测试命令: pnpm vitest\n",
    );
    home.refresh(true, "2026-11-23");
    assert_eq!(
        home.memory(),
        "## 自动记忆\n\n### tech-stack\n- [2026-11-23] 包管理器: pnpm\n- [2026-11-20] Language: JavaScript\n\
         - [2026-10-01] 数据库: PostgreSQL\n手写\n\n### commands\n- [2026-11-23] 测试命令: pnpm vitest\n\
         - [2026-11-23] 安装命令: pnpm install\n"
    );
    // Nothing changes within a week.
    let before = home.memory();
    home.refresh(true, "2026-11-27");
    assert_eq!(home.memory(), before);
    home.refresh(true, "2026-12-02");
    assert!(home.memory().contains("[2026-12-02] 包管理器: pnpm"));
}

#[test]
fn a_foreign_file_is_not_touched_and_none_is_made() {
    let home = Home::new();
    let facts = home.refresh(false, "2026-11-23");
    assert_eq!(
        facts,
        [
            "Package manager: pnpm",
            "Language: JavaScript",
            "Install command: pnpm install",
            "Test command: pnpm vitest",
        ]
    );
    let file = home.folder.path().join("app/.x-code/memory/auto.md");
    assert!(!file.exists(), "to look at a project leaves nothing in it");
    let theirs = "### tech-stack\n- [2020-01-01] 包管理器: npm\n";
    home.write(".x-code/memory/auto.md", theirs);
    home.refresh(false, "2026-11-23");
    assert_eq!(home.memory(), theirs);
}
