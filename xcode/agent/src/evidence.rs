//! Records what a turn did, as observed by the program rather than claimed by the model.

mod test_runs;

use std::collections::BTreeMap;

use contract::xc::{CommandRun, DeniedCall, TestsRun, What};

use test_runs::{TestExit, test_exit};

/// The facts of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Files that were changed, relative to the workspace, each once, in order.
    pub(crate) changed: Vec<String>,
    /// Commands that ran, in order, masked.
    pub(crate) commands: Vec<CommandRun>,
    /// Background commands that this turn started and that are still running, by number.
    running: BTreeMap<u64, CommandRun>,
    /// Calls that were denied, in order.
    pub(crate) denied: Vec<DeniedCall>,
}

impl Evidence {
    /// Records a changed file.
    pub(crate) fn changed(&mut self, file: String) {
        if !self.changed.contains(&file) {
            self.changed.push(file);
        }
    }

    /// Records the start of a background command.
    pub(crate) fn begun(&mut self, task: u64, run: CommandRun) {
        self.running.insert(task, run);
    }

    /// Records the end of a background command.
    pub(crate) fn ended(&mut self, task: u64, run: CommandRun) {
        self.running.remove(&task);
        self.commands.push(run);
    }

    /// All commands; those still running come last and have no exit code.
    pub(crate) fn commands(&self) -> Vec<CommandRun> {
        self.commands.iter().chain(self.running.values()).cloned().collect()
    }

    pub(crate) fn told(&self) -> What {
        What::Evidence {
            changed: self.changed.clone(),
            commands: self.commands(),
            tests: self.tests(),
        }
    }

    /// The outcome of the last command that runs tests.
    fn tests(&self) -> TestsRun {
        // The outcome of running commands is not known yet.
        if self.running.values().any(|run| test_exit(run).is_some()) {
            return TestsRun::Unclear;
        }
        let last = self.commands.iter().rev().find_map(test_exit);
        match last {
            Some(TestExit::Passed) => TestsRun::Passed,
            Some(TestExit::Failed) => TestsRun::Failed,
            Some(TestExit::Unclear) => TestsRun::Unclear,
            None => TestsRun::NotRun,
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::xc::{CommandRun, TestsRun, What};

    use super::Evidence;

    #[test]
    fn the_last_run_of_tests_counts_and_a_file_once() {
        let mut evidence = Evidence::default();
        let mut tests = Vec::new();
        for (command, exit) in [
            ("ls", 0),
            ("cargo test", 101),
            ("cargo build", 0),
            ("cargo test", 0),
            ("cargo test | tail", 0),
        ] {
            evidence.commands.push(CommandRun { command: command.into(), exit: Some(exit) });
            evidence.changed("src/a.rs".into());
            let What::Evidence { tests: run, changed, .. } = evidence.told() else { panic!() };
            assert_eq!(changed, ["src/a.rs"]);
            tests.push(run);
        }
        use TestsRun::{Failed, NotRun, Passed, Unclear};
        assert_eq!(tests, [NotRun, Failed, Failed, Passed, Unclear]);
    }

    #[test]
    fn tests_in_the_background_are_unclear_until_they_end() {
        let run = |exit| CommandRun { command: "cargo test".into(), exit };
        let mut evidence = Evidence::default();
        evidence.begun(2, run(None));
        let What::Evidence { tests, commands, .. } = evidence.told() else { panic!() };
        assert_eq!((tests, commands), (TestsRun::Unclear, vec![run(None)]));
        evidence.ended(2, run(Some(0)));
        let What::Evidence { tests, commands, .. } = evidence.told() else { panic!() };
        assert_eq!((tests, commands), (TestsRun::Passed, vec![run(Some(0))]));
    }
}
