import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";

interface Given {
  /** The ID of the only user. */
  readonly id: string;
  /** A genuine token of that user. */
  readonly token: string;
}

async function configured(gate: RunningGate): Promise<Given> {
  const token = await gate.setUp();
  return { token, id: String(partsOf(token).claims.user_id) };
}

/** Cookie headers that do not identify a user. All tokens: `test/core/sessions/session-token-attacks.test.ts`. */
const rejected: Readonly<Record<string, (given: Given) => string | undefined>> = {
  "no cookie at all": () => undefined,
  "an empty session cookie": () => "session=",
  nonsense: () => "session=nonsense",
  "a quoted token": ({ token }) => `session="${token}"`,
  "a token without its signature": ({ token }) => `session=${token.replace(/[^.]+$/, "")}`,
  "another secret's token": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { secret: "another secret" })}`,
  "a token that expires this second": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(0) })}`,
  "a token without exp": ({ id }) => `session=${mint({ user_id: id, iat: inSeconds(0) })}`,
  "a token without user_id": () => `session=${mint({ exp: inSeconds(60) })}`,
  "a token with a list as user_id": ({ id }) =>
    `session=${mint({ user_id: [id], exp: inSeconds(60) })}`,
  "an unknown user's token": () => `session=${mint({ user_id: "unknown", exp: inSeconds(60) })}`,
  "a user_id in upper case": ({ id }) =>
    `session=${mint({ user_id: id.toUpperCase(), exp: inSeconds(60) })}`,
  "a signed token with alg none": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { header: { alg: "none" } })}`,
  "a cookie with its name in capitals": ({ token }) => `Session=${token}; SESSION=${token}`,
  "a genuine token after four wrong ones": ({ token }) =>
    `${"session=nonsense; ".repeat(4)}session=${token}`,
};

test("rejects every cookie that does not identify a user, also from the cache", async (t) => {
  const gate = await startGate(t);
  const given = await configured(gate);
  for (const [what, cookie] of Object.entries(rejected)) {
    const header = cookie(given);
    const headers: Record<string, string> = header === undefined ? {} : { Cookie: header };
    for (const time of ["first", "second"]) {
      const answer = await gate.send("/", { headers });
      assert.deepEqual([answer.status, answer.location], [303, "/login"], `${what}, ${time}`);
    }
  }
});

/** Cookie headers that identify the only user. */
const accepted: Readonly<Record<string, (given: Given) => string>> = {
  "a genuine token before a wrong one": ({ token }) => `session=${token}; session=nonsense`,
  "a genuine token after three wrong ones": ({ token }) =>
    `${"session=nonsense; ".repeat(3)}session=; session=${token}`,
  "a genuine token among other cookies": ({ token }) => `a=b; flag; session=${token};c="d"`,
  "a token with only the required claims": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { header: { alg: "HS256" } })}`,
  "another service's token with claims of its own": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60), iss: "elsewhere", aud: ["x"], role: 1 })}`,
};

test("accepts every cookie that identifies a user, also from the cache", async (t) => {
  const gate = await startGate(t);
  const given = await configured(gate);
  for (const [what, cookie] of Object.entries(accepted)) {
    const headers = { Cookie: cookie(given) };
    for (const time of ["first", "second"]) {
      const answer = await gate.send("/", { headers });
      assert.equal(answer.status, 200, `${what}, ${time}`);
      assert.match(answer.body, /"Signed in as owner"/);
    }
  }
});

const addUser = (id: string, username: string): string =>
  `INSERT INTO users (id, username, password_hash) VALUES ('${id}', '${username}', 'a hash')`;

test("rejects an empty user_id even if a user has an empty ID", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  execute(gate.databaseFile, addUser("", "nobody"));
  const session = mint({ user_id: "", exp: inSeconds(60) });
  assert.equal((await gate.send("/", { session })).location, "/login");
});

test("rejects a session whose user was removed", async (t) => {
  const gate = await startGate(t);
  const { token } = await configured(gate);
  const removed = "DELETE FROM users WHERE username = 'owner'";
  execute(gate.databaseFile, `${addUser("2", "guest")}; ${removed}`);
  const answer = await gate.send("/", { session: token });
  assert.deepEqual([answer.status, answer.location], [303, "/login"]);
});

test("accepts a session at another gate with the same secret and database", async (t) => {
  const gate = await startGate(t);
  const { token } = await configured(gate);
  const twin = await startGate(t, { dataDir: gate.dataDir });
  assert.equal((await twin.send("/", { session: token })).status, 200);
  const stranger = await startGate(t, { dataDir: gate.dataDir, secret: "another secret" });
  assert.equal((await stranger.send("/", { session: token })).location, "/login");
});
