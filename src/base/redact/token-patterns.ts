import type { Alphabet } from "./alphabet.ts";
import type { Evidence, PivotPattern, Segment, TokenPattern } from "./redact-pattern.ts";

const run = (chars: Alphabet, min: number, max = 300): Segment => ({ chars, min, max });

/** One row of prefixed tokens; `prefixes` are separated by blanks. */
const token = (kind: string, prefixes: string, ...body: readonly Segment[]): TokenPattern => ({
  type: "token",
  kind,
  prefixes: prefixes.split(" "),
  body,
  evidence: "token",
});

const proven = (evidence: Evidence, row: TokenPattern): TokenPattern => ({ ...row, evidence });

/** `count` groups of five behind dashes. */
const dashed = (count: number): readonly Segment[] =>
  Array.from({ length: count }, () => ["-", run("upperDigit", 5, 5)]).flat();

const MODEL_PROVIDERS: readonly TokenPattern[] = [
  proven("shape", token("anthropic", "sk-ant-", run("url", 10))),
  proven("shape", token("openrouter", "sk-or-", run("url", 10))),
  proven("digit", token("langfuse", "sk-lf-", run("url", 20))),
  token("openai", "sk-", run("url", 10)),
  proven("shape", token("openai", "sk-", run("alnum", 20))),
  proven("shape", token("google", "AIza", run("url", 30, 45))),
  proven("shape", token("perplexity", "pplx-", run("alnum", 10))),
  token("fal", "fal_", run("url", 10)),
  token("firecrawl", "fc-", run("alnum", 10)),
  token("browserbase", "bb_live_ bb_test_", run("url", 10)),
  proven("shape", token("huggingface", "hf_ api_org_", run("alnum", 30, 40))),
  token("replicate", "r8_", run("alnum", 10)),
  proven("shape", token("groq", "gsk_", run("alnum", 10))),
  proven("shape", token("xai", "xai-", run("alnum", 30))),
  token("nvidia", "nvapi-", run("url", 20)),
  token("cerebras", "csk-", run("alnum", 20)),
  token("fireworks", "fw_", run("alnum", 20)),
  token("together", "tgp_v1_", run("url", 20)),
  proven("random", token("voyage", "pa-", run("url", 40, 50))),
  token("jina", "jina_", run("url", 20)),
  token("langsmith", "lsv2_pt_ lsv2_sk_", run("word", 20)),
  token("tavily", "tvly-", run("url", 10)),
  token("exa", "exa_", run("url", 10)),
  token("mem0", "mem0_ m0-", run("url", 10)),
  token("retaindb", "retaindb_", run("url", 10)),
  token("honcho", "hsk-", run("url", 10)),
  token("byterover", "brv_", run("url", 10)),
  token("agentmail", "am_", run("url", 10)),
  token("elevenlabs", "sk_", run("alnum", 10)),
  token("e2b", "e2b_", run("hex", 30)),
  token("daytona", "dtn_", run("hex", 40)),
];

const CODE_HOSTS: readonly TokenPattern[] = [
  proven("shape", token("github", "github_pat_", run("word", 10))),
  proven("shape", token("github", "ghp_ gho_ ghu_ ghs_ ghr_", run("alnum", 10))),
  proven(
    "digit",
    token("gitlab", "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-", run("urlDot", 16)),
  ),
  proven("digit", token("gitlab", "GR1348941", run("url", 20))),
  token("atlassian", "ATATT3 ATCTT3", run("urlPad", 60)),
  token("buildkite", "bkua_ bkpt_", run("hex", 30)),
  token("circleci", "CCIPAT_ CCIPRJ_", run("word", 30)),
  proven("shape", token("npm", "npm_", run("alnum", 30, 40))),
  token("pypi", "pypi-AgE", run("url", 20, 1000)),
  token("rubygems", "rubygems_", run("hex", 48, 48)),
  token("clojars", "CLOJARS_", run("alnum", 60, 60)),
  token("sourcegraph", "sgp_local_", run("anyHex", 40, 40)),
  token("sourcegraph", "sgp_", run("anyHex", 16, 16), "_", run("anyHex", 40, 40)),
  token("sourcegraph", "sgp_", run("anyHex", 40, 40)),
  token("artifactory", "AKCp", run("alnum", 60, 80)),
  token("artifactory", "cmVmd", run("alnum", 59, 59)),
  token("harness", "pat. sat.", run("url", 22, 22), ".", run("alnum", 24, 24), ".", run("alnum", 20, 20)),
  token("codecov", "codecov-", run("hex", 32, 36)),
];

