import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { followLinks, isProtectedPath, isProtectedTree } from "./protected-paths.ts";
import type { ProtectedPathContext } from "./protected-paths.ts";

const context: ProtectedPathContext = {
  home: "/home/ann",
  cwd: "/home/ann/project",
  agentHome: "/home/ann/.hermes",
  caseInsensitive: false,
};

test.each([
  ["/etc/hosts", "system"],
  ["/etc", "system"],
  ["/private/etc/hosts", "system"],
  ["../../../etc/hosts", "system"],
  ["/tmp/../etc/./hosts", "system"],
  ["/boot/grub/grub.cfg", "system"],
  ["/usr/bin/git", "system"],
  ["/proc/sys/kernel/panic", "system"],
  [".git/hooks/pre-commit", "autostart"],
  ["sub/.git/config", "autostart"],
  ["~/.gitconfig", "autostart"],
  ["~/.config/environment.d/x.conf", "autostart"],
  ["~/.ssh/authorized_keys", "credentials"],
  ["/home/ann/.ssh", "credentials"],
  ["../.gnupg/x", "credentials"],
  ["/root/.ssh/id_rsa", "credentials"],
  ["~/.aws/credentials", "credentials"],
  ["~/.netrc", "credentials"],
  ["~/.docker/config.json", "credentials"],
  ["~/.cargo/credentials.toml", "credentials"],
  ["~/.bashrc", "shell-startup"],
  ["~/.zshenv", "shell-startup"],
  ["~/.profile", "shell-startup"],
  ["~/.config/fish/config.fish", "shell-startup"],
  ["~/.config/systemd/user/x.service", "autostart"],
  ["~/.hermes/.env", "agent-home"],
  ["~/.hermes/auth.json", "agent-home"],
  ["~/.hermes/config.yaml", "agent-home"],
  ["~/.hermes/hermes.db-wal", "agent-home"],
  ["~/.hermes/plugins/x/plugin.yaml", "agent-home"],
  ["~/.hermes/memories/MEMORY.md", "agent-home"],
  ["~/.hermes/profiles/work/auth.json", "agent-home"],
  [".env", "project-secrets"],
  ["sub/.env.production", "project-secrets"],
  ["/srv/app/.env.local", "project-secrets"],
  ["config.yaml", "project-config"],
  ["sub/config.yaml", "project-config"],
])("%s is protected: %s", (path, why) => {
  expect(isProtectedPath(path, context)).toEqual({ protected: true, why });
});

test.each([
  "src/index.ts",
  "/tmp/x",
  "/etcetera/x",
  "~/.sshx",
  "~/notes/.bashrc.md/x",
  "/home/bob/.bashrc",
  "~/.aws/sso/cache",
  "~/.hermes/skills/x/SKILL.md",
  "~/.hermes/SOUL.md",
  "~/.hermes/config.yml",
  ".env.example",
  ".envrc.d/x",
  "environment",
  "/srv/other/config.yaml",
  "config.yml",
])("%s is not protected", (path) => {
  expect(isProtectedPath(path, context)).toEqual({ protected: false });
});

test("a profile's home protects the default home and every other profile too", () => {
  const profile = { ...context, agentHome: "/home/ann/agents/profiles/work" };
  for (const path of [
    "/home/ann/agents/profiles/work/.env",
    "/home/ann/agents/auth.json",
    "/home/ann/agents/profiles/play/hermes.db",
  ]) {
    expect(isProtectedPath(path, profile)).toEqual({ protected: true, why: "agent-home" });
  }
});

test("B50: a link leads to what it leads to", async () => {
  await using temp = createTempDirectory();
  const at = (...parts: readonly string[]): string => join(temp.path, ...parts);
  await mkdir(at("home", ".ssh", "keys"), { recursive: true });
  await mkdir(at("project", "sub"), { recursive: true });
  await mkdir(at("safe"));
  await writeFile(at("home", ".ssh", "authorized_keys"), "");
  await symlink(at("home", ".ssh", "authorized_keys"), at("project", "to-file"));
  await symlink(at("home", ".ssh"), at("project", "to-folder"));
  await symlink("to-folder", at("project", "chain-2"));
  await symlink("chain-2", at("project", "chain-1"));
  await symlink("../../home/.ssh/authorized_keys", at("project", "sub", "relative"));
  await symlink(at("home", ".ssh", "keys"), at("project", "to-keys"));
  await symlink(at("home", ".ssh", "not-there-yet"), at("project", "dangling"));
  await symlink(at("safe"), at("project", "to-safe"));
  await symlink("loop-b", at("project", "loop-a"));
  await symlink("loop-a", at("project", "loop-b"));
  await symlink(at("home"), at("other-name"));
  const links: ProtectedPathContext = {
    home: at("home"),
    cwd: at("project"),
    agentHome: at("home", ".hermes"),
    caseInsensitive: false,
  };

  for (const path of [
    "to-file",
    "to-folder/new-key",
    "to-folder/a/b/c",
    "chain-1/new-key",
    "sub/relative",
    "sub/../to-file",
    "./sub/.././chain-1/../chain-1/x",
    "to-keys/../authorized_keys",
    "dangling",
    "to-folder",
    at("other-name", ".ssh", "x"),
    at("other-name", ".bashrc"),
    "loop-a/x",
  ]) {
    expect(isProtectedPath(path, links), path).toMatchObject({ protected: true });
  }
  for (const path of ["to-safe/x", "to-safe", "sub/new", "to-keys.txt"]) {
    expect(isProtectedPath(path, links), path).toEqual({ protected: false });
  }
  expect(
    isProtectedPath(".ssh/x", { ...links, home: at("other-name"), cwd: at("home") }),
    "the home itself is a link",
  ).toMatchObject({
    protected: true,
  });
  expect(followLinks(at("project", "chain-1", "x", "y"))).toBe(at("home", ".ssh", "x", "y"));
});

test("B50: case variants count where the file system does not tell them apart", () => {
  const folding = { ...context, caseInsensitive: true };
  for (const path of ["/ETC/hosts", "~/.SSH/x", "~/.BashRC", "~/.Hermes/Auth.JSON", ".ENV", "Config.YAML"]) {
    expect(isProtectedPath(path, folding), path).toMatchObject({ protected: true });
    expect(isProtectedPath(path, context), path).toEqual({ protected: false });
  }
});

test.each([
  ["/", "system"],
  ["/usr", "system"],
  ["/home", "credentials"],
  ["~", "credentials"],
  ["~/.config", "credentials"],
  ["~/.hermes", "agent-home"],
  ["~/.ssh", "credentials"],
  ["..", "credentials"],
  ["~/projects", undefined],
  ["~/.config/foo", undefined],
  [".", undefined],
  ["/tmp", undefined],
  ["/usr/local/share", undefined],
])("as a whole %s is protected as %s: it holds what is", (path, why) => {
  expect(isProtectedTree(path, context)).toEqual(why === undefined ? { protected: false } : { protected: true, why });
});

test("a link to a folder that holds protected files is one as a whole", async () => {
  await using temp = createTempDirectory();
  await mkdir(join(temp.path, "home", ".ssh"), { recursive: true });
  await symlink("home", join(temp.path, "link"));
  const own = { ...context, home: join(temp.path, "home"), cwd: temp.path };
  expect(isProtectedTree("link", own)).toEqual({ protected: true, why: "credentials" });
  expect(isProtectedTree("link/sub", own)).toEqual({ protected: false });
});
