//! Files that runners read, put together at random: each is judged, and none costs more than the budget.

use std::collections::BTreeSet;

use gate::{Level, Outcome, Written};

#[path = "inputs/project.rs"]
mod project;
mod shell;

/// How many are made.
const COUNT: u32 = 20_000;

#[test]
fn whatever_stands_in_a_runners_file_is_judged() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |end: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end.max(1)
    };
    let commands = ["rm -rf ~", "git status", "echo $((1 + 2))"].map(str::to_owned);
    let mut levels = BTreeSet::new();
    let mut judged = 0;
    for _ in 0..COUNT {
        let (path, content, command) = project::project(&mut below, &commands);
        let written =
            vec![Written { path: format!("/home/dev/app/{path}"), content: Some(content.clone()) }];
        let judgement = shell::judge(command, &written);
        let understood = judgement.outcome == Outcome::Judged;
        assert!(understood || judgement.level >= Level::L2, "{command}: {path}: {content:?}");
        assert!(judgement.level >= Level::L1, "{command}: {path}: {content:?}");
        judged += u32::from(understood);
        levels.insert(judgement.level.to_string());
    }
    assert!(judged > COUNT / 2, "{judged}");
    assert!(levels.len() >= 2, "{levels:?}");
}
