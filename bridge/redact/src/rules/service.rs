//! Work tools, monitoring, data services, and formats that belong to no vendor.

use super::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // Work tools.
    token(
        "linear-key",
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        40,
        r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,}",
    ),
    token("notion-token", &["ntn_"], 44, r"ntn_[A-Za-z0-9]{40,}"),
    token("notion-token", &["secret_"], 50, r"secret_[A-Za-z0-9]{43}").mixed(),
    token("airtable-token", &["pat"], 82, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    token("figma-token", &["figd_", "figo_", "figu_"], 40, r"fig[dou]_[A-Za-z0-9_-]{36,}"),
    token("dropbox-token", &["sl."], 80, r"sl\.(?:[a-z]\.)?[A-Za-z0-9_-]{77,}"),
    token(
        "hubspot-token",
        &["pat-na", "pat-eu"],
        40,
        r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f-]{27}",
    ),
    token("contentful-token", &["cfpat-"], 46, r"CFPAT-[A-Za-z0-9_-]{40,}"),
    token("typeform-token", &["tfp_"], 44, r"tfp_[A-Za-z0-9_.=-]{40,}"),
    token("frameio-token", &["fio-u-"], 60, r"fio-u-[A-Za-z0-9_=-]{54,}"),
    token("adobe-client-secret", &["p8e-"], 36, r"p8e-[A-Za-z0-9_-]{32,}"),
    token("intercom-token", &["dg9rom"], 40, r"dG9rOm[A-Za-z0-9+/]{34,}={0,2}"),
    token("asana-token", &["1/", "2/"], 40, r"[12]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32}"),
    token("mapbox-token", &["sk.eyj"], 60, r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    token("maxmind-key", &["_mmk"], 4, r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk").before(36),
    token(
        "settlemint-token",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        23,
        r"sm_[aps]at_[A-Za-z0-9]{16,}",
    ),
    token(
        "linkedin-secret",
        &["wpl_ap"],
        24,
        r"WPL_AP[0-9]\.[A-Za-z0-9]{14,}(?:\.[A-Za-z0-9+/=]+)?",
    ),
    // Monitoring.
    token("grafana-token", &["glsa_"], 40, r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    token("grafana-token", &["glc_"], 36, r"glc_[A-Za-z0-9+/]{32,}={0,3}"),
    token("grafana-key", &["eyjrijoi"], 70, r"eyJrIjoi[A-Za-z0-9+/]{60,}={0,3}"),
    token(
        "newrelic-key",
        &["nrak-", "nrii-", "nriq-", "nrra-", "nrsp-"],
        28,
        r"NR(?:AK|II|IQ|RA|SP)-[A-Za-z0-9_-]{24,}",
    ),
    token("newrelic-key", &["nrjs-"], 24, r"NRJS-[0-9a-f]{19,}"),
    token("newrelic-key", &["nral"], 4, r"[0-9a-f]{32,36}(?:FFFF)?NRAL").before(40),
    token("sentry-token", &["sntryu_"], 60, r"sntryu_[0-9a-f]{53,}"),
    token("sentry-token", &["sntrys_"], 60, r"sntrys_[A-Za-z0-9+/=_-]{53,}"),
    token("dynatrace-token", &["dt0"], 90, r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    token(
        "honeycomb-key",
        &["hcaik_", "hcxik_", "hcamk_"],
        50,
        r"hc(?:aik|xik|amk)_[A-Za-z0-9]{44,}",
    ),
    token("posthog-key", &["phx_", "phs_"], 40, r"ph[xs]_[A-Za-z0-9]{36,}"),
    token("pagerduty-key", &["pdus+_"], 20, r"pdus\+_[A-Za-z0-9_+-]{14,}"),
    token(
        "launchdarkly-key",
        &["sdk-", "api-", "mob-"],
        40,
        r"(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    // Formats of no vendor. A signed token: header, payload and what follows.
    token(
        "jwt",
        &["eyj"],
        40,
        r"eyJ[A-Za-z0-9_-]{14,}\.(?:[A-Za-z0-9_-]{10,}|\.[A-Za-z0-9_-]{10,})(?:\.[A-Za-z0-9_-]*){0,3}",
    ),
    token(
        "jwk-private-key",
        &["\"d\"", "\\\"d\\\""],
        3,
        r#"\\?"d\\?"[ ]?:[ ]?\\?"([A-Za-z0-9_-]{43,})"#,
    ),
    // crypt(5): bcrypt, SHA-crypt, MD5-crypt, yescrypt, scrypt, Argon2, PBKDF2.
    token("password-hash", &["$2a$", "$2b$", "$2y$"], 60, r"\$2[aby]\$[0-9]{2}\$[A-Za-z0-9./]{53}"),
    token(
        "password-hash",
        &["$1$", "$5$", "$6$", "$apr1$"],
        30,
        r"\$(?:1|5|6|apr1)\$(?:rounds=[0-9]+\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{22,86}",
    ),
    token(
        "password-hash",
        &["$y$", "$7$", "$gy$"],
        40,
        r"\$(?:y|7|gy)\$[A-Za-z0-9./]+\$[A-Za-z0-9./]*\$?[A-Za-z0-9./]{30,}",
    ),
    token(
        "password-hash",
        &["$argon2"],
        7,
        r"\$argon2(?:id|i|d)\$(?:v=[0-9]+\$)?[a-z0-9=,]+\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}",
    ),
    token(
        "password-hash",
        &["pbkdf2_sha"],
        50,
        r"pbkdf2_sha[0-9]+\$[0-9]+\$[A-Za-z0-9]+\$[A-Za-z0-9+/=]{24,}",
    ),
];
