import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { settings } from "../../src/server/setting-names.ts";
import { runLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const ALL = settings.map(({ name }) => name);
const STORE = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

/** What the help of each command has to name: its options, and the settings that matter to it. */
const commands: Readonly<
  Record<string, { options: readonly string[]; settings: readonly string[] }>
> = {
  serve: { options: [], settings: ALL },
  log: {
    options: ["json", "follow", "type", "since", "limit"],
    settings: ["DATA_DIR", "DATABASE_URL"],
  },
  copy: { options: ["from", "to"], settings: [] },
  attack: {
    options: ["username", "password-stdin", "guarded", "disturb", "fresh", "json"],
    settings: [],
  },
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
      ...["COOKIE_DOMAIN", "HTTPS_PORT", "TLS_CERT_FILE", "TLS_KEY_FILE"],
    ],
  },
  "setup-link": {
    options: [],
    settings: [
      "HOST",
      "PORT",
      "HTTPS_PORT",
      "TLS_CERT_FILE",
      "DATA_DIR",
      "DATABASE_URL",
      "SETUP_TOKEN_FILE",
      "PUBLIC_URL",
    ],
  },
};

test("--version shows the version of the package", async (t) => {
  const { code, stdout, stderr } = await runLatchkey(t, ["--version"]);
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: "" });
});

for (const flag of ["--help", "-h"]) {
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
    for (const option of [...options, "env-file", "help"]) {
      assert.match(stdout, new RegExp(`^  (-h, )?--${option}( <\\w+>)? +\\S`, "m"), option);
    }
    for (const setting of settings) {
      const row = stdout.split("\n").find((line) => line.startsWith(`  ${setting.name}`));
      assert.equal(row !== undefined, named.includes(setting.name), setting.name);
      if (row === undefined) continue;
      assert.ok(row.includes(setting.about) && row.includes(`default: ${setting.fallback}`), row);
      assert.equal(row.includes(`--${setting.flag}`), setting.flag !== "none", row);
    }
  });
}

