//! `codex-advisor template`: a commented example of a question, which is valid (tested).

use crate::args::{PhaseArg, TemplateArgs};
use client::exit::Exit;
use host::streams;

/// The example for the first round.
const INITIAL: &str = include_str!("initial.yaml");

/// The example for the second round.
const FINAL: &str = include_str!("final.yaml");

/// Prints the example.
pub(crate) fn run(args: TemplateArgs) -> Exit {
    let text = match args.phase {
        PhaseArg::Initial => INITIAL,
        PhaseArg::Final => FINAL,
    };
    streams::print(text.trim_end());
    Exit::Done
}

#[cfg(test)]
mod tests {
    use contract::input::Phase;

    use super::*;
    use crate::question::{Question, Replacements};

    fn parse(text: &str) -> contract::input::AdvisorInput {
        let question = Question::read(text.as_bytes(), Replacements::default()).unwrap();
        question.check(Replacements::default()).unwrap();
        question.input
    }

    #[test]
    fn the_examples_are_questions() {
        for (text, phase) in [(INITIAL, Phase::Initial), (FINAL, Phase::Final)] {
            let input = parse(text);
            assert_eq!(input.phase, phase);
            // The commented-out parts are valid as well.
            let all = text.replace("# options:", "options:").replace("#   timeout", "  timeout");
            let all = all.replace("# session_id:", "session_id:");
            let input = parse(&all);
            assert_eq!(input.options.timeout_ms.is_some(), phase == Phase::Initial);
            assert_eq!(input.session_id.is_some(), phase == Phase::Final);
        }
    }
}
