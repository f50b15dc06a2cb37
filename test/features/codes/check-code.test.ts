import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type CheckCodeServices, checkCode } from "../../../src/features/codes/check-code.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { eventually } from "../../support/eventually.ts";
import { SECRET } from "../../support/gate.ts";
import { addTo, newFile, openStore } from "../../support/store.ts";
import { CLIENT, STEP_MS, withCodes } from "./codes-services.ts";

async function scene(t: TestContext, file?: string) {
  const codesScene = await withCodes(t, file);
  const { ports, user, codes } = codesScene;
  return {
    ...codesScene,
    /** Checks a code as it is entered now. */
    check: async (entered: string, changed: Partial<CheckCodeServices> = {}) =>
      checkCode({ ...ports, ...changed }, { user, codes: await codes() }, entered, CLIENT),
    counted: (wrong: number) =>
      eventually(async () => (await codes())?.wrong === wrong || undefined),
    async setWrong(wrong: number) {
      for (let n = 0; n < wrong; n += 1) await ports.store.codes.countWrong(user.id, wrong);
    },
    entryTypes: async () => (await ports.writtenEntries()).map((entry) => entry.split(":")[0]),
  };
}

test("accepts a code once, with spaces too", async (t) => {
  const { ports, check, code } = await scene(t);
  assert.equal(await check(code(-1)), "rejected", "confirmed with it");
  const spaced = `${code().slice(0, 3)} ${code().slice(3)}`;
  assert.equal(await check(spaced), "accepted");
  assert.equal(await check(code()), "rejected");
  ports.clock.advance(STEP_MS);
  assert.equal(await check(code(-1)), "rejected", "the same code later");
  assert.equal(await check(code()), "accepted");
});

test("rejects a missing and a wrong code, and counts and records the wrong ones", async (t) => {
  const { ports, check, counted, entryTypes, code } = await scene(t);
  assert.equal(await check(""), "rejected");
  assert.equal(ports.codeLimiter.tracked, 0, "without a code none is counted");
  for (const entered of ["abc", code(2), "0".repeat(25)])
    assert.equal(await check(entered), "rejected", entered);
  await counted(3);
  assert.deepEqual((await entryTypes()).slice(1), Array(3).fill("code_rejected"));
});

test("answers a wrong code before its count is written, and logs if that fails", async (t) => {
  const { ports, check } = await scene(t);
  const failure = new Error("the disk is full");
  const countWrong = t.mock.method(ports.store.codes, "countWrong", () => Promise.reject(failure));
  assert.equal(await check("abc"), "rejected");
  assert.equal(countWrong.mock.callCount(), 0);
  const { message, fields } = await eventually(() => ports.log.lines[0]);
  assert.deepEqual([message, fields.reason], ["a wrong code was not counted", failure.message]);
});

test("locks codes after 100 wrong ones in a row until a recovery code", async (t) => {
  const { ports, check, counted, setWrong, entryTypes, code, recoveryCodes } = await scene(t);
  await setWrong(99);
  assert.equal(await check("abc"), "rejected");
  await counted(100);
  const useStep = t.mock.method(ports.store.codes, "useStep");
  for (const entered of [code(), "abc", "0".repeat(25)])
    assert.equal(await check(entered), "rejected", entered);
  assert.equal(useStep.mock.callCount(), 0, "its time would tell that it was right");
  ports.clock.advance(60_000);
  assert.equal(await check(recoveryCodes[0] ?? ""), "accepted");
  assert.equal(await check(code()), "accepted");
  const types = ["code_rejected", "codes_locked", "recovery_code_used"];
  assert.deepEqual((await entryTypes()).slice(1), types);
});

for (const [right, accepted, wrong] of [
  ["third", 1, 2],
  ["fourth", 0, 100],
] as const) {
  test(`of simultaneous guesses, the ${right} is ${accepted === 1 ? "in" : "out"}`, async (t) => {
    const file = await newFile(t);
    const { ports, check, counted, setWrong, code } = await scene(t, file);
    const other = await openStore(t, file);
    await setWrong(97);
    const guesses = ["a", "b", ...(right === "third" ? [] : ["c"]), code(), "d", "e"];
    const codeLimiter = { attempt: () => "allowed" as const };
    const answers = await Promise.all(
      guesses.map((guess, at) =>
        check(guess, { store: at % 2 === 0 ? ports.store : other, codeLimiter }),
      ),
    );
    assert.equal(answers.filter((answer) => answer === "accepted").length, accepted);
    await counted(wrong);
  });
}

