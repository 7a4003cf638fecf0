import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretSamples } from "../../testing/secret-samples.ts";
import { PATTERNS } from "./patterns.ts";
import { createRedactor, redactText } from "./redact-text.ts";

const seed = randomInt(1, 2 ** 31);
const samples = createSecretSamples(seed);
const MASK = /^«secret:[a-z0-9_]+:[0-9a-f]{4}»$/;

/** The text with the secret replaced by a mask of any kind, or the text itself. */
const maskOnly = (text: string, secret: string): string =>
  redactText(text)
    .replace(/«secret:[a-z0-9_]+:[0-9a-f]{4}»/g, "■")
    .replace(secret, "LEAK");

describe(`redactText (seed ${seed})`, () => {
  describe("tokens by form", () => {
    const rows = PATTERNS.filter(
      (row) => row.type !== "name" && row.evidence !== "jwt" && row.evidence !== "basic" && row.evidence !== "password",
    );
    for (const row of rows) {
      if (row.type === "name") continue;
      const label = row.type === "token" ? row.prefixes.join(" ").slice(0, 40) : row.pivot;
      test(`${row.kind} ${label}`, () => {
        for (const secret of samples.ofRow(row)) {
          const kept =
            row.type === "token" && row.keepPrefix === true
              ? (row.prefixes.find((prefix) => secret.startsWith(prefix)) ?? "")
              : "";
          expect(redactText(secret).slice(kept.length), secret).toMatch(MASK);
          expect(maskOnly(`before ${secret}, after`, secret), secret).toBe(`before ${kept}■, after`);
          // Glued to a word on the left it is a part of another word, not a token.
          if (row.type === "token")
            expect(redactText(`word${secret}`).startsWith(`word${secret.slice(0, 2)}`), secret).toBe(true);
        }
      });
    }

    test("a token ends with its sentence, and survives colours, escapes and percent escapes before it", () => {
      const token = `ghp_${samples.opaque(36)}`;
      expect(maskOnly(`It is ${token}.`, token)).toBe("It is ■.");
      expect(maskOnly(`\u001b[32m${token}\u001b[0m`, token)).toBe("\u001b[32m■\u001b[0m");
      expect(maskOnly(`{"log":"a\\n${token}\\nb"}`, token)).toBe(`{"log":"a\\n■\\nb"}`);
      expect(maskOnly(`x%3D${token}`, token)).toBe("x%3D■");
      expect(maskOnly(`\\u0026${token}`, token)).toBe("\\u0026■");
    });

    test("a token that an underscore joins to a name is found, a name that only holds a token's beginning stays", () => {
      const github = `ghp_${samples.opaque(36)}`;
      const openai = `sk-${samples.opaque(48)}`;
      expect(maskOnly(`my_${github}`, github)).toBe("my_■");
      expect(maskOnly(`backup_KEY_${openai} is gone`, openai)).toBe("backup_KEY_■ is gone");
      expect(maskOnly(`a__${github} ${"long_".repeat(200)}${openai}`, openai)).toMatch(/^a__■ (?:long_)+■$/);
      for (const text of [
        "use_sk-learn-and-its-estimators",
        "my_ghp_token1",
        "test_npm_package_lock_v2",
        `data_${github.slice(0, 14)}`,
        `my${github}`,
        "icon_fc-2f4a",
      ]) {
        expect(redactText(text)).toBe(text);
      }
    });

    test("JWT: by its header, with and without signature", () => {
      const jwt = samples.jwt();
      const unsigned = jwt.slice(0, jwt.lastIndexOf("."));
      expect(redactText(jwt)).toMatch(/^«secret:jwt:[0-9a-f]{4}»$/);
      expect(redactText(unsigned)).toMatch(/^«secret:jwt:[0-9a-f]{4}»$/);
      expect(redactText("eyJub3QganNvbg.eyJub3QganNvbg.abcdefghijk")).toBe("eyJub3QganNvbg.eyJub3QganNvbg.abcdefghijk");
    });

    test("Telegram: with and without the URL's `bot`", () => {
      const token = `${110000000 + randomInt(1_000_000)}:AA${samples.opaque(33)}`;
      expect(maskOnly(`https://api.telegram.org/bot${token}/sendMessage`, token)).toBe(
        "https://api.telegram.org/bot■/sendMessage",
      );
      expect(maskOnly(`token is ${token}`, token)).toBe("token is ■");
    });
  });

  describe("private keys", () => {
    test("a whole block is one mask, on lines, in escaped text, indented in YAML", () => {
      const key = samples.privateKey(12);
      expect(redactText(`a\n${key}\nb`)).toMatch(/^a\n«secret:private_key:[0-9a-f]{4}»\nb$/);
      expect(redactText(JSON.stringify({ key }))).toMatch(/^\{"key":"«secret:private_key:[0-9a-f]{4}»"\}$/);
      expect(redactText(`key: |\n  ${key.replaceAll("\n", "\n  ")}\n`)).toMatch(
        /^key: \|\n {2}«secret:private_key:[0-9a-f]{4}»\n$/,
      );
    });

    test("a block without its end is masked as far as it reaches", () => {
      const cut = samples.privateKey(12).split("\n").slice(0, 9).join("\n");
      expect(redactText(`${cut}\nThe rest was cut, sorry.`)).toMatch(
        /^«secret:private_key:[0-9a-f]{4}»\nThe rest was cut, sorry\.$/,
      );
    });

    test("code that only speaks of keys stays", () => {
      const head = ["-----BEGIN", "PRIVATE", "KEY-----"].join(" ");
      const tail = ["-----END", "PRIVATE", "KEY-----"].join(" ");
      for (const text of [
        `${head}\n\${key}\n${tail}`,
        `"${head}\\n" + body + "\\n${tail}"`,
        `${head}\n...\n${tail}`,
        `${head}${tail}`,
        `if (x.includes("${head}")) {`,
      ]) {
        expect(redactText(text)).toBe(text);
      }
    });
  });

  describe("URLs", () => {
    test("B26: an opaque value is masked by its parameter's name; the rest of the URL stays and parses", () => {
      const secret = samples.opaque(40);
      for (const url of [
        `https://svc.invalid/v?api_key=${secret}&page=2`,
        `https://svc.invalid/v?page=2&token=${secret}#top`,
        `wss://h/ws?token=${secret}&page=2`,
      ]) {
        for (const text of [url, `2026-12-01T10:00:00Z INFO "GET ${url} HTTP/1.1" 200 17`, `fetch('${url}')`]) {
          const masked = redactText(text);
          expect(masked).not.toContain(secret);
          expect(masked.replace(/«[^»]*»/, secret)).toBe(text);
        }
        const parsed = new URL(redactText(url));
        expect(parsed.searchParams.get("page")).toBe("2");
        expect(parsed.href.startsWith(url.slice(0, url.indexOf("?")))).toBe(true);
        expect(parsed.searchParams.get("api_key") ?? parsed.searchParams.get("token")).toMatch(MASK);
      }
    });

    test("B26: parameters that only look alike stay", () => {
      for (const text of [
        "https://svc.invalid/v?tokens=5",
        "https://svc.invalid/v?author=ann",
        "/v?key=name&code=200&session=1&page_token=abc123",
        "?access_token=ACCESS_TOKEN&sort_key=created2",
      ]) {
        expect(redactText(text)).toBe(text);
      }
    });

    test.each([
      "access_token",
      "refresh_token",
      "id_token",
      "token",
      "api_key",
      "apikey",
      "client_secret",
      "password",
      "auth",
      "jwt",
      "session",
      "secret",
      "key",
      "code",
      "signature",
      "X-Amz-Signature",
    ])("parameter %s in a query, a form body and an access-log line", (name) => {
      const secret = samples.opaque(32);
      expect(maskOnly(`https://h/p?${name}=${secret}&page=2`, secret)).toBe(`https://h/p?${name}=■&page=2`);
      expect(maskOnly(`user=ann&${name}=${secret}&page=2`, secret)).toBe(`user=ann&${name}=■&page=2`);
      expect(maskOnly(`1.2.3.4 - - "GET /cb?${name}=${secret} HTTP/1.1" 302`, secret)).toBe(
        `1.2.3.4 - - "GET /cb?${name}=■ HTTP/1.1" 302`,
      );
    });

    test.each(["postgres", "postgresql+asyncpg", "mysql", "mongodb+srv", "redis", "amqp", "https", "wss", "ftp"])(
      "%s: the password of the user information",
      (scheme) => {
        const secret = samples.opaque(14);
        const masked = redactText(`${scheme}://ann:${secret}@db.invalid:5432/x?ssl=1`);
        expect(masked).not.toContain(secret);
        expect(masked.startsWith(`${scheme}://ann:«secret:url_password:`)).toBe(true);
        expect(new URL(masked).hostname).toBe("db.invalid");
        expect(new URL(masked).username).toBe("ann");
      },
    );

    test("user information without a secret stays", () => {
      for (const text of [
        "https://user:password@host.invalid",
        "http://$USER:$PASS@h/",
        "postgres://${user}:${pass}@h",
        "http://localhost:5000/<%= @x %>",
        '"https://url:8000";@something',
        "git@github.com:a/b.git",
        "amqp://host:5672/v",
      ]) {
        expect(redactText(text)).toBe(text);
      }
    });
  });

  describe("named values", () => {
    const secret = samples.opaque(32);

    test.each([
      ["environment line", `export SERVICE_API_KEY=${secret}`],
      ["environment line, quoted", `DB_PASSWORD="${secret}"`],
      ["docker flag", `docker run -e AUTH_TOKEN=${secret} image`],
      ["JSON", `{"access_token": "${secret}", "n": 1}`],
      ["JSON in JSON", JSON.stringify({ body: JSON.stringify({ client_secret: secret }) })],
      ["YAML", `  password: ${secret}\n  port: 5432`],
      ["ini", `aws_secret_access_key = ${secret}`],
      ["TOML, Python", `api_key: str = "${secret}"`],
      ["code", `const apiKey = '${secret}';`],
      ["keyword argument", `connect(password="${secret}", port=1)`],
      ["subscript", `os.environ["API_TOKEN"] = "${secret}"`],
      ["header", `X-Api-Key: ${secret}`],
      ["header pair", `request.header("X-Api-Key", "${secret}")`],
      ["bearer header", `Authorization: Bearer ${secret}`],
      ["bearer alone", `curl -H "Authorization: Bearer ${secret}" https://h.invalid`],
      ["basic header", `Authorization: Basic ${Buffer.from(`ann:${secret}`).toString("base64")}`],
      ["token header", `Authorization: Token ${secret}`],
      ["option", `tool --api-key ${secret} --verbose`],
      ["option in an array", `["--auth-token", "${secret}"]`],
      ["curl user", `curl -u ann:${secret} https://h.invalid`],
      ["XML element", `<password>${secret}</password>`],
      ["XML attributes", `<add key="Password" value="${secret}" />`],
      ["name and value", `{"name": "DB_PASSWORD", "value": "${secret}"}`],
      ["npm", `//registry.invalid/:_authToken=${secret}`],
      ["connection string", `AccountName=x;AccountKey=${secret};EndpointSuffix=y`],
      ["netrc", `machine h login ann password ${secret}`],
      ["cookie", `Cookie: lang=en; session=${secret}; theme=dark`],
    ])("%s", (_label, text) => {
      const hidden = text.includes(secret) ? secret : Buffer.from(`ann:${secret}`).toString("base64");
      expect(redactText(text)).not.toContain(hidden);
      expect(redactText(text).replace(/«secret:[a-z0-9_]+:[0-9a-f]{4}»/, hidden)).toBe(text);
    });

    test("a chosen password needs no randomness under a password's name", () => {
      for (const text of [
        '"password": "hunter2"',
        "DB_PASSWORD=correcthorse",
        "password: Tr0ub4dor&3",
        "--password=hunter2",
      ]) {
        expect(redactText(text)).toContain("«secret:password:");
      }
    });

    test("a token under a name keeps the token's kind, so it has one mask everywhere", () => {
      const token = `ghp_${samples.opaque(36)}`;
      const mask = redactText(token);
      expect(redactText(`GITHUB_TOKEN=${token}`)).toBe(`GITHUB_TOKEN=${mask}`);
      expect(redactText(`{"password": "${token}"}`)).toBe(`{"password": "${mask}"}`);
    });
  });

  test("B25: code that holds no secret stays byte for byte", () => {
    const text = 'head = f"Authorization: Bearer {tok}"\nMAX_TOKENS=4096\nsk_bulk = 3\n';
    expect(redactText(text)).toBe(text);
  });

  test.each([
    "api_key = os.environ['SERVICE_API_KEY']",
    "const token = process.env.GITHUB_TOKEN;",
    "password: config.database.password2",
    "token = get_token(user1, 'abc123')",
    "API_KEY=${API_KEY:-none}",
    "PASSWORD=$(pass show db1)",
    "secret: <your-secret-1>",
    'apiKey: "YOUR_API_KEY_1"',
    "password: {{ vault_password_2 }}",
    "token: string;\npassword?: SecretString2;",
    "private_key: ed25519.Ed25519PrivateKey",
    "exports.SignV4With2Credentials = SignV4With2Credentials;",
    "dotDotDotToken: SyntaxKind.DotDotDotToken",
    "token_url: https://h.invalid/oauth2/token",
    "max_tokens: 4096, total_tokens=81920",
    'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
    'nextPageToken: "CAUQAA2b4x8d9e7f6g5h"',
    ".sk-circle12-fade, .sk-folding-cube2 { color: red }",
    "npm_config_registry npm_package_version hf_requires_login am_i_happy",
    "commit 43fc912ef59a83054ea7f6706df4d53a7dea4d80",
    'integrity "sha512-Xv3p7Qm0b8c9Kd2f5Gh7Jk9L0zXcVbNm1Qw3Er5Ty7Ui9Op=="',
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx AKIAIOSFODNN7EXAMPLE",
    '{"password": "Please enter your password1"}',
    "img.4f2bexample7-ico-7a388b69018576d24b59331fd60aab0c.png",
  ])("no secret: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  test("R-REDACT-3: phone numbers, e-mail addresses and mentions are no secrets", () => {
    const text = "Call +491701234567, write ann@example.org, ask <@123456789012345678> or @ann:matrix.org";
    expect(redactText(text)).toBe(text);
  });

  test("R-REDACT-2: switched off, nothing at all changes", () => {
    const off = createRedactor({ enabled: false });
    const text = `TOKEN=${samples.opaque(40)}\n${samples.privateKey(4)}\n${samples.jwt()}`;
    expect(off.text(text)).toBe(text);
    expect(off.field("password", "hunter2")).toBe("hunter2");
    expect(off.find(text)).toEqual([]);
    expect(off.enabled).toBe(false);
  });

  test("the same secret has the same mask, another one another", () => {
    const [a, b] = [samples.opaque(32), samples.opaque(32)];
    const [first, second] = redactText(`API_KEY=${a}\napi_key: "${a}"`).match(/«[^»]*»/g) ?? [];
    expect(first).toBe(second);
    expect(redactText(`API_KEY=${b}`)).not.toBe(`API_KEY=${first}`);
  });

  test("field: the name decides, the form names the kind", () => {
    const redactor = createRedactor({ enabled: true });
    expect(redactor.field("password", "hunter2")).toMatch(MASK);
    expect(redactor.field("title", "hunter2")).toBe("hunter2");
    expect(redactor.field("password", "")).toBe("");
    const token = `ghp_${samples.opaque(36)}`;
    expect(redactor.field("token", token)).toBe(redactText(token));
    expect(redactor.field("note", `use ${token} now`)).toBe(`use ${redactText(token)} now`);
  });

  test("rows of a plugin are asked first; an unusable row is refused", () => {
    const redactor = createRedactor({
      enabled: true,
      extraPatterns: [
        {
          type: "token",
          kind: "acme",
          prefixes: ["acme-"],
          body: [{ chars: "hex", min: 8, max: 8 }],
          evidence: "shape",
        },
        { type: "name", kind: "acme_pin", names: ["acme pin"], strength: "password" },
      ],
    });
    expect(redactor.text("acme-12ab34cd")).toMatch(/^«secret:acme:/);
    expect(redactor.text("acme-12ab34cde")).toBe("acme-12ab34cde");
    expect(redactor.text("ACME_PIN=qz81kk")).toMatch(/^ACME_PIN=«secret:acme_pin:/);
    const bad = {
      type: "token",
      kind: "Bad Kind",
      prefixes: ["x-"],
      body: [{ chars: "hex", min: 1 }],
      evidence: "shape",
    } as const;
    expect(() => createRedactor({ enabled: true, extraPatterns: [bad] })).toThrowError(/Bad Kind/);
  });

  describe("properties", () => {
    const PIECES = [
      "password",
      "=",
      ": ",
      "token",
      '"',
      "'",
      "&",
      "?",
      "://",
      "@",
      "\n",
      " ",
      "ghp_",
      "sk-",
      "Bearer ",
      "-----BEGIN PRIVATE KEY-----",
      "eyJ",
      ",",
      "\\n",
      "%3D",
      "api_key",
      "«",
      "»",
      "«secret:token:ab12»",
      "-u ",
      "curl ",
      "{",
      "}",
      "a:b",
      "x",
      "<password>",
      "</",
      "API_KEY=",
    ];
    const text = fc
      .array(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
          { weight: 2, arbitrary: fc.integer({ min: 4, max: 40 }).map((length) => samples.opaque(length)) },
          fc.string({ maxLength: 8 }),
        ),
        { maxLength: 24 },
      )
      .map((pieces) => pieces.join(""));

    test("masking masked text changes nothing", () => {
      fc.assert(
        fc.property(text, (text) => {
          const once = redactText(text);
          expect(redactText(once)).toBe(once);
        }),
        { seed, numRuns: 3000 },
      );
    });

    test("spans are in order, apart, inside the text; what is outside of them stays", () => {
      const redactor = createRedactor({ enabled: true });
      fc.assert(
        fc.property(text, (text) => {
          let end = 0;
          let rest = "";
          for (const span of redactor.find(text)) {
            expect(span.start).toBeGreaterThanOrEqual(end);
            expect(span.end).toBeGreaterThan(span.start);
            rest += text.slice(end, span.start);
            end = span.end;
          }
          expect(end).toBeLessThanOrEqual(text.length);
          expect(redactText(text).replace(/«secret:(?!token:ab12)[a-z0-9_]+:[0-9a-f]{4}»/g, "")).toBe(
            (rest + text.slice(end)).replace(/«secret:(?!token:ab12)[a-z0-9_]+:[0-9a-f]{4}»/g, ""),
          );
        }),
        { seed, numRuns: 1500 },
      );
    });
  });
});
