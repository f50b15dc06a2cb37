import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startConfigured } from "../support/gate.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";

test("an unknown username and a wrong password get identical responses", async (t) => {
  const { gate } = await startConfigured(t);
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  const unknown = await postRaw(gate.url, "/login", { ...OWNER, username: "nobody" });
  assert.match(wrong, /^HTTP\/1\.1 303 See Other\r\n/);
  assert.match(wrong, /^Location: \/login\?error=1\r$/im);
  assert.doesNotMatch(wrong, /^Set-Cookie/im);
  assert.equal(maskVaryingParts(unknown), maskVaryingParts(wrong));
});

test("a rate-limited sign-in gets the same response with right and wrong credentials", async (t) => {
  const { gate } = await startConfigured(t);
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  for (let attempt = 2; attempt <= 5; attempt += 1) await gate.signIn({ password: "wrong" });
  const denied = await postRaw(gate.url, "/login", OWNER);
  assert.equal(maskVaryingParts(denied), maskVaryingParts(wrong));
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.type, "signin_rate_limited");
});