test("accepts one of several requests with the same code", async (t) => {
  const { check, code, recoveryCodes } = await scene(t);
  for (const entered of [code(), recoveryCodes[0] ?? ""]) {
    const both = [check(entered), check(entered)];
    assert.deepEqual((await Promise.all(both)).sort(), ["accepted", "rejected"]);
  }
});

test("accepts no code whose key was replaced after it was read", async (t) => {
  const { ports, user, codes, check, code } = await scene(t);
  const read = { user, codes: await codes() };
  assert.equal(await check(code()), "accepted");
  const now = await codes();
  assert.equal(await checkCode(ports, read, code(1), CLIENT), "rejected");
  assert.deepEqual(await codes(), now);
});

test("accepts each recovery code once, with or without hyphens, and records it", async (t) => {
  const { ports, check, entryTypes, recoveryCodes } = await scene(t);
  assert.equal(new Set(recoveryCodes).size, 10);
  for (const recoveryCode of recoveryCodes) {
    assert.match(recoveryCode, /^\d{5}(-\d{5}){4}$/);
    ports.clock.advance(60_000);
    assert.equal(await check(`${recoveryCode}0`), "rejected");
    assert.equal(await check(recoveryCode.replaceAll("-", "")), "accepted");
    assert.equal(await check(recoveryCode), "rejected");
  }
  const used = (await entryTypes()).filter((type) => type === "recovery_code_used");
  assert.equal(used.length, 10);
});

test("stores neither the secret nor a recovery code", async (t) => {
  const { codes, secret, recoveryCodes } = await scene(t);
  const stored = JSON.stringify(await codes());
  for (const form of ["hex", "base64", "base64url"] as const)
    assert.ok(!stored.includes(secret.toString(form)), form);
  for (const one of recoveryCodes) assert.ok(!stored.includes(one));
});

test("limits the codes of one account", async (t) => {
  const { ports, check, code } = await scene(t);
  for (let attempt = 1; attempt <= 5; attempt += 1) await check(code(2));
  assert.equal(await check(code()), "rejected", "although it is right");
  ports.clock.advance(60_000);
  assert.equal(await check(code()), "accepted");
  assert.equal(ports.codeLimiter.tracked, 1);
});

test("rejects a code silently if codes have just been turned off", async (t) => {
  const { ports, user, codes, code, entryTypes } = await scene(t);
  const before = { user, codes: await codes() };
  await ports.store.codes.turnOff(user.id);
  for (const entered of ["abc", code()])
    assert.equal(await checkCode(ports, before, entered, CLIENT), "rejected");
  assert.deepEqual([ports.log.lines, await entryTypes()], [[], ["codes_on"]]);
});

test("opens a secret sealed with a previous signing secret, and seals it anew", async (t) => {
  const { ports, check, code } = await scene(t);
  const seals = createSeals("the next secret", [SECRET]);
  assert.equal(await check(code(), { seals }), "accepted");
  ports.clock.advance(STEP_MS);
  assert.equal(await check(code(), { seals: createSeals("the next secret") }), "accepted");
  assert.deepEqual(ports.log.lines, []);
});

test("rejects codes sealed with an unknown secret, except recovery codes", async (t) => {
  const { ports, user, check, code, recoveryCodes, entryTypes } = await scene(t);
  const changed = { seals: createSeals("another secret") };
  assert.equal(await check(code(), changed), "rejected");
  assert.deepEqual(ports.log.lines, []);
  const message = "the one-time codes of an account cannot be read";
  const line = await eventually(() => ports.log.lines[0]);
  assert.deepEqual(line, { level: "error", message, fields: { userId: user.id } });
  assert.equal(await check(recoveryCodes[0] ?? "", changed), "accepted");
  assert.deepEqual(await entryTypes(), ["codes_on", "recovery_code_used"], "no wrong code");
});

test("does not accept the sealed secret of another account", async (t) => {
  const { ports, codes, code } = await scene(t);
  const guest = await addTo(ports.store, "guest");
  const holder = { user: guest, codes: await codes() };
  assert.equal(await checkCode(ports, holder, code(), CLIENT), "rejected");
  assert.match((await eventually(() => ports.log.lines[0])).message, /cannot be read/);
});
