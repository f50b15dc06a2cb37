import assert from "node:assert/strict";
import { test } from "node:test";
import { hash as argon2 } from "@node-rs/argon2";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { outputOf } from "../../support/command.ts";
import { startGate } from "../../support/gate.ts";
import { sqlitePlace } from "../user/place.ts";

const PASSWORD = "correct horse";
const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

/** Those of other cost, bcrypt and scrypt: `test/identity`. */
const kinds: Readonly<Record<string, () => Promise<string>>> = {
  argon2d: () => argon2(PASSWORD, { algorithm: 0, memoryCost: 1_024 }),
  argon2i: () => argon2(PASSWORD, { algorithm: 1, memoryCost: 1_024 }),
  "bcrypt 2b": () => bcrypt(PASSWORD, 10),
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
