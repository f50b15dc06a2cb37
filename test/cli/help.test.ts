import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commands as entries } from "../../src/cli/commands.ts";
import { wrapped } from "../../src/cli/help.ts";
import { settings } from "../../src/gate/settings/table.ts";

import { runCommand } from "../support/command.ts";
import { onTerminal } from "./user/terminal.ts";

const ALL = settings.map(({ name }) => name);
const STORE = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

/** What the help of each command lists: its options, and the settings that it uses. */
const commands: Readonly<
  Record<string, { options: readonly string[]; settings: readonly string[] }>
> = {
  serve: { options: [], settings: ALL },
  log: {
    options: ["json", "follow", "type", "since", "limit"],
    settings: STORE,
  },
  copy: { options: ["from", "to"], settings: [] },
  health: { options: [], settings: ["HOST", "PORT", "HTTPS_PORT", "TLS_CERT_FILE"] },
  secret: { options: [], settings: [] },
  "user list": { options: ["json"], settings: STORE },
  "user add": {
    options: ["password-stdin", "create"],
    settings: [...STORE, "SETUP_TOKEN_FILE"],
  },
  "user password": { options: ["password-stdin"], settings: STORE },
  "user rename": { options: [], settings: STORE },
  "user remove": { options: ["yes"], settings: STORE },
  "user codes off": { options: [], settings: STORE },
  "user sign-out": { options: ["all"], settings: STORE },
  "session list": { options: ["json"], settings: STORE },
  "session end": { options: [], settings: STORE },
  import: { options: ["dry-run", "skip-bad", "format"], settings: STORE },
  export: { options: ["with-hashes", "format", "to", "force"], settings: STORE },
  backup: { options: ["force"], settings: STORE },
  restore: { options: ["force"], settings: STORE },
  "domain add": { options: [], settings: ["DATA_DIR", "HTTPS_PORT"] },
  "domain status": { options: ["json"], settings: ["DATA_DIR"] },
  "domain remove": { options: [], settings: ["DATA_DIR"] },
  "pages eject": { options: ["to", "force"], settings: ["PAGES_DIR"] },
  completion: { options: [], settings: [] },
  doctor: {
    options: ["url", "json"],
    settings: [
      ...[
        ...STORE,
        "HOST",
        "PORT",
        "SETUP_TOKEN_FILE",
        "LIMIT_IPV6_PREFIX",
        "TRUSTED_PROXIES",
        "PUBLIC_URL",
      ],
      ...["AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS", "AUTH_SECRET_PREVIOUS_FILE"],
      ...["COOKIE_DOMAIN", "HTTPS_PORT", "TLS_CERT_FILE", "TLS_KEY_FILE", "ALLOWED_HOSTS"],
    ],
  },
  "setup-link": {
    options: [],
    settings: [
      "HOST",
      "PORT",
      "ALLOWED_HOSTS",
      "HTTPS_PORT",
      "TLS_CERT_FILE",
      "DATA_DIR",
      "DATABASE_URL",
      "DATABASE_URL_FILE",
      "SETUP_TOKEN_FILE",
      "PUBLIC_URL",
    ],
  },
};

for (const word of ["--version", "-v", "version"]) {
  test(`${word} prints the version of the package`, async () => {
    const { code, stdout, stderr } = await runCommand([word]);
    const { version } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    );
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: "" });
  });
}

for (const flag of ["--help", "-h", "help"]) {
  test(`${flag} lists every command in its group`, async () => {
    const { code, stdout, stderr } = await runCommand([flag]);
    assert.deepEqual([code, stderr], [0, ""]);
    const groups = stdout.split("\n\n").flatMap((part) => {
      const [, group, rows = ""] = /^(\w+):\n([\s\S]*)$/.exec(part) ?? [];
      return [...rows.matchAll(/^ {2}(\S+(?: \S+)*) {3,}[A-Z]/gm)].map(([, name]) => [group, name]);
    });
    assert.deepEqual(
      groups,
      entries.map(({ group, name }) => [group, name]),
    );
    assert.deepEqual(Object.keys(commands).sort(), entries.map(({ name }) => name).sort());
  });
}

