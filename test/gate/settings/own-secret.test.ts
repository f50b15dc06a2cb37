import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeSecretFile } from "../../../src/gate/make-secret-file.ts";
import { send } from "../../support/client.ts";
import { runCommand, serveHere } from "../../support/command.ts";
import { SECRET, SETUP_FORM } from "../../support/gate.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { problems, settled } from "./settings-reading.ts";

const AUTO = { AUTH_SECRET: "auto" };
const LONG = "x".repeat(43);
const REMOVE = "or remove it, which ends all sessions";

test("AUTH_SECRET=auto makes a secret at the first start that only the owner reads, and keeps it", async (t) => {
  const DATA_DIR = await tempDir(t);
  const env = { ...AUTO, DATA_DIR };
  const file = join(DATA_DIR, "auth-secret");
  const first = await serveHere(t, env);
  const { session } = await send(`${first.url}/setup`, { form: SETUP_FORM });
  const secret = await readFile(file, "utf8");
  assert.match(secret, /^[\w-]{43}\n$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  first.signal("SIGTERM");
  await first.ended;

  const second = await serveHere(t, env);
  assert.equal((await send(`${second.url}/account/profile`, { session })).status, 200);
  assert.equal(await readFile(file, "utf8"), secret);
});

test("a secret in the environment wins, and nothing is made", async (t) => {
  const DATA_DIR = await tempDir(t);
  await serveHere(t, { AUTH_SECRET: SECRET, DATA_DIR });
  assert.ok(!(await readdir(DATA_DIR)).includes("auth-secret"));
});

test("gates that start at once get one secret, and leave nothing else", async (t) => {
  const folder = join(await tempDir(t), "data");
  const path = join(folder, "auth-secret");
  const secrets = await Promise.all(Array.from({ length: 8 }, () => makeSecretFile(path)));
  assert.equal(new Set(secrets).size, 1);
  assert.deepEqual(await readdir(folder), ["auth-secret"]);
  assert.equal(settled({ ...AUTO, DATA_DIR: folder }).secret, secrets[0]);
});

test("a command that seals makes the secret before the first start, and the gate takes it", async (t) => {
  const DATA_DIR = await tempDir(t);
  const env = { ...AUTO, DATA_DIR };
  const file = join(DATA_DIR, "auth-secret");
  const add = ["user", "add", "owner", "--password-stdin", "--create"];
  await runCommand(add, { env, input: "correct horse\n" });
  const secret = await readFile(file, "utf8");
  const { url } = await serveHere(t, env);
  assert.equal((await send(`${url}/setup`)).location, "/login");
  assert.equal(await readFile(file, "utf8"), secret);
});

test("a command that only reads makes no secret", async (t) => {
  const DATA_DIR = await tempDir(t);
  await serveHere(t, { AUTH_SECRET: SECRET, DATA_DIR });
  const { code } = await runCommand(["user", "list"], { env: { ...AUTO, DATA_DIR } });
  assert.equal(code, 0);
  assert.ok(!(await readdir(DATA_DIR)).includes("auth-secret"));
});

test("commands that need the secret of a gate say that the first start makes it", async (t) => {
  const DATA_DIR = await tempDir(t);
  const { code, stderr } = await runCommand(["app", "check", "photos"], {
    env: { ...AUTO, DATA_DIR, PUBLIC_URL: "https://auth.example.org" },
  });
  assert.equal(code, 2);
  assert.match(stderr, /auth-secret does not exist: the first start of the gate makes it/);
});

test("AUTH_SECRET=auto is refused with PostgreSQL, whose gates need the same secret", () => {
  assert.deepEqual(problems({ ...AUTO, DATABASE_URL: "postgres://db.test/latchkey" }), [
    "AUTH_SECRET=auto is for one gate on SQLite: gates on PostgreSQL need the same secret, so set AUTH_SECRET to the output of latchkey secret on each",
  ]);
});

type Make = (file: string) => Promise<unknown>;

const write = (text: string, mode = 0o600) =>
  (async (file) => writeFile(file, text, { mode }).then(() => chmod(file, mode))) satisfies Make;

/** Files that are not used as the secret, how they are made, and why. */
const unusable: readonly (readonly [what: string, make: Make, problem: string])[] = [
  [
    "that others can read",
    write(LONG, 0o640),
    `other users can read or change it: chmod 600, ${REMOVE}`,
  ],
  ["that is short", write("short\n"), `it has fewer than 32 characters: restore it, ${REMOVE}`],
  ["that is empty", write(""), `it has fewer than 32 characters: restore it, ${REMOVE}`],
  ["that is large", write("x".repeat(2_000)), "it is larger than 1024 bytes"],
  ["that is a folder", (file) => mkdir(file), "it is not a regular file"],
  [
    "that is a named pipe, without waiting for it",
    async (file) => execFileSync("mkfifo", [file]),
    "it is not a regular file",
  ],
  [
    "that is a link",
    async (file) => {
      await writeFile(`${file}.target`, LONG, { mode: 0o600 });
      await symlink(`${file}.target`, file);
    },
    "it cannot be read: ELOOP",
  ],
  ...(process.getuid?.() === 0
    ? [
        [
          "of another user",
          async (file: string) => {
            await writeFile(file, LONG, { mode: 0o600 });
            await chown(file, 12_345, 12_345);
          },
          "it belongs to another user",
        ] as const,
      ]
    : []),
];

for (const [what, make, problem] of unusable) {
  test(`AUTH_SECRET=auto refuses a file ${what}`, async (t) => {
    const DATA_DIR = await tempDir(t);
    const file = join(DATA_DIR, "auth-secret");
    await make(file);
    assert.deepEqual(problems({ ...AUTO, DATA_DIR }), [`AUTH_SECRET=auto: ${file}: ${problem}`]);
    await assert.rejects(makeSecretFile(file), { code: "secret_file_unusable" });
  });
}
