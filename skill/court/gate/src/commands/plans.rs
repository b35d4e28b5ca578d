//! Infrastructure as code: by the verbs that its programs are given.

use super::entry::When::{All, Always, Any, Not, Test, Verbs, Word};
use super::entry::{Case, Command, Given};
use super::secrets::is_plain_name;
use super::words::words;
use crate::path::is_secret_word;
use crate::rules::{execution, infrastructure as rules, secrets};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("terraform tofu terragrunt pulumi cdk cdktf sam serverless sls packer"),
        PLAN_VALUED,
        &[PLAN],
        [
            &[],
            &["plan", "state list", "destroy --dry-run", "output url", "output -raw vpc_id"],
            &[
                "destroy",
                "state rm a.b",
                "workspace delete w",
                "run-all apply",
                "output -json",
                "output db_password",
                "output -raw kubeconfig",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("atmos"),
        PLAN_VALUED,
        &[
            &[Case(
                Verbs("terraform|tofu|opentofu|tf|helmfile|hf apply|destroy|deploy|clean|import"),
                &rules::PLAN,
            )],
            PLAN,
        ],
        [&[], &["list stacks", "terraform plan vpc"], &["destroy", "helmfile destroy vpc"], &[]],
    ),
];

const PLAN_VALUED: &[&str] = words!("-chdir -C --stack -s --cwd --base-path --logs-level");

const PLAN: &[Case] = &[
    Case(
        Any(&[
            All(&[Verbs("output"), Word("-json -raw --json"), Not(&Test(outputs_harmless))]),
            All(&[Verbs("output"), Test(outputs_secret)]),
            All(&[Verbs("config"), Word("--show-secrets")]),
        ]),
        &secrets::SHOW,
    ),
    Case(
        All(&[
            Any(&[
                Verbs(
                    "apply|destroy|down|taint|untaint|import|up|deploy|remove|rm|force-unlock|\
                     refresh|cancel|delete|clean|halt|destroy-all|apply-all, \
                     run|run-all|terraform|tofu|opentofu destroy|apply|deploy|clean, \
                     workspace delete, stack rm|import",
                ),
                All(&[Verbs("state"), Not(&Verbs("state list|show|pull"))]),
            ]),
            Not(&Word("--dry-run -dry-run --preview")),
        ]),
        &rules::PLAN,
    ),
    OTHER,
];

const OTHER: Case = Case(Always, &execution::COMMAND);

/// One output is shown, and its name tells of no secret.
fn outputs_harmless(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.len() == 2 && is_plain_name(&given.operands[1].text)
}

/// An output that is named is shown, though it is marked as secret.
fn outputs_secret(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().skip(1).any(|name| is_secret_word(&name.text))
}
