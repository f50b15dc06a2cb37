import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { settings } from "../../src/gate/settings/setting-names.ts";
import { runLatchkey } from "../support/process.ts";

const ALL = settings.map(({ name }) => name);
const STORE = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

/** What the help of each command has to name: its options, and the settings that matter to it. */
const commands: Readonly<
  Record<string, { options: readonly string[]; settings: readonly string[] }>
> = {
  serve: { options: [], settings: ALL },
  log: {
    options: ["json", "follow", "type", "since", "limit"],
    settings: STORE,
  },
  copy: { options: ["from", "to"], settings: [] },
  secret: { options: [], settings: [] },
  "user list": { options: ["json"], settings: STORE },
  "user add": { options: ["password-stdin"], settings: STORE },
  "user password": { options: ["password-stdin"], settings: STORE },
  "user rename": { options: [], settings: STORE },
  "user remove": { options: ["yes"], settings: STORE },
  "user sign-out": { options: ["all"], settings: STORE },
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
      ...[...STORE, "HOST", "PORT", "SETUP_TOKEN_FILE", "TRUSTED_PROXIES", "PUBLIC_URL"],
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
  test(`${word} shows the version of the package`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, [word]);
    const { version } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    );
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: "" });
  });
}

for (const flag of ["--help", "-h", "help"]) {
  test(`${flag} shows every command`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, [flag]);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const name of Object.keys(commands)) {
      assert.match(stdout, new RegExp(`^  ${name} +[A-Z]`, "m"));
    }
  });
}

for (const [name, { options, settings: named }] of Object.entries(commands)) {
  test(`the help of ${name} names all its options and settings, with defaults, and no others`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, [...name.split(" "), "--help"], {
      PORT: "no number",
    });
    assert.deepEqual([code, stderr], [0, ""]);
    const everywhere = named.length === 0 ? ["help"] : ["env-file", "help"];
    const listed = [...stdout.matchAll(/^ {2}(?:-h, )?--([a-z-]+)(?: <\w+>)? {3,}\S/gm)];
    assert.deepEqual(
      listed.map(([, option]) => option),
      [...options, ...everywhere],
    );
    const entries = [
      ...stdout.matchAll(/^ {2}([A-Z_\d]+)(?:, --(\S+))? \(default: (.*)\)\n {6}(.*)$/gm),
    ];
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

/** What is asked, and a line of what is shown. */
const helps: readonly (readonly [readonly string[], RegExp, readonly string[]])[] = [
  [["user", "--help"], /^Usage: latchkey user <command> /, ["user list", "user sign-out"]],
  [["user", "-h"], /^Usage: latchkey user <command> /, ["user add"]],
  [["help", "domain"], /^Usage: latchkey domain <command> /, ["domain add", "domain status"]],
  [["pages", "help"], /^Usage: latchkey pages <command> /, ["pages eject"]],
  [["help", "user", "add"], /^Usage: latchkey user add NAME /, []],
  [["user", "add", "one", "too many", "--help"], /^Usage: latchkey user add NAME /, []],
];
for (const [args, usage, family] of helps) {
  test(`latchkey ${args.join(" ")} shows help, and of commands the ones that are meant`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, args);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, usage);
    for (const name of family) assert.match(stdout, new RegExp(`^  ${name} {3,}[A-Z]`, "m"));
    if (family.length > 0) assert.doesNotMatch(stdout, /^ {2}serve/m);
  });
}

for (const args of [["user"], ["user", "--json"], ["pages", "--to", "x"]]) {
  test(`latchkey ${args.join(" ")} lists the commands that there are, as wrong usage`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, args);
    const { stdout: shown } = await runLatchkey(t, [args[0] ?? "", "--help"]);
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: "", stderr: shown });
  });
}