const CLOUDS: readonly TokenPattern[] = [
  proven("shape", token("aws", "AKIA ASIA ABIA ACCA", run("upperDigit", 16, 16))),
  proven("digit", token("aws", "A3T", run("upperDigit", 17, 17))),
  proven("digit", token("aws", "ABSK bedrock-api-key-", run("base64", 100, 4096))),
  token("aws", "FwoGZXIvYXdz IQoJb3JpZ2lu", run("base64", 80, 4096)),
  token("google_oauth", "ya29.", run("url", 20, 1024)),
  token("google_oauth", "GOCSPX-", run("url", 20)),
  proven("random", token("google_oauth", "1//0", run("url", 30))),
  proven("shape", token("digitalocean", "dop_v1_ doo_v1_ dor_v1_", run("hex", 10, 64))),
  token("databricks", "dapi", run("hex", 32, 32)),
  token("alibaba", "LTAI", run("alnum", 16, 24)),
  token("flyio", "fo1_", run("url", 43, 43)),
  token("flyio", "fm1a_ fm1r_ fm2_", run("base64", 100, 4096)),
  token("heroku", "HRKU-", run("url", 36, 64)),
  token("hashicorp", "hvs. hvb.", run("url", 24)),
  token("hashicorp", "s.", run("alnum", 24, 24)),
  token("doppler", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", run("urlDot", 40)),
  token("dynatrace", "dt0c01.", run("alnum", 24, 24), ".", run("alnum", 64, 64)),
  token("cloudflare", "v1.0-", run("hex", 24, 24), "-", run("hex", 146, 146)),
  token("pulumi", "pul-", run("hex", 40, 40)),
  token("prefect", "pnu_", run("alnum", 36, 36)),
  token("planetscale", "pscale_tkn_ pscale_oauth_ pscale_pw_", run("urlDot", 32)),
  token("supabase", "sbp_ sb_secret_", run("url", 20)),
  token("netlify", "nfp_", run("alnum", 30)),
  token("render", "rnd_", run("alnum", 20)),
  token("tailscale", "tskey-", run("url", 16)),
  token("scalingo", "tk-us-", run("url", 48, 48)),
  token("infracost", "ico-", run("alnum", 32, 32)),
  token("clickhouse", "4b1d", run("alnum", 38, 38)),
  token("yandex", "AQVN", run("url", 35, 38)),
  token("yandex", "y0_", run("url", 40, 80)),
  token("openshift", "sha256~", run("url", 43, 43)),
  token("octopus", "API-", run("upperDigit", 26, 26)),
  token("netdata", "dnkey-", run("urlPad", 26, 90)),
];

const SERVICES: readonly TokenPattern[] = [
  token("slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xapp- xoxe.xoxb- xoxe.xoxp-", run("url", 10)),
  proven("shape", token("stripe", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", run("alnum", 10))),
  token("webhook", "whsec_", run("base64", 20)),
  token("sendgrid", "SG.", run("url", 16, 32), ".", run("url", 16, 64)),
  token("discord", "M N O", run("url", 23, 25), ".", run("url", 6, 6), ".", run("url", 27, 38)),
  token("matrix", "syt_", run("word", 10)),
  token("twilio", "SK", run("anyHex", 32, 32)),
  proven("digit", token("square", "sq0atp- sq0csp-", run("url", 22, 60))),
  { ...token("square", "EAAA", run("url", 56, 64)), notAfter: "/+" },
  { ...token("facebook", "EAA", run("alnum", 90, 300)), notAfter: "/+" },
  token("shopify", "shpat_ shpca_ shppa_ shpss_", run("anyHex", 32, 32)),
  token("shippo", "shippo_live_ shippo_test_", run("anyHex", 40, 40)),
  token("easypost", "EZAK EZTK", run("alnum", 54, 54)),
  token("duffel", "duffel_test_ duffel_live_", run("urlPad", 43, 43)),
  token("flutterwave", "FLWSECK_TEST- FLWSECK-", run("alnum", 12, 40)),
  token("frameio", "fio-u-", run("urlPad", 64, 64)),
  token("grafana", "glc_ eyJrIjoi", run("base64", 32, 400)),
  token("grafana", "glsa_", run("alnum", 32, 32), "_", run("anyHex", 8, 8)),
  token("linear", "lin_api_ lin_oauth_", run("alnum", 32)),
  token("notion", "ntn_", run("alnum", 44, 48)),
  token("notion", "secret_", run("alnum", 43, 43)),
  token("newrelic", "NRAK- NRII- NRJS- NRRA-", run("url", 19)),
  {
    ...token("softlayer", "api.softlayer.com/soap/v3/ api.softlayer.com/soap/v3.1/", run("hex", 64, 64)),
    keepPrefix: true,
  },
  token("postman", "PMAK-", run("url", 40)),
  token("posthog", "phx_", run("alnum", 30)),
  token("figma", "figd_ figo_", run("url", 20)),
  token("airtable", "pat", run("alnum", 14, 14), ".", run("hex", 64, 64)),
  token("readme", "rdme_", run("lowerDigit", 70, 70)),
  token("brevo", "xkeysib- xsmtpsib-", run("url", 60, 90)),
  token("mailgun", "key-", run("hex", 32, 32)),
  token("resend", "re_", run("alnum", 8, 8), "_", run("alnum", 20, 32)),
  token("hubspot", "pat-na1- pat-na2- pat-eu1-", run("url", 32)),
  token("contentful", "CFPAT-", run("url", 40)),
  token("sentry", "sntrys_ sntryu_", run("base64", 40, 512)),
  token("settlemint", "sm_aat_ sm_pat_ sm_sat_", run("alnum", 16, 16)),
  token("typeform", "tfp_", run("urlDot", 40)),
  token("mapbox", "sk.eyJ", run("url", 40), ".", run("url", 22)),
  token("dropbox", "sl.", run("urlPad", 100, 1400)),
  token("adobe", "p8e-", run("alnum", 32, 32)),
  token("intra42", "s-s4t2ud- s-s4t2af-", run("hex", 64, 64)),
  proven("random", token("onepassword", "ops_eyJ", run("base64", 100, 4096))),
  proven("digit", token("onepassword", "A3-", run("upperDigit", 6, 6), "-", run("upperDigit", 11, 11), ...dashed(3))),
  proven("digit", token("onepassword", "A3-", run("upperDigit", 6, 6), "-", run("upperDigit", 6, 6), ...dashed(4))),
  token("age", "AGE-SECRET-KEY-1", run("upperDigit", 58, 58)),
  { ...token("fernet", "gAAAA", run("urlPad", 20, 4096)), notAfter: "/+" },
  {
    ...token(
      "slack_webhook",
      "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
      run("path", 30),
    ),
    keepPrefix: true,
  },
  {
    ...token(
      "discord_webhook",
      "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
      run("digit", 15, 22),
      "/",
      run("url", 40),
    ),
    keepPrefix: true,
  },
];

const GENERAL: readonly TokenPattern[] = [
  {
    ...proven("jwt", token("jwt", "eyJ", run("url", 8, 4096), ".", run("url", 8, 8192))),
    rest: [".", run("url", 0, 2048)],
  },
  {
    ...token("bearer", "Bearer_ bearer_ BEARER_", run("bearer", 12, 4096)),
    prefixes: ["Bearer ", "bearer ", "BEARER "],
    keepPrefix: true,
  },
  { ...proven("basic", token("basic", "", run("base64", 8, 1024))), prefixes: ["Basic ", "basic "], keepPrefix: true },
  {
    ...proven("password", token("password", "", run("any", 6, 128))),
    prefixes: ["password "],
    keepPrefix: true,
    near: "login ",
  },
];

const PIVOTS: readonly PivotPattern[] = [
  {
    type: "pivot",
    kind: "telegram",
    before: [run("digit", 8, 10)],
    pivot: ":",
    after: [run("url", 30, 46)],
    evidence: "token",
  },
  {
    type: "pivot",
    kind: "facebook",
    before: [run("digit", 15, 16)],
    pivot: "|",
    after: [run("url", 27, 40)],
    evidence: "token",
  },
  {
    type: "pivot",
    kind: "mailchimp",
    before: [run("hex", 32, 32)],
    pivot: "-us",
    after: [run("digit", 1, 2)],
    evidence: "digit",
  },
  {
    type: "pivot",
    kind: "azure",
    before: [run("azure", 3, 3), run("digit", 1, 1), "Q"],
    pivot: "~",
    after: [run("azure", 31, 34)],
    evidence: "token",
  },
  {
    type: "pivot",
    kind: "terraform",
    before: [run("alnum", 14, 14), "."],
    pivot: "atlasv1.",
    after: [run("urlPad", 60, 70)],
    evidence: "token",
  },
];

/** Secrets known by their own form. Of two rows that fit, the one with the longer prefix counts, then the earlier. */
export const TOKEN_PATTERNS: readonly (TokenPattern | PivotPattern)[] = [
  ...MODEL_PROVIDERS,
  ...CODE_HOSTS,
  ...CLOUDS,
  ...SERVICES,
  ...GENERAL,
  ...PIVOTS,
];
