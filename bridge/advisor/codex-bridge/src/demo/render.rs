//! A report as text for people: the recommendation first, then why, then the rest.

use std::fmt::Write as _;

use contract::advice::Report;
use redact::Cut;

/// Width that paragraphs are wrapped at, in characters.
const WIDTH: usize = 96;

/// The report as plain text, wrapped and indented.
#[must_use]
pub(super) fn report(report: &Report) -> String {
    let advice = &report.advice;
    let mut text = String::new();
    let recommendation = &advice.recommendation;
    heading(&mut text, "Recommendation");
    let confidence = recommendation.confidence.as_str();
    paragraph(
        &mut text,
        "  ",
        &format!("{} (confidence: {confidence})", recommendation.preferred_plan),
    );
    paragraph(&mut text, "  ", &recommendation.reason);

    if !advice.tradeoffs.is_empty() {
        heading(&mut text, "Trade-offs");
        for tradeoff in &advice.tradeoffs {
            bullet(&mut text, &format!("{}: {}", tradeoff.dimension.as_str(), tradeoff.notes));
        }
    }
    if !advice.assumption_check.is_empty() {
        heading(&mut text, "Assumptions");
        for check in &advice.assumption_check {
            let status = check.status.as_str();
            bullet(&mut text, &format!("[{status}] {}: {}", check.text, check.comment));
        }
    }
    heading(&mut text, "Alternatives");
    for alternative in &advice.alternatives {
        bullet(&mut text, &format!("{}: {}", alternative.name, alternative.description));
        for pro in &alternative.pros {
            paragraph(&mut text, "      + ", pro);
        }
        for con in &alternative.cons {
            paragraph(&mut text, "      - ", con);
        }
        paragraph(&mut text, "      when ", &alternative.applicable_when);
    }
    list(&mut text, "Questions", &advice.clarifying_questions);
    list(&mut text, "Next", &advice.followup_suggestions);
    heading(&mut text, "Summary");
    paragraph(&mut text, "  ", &advice.raw_text);
    text
}

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "  {title}");
}

fn list(text: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    heading(text, title);
    for item in items {
        bullet(text, item);
    }
}

fn bullet(text: &mut String, item: &str) {
    paragraph(text, "  * ", item);
}

/// Wraps at [`WIDTH`]; the first line has `lead` before it, the others the same width of blanks.
/// The text may hold control characters of the model's making: none of them reaches a terminal.
fn paragraph(text: &mut String, lead: &str, content: &str) {
    let content = redact::sanitize(content, Cut::NONE);
    let blank = " ".repeat(lead.chars().count());
    let mut line = format!("  {lead}");
    let mut width = line.chars().count();
    let mut empty = true;
    for word in content.split_whitespace() {
        let length = word.chars().count();
        if !empty && width + 1 + length > WIDTH {
            let _ = writeln!(text, "{line}");
            line = format!("  {blank}");
            width = line.chars().count();
            empty = true;
        }
        if !empty {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += length;
        empty = false;
    }
    let _ = writeln!(text, "{line}");
}
