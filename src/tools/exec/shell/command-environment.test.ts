import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { redactText } from "../../../base/redact/redact-text.ts";
import { commandEnvironment } from "./command-environment.ts";

const options = {
  passthrough: [],
  sessionId: "s1",
  looksSecret: (value: string): boolean => redactText(value) !== value,
};
const value = randomBytes(20).toString("hex");
const namesOf = (environment: Record<string, string>): readonly string[] =>
  Object.keys(commandEnvironment(environment, options)).filter((name) => name !== "HERMES_SESSION_ID");

test.each([
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TERM",
  "SHELL",
  "USER",
  "TZ",
  "DISPLAY",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "XAUTHORITY",
  "GPG_TTY",
  "DBUS_SESSION_BUS_ADDRESS",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "SUDO_ASKPASS",
  "EDITOR",
  "NODE_OPTIONS",
  "VIRTUAL_ENV",
  "JAVA_HOME",
  "HERMES_HOME",
  "PWD",
  "OLDPWD",
  "KEYBOARD",
  "MONKEY",
  "AUTHOR",
  "TOKENIZERS_PARALLELISM",
  "PATTERN",
  "COMPASS",
  "SPIN",
  "BYPASSED",
  "PASSENGER_APP_ENV",
])("R-SAFE-5: %s is passed on", (name) => {
  expect(namesOf({ [name]: "an ordinary value" })).toEqual([name]);
});

test.each([
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "HF_TOKEN",
  "TELEGRAM_BOT_TOKEN",
  "DISCORD_BOT_TOKEN",
  "SLACK_APP_TOKEN",
  "MATRIX_ACCESS_TOKEN",
  "EMAIL_PASSWORD",
  "WECOM_SECRET",
  "LINE_CHANNEL_SECRET",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SESSION_TOKEN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "SUDO_PASSWORD",
  "PGPASSWORD",
  "MYSQL_PWD",
  "REDISCLI_AUTH",
  "GITHUB_PAT",
  "GITHUBTOKEN",
  "myApiKey",
  "STRIPE_KEY",
  "KEY",
  "TOKEN",
  "OPENAI_API_KEY_2",
  "SSH_PASSPHRASE",
  "npm_config__authToken",
  "BW_SESSION",
  "OP_SESSION_my",
  "SESSION_COOKIE",
  "HERMES_DASHBOARD_PASSWORD",
  "LOGIN_PIN",
])("R-SAFE-5: %s is not", (name) => {
  expect(namesOf({ [name]: value })).toEqual([]);
});

test("a secret under an innocent name is found by its value, a digit-only password by its name", () => {
  expect(namesOf({ DATABASE_URL: `postgres://app:${value}@db/app`, NOTE: `ghp_${value.slice(0, 36)}` })).toEqual([]);
  expect(namesOf({ DB_PASSWORD: "123456" })).toEqual([]);
});

test("measures and switches with such words in their names are passed on", () => {
  const plain = { MAX_TOKENS: "4096", TOKEN_LIMIT: "200000", USE_AUTH: "true", ENABLE_KEYS: "0" };
  expect(namesOf(plain)).toEqual(Object.keys(plain));
});

test("a proxy is needed to reach anything, password or not", () => {
  const proxy = { https_proxy: `http://me:${value}@proxy:8080` };
  expect(commandEnvironment(proxy, options)).toMatchObject(proxy);
});

test("the owner lets through by name; manifests name further secrets", () => {
  expect(commandEnvironment({ MY_KEY: value }, { ...options, passthrough: ["MY_KEY"] })).toMatchObject({
    MY_KEY: value,
  });
  expect(commandEnvironment({ ODD: "x" }, { ...options, secretNames: new Set(["ODD"]) })).not.toHaveProperty("ODD");
});

test("the session, an own home and extras are set", () => {
  expect(commandEnvironment({ HOME: "/root", A: "1" }, { ...options, home: "/agent/home", extra: { A: "2" } })).toEqual(
    {
      HOME: "/agent/home",
      A: "2",
      HERMES_SESSION_ID: "s1",
    },
  );
});

test("what npm and npx added is taken away again, and only then", () => {
  const folders = "/p/node_modules/.bin:/node_modules/.bin:/n/npm/node-gyp-bin:/usr/bin:/later/node_modules/.bin";
  const ours = { PATH: folders, NODE: "/usr/bin/node", INIT_CWD: "/p", npm_package_name: "x" };
  expect(commandEnvironment({ ...ours, npm_execpath: "/n" }, options)).toEqual({
    PATH: "/usr/bin:/later/node_modules/.bin",
    HERMES_SESSION_ID: "s1",
  });
  expect(commandEnvironment(ours, options)).toMatchObject({ PATH: folders, NODE: "/usr/bin/node" });
  expect(commandEnvironment({ NODE_CHANNEL_FD: "3" }, options)).not.toHaveProperty("NODE_CHANNEL_FD");
});
