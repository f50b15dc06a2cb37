import assert from "node:assert/strict";
import { randomBytes, scryptSync } from "node:crypto";
import { test } from "node:test";
import { hash as argon2 } from "@node-rs/argon2";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { outputOf } from "../../support/command.ts";
import { startGate } from "../../support/gate.ts";
import { hashText } from "../../support/store.ts";
import { sqlitePlace } from "../user/place.ts";

const PASSWORD = "correct horse";
const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

function scrypt(): string {
  const salt = randomBytes(16);
  const [salted, digest] = [salt, scryptSync(PASSWORD, salt, 32, { N: 2 ** 14, r: 8, p: 1 })].map(
    (bytes) => bytes.toString("base64").replaceAll("=", ""),
  );
  return `$scrypt$ln=14,r=8,p=1$${salted}$${digest}`;
}

const kinds: Readonly<Record<string, () => Promise<string>>> = {
  argon2d: () => argon2(PASSWORD, { algorithm: 0, memoryCost: 1_024 }),
  argon2i: () => argon2(PASSWORD, { algorithm: 1, memoryCost: 1_024 }),
  argon2id: () => argon2(PASSWORD, { memoryCost: 4_096, timeCost: 3, parallelism: 2 }),
  "bcrypt 2a": async () => (await bcrypt(PASSWORD, 4)).replace("$2b$", "$2a$"),
  "bcrypt 2b": () => bcrypt(PASSWORD, 10),
  "bcrypt 2y": async () => (await bcrypt(PASSWORD, 4)).replace("$2b$", "$2y$"),
  scrypt: async () => scrypt(),
};

test("an imported user signs in at a running gate and gets a current hash", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const gate = await startGate(t, { dataDir: place.env.DATA_DIR ?? "" });
  const users = await Promise.all(
    Object.entries(kinds).map(async ([username, hash]) => ({
      username,
      password_hash: await hash(),
    })),
  );
  const text = users.map((user) => JSON.stringify(user)).join("\n");
  await outputOf(["import", "-"], { env: place.env, input: text });
  for (const [n, { username }] of users.entries()) {
    const from = `127.0.0.${n + 2}`;
    const wrong = await gate.signIn({ username, password: "correct house" }, { from });
    assert.deepEqual([wrong.status, wrong.location], [303, "/login?error=1"], username);
    const right = await gate.signIn({ username, password: PASSWORD }, { from });
    assert.deepEqual([right.status, right.location], [303, "/"], username);
    assert.match((await place.accounts())[username]?.passwordHash ?? "", TODAY, username);
    const again = await gate.signIn({ username, password: PASSWORD }, { from });
    assert.ok(again.session, username);
  }
});

test("a stored hash with an excessive cost counts as a wrong password, and the server log says why", async (t) => {
  const place = await sqlitePlace(t, "costly", "plain");
  const { costly, plain } = await place.accounts();
  assert.ok(costly && plain);
  const absurd = "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
  const cheap = await bcrypt(PASSWORD, 4);
  await place.store.users.replaceHash(costly.id, costly.passwordHash, hashText(absurd));
  await place.store.users.replaceHash(plain.id, plain.passwordHash, hashText(cheap));
  const gate = await startGate(t, { dataDir: place.env.DATA_DIR ?? "" });
  const [refused, wrong] = await Promise.all(
    ["costly", "plain"].map((username) => gate.signIn({ username, password: "correct house" })),
  );
  assert.deepEqual({ ...refused, headers: {} }, { ...wrong, headers: {} });
  assert.deepEqual([refused?.status, refused?.location], [303, "/login?error=1"]);
  const warnings = gate.serverLog.filter(({ msg }) => /too much memory or time/.test(String(msg)));
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(JSON.stringify(gate.serverLog), /CCCC/);
});
