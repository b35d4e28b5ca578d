//! Code hosts, package registries, build services.

use super::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // GitHub: "About authentication to GitHub", token prefixes; installation tokens may be JWTs.
    token("github-pat", &["ghp_"], 36, r"ghp_[A-Za-z0-9]{32,}"),
    token("github-fine-grained-pat", &["github_pat_"], 60, r"github_pat_[A-Za-z0-9_]{48,}"),
    token("github-oauth-token", &["gho_"], 36, r"gho_[A-Za-z0-9]{32,}"),
    token("github-user-token", &["ghu_"], 36, r"ghu_[A-Za-z0-9._-]{32,}"),
    token("github-app-token", &["ghs_"], 36, r"ghs_[A-Za-z0-9._-]{32,}"),
    token("github-refresh-token", &["ghr_"], 36, r"ghr_[A-Za-z0-9]{32,}"),
    // GitLab: "Token overview", token prefixes.
    token("gitlab-pat", &["glpat-"], 26, r"glpat-[A-Za-z0-9_.-]{20,}"),
    token(
        "gitlab-token",
        &[
            "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-",
            "gloas-", "glsoat-", "glffct-", "glwt-",
        ],
        24,
        r"gl(?:dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{19,}",
    ),
    token("gitlab-runner-token", &["gr1348941"], 29, r"GR1348941[A-Za-z0-9_-]{20,}"),
    // Atlassian and Bitbucket: API tokens, app passwords, repository access tokens.
    token("atlassian-token", &["atatt3x"], 60, r"ATATT3x[A-Za-z0-9_=-]{53,}"),
    token("bitbucket-token", &["atctt3x"], 60, r"ATCTT3x[A-Za-z0-9_=-]{53,}"),
    token("bitbucket-app-password", &["atbb"], 36, r"ATBB[A-Za-z0-9_=.-]{32,}").mixed(),
    token("sourcegraph-token", &["sgp_"], 44, r"sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    token("sourcegraph-token", &["slk_"], 64, r"slk_[0-9a-f]{64}"),
    // Registries.
    token("npm-token", &["npm_"], 40, r"npm_[A-Za-z0-9]{36,}"),
    token("pypi-token", &["pypi-ageichlwa", "pypi-agendgvzdc"], 60, r"pypi-Ag[A-Za-z0-9_-]{52,}"),
    token("rubygems-key", &["rubygems_"], 57, r"rubygems_[0-9a-f]{48}"),
    token("crates-io-token", &["cio"], 35, r"cio[A-Za-z0-9]{32}").mixed(),
    token("nuget-key", &["oy2"], 46, r"oy2[a-z0-9]{43}"),
    token("clojars-token", &["clojars_"], 60, r"CLOJARS_[a-z0-9]{50,}"),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], 32, r"dckr_[po]at_[A-Za-z0-9_-]{23,}"),
    token("jfrog-key", &["akcp"], 60, r"AKCp[A-Za-z0-9]{56,}"),
    token("jfrog-token", &["cmvmdgtu"], 60, r"cmVmdGtu[A-Za-z0-9]{50,}"),
    token("packagist-token", &["packagist_"], 60, r"packagist_[a-z]{3}_[0-9a-f]{60,}"),
    token("deno-token", &["ddp_", "ddw_"], 40, r"dd[pw]_[A-Za-z0-9]{36,}"),
    // Build, test and analysis services.
    token(
        "circleci-token",
        &["ccipat_", "cciprj_"],
        60,
        r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}",
    ),
    token(
        "buildkite-token",
        &["bkua_", "bkaa_", "bkaj_", "bkpt_", "bkcr_", "bkps_"],
        40,
        r"bk(?:ua|aa|aj|pt|cr|ps)_[A-Za-z0-9._-]{35,}",
    ),
    token("sonar-token", &["sqp_", "sqa_", "squ_", "sqb_"], 44, r"sq[paub]_[0-9a-f]{40}"),
    token("snyk-token", &["snyk_uat.", "snyk_sat."], 30, r"snyk_[us]at\.[A-Za-z0-9._-]{21,}"),
    token("codeclimate-token", &["qlts"], 40, r"qlts[pc]_[A-Za-z0-9]{36,}"),
    token("octopus-key", &["api-"], 29, r"API-[A-Z0-9]{25,}"),
    token(
        "harness-key",
        &["pat.", "sat."],
        70,
        r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
    ),
    token("postman-key", &["pmak-"], 60, r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    token("postman-collection-key", &["pmat-"], 31, r"PMAT-[A-Z0-9]{26}"),
    token("readme-key", &["rdme_"], 60, r"rdme_[a-z0-9]{60,}"),
    token("prefect-key", &["pnu_"], 40, r"pnu_[A-Za-z0-9]{36}"),
    token("adafruit-key", &["aio_"], 32, r"aio_[A-Za-z0-9]{28}").mixed(),
];
