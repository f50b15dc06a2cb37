import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { runCommand } from "../support/command.ts";
import { inDatabase } from "../support/database.ts";
import { changeForm, OWNER, SECRET, startGate } from "../support/gate.ts";
import { inSeconds, partsOf } from "../support/mint.ts";

const THIRTY_DAYS = 2_592_000;

test("a session token carries user_id, jti, iat and exp, 30 days apart", async (t) => {
  const gate = await startGate(t);
  const before = inSeconds(0);
  const token = await gate.setUp();
  const after = inSeconds(0);
  const { user_id, jti, iat, exp, ...others } = partsOf(token).claims;
  const id = inDatabase(gate.databaseFile, (db) => db.prepare("SELECT id FROM users").get()?.id);
  assert.equal(typeof user_id, "string");
  assert.equal(user_id, id);
  assert.match(String(jti), /^[0-9a-f]{32}$/);
  assert.ok(Number(iat) >= before && Number(iat) <= after, `iat ${iat}`);
  assert.equal(exp, Number(iat) + THIRTY_DAYS);
  assert.deepEqual(others, {});
});

test("a session token is signed with HMAC-SHA256 and the secret", async (t) => {
  const gate = await startGate(t);
  const token = await gate.setUp();
  const end = token.lastIndexOf(".");
  const signature = createHmac("sha256", SECRET).update(token.slice(0, end)).digest("base64url");
  assert.equal(token.slice(end + 1), signature);
  assert.equal(partsOf(token).header.alg, "HS256");
});

test("a user is stored with an ID, the username as typed, and a one-way hash", async (t) => {
  const gate = await startGate(t);
  const username = " Zoë <admin> ";
  const token = await gate.setUp({ username });
  const store = await openSqlite({ file: gate.databaseFile, missing: "refuse" });
  const user = await store.users.findByName(username);
  store.close();
  assert.equal(user?.username, username);
  assert.equal(user.id, partsOf(token).claims.user_id);
  assert.match(user.passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("the data folder and the server log contain no password", async (t) => {
  const gate = await startGate(t);
  const typed = ["first-pass-7Qx", "wrong-pass-8Ry", "second-pass-9Sz"] as const;
  const [first, wrong, second] = typed;
  const session = await gate.setUp({ username: "findable-name", password: first });
  await gate.signIn({ username: "findable-name", password: first });
  await gate.signIn({ username: "findable-name", password: wrong });
  await gate.send("/account/password", {
    session,
    form: changeForm(first, second),
  });
  await gate.logEntries(3);

  const running = await contentOf(gate.dataDir);
  await gate.stop();
  const everything = running + (await contentOf(gate.dataDir)) + JSON.stringify(gate.serverLog);
  // Proves that the search works.
  assert.ok(everything.includes("findable-name"));
  for (const password of typed) {
    const bytes = Buffer.from(password);
    for (const form of ["latin1", "utf16le", "hex", "base64"] as const) {
      const written = form === "utf16le" ? Buffer.from(password, form) : bytes;
      const text = written.toString(form === "utf16le" ? "latin1" : form).replace(/=+$/, "");
      assert.ok(!everything.includes(text), `${password} as ${form}`);
    }
  }
});

test("a log entry has id, at in UTC, type, summary and author", async (t) => {
  const gate = await startGate(t);
  const before = Date.now();
  await gate.setUp();
  await gate.signIn();
  const after = Date.now();
  await gate.logEntries(2);
  const { stdout } = await runCommand(["log", "--json"], { env: { DATA_DIR: gate.dataDir } });
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(entries.length, 2);
  for (const { id, at, type, summary, author } of entries) {
    assert.equal(typeof id, "number");
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(at) >= before && Date.parse(at) <= after, at);
    assert.deepEqual([typeof type, typeof summary, author], ["string", "string", "system"]);
  }
  assert.ok(entries[0].id < entries[1].id);
  assert.equal(entries[0].summary, `Created account ${OWNER.username}`);
});

async function contentOf(folder: string): Promise<string> {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), "latin1")));
  return contents.join("\n");
}
