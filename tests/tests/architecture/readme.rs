//! The README is short, and its Chinese translation has the same content: sections, blocks, tables and links
//! agree in their order. Not here: the quality of the translation.

use std::fs;

use crate::tree::top;

/// Most lines of the README: a newcomer reads it to its end.
const LINES_MAX: usize = 160;

/// What two translations of one page have in common.
#[derive(Debug, PartialEq, Eq)]
struct Skeleton<'t> {
    /// The levels of the headings, 1 for the title.
    headings: Vec<usize>,
    /// The blocks of commands and output, to the letter.
    blocks: Vec<&'t str>,
    /// Where links lead, but for those from one translation to another.
    links: Vec<&'t str>,
    /// How many list entries and table rows each section has.
    entries: Vec<usize>,
    /// What is quoted as code in the first cell of each row.
    first_cells: Vec<&'t str>,
}

fn skeleton(text: &str) -> Skeleton<'_> {
    let parts: Vec<&str> = text.split("\n```").collect();
    let blocks = parts.iter().skip(1).step_by(2).copied().collect();
    let mut of = Skeleton {
        headings: Vec::new(),
        blocks,
        links: Vec::new(),
        entries: vec![0],
        first_cells: Vec::new(),
    };
    for line in parts.iter().step_by(2).flat_map(|prose| prose.lines()) {
        if line.starts_with('#') {
            of.headings.push(line.split(' ').next().map_or(0, str::len));
            of.entries.push(0);
        }
        if line.starts_with("| ") || line.starts_with("- ") {
            *of.entries.last_mut().unwrap() += 1;
        }
        if let Some(cell) = line.strip_prefix("| `") {
            of.first_cells.push(cell.split('`').next().unwrap());
        }
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        of.links.extend(targets.filter(|target| !target.starts_with("README")));
    }
    of
}

#[test]
fn the_readme_is_read_to_its_end() {
    let text = fs::read_to_string(top().join("README.md")).unwrap();
    assert!(text.lines().count() <= LINES_MAX, "{} lines", text.lines().count());
}

#[test]
fn the_chinese_readme_keeps_step() {
    let [english, chinese] =
        ["README.md", "README.zh-CN.md"].map(|name| fs::read_to_string(top().join(name)).unwrap());
    assert!(english.contains("](README.zh-CN.md)") && chinese.contains("](README.md)"));
    let skeleton_of_english = skeleton(&english);
    assert!(skeleton_of_english.blocks.len() > 4, "{skeleton_of_english:#?}");
    assert_eq!(skeleton(&chinese), skeleton_of_english);
}

#[test]
fn a_difference_between_translations_is_seen() {
    let page = "# A\n\ntext\n\n```\n$ run\nout\n```\n\n## B\n\n- one [x](y.md)\n\n| `a` | b |\n";
    for changed in [
        page.replace("$ run", "$ walk"),
        page.replace("## B", "B"),
        page.replace("(y.md)", "(z.md)"),
        page.replace("- one", "one"),
        page.replace("| `a`", "| `c`"),
    ] {
        assert_ne!(skeleton(&changed), skeleton(page), "{changed}");
    }
    assert_eq!(skeleton(&page.replace("text", "文")), skeleton(page));
}
