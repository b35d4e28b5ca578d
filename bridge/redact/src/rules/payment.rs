//! Payment, shops, messages and mail.

use super::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // Payment.
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"],
        18,
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9_]{10,}",
    ),
    token("webhook-secret", &["whsec_"], 30, r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    token(
        "square-token",
        &["sq0atp-", "sq0csp-", "sq0idp-"],
        29,
        r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}",
    ),
    token("square-token", &["eaaa"], 60, r"EAAA[A-Za-z0-9_-]{56,}"),
    token(
        "braintree-token",
        &["access_token$"],
        60,
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}",
    ),
    token("razorpay-key", &["rzp_live_", "rzp_test_"], 23, r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    token("flutterwave-key", &["flwseck"], 24, r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    token(
        "plaid-token",
        &["access-production-", "access-sandbox-", "access-development-"],
        50,
        r"access-(?:production|sandbox|development)-[0-9a-f]{8}-[0-9a-f-]{27}",
    ),
    token("easypost-key", &["ezak", "eztk"], 58, r"EZ[AT]K[A-Za-z0-9]{54}"),
    token(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        50,
        r"shippo_(?:live|test)_[0-9a-fA-F]{40}",
    ),
    token(
        "duffel-token",
        &["duffel_live_", "duffel_test_"],
        50,
        r"duffel_(?:live|test)_[A-Za-z0-9_=-]{38,}",
    ),
    token("gocardless-token", &["live_"], 45, r"live_[A-Za-z0-9_=-]{40,}").mixed(),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"],
        38,
        r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32,}",
    ),
    // Chat: Slack's token types and the incoming webhooks of several services.
    token(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe."],
        20,
        r"xox(?:[bparsocde]-|e\.xox[bp]-)[A-Za-z0-9%/+=-]{14,}",
    ),
    token("slack-token", &["xapp-"], 30, r"xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[A-Za-z0-9]{10,}"),
    token(
        "slack-webhook",
        &["hooks.slack.com/"],
        50,
        r"(?i)hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})",
    ),
    token(
        "discord-webhook",
        &["/api/webhooks/"],
        60,
        r"(?i)/api/webhooks/([0-9]{15,}/[A-Za-z0-9_-]{40,})",
    )
    .before(0),
    token(
        "discord-bot-token",
        &["."],
        30,
        r"[MNO][A-Za-z0-9_-]{22,30}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    )
    .before(31),
    token("telegram-bot-token", &[":aa"], 35, r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}").before(10),
    token(
        "teams-webhook",
        &["/webhookb2/"],
        60,
        r"(?i)/webhookb2/([0-9a-f]{8}-[0-9a-f@-]{60,}(?:/[A-Za-z0-9/-]+)?)",
    ),
    token("feishu-webhook", &["/bot/v2/hook/"], 40, r"(?i)/bot/v2/hook/([0-9a-f-]{30,})"),
    token(
        "dingtalk-webhook",
        &["/robot/send?access_token="],
        60,
        r"(?i)/robot/send\?access_token=([A-Za-z0-9]{32,})",
    ),
    token("wecom-webhook", &["/webhook/send?key="], 50, r"(?i)/webhook/send\?key=([0-9a-f-]{30,})"),
    token(
        "zapier-webhook",
        &["hooks.zapier.com/"],
        36,
        r"(?i)hooks\.zapier\.com/hooks/catch/([0-9]+/[A-Za-z0-9]{5,})",
    ),
    // Mail and telephony.
    token("sendgrid-key", &["sg."], 50, r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}"),
    token(
        "twilio-key",
        &[
            "sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb",
            "skc", "skd", "ske", "skf",
        ],
        34,
        r"SK[0-9a-f]{32}",
    ),
    token("mailgun-key", &["key-"], 36, r"key-[0-9a-f]{32}"),
    token("mailchimp-key", &["-us"], 4, r"[0-9a-f]{32}-us[0-9]{1,2}").before(32),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        60,
        r"x(?:key|smtp)sib-[0-9a-f]{40,}-[A-Za-z0-9]{16}",
    ),
    token("resend-key", &["re_"], 36, r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}").mixed(),
    token("mailersend-key", &["mlsn."], 60, r"mlsn\.[0-9a-f]{60,}"),
    token(
        "facebook-token",
        &["eaac", "eaag", "eaal", "eaam", "eaab", "eaad"],
        100,
        r"EAA[A-Z][A-Za-z0-9]{96,}",
    ),
    token("twitter-bearer-token", &["aaaaaaaaaaaaaaaaaaaaa"], 100, r"A{19,25}[A-Za-z0-9%]{75,}")
        .pattern_only(),
];
