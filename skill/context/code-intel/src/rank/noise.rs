//! Removes from an issue what is about the reporter's machine rather than about the code: versions,
//! interpreter banners, unfilled forms. Such words lead to the wrong files.

/// First words of lines, in lower case, that an interpreter, a test runner or a form prints.
const BANNERS: &[&str] = &[
    "type \"help\"",
    "type 'copyright'",
    "type \"copyright\"",
    "anaconda",
    "ipython",
    "in case of emergency",
    "platform linux",
    "platform darwin",
    "platform win32",
    "<!--",
    "rustc 1.",
    "- [x]",
    "- [ ]",
];

/// Headings, in lower case and without punctuation, of sections about the machine.
const HEADINGS: &[&str] = &[
    "environment",
    "environment info",
    "installed versions",
    "output of xr.show_versions()",
    "output of pd.show_versions()",
    "system details",
    "system info",
    "versions",
    "your environment",
];

/// Chinese form labels whose value is not part of the question.
const LABELS: &[&str] = &["类型", "版本", "环境", "平台", "标签", "优先级"];

/// Chinese form labels that are no content themselves; the question follows them.
const TITLES: &[&str] = &["描述", "问题", "问题描述"];

/// The longest value of a label, in bytes.
const MAX_VALUE_BYTES: usize = 30;

/// The text with its noise replaced by blanks, so that all offsets stay valid.
pub(super) fn without(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut below_heading = false;
    for line in text.split_inclusive('\n') {
        let plain = line.trim().trim_start_matches(['>', '*', ' ']).to_lowercase();
        let heading = plain.trim_matches(['#', '*', ':', ' ', '-']);
        if HEADINGS.contains(&heading) || plain.contains("show_versions()") {
            below_heading = true;
        } else if plain.starts_with('#') {
            below_heading = false;
        }
        if below_heading || is_noise(&plain) {
            clean.extend(std::iter::repeat_n(' ', line.trim_end_matches('\n').len()));
            clean.push_str(if line.ends_with('\n') { "\n" } else { "" });
        } else {
            let label = label_end(line);
            clean.extend(std::iter::repeat_n(' ', label));
            clean.push_str(&line[label..]);
        }
    }
    clean
}

/// Where the label at the beginning of the line ends; 0 when there is none.
fn label_end(line: &str) -> usize {
    let end = line.find(['：', ':']).unwrap_or(0);
    let label = line[..end].trim();
    if TITLES.contains(&label) || LABELS.contains(&label) { end } else { 0 }
}

fn is_noise(line: &str) -> bool {
    let label = line.split_once(['：', ':']).is_some_and(|(label, value)| {
        LABELS.contains(&label.trim()) && value.len() <= MAX_VALUE_BYTES
    });
    label || is_version(line) || BANNERS.iter().any(|banner| line.starts_with(banner))
}

/// Whether a line is only a name and a version: `name: 1.2.3`, `name==1.2.3`, `name 1.2.3 ...`, `python 3.6.4 (...)`.
fn is_version(line: &str) -> bool {
    let mut words = line.split([' ', '=', ':', '|', '\t', '-']).filter(|word| !word.is_empty());
    let (Some(name), Some(version)) = (words.next(), words.next()) else { return false };
    let named = name.chars().all(|letter| letter.is_alphanumeric() || "_.".contains(letter));
    let version = version.trim_start_matches('v').trim_end_matches([',', ';']);
    let plain = version.matches('.').count() >= 1
        && version.starts_with(|letter: char| letter.is_ascii_digit())
        && version.chars().all(|letter| letter.is_ascii_alphanumeric() || ".+-".contains(letter));
    let interpreter = ["python", "node", "ruby", "java", "go"].contains(&name);
    named && plain && (interpreter || words.count() <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_banners_and_forms_are_noise() {
        let noisy = |text: &str| without(text).trim().is_empty();
        for text in [
            "Python 3.6.4 |Anaconda custom (64-bit)| (default)",
            "numpy: 1.19.2",
            "pytest==4.6.2",
            "Type \"help\", \"copyright\" for more",
            "<!-- describe -->",
            "## Environment",
            "类型：Bug",
        ] {
            assert!(noisy(text), "{text}");
        }
        assert_eq!(without("描述：打印错误").trim(), "：打印错误");
        for text in [
            "parse 1.5 as a number instead of a string please",
            "File \"a.py\", line 3",
            "The environment variable is ignored",
            "In version 1.6.2 it was fine",
        ] {
            assert_eq!(without(text), text);
        }
    }
}
