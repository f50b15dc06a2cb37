import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "../../../src/features/sign-in/sign-in.ts";
import { OWNER } from "../../support/gate.ts";
import { withCodes } from "../codes/codes-services.ts";

const attempt = { ...OWNER, remoteAddress: "192.0.2.1" };

test("rejects the right password without a code, or with a wrong or used one", async (t) => {
  const { ports, code } = await withCodes(t);
  for (const entered of [undefined, "", "wrong", code(-1)]) {
    const given = entered === undefined ? attempt : { ...attempt, code: entered };
    assert.deepEqual(await signIn(ports, given), { kind: "rejected" });
    assert.equal(ports.codeLimiter.tracked, entered ? 1 : 0, "without a code none is counted");
  }
  assert.equal(ports.signInLimiter.tracked, 1, "each is counted");
  assert.equal((await signIn(ports, { ...attempt, code: "wrong" })).kind, "rejected");
  assert.equal((await signIn(ports, { ...attempt, code: code() })).kind, "rate-limited");
});

test("rejects an account that is removed before its codes are read", async (t) => {
  const { ports, user } = await withCodes(t);
  await ports.store.users.insert({ ...user, username: "other" });
  t.mock.method(ports.store.codes, "find", async () => {
    await ports.store.users.remove(user.id);
    return undefined;
  });
  assert.deepEqual(await signIn(ports, attempt), { kind: "rejected" });
});

test("uses up no code with a wrong password", async (t) => {
  const { ports, code, recoveryCodes, codes } = await withCodes(t);
  const before = await codes();
  for (const entered of [code(), recoveryCodes[0] ?? ""]) {
    const wrong = { ...attempt, password: "wrong", code: entered };
    assert.deepEqual(await signIn(ports, wrong), { kind: "rejected" });
  }
  assert.deepEqual(await codes(), before);
  assert.equal(ports.codeLimiter.tracked, 0, "nobody without the password can block the account");
});