test("latchkey alone prints the help to standard error, as wrong usage", async () => {
  const { stdout: help } = await runCommand(["--help"]);
  const { code, stdout, stderr } = await runCommand([]);
  assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: "", stderr: help });
});

test("help is wrapped at words to 80 columns in a pipe, and to its width on a terminal", async (t) => {
  const { stdout } = await runCommand(["serve", "--help"]);
  const line = "stty cols 50; latchkey serve --help";
  const { shown } = await onTerminal(t, line, {});
  for (const [text, columns] of [
    [stdout, 80],
    [shown, 50],
  ] as const) {
    const lines = text.split("\n").filter((one) => !/^ {2}\S/.test(one));
    const long = lines.filter((one) => one.length > columns && /\S \S/.test(one));
    assert.deepEqual(long, []);
    assert.ok(lines.some((one) => one.length > columns - 10));
  }
  assert.equal(shown.replace(/\s+/g, " "), stdout.replace(/\s+/g, " "));
});

test("a word that is longer than the width stays in one piece", () => {
  assert.deepEqual(wrapped(`to ${"x".repeat(30)} it`, 22), ["to", "x".repeat(30), "it"]);
});

test("a width of 0, which some terminals report, counts as 80", () => {
  assert.equal(wrapped("word ".repeat(20).trim(), 0)[0]?.length, 79);
});

for (const [name, { options, settings: named }] of Object.entries(commands)) {
  test(`the help of ${name} lists its options and settings with defaults, and examples`, async () => {
    const { code, stdout, stderr } = await runCommand([...name.split(" "), "--help"], {
      env: { PORT: "not a number" },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    const everywhere = named.length === 0 ? ["help"] : ["env-file", "help"];
    const listed = [...stdout.matchAll(/^ {2}(?:-h, )?--([a-z-]+)(?: <\w+>)? {3,}\S/gm)];
    assert.deepEqual(
      listed.map(([, option]) => option),
      [...options, ...everywhere],
    );
    const entries = [
      ...stdout
        .replace(/\n {6}(?=\S)/g, " ")
        .matchAll(/^ {2}([A-Z_\d]+)(?:, --(\S+))? \(default: (.*?)\) (.*)$/gm),
    ];
    const [, examples = ""] = /\n\nExamples:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    assert.match(examples, new RegExp(`^( {2}.*latchkey ${name}\\b.*\\n?)+$`));
    assert.deepEqual(
      entries.map(([, ...entry]) => entry),
      settings
        .filter((one) => named.includes(one.name))
        .map(({ flag, takes, about, ...one }) => {
          return [one.name, flag === "none" ? undefined : flag, one.fallback, `${takes}: ${about}`];
        }),
    );
  });
}

/** The arguments, the usage line, and commands that are listed. */
const helps: readonly (readonly [readonly string[], RegExp, readonly string[]])[] = [
  [["user", "--help"], /^Usage: latchkey user COMMAND /, ["user list", "user sign-out"]],
  [["user", "-h"], /^Usage: latchkey user COMMAND /, ["user add"]],
  [["help", "domain"], /^Usage: latchkey domain COMMAND /, ["domain add", "domain status"]],
  [["pages", "help"], /^Usage: latchkey pages COMMAND /, ["pages eject"]],
  [["help", "user", "add"], /^Usage: latchkey user add NAME /, []],
  [["user", "add", "one", "too many", "--help"], /^Usage: latchkey user add NAME /, []],
];
for (const [args, usage, family] of helps) {
  test(`latchkey ${args.join(" ")} prints the help of that command or family`, async () => {
    const { code, stdout, stderr } = await runCommand(args);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, usage);
    for (const name of family) assert.match(stdout, new RegExp(`^  ${name} {3,}[A-Z]`, "m"));
    if (family.length > 0) assert.doesNotMatch(stdout, /^ {2}serve/m);
  });
}

for (const args of [["user"], ["user", "--json"], ["pages", "--to", "x"]]) {
  test(`latchkey ${args.join(" ")} prints the help of the family to standard error, as wrong usage`, async () => {
    const { code, stdout, stderr } = await runCommand(args);
    const { stdout: shown } = await runCommand([args[0] ?? "", "--help"]);
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: "", stderr: shown });
  });
}
