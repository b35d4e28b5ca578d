//! Secrets in the path of an address: who knows the address may use the service.

use super::rule::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // Nodes of chains.
    token(
        "infura-key",
        &["infura.io/"],
        42,
        r"(?i)infura\.io/(?:ws/)?v3/([0-9a-f]{32})",
        "https://mainnet.infura.io/v3/{h32}",
    ),
    token(
        "alchemy-key",
        &["alchemy.com/v2/", "alchemyapi.io/v2/"],
        40,
        r"(?i)alchemy(?:api)?\.(?:com|io)/v2/([A-Za-z0-9_-]{21,})",
        "https://eth-mainnet.g.alchemy.com/v2/{w32}",
    ),
    token(
        "ankr-key",
        &["rpc.ankr.com/"],
        60,
        r"(?i)rpc\.ankr\.com/[a-z0-9_-]{2,30}/([0-9a-f]{64})",
        "https://rpc.ankr.com/eth/{h64}",
    ),
    token(
        "quicknode-key",
        &[".quiknode.pro/"],
        50,
        r"(?i)\.quiknode\.pro/([0-9a-f]{40})",
        "https://a-b-c.quiknode.pro/{h40}/",
    ),
    token(
        "chainstack-key",
        &[".chainstack.com/", ".chainstacklabs.com/"],
        40,
        r"(?i)\.chainstack(?:labs)?\.com/([0-9a-f]{32})",
        "https://eth-mainnet.core.chainstack.com/{h32}",
    ),
    token(
        "getblock-key",
        &["go.getblock.io/"],
        40,
        r"(?i)go\.getblock\.io/([0-9a-f]{32})",
        "https://go.getblock.io/{h32}/",
    ),
    // Hooks.
    token(
        "tines-webhook",
        &[".tines.com/webhook/"],
        60,
        r"(?i)\.tines\.com/webhook/([0-9a-f]{32}/[0-9a-f]{32})",
        "https://a-b-1.tines.com/webhook/{h32}/{h32}",
    ),
    token(
        "mattermost-webhook",
        &["/hooks/"],
        33,
        r"/hooks/([a-z0-9]{26})",
        "https://chat.example.com/hooks/{l26}",
    ),
    token(
        "rocket-chat-webhook",
        &["/hooks/"],
        60,
        r"/hooks/([A-Za-z0-9]{17,24}/[A-Za-z0-9]{40,48})",
        "https://chat.example.com/hooks/{a17}/{a48}",
    ),
    token(
        "pagerduty-key",
        &["events.pagerduty.com/integration/"],
        60,
        r"(?i)events\.pagerduty\.com/integration/([0-9a-f]{32})",
        "https://events.pagerduty.com/integration/{h32}",
    ),
    token(
        "healthchecks-ping",
        &["hc-ping.com/"],
        40,
        r"(?i)hc-ping\.com/([0-9a-f]{8}-[0-9a-f-]{27})",
        "https://hc-ping.com/{uuid}",
    ),
    // Logs.
    token(
        "loggly-token",
        &[".loggly.com/"],
        40,
        r"(?i)\.loggly\.com/(?:inputs|bulk)/([0-9a-f]{8}-[0-9a-f-]{27})",
        "https://logs-01.loggly.com/inputs/{uuid}",
    ),
    token(
        "sumologic-collector",
        &["/receiver/v1/http/"],
        60,
        r"(?i)/receiver/v1/http/([A-Za-z0-9_=-]{60,})",
        "https://collectors.sumologic.com/receiver/v1/http/{w88}==",
    ),
    // Data.
    token(
        "exchangerate-key",
        &["exchangerate-api.com/v6/"],
        40,
        r"(?i)exchangerate-api\.com/v6/([0-9a-f]{24})",
        "https://v6.exchangerate-api.com/v6/{h24}",
    ),
    token(
        "ipqs-key",
        &["ipqualityscore.com/api/json/"],
        50,
        r"(?i)ipqualityscore\.com/api/json/[a-z]{2,20}/([A-Za-z0-9]{32})",
        "https://www.ipqualityscore.com/api/json/ip/{a32}",
    ),
];
