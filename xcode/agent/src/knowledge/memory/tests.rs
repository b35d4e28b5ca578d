//! Facts by key, with people's own lines around them.

use jiff::civil::Date;

use super::super::fact::{Category, Fact};
use super::super::language::Language;
use super::Memory;

/// The seed's example.
const SEED: &str = "\
## 自动记忆

### tech-stack
- [2025-02-08] 包管理器: pnpm (workspace 模式)
- [2025-02-08] 测试框架: Vitest 3

### commands
- [2025-02-08] 构建命令: pnpm build

### preferences（仅全局 auto.md）
- [2025-02-09] 语言偏好: 中文回复和中文代码注释
";

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

fn fact(category: Category, key: &str, fact: &str) -> Fact {
    Fact { category, key: key.to_owned(), fact: fact.to_owned(), date: date("2026-11-23") }
}

fn add(memory: &mut Memory, category: Category, key: &str, value: &str) {
    memory.add(fact(category, key, value), &[], Language::En);
}

#[test]
fn the_seeds_file_is_read_and_stays_as_it_is() {
    let memory = Memory::parse(SEED);
    assert_eq!(memory.text(), SEED);
    let facts: Vec<String> = memory
        .facts()
        .map(|fact| {
            format!("{} {} = {} ({})", fact.category.word(), fact.key, fact.fact, fact.date)
        })
        .collect();
    assert_eq!(
        facts,
        [
            "tech-stack 包管理器 = pnpm (workspace 模式) (2025-02-08)",
            "tech-stack 测试框架 = Vitest 3 (2025-02-08)",
            "commands 构建命令 = pnpm build (2025-02-08)",
            "preferences 语言偏好 = 中文回复和中文代码注释 (2025-02-09)",
        ]
    );
    assert_eq!(memory.language(), Some(Language::Zh));
    assert_eq!(Memory::parse("## Auto Memory\n").language(), Some(Language::En));
    assert_eq!(Memory::parse("## Notes\n").language(), None);
}

#[test]
fn one_key_of_one_kind_is_one_fact() {
    let mut memory = Memory::parse(SEED);
    add(&mut memory, Category::TechStack, "测试框架", "Vitest 4");
    add(&mut memory, Category::Commands, "测试框架", "pnpm vitest run");
    add(&mut memory, Category::TechStack, "构建工具", "Vite 6");
    add(&mut memory, Category::Context, "what", "a shop");
    assert_eq!(memory.delete("构建命令", Some(Category::TechStack)), 0);
    assert_eq!(memory.delete("构建命令", None), 1);
    insta::assert_snapshot!(memory.text());
}

#[test]
fn a_new_file_gets_its_heading_in_the_users_language_and_another_keeps_its_own() {
    for (before, language, after) in [
        ("", Language::Zh, "## 自动记忆\n\n### tech-stack\n- [2026-11-23] k: v\n"),
        ("", Language::En, "## Auto Memory\n\n### tech-stack\n- [2026-11-23] k: v\n"),
        ("## 自动记忆\n", Language::En, "## 自动记忆\n\n### tech-stack\n- [2026-11-23] k: v\n"),
        ("Mine.", Language::En, "Mine.\n\n## Auto Memory\n\n### tech-stack\n- [2026-11-23] k: v\n"),
    ] {
        let mut memory = Memory::parse(before);
        memory.add(fact(Category::TechStack, "k", "v"), &[], language);
        assert_eq!(memory.text(), after);
    }
}

#[test]
fn what_people_wrote_stays_where_it_is() {
    let by_hand = "\
# Ours
<!-- keep -->
## Auto Memory
Read this first.
### tech-stack
- no date: kept
- [2020-01-01] old： by an input method
  and its second line
- [2020-13-01] no such date: kept
### Other things
- [2020-01-01] key: no fact, under no kind
### commands
";
    let mut memory = Memory::parse(by_hand);
    assert_eq!(memory.facts().count(), 1);
    add(&mut memory, Category::TechStack, "old", "new");
    add(&mut memory, Category::Commands, "test", "make test");
    assert_eq!(memory.delete("key", None), 0);
    let expected = by_hand
        .replace("- [2020-01-01] old： by an input method", "- [2026-11-23] old: new")
        .replace("### commands\n", "### commands\n- [2026-11-23] test: make test\n");
    assert_eq!(memory.text(), expected);
}

#[test]
fn two_lines_of_one_key_become_one() {
    let merged = "### commands\n- [2026-01-01] test: a\ntext\n- [2026-02-01] test: b\n";
    let mut memory = Memory::parse(merged);
    add(&mut memory, Category::Commands, "test", "c");
    assert_eq!(memory.text(), "### commands\n- [2026-11-23] test: c\ntext\n");
    let mut memory = Memory::parse("### commands\n- [2026-01-01] 测试命令: a\n");
    memory.add(fact(Category::Commands, "Test command", "c"), &["测试命令"], Language::En);
    assert_eq!(memory.text(), "### commands\n- [2026-11-23] Test command: c\n");
}

#[test]
fn facts_are_forgotten_after_their_days() {
    let text =
        "### commands\n- [2026-08-24] a: kept\n- [2026-08-25] b: kept\n- [2026-08-26] c: kept\n";
    for (days, gone) in [(90, 0), (89, 1), (88, 2), (0, 3), (u64::MAX, 0), (10_000_000, 0)] {
        let mut memory = Memory::parse(text);
        assert_eq!(memory.evict(date("2026-11-22"), days), gone, "{days}");
        assert_eq!(memory.facts().count(), 3 - gone);
    }
}
