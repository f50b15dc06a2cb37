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

/** Cookie headers that do not identify a user. */
const rejected: Readonly<Record<string, (given: Given) => string | undefined>> = {
  "no cookie at all": () => undefined,
  "an empty Cookie header": () => "",
  "an empty session cookie": () => "session=",
  "a session cookie without a value": () => "session",
  nonsense: () => "session=nonsense",
  "three empty parts": () => "session=..",
  "a quoted token": ({ token }) => `session="${token}"`,
  "a truncated token": ({ token }) => `session=${token.slice(0, -1)}`,
  "a token without its signature": ({ token }) => `session=${token.replace(/[^.]+$/, "")}`,
  "a token with something after it": ({ token }) => `session=${token}.x`,
  "another secret's token": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { secret: "another secret" })}`,
  "an empty secret's token": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { secret: "" })}`,
  "other claims under a genuine signature": ({ id, token }) => {
    const forged = mint({ user_id: id, exp: inSeconds(9_999_999) }).split(".");
    return `session=${forged[0]}.${forged[1]}.${token.split(".")[2]}`;
  },
  "a token that has expired": ({ id }) => `session=${mint({ user_id: id, exp: inSeconds(-1) })}`,
  "a token that expires this second": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(0) })}`,
  "a token without exp": ({ id }) => `session=${mint({ user_id: id, iat: inSeconds(0) })}`,
  "a token with exp as text": ({ id }) =>
    `session=${mint({ user_id: id, exp: String(inSeconds(60)) })}`,
  "a token without user_id": () => `session=${mint({ exp: inSeconds(60) })}`,
  "a token with an empty user_id": () => `session=${mint({ user_id: "", exp: inSeconds(60) })}`,
  "a token with a number as user_id": () => `session=${mint({ user_id: 1, exp: inSeconds(60) })}`,
  "a token with a list as user_id": ({ id }) =>
    `session=${mint({ user_id: [id], exp: inSeconds(60) })}`,
  "a token with the ID in sub only": ({ id }) => `session=${mint({ sub: id, exp: inSeconds(60) })}`,
  "an unknown user's token": () => `session=${mint({ user_id: "unknown", exp: inSeconds(60) })}`,
  "a user_id in upper case": ({ id }) =>
    `session=${mint({ user_id: id.toUpperCase(), exp: inSeconds(60) })}`,
  "an unsigned token with alg none": ({ id }) => {
    const token = mint({ user_id: id, exp: inSeconds(60) }, { header: { alg: "none" } });
    return `session=${token.replace(/[^.]+$/, "")}`;
  },
  "a signed token with alg none": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { header: { alg: "none" } })}`,
  "a token with an HS512 signature": ({ id }) => {
    const minting = { header: { alg: "HS512" }, hash: "sha512" } as const;
    return `session=${mint({ user_id: id, exp: inSeconds(60) }, minting)}`;
  },
  "a cookie with a longer name": ({ token }) => `xsession=${token}; session2=${token}`,
  "a cookie with its name in capitals": ({ token }) => `Session=${token}; SESSION=${token}`,
  "a genuine token after a wrong one": ({ token }) => `session=nonsense; session=${token}`,
  "a genuine token after an empty one": ({ token }) => `session=; session=${token}`,
  "a token in another cookie's value": ({ token }) => `other=session=${token}`,
};

for (const [what, cookie] of Object.entries(rejected)) {
  test(`rejects ${what}`, async (t) => {
    const gate = await startGate(t);
    const header = cookie(await configured(gate));
    const headers: Record<string, string> = header === undefined ? {} : { Cookie: header };
    // Twice, since the second response may come from the cache.
    for (const time of ["first", "second"]) {
      const answer = await gate.send("/", { headers });
      assert.deepEqual([answer.status, answer.location], [303, "/login"], time);
    }
  });
}

/** Cookie headers that identify the only user. */
const accepted: Readonly<Record<string, (given: Given) => string>> = {
  "a genuine token": ({ token }) => `session=${token}`,
  "a genuine token before a wrong one": ({ token }) => `session=${token}; session=nonsense`,
  "a genuine token among other cookies": ({ token }) => `a=b; flag; session=${token};c="d"`,
  "a token minted elsewhere with the same secret": ({ id }) =>
    `session=${mint({ user_id: id, jti: "0".repeat(32), iat: inSeconds(0), exp: inSeconds(60) })}`,
  "a token with only the required claims": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { header: { alg: "HS256" } })}`,
  "a token with another service's claims": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60), iss: "elsewhere", aud: ["x"], role: 1 })}`,
  "a token from a machine whose clock is ahead": ({ id }) =>
    `session=${mint({ user_id: id, iat: inSeconds(30), exp: inSeconds(90) })}`,
};

for (const [what, cookie] of Object.entries(accepted)) {
  test(`accepts ${what}`, async (t) => {
    const gate = await startGate(t);
    const headers = { Cookie: cookie(await configured(gate)) };
    for (const time of ["first", "second"]) {
      const answer = await gate.send("/", { headers });
      assert.equal(answer.status, 200, time);
      assert.match(answer.body, /<p>Signed in as owner<\/p>/);
    }
  });
}

test("rejects an empty user_id even if a user has an empty ID", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  execute(gate.databaseFile, "UPDATE users SET id = ''");
  const session = mint({ user_id: "", exp: inSeconds(60) });
  assert.equal((await gate.send("/", { session })).location, "/login");
});

test("rejects a session whose user was removed", async (t) => {
  const gate = await startGate(t);
  const { token } = await configured(gate);
  execute(gate.databaseFile, "UPDATE users SET id = 'accepted else'");
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