/** Arguments, and what the one line about them has to say. */
const wrong: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /which command\? See latchkey --help/],
  [["start"], /no command start\? See latchkey --help/],
  [["--port", "1"], /no command --port/],
  [["log", "--jsn"], /no option --jsn: was --json meant\?.* latchkey log --help/],
  [["serve", "--data_dir", "x"], /no option --data_dir: was --data-dir meant\?/],
  [["serve", "--colour", "red"], /no option --colour: see latchkey serve --help/],
  [["serve", "--json"], /no option --json/],
  [
    ["pages", "eject", "--froce"],
    /no option --froce: was --force meant\?.* latchkey pages eject --help/,
  ],
  [["pages", "eject", "pages"], /'pages'.* latchkey pages eject --help/],
  [["pages", "eject", "--to"], /--to .*missing/],
  [["log", "-x"], /'-x'.* latchkey log --help/],
  [["log", "latchkey.db"], /'latchkey\.db'.* latchkey log --help/],
  [["log", "--type"], /--type .*missing/],
  [
    ["log", "--type", "signins"],
    /--type takes signin, signin_rate_limited, signup, password_change/,
  ],
  [["log", "--since", "yesterday"], /--since takes/],
  [["log", "--limit", "0"], /--limit takes a whole number/],
  [["log", "--limit", "many"], /--limit takes a whole number/],
  [["import"], /import takes FILE: see latchkey import --help/],
  [["import", "a", "b"], /import takes FILE: see latchkey import --help/],
  [["import", "a", "--format", "xml"], /--format takes csv or json/],
  [["import", "a", "--dryrun"], /no option --dryrun: was --dry-run meant\?/],
  [["export", "--format", "xml"], /--format takes json or csv/],
  [["export", "--to="], /--to takes a file/],
  [["export", "users.csv"], /'users\.csv'.* latchkey export --help/],
  [["doctor", "--url", "auth.example.org"], /--url takes an origin such as https:/],
  [["doctor", "https://auth.example.org"], /'https:.*latchkey doctor --help/],
  [["backup"], /backup takes FILE: see latchkey backup --help/],
  [["restore"], /restore takes FILE: see latchkey restore --help/],
  [["log", "--json=yes"], /--json.*does not take an argument/],
  [["log", "--data-dir", "--json"], /--data-dir.*ambiguous/],
  [["serve", "--port", "http"], /PORT takes a number from 0/],
  [["log", "--env-file", "/nowhere/env"], /--env-file cannot be read: .*\/nowhere\/env/],
  [["user"], /no command user: was user list or user add or .* meant\? See latchkey --help/],
  [["user", "lst"], /no command user lst: was user list or /],
  [["user", "list", "owner"], /'owner'.* latchkey user list --help/],
  [["user", "add"], /user add takes NAME: see latchkey user add --help/],
  [["user", "rename", "owner"], /user rename takes FROM TO: see latchkey user rename --help/],
  [["user", "rename", "a", "b", "c"], /user rename takes FROM TO/],
  [["user", "sign-out", "a", "b"], /user sign-out takes \[NAME\]/],
  [["user", "remove", "owner", "--yes=no"], /--yes.*does not take an argument/],
  [["attack"], /attack takes URL: see latchkey attack --help/],
  [["attack", "auth.example.org"], /attack takes a URL such as https:/],
  [["attack", "ftp://127.0.0.1"], /attack takes a URL such as https:/],
  [["attack", "http://127.0.0.1:9", "--password-stdin"], /--password-stdin takes --username/],
  [["attack", "http://127.0.0.1:9", "--fresh", "--username", "o"], /--username or --fresh/],
  [["attack", "http://127.0.0.1:9", "--distrub"], /no option --distrub: was --disturb meant\?/],
  [["secret", "32"], /'32'.* latchkey secret --help/],
  [["completion"], /completion takes SHELL: see latchkey completion --help/],
  [["completion", "tcsh"], /completion takes bash, zsh or fish$/m],
  [["log", "--type="], /--type takes signin, /],
  [["\u001b[2Jlog"], /no command \\u\{1b\}\[2Jlog/],
];

for (const [args, about] of wrong) {
  const line = ["latchkey", ...args].map((arg) => arg.replace("\u001b", "ESC")).join(" ");
  test(`${line} is wrong usage: one line that says what is wrong, exit code 2`, async (t) => {
    const { code, stdout, stderr } = await runLatchkey(t, args, { DATA_DIR: await tempDir(t) });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^latchkey: [^\n]+\n$/);
    assert.match(stderr, about);
  });
}

for (const args of [["--auth-secret", "hunter2"], ["--auth-secret=hunter2"]]) {
  test(`${args.join(" ")} is refused, with the reason and without the secret`, async (t) => {
    const dir = await tempDir(t);
    const { code, stdout, stderr } = await runLatchkey(t, ["serve", ...args], {
      DATA_DIR: join(dir, "data"),
    });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^latchkey: AUTH_SECRET cannot be a flag[^\n]*--env-file\n$/);
    assert.doesNotMatch(stderr, /hunter2/);
    assert.deepEqual(await readdir(dir), []);
  });
}

test("every wrong setting gets its line, whatever the command", async (t) => {
  const env = { PORT: "x", LOG_LEVEL: "loud", DATA_DIR: await tempDir(t) };
  const { code, stderr } = await runLatchkey(t, ["log"], env);
  assert.equal(code, 2);
  assert.equal(stderr.trimEnd().split("\n").length, 2);
});

test("a flag wins over the environment in a real command", async (t) => {
  const dir = await tempDir(t);
  const { code, stderr } = await runLatchkey(t, ["log", "--data-dir", join(dir, "flag")], {
    DATA_DIR: join(dir, "env"),
  });
  assert.equal(code, 1);
  assert.match(stderr, /\/flag\/latchkey\.db\n$/);
});

test("a real command takes its settings from an env file, and lets the environment win", async (t) => {
  const dir = await tempDir(t);
  const file = join(dir, "env");
  await writeFile(file, `DATA_DIR=${join(dir, "file")}\n`);
  const databaseOf = async (env: Readonly<Record<string, string>>) =>
    (await runLatchkey(t, ["log", "--env-file", file], env)).stderr;
  assert.match(await databaseOf({}), /\/file\/latchkey\.db\n$/);
  assert.match(await databaseOf({ DATA_DIR: join(dir, "env") }), /\/env\/latchkey\.db\n$/);
});
