//! Clouds, hosting, infrastructure as code.

use super::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // Amazon: IAM user guide, "unique identifiers"; Bedrock user guide, "API keys"; MWS.
    token(
        "aws-access-key-id",
        &["akia", "asia", "abia", "acca"],
        20,
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    ),
    token("aws-bedrock-key", &["absk"], 100, r"ABSK[A-Za-z0-9+/]{96,}={0,2}").pattern_only(),
    token("aws-bedrock-key", &["bedrock-api-key-"], 60, r"bedrock-api-key-[A-Za-z0-9+/=_-]{44,}"),
    token(
        "aws-session-token",
        &["iqojb3jpz2lu", "fwogzxivyxdz"],
        100,
        r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/=%_-]{88,}",
    ),
    token(
        "aws-mws-key",
        &["amzn.mws."],
        45,
        r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    token("aws-signature", &["x-amz-signature="], 64, r"(?i)X-Amz-Signature=([0-9a-f]{40,})"),
    token(
        "aws-session-token",
        &["x-amz-security-token="],
        100,
        r"(?i)X-Amz-Security-Token=([A-Za-z0-9%+/=_-]{80,})",
    ),
    // Google: API keys, OAuth 2.0 client secrets and tokens, signed URLs.
    token("gcp-api-key", &["aiza"], 39, r"AIza[A-Za-z0-9_-]{35,}"),
    token("google-oauth-client-secret", &["gocspx-"], 35, r"GOCSPX-[A-Za-z0-9_-]{28,}"),
    token("google-oauth-token", &["ya29."], 25, r"ya29\.[A-Za-z0-9_.-]{20,}"),
    token("google-oauth-token", &["1//0"], 40, r"1//0[A-Za-z0-9_-]{36,}"),
    token("gcs-signature", &["x-goog-signature="], 64, r"(?i)X-Goog-Signature=([0-9a-f]{64,})"),
    // Microsoft: Entra client secrets, "identifiable keys" of Azure services, DevOps, SAS.
    token("azure-client-secret", &["q~"], 33, r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}")
        .before(4),
    token("azure-devops-pat", &["azdo"], 8, r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}").before(76),
    token(
        "azure-key",
        &["+ast", "acdb"],
        12,
        r"[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}={0,2}",
    )
    .before(76),
    token(
        "azure-key",
        &["+aeh", "+asb", "+ami", "aiot"],
        8,
        r"[A-Za-z0-9+/]{33}(?:\+AEh|\+ASb|\+AMI|AIoT)[A-Za-z0-9+/]{5,8}={0,2}",
    )
    .before(33),
    token("azure-key", &["azse"], 8, r"[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{6}").before(42),
    token(
        "azure-key",
        &["azfu", "+acr"],
        8,
        r"[A-Za-z0-9+/_-]{42,44}(?:AzFu|\+ACR)[A-Za-z0-9+/_-]{4,8}={0,2}",
    )
    .before(44),
    token("azure-sas", &["sig="], 40, r"(?i)sig=([A-Za-z0-9%+/]{40,}(?:=|%3D)?)"),
    // Chinese clouds: RAM, CAM, IAM access keys.
    token("alibaba-access-key-id", &["ltai"], 16, r"LTAI[A-Za-z0-9]{12,}").mixed(),
    token("alibaba-sts-token", &["sts.n"], 24, r"STS\.N[A-Za-z0-9]{19,}"),
    token("tencent-secret-id", &["akid"], 36, r"AKID[A-Za-z0-9_-]{32,}").mixed(),
    token("baidu-bce-key", &["bce-v3/"], 60, r"bce-v3/ALTAK-[A-Za-z0-9]{16,}/[0-9a-f]{40}"),
    token("volcengine-access-key-id", &["aklt"], 40, r"AKLT[A-Za-z0-9_-]{36,}={0,2}"),
    token("yandex-key", &["aqvn"], 39, r"AQVN[A-Za-z0-9_-]{35,}"),
    token("yandex-token", &["t1."], 100, r"t1\.[A-Za-z0-9_-]+={0,2}\.[A-Za-z0-9_-]{80,}={0,2}"),
    // Hosting.
    token(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        60,
        r"do[por]_v1_[0-9a-f]{48,}",
    ),
    token("heroku-key", &["hrku-"], 41, r"HRKU-[A-Za-z0-9_-]{36,}"),
    token(
        "fly-token",
        &["fm1_", "fm2_", "fm1r_", "fm1a_"],
        60,
        r"fm[12][ar]?_[A-Za-z0-9+/]{56,}={0,3}",
    )
    .pattern_only(),
    token("fly-token", &["fo1_"], 44, r"fo1_[A-Za-z0-9_-]{40,}"),
    token(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        28,
        r"vc[piark]_[A-Za-z0-9]{24,}",
    ),
    token(
        "vercel-blob-token",
        &["vercel_blob_rw_"],
        40,
        r"vercel_blob_rw_[A-Za-z0-9]{16,}_[A-Za-z0-9]{24,}",
    ),
    token(
        "netlify-token",
        &["nfp_", "nfo_", "nfc_", "nfu_", "nfb_"],
        40,
        r"nf[pocub]_[A-Za-z0-9]{36,}",
    ),
    token("cloudflare-token", &["cfut_", "cfat_", "cfk_"], 44, r"cf(?:ut|at|k)_[A-Za-z0-9]{40,}"),
    token("cloudflare-origin-ca-key", &["v1.0-"], 100, r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    token("supabase-token", &["sbp_"], 44, r"sbp_(?:v0_)?[0-9a-f]{40,}"),
    token("supabase-secret-key", &["sb_secret_"], 30, r"sb_secret_[A-Za-z0-9_-]{20,}"),
    token("databricks-token", &["dapi"], 36, r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    token("databricks-token", &["dose", "dkea"], 36, r"(?:dose|dkea)[0-9a-f]{32}"),
    token(
        "planetscale-token",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        40,
        r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,}",
    ),
    token("neon-key", &["napi_"], 40, r"napi_[a-z0-9]{40,}"),
    token("neon-password", &["npg_"], 14, r"npg_[A-Za-z0-9]{10,}").mixed(),
    token("tailscale-key", &["tskey-"], 28, r"tskey-[a-z]+-[A-Za-z0-9-]{16,}"),
    token("openshift-token", &["sha256~"], 47, r"sha256~[A-Za-z0-9_-]{40,}"),
    token("docker-swarm-token", &["swmtkn-1-"], 60, r"SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}"),
    token("scalingo-token", &["tk-us-"], 54, r"tk-us-[A-Za-z0-9_-]{48,}"),
    token("defined-networking-key", &["dnkey-"], 80, r"dnkey-[A-Z0-9]{20,}-[A-Z0-9]{40,}"),
    token("clickhouse-key", &["4b1d"], 42, r"4b1d[A-Za-z0-9]{38}").mixed(),
    // Secret stores and infrastructure as code.
    token("vault-token", &["hvs.", "hvb.", "hvr."], 24, r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        44,
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{1,35}\.)?[A-Za-z0-9]{40,}",
    ),
    token("terraform-token", &[".atlasv1."], 60, r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}")
        .before(14),
    token("pulumi-token", &["pul-"], 44, r"pul-[0-9a-f]{40,}"),
    token("infracost-key", &["ico-"], 36, r"ico-[A-Za-z0-9]{32,}"),
    token("onepassword-token", &["ops_eyj"], 60, r"ops_eyJ[A-Za-z0-9+/_-]{50,}={0,3}"),
    token(
        "onepassword-secret-key",
        &["a3-"],
        34,
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    ),
    token("age-secret-key", &["age-secret-key-"], 60, r"(?i)AGE-SECRET-KEY-(?:PQ-)?1[a-z0-9]{50,}"),
];
