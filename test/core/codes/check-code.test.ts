import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCode } from "../../../src/core/codes/check-code.ts";
import { createSeals } from "../../../src/core/sessions/seals.ts";
import type { StoredUser } from "../../../src/core/store.ts";
import type { CorePorts } from "../../support/core-ports.ts";
import { eventually } from "../../support/eventually.ts";
import { SECRET } from "../../support/gate.ts";
import { add, newFile, openStore } from "../../support/store.ts";
import { STEP_MS, withCodes } from "./codes-ports.ts";

const wrongIn = ({ codes = "" }: StoredUser): unknown => JSON.parse(codes).wrong;

const counted = (owner: () => Promise<StoredUser>, wrong: number): Promise<true> =>
  eventually(async () => wrongIn(await owner()) === wrong || undefined);

async function setWrong({ store }: CorePorts, user: StoredUser, wrong: number): Promise<void> {
  const next = JSON.stringify({ ...JSON.parse(user.codes ?? ""), wrong });
  assert.ok(await store.replaceExtra(user.id, "codes", user.codes, next));
}

test("needs no code for an account without codes", async (t) => {
  const { ports, owner } = await withCodes(t);
  const { codes: _codes, ...without } = await owner();
  assert.equal(await checkCode(ports, without, "whatever"), "not-needed");
});

test("accepts a code once, with spaces too", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  assert.equal(await checkCode(ports, await owner(), code(-1)), "rejected", "confirmed with it");
  const spaced = `${code().slice(0, 3)} ${code().slice(3)}`;
  assert.equal(await checkCode(ports, await owner(), spaced), "accepted");
  assert.equal(await checkCode(ports, await owner(), code()), "rejected");
  ports.clock.advance(STEP_MS);
  assert.equal(await checkCode(ports, await owner(), code(-1)), "rejected", "the same code later");
  assert.equal(await checkCode(ports, await owner(), code()), "accepted");
});

test("rejects a missing and a wrong code", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const before = await owner();
  assert.equal(await checkCode(ports, before, ""), "rejected");
  assert.equal(ports.codeLimiter.tracked, 0, "without a code none is counted");
  for (const entered of ["abc", code(2), "0".repeat(25)]) {
    assert.equal(await checkCode(ports, before, entered), "rejected", entered);
  }
  await counted(owner, 3);
  const entry = "code_rejected: Wrong one-time code after the right password of owner";
  assert.deepEqual((await ports.writtenEntries()).slice(1), [entry, entry, entry]);
});

test("answers a wrong code before the write of its count begins", async (t) => {
  const { ports, owner } = await withCodes(t);
  const replaceExtra = t.mock.method(ports.store, "replaceExtra");
  assert.equal(await checkCode(ports, await owner(), "abc"), "rejected");
  assert.equal(replaceExtra.mock.callCount(), 0);
  await counted(owner, 1);
});

test("answers a wrong code the same if its count cannot be written, and logs that", async (t) => {
  const { ports, owner } = await withCodes(t);
  const failure = new Error("the disk is full");
  t.mock.method(ports.store, "replaceExtra", () => Promise.reject(failure));
  assert.equal(await checkCode(ports, await owner(), "abc"), "rejected");
  const line = await eventually(() => ports.log.lines[0]);
  assert.deepEqual(
    [line.message, line.fields.reason],
    ["a wrong code was not counted", failure.message],
  );
});

test("locks codes after 100 wrong ones in a row, and records it, until a recovery code", async (t) => {
  const { ports, owner, code, recoveryCodes } = await withCodes(t);
  await setWrong(ports, await owner(), 99);
  assert.equal(await checkCode(ports, await owner(), "abc"), "rejected");
  await counted(owner, 100);
  for (const entered of [code(), "abc", "0".repeat(25)]) {
    assert.equal(await checkCode(ports, await owner(), entered), "rejected", entered);
  }
  ports.clock.advance(60_000);
  assert.equal(await checkCode(ports, await owner(), recoveryCodes[0] ?? ""), "accepted");
  assert.equal(await checkCode(ports, await owner(), code()), "accepted");
  assert.deepEqual(
    (await ports.writtenEntries()).slice(1).map((entry) => entry.split(":")[0]),
    ["code_rejected", "codes_locked", "recovery_code_used"],
  );
});

test("a right code in between starts the count again", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  await setWrong(ports, await owner(), 99);
  assert.equal(await checkCode(ports, await owner(), code()), "accepted");
  await counted(owner, 0);
});

for (const right of ["third", "fourth"] as const) {
  test(`of guesses at the same time at two instances, the ${right} of three that are left is ${right === "third" ? "judged" : "not judged"}`, async (t) => {
    const file = await newFile(t);
    const { ports, owner, code } = await withCodes(t, file);
    const instances = [ports, { ...ports, store: await openStore(t, file) }];
    await setWrong(ports, await owner(), 97);
    const user = await owner();
    const guesses = ["a", "b", ...(right === "third" ? [] : ["c"]), code(), "d", "e"];
    const codeLimiter = { attempt: () => "allowed" as const };
    const answers = await Promise.all(
      guesses.map((guess, at) =>
        checkCode({ ...ports, ...instances[at % 2], codeLimiter }, user, guess),
      ),
    );
    const accepted = answers.flatMap((answer, at) => (answer === "accepted" ? [guesses[at]] : []));
    assert.deepEqual(accepted, right === "third" ? [code()] : []);
    await counted(owner, right === "third" ? 2 : 100);
  });
}

test("accepts one of several requests with the same code", async (t) => {
  const { ports, owner, code, recoveryCodes } = await withCodes(t);
  const user = await owner();
  for (const entered of [code(), recoveryCodes[0] ?? ""]) {
    const both = [checkCode(ports, user, entered), checkCode(ports, user, entered)];
    assert.deepEqual((await Promise.all(both)).sort(), ["accepted", "rejected"]);
  }
});

test("accepts each recovery code once, with or without hyphens, and records it", async (t) => {
  const { ports, owner, recoveryCodes } = await withCodes(t);
  assert.equal(new Set(recoveryCodes).size, 10);
  for (const recoveryCode of recoveryCodes) {
    assert.match(recoveryCode, /^\d{5}(-\d{5}){4}$/);
    ports.clock.advance(60_000);
    const entered = recoveryCode.replaceAll("-", "");
    assert.equal(await checkCode(ports, await owner(), entered), "accepted");
    assert.equal(await checkCode(ports, await owner(), recoveryCode), "rejected");
  }
  const used = "recovery_code_used: Used a recovery code of owner";
  const entries = await ports.writtenEntries();
  assert.equal(entries.filter((entry) => entry === used).length, 10);
});

test("stores neither the secret nor a recovery code", async (t) => {
  const { owner, secret, recoveryCodes } = await withCodes(t);
  const { codes = "" } = await owner();
  for (const form of ["hex", "base64", "base64url"] as const) {
    assert.ok(!codes.includes(secret.toString(form)), form);
  }
  for (const one of recoveryCodes) assert.ok(!codes.includes(one));
});

test("limits the codes of one account, and no other account", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const user = await owner();
  const wrong = code(2);
  for (let attempt = 1; attempt <= 5; attempt += 1) await checkCode(ports, user, wrong);
  assert.equal(await checkCode(ports, user, code()), "rejected", "although it is right");
  ports.clock.advance(60_000);
  assert.equal(await checkCode(ports, user, code()), "accepted");
  assert.equal(ports.codeLimiter.tracked, 1);
});

test("rejects a code, without a log line, if codes have just been turned off", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const before = await owner();
  await ports.store.replaceExtra(before.id, "codes", before.codes, undefined);
  assert.equal(await checkCode(ports, before, code()), "rejected");
  assert.deepEqual(ports.log.lines, []);
});

test("opens a secret sealed with a previous signing secret, and seals it anew", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const rotated = { ...ports, seals: createSeals("the next secret", [SECRET]) };
  assert.equal(await checkCode(rotated, await owner(), code()), "accepted");
  ports.clock.advance(STEP_MS);
  const later = { ...ports, seals: createSeals("the next secret") };
  assert.equal(await checkCode(later, await owner(), code()), "accepted");
  assert.deepEqual(ports.log.lines, []);
});

test("rejects and logs codes sealed with an unknown secret, except recovery codes", async (t) => {
  const { ports, owner, code, recoveryCodes } = await withCodes(t);
  const changed = { ...ports, seals: createSeals("another secret") };
  assert.equal(await checkCode(changed, await owner(), code()), "rejected");
  const message = "the one-time codes of an account cannot be read";
  assert.deepEqual(ports.log.lines, [
    { level: "error", message, fields: { userId: (await owner()).id } },
  ]);
  assert.equal(await checkCode(changed, await owner(), recoveryCodes[0] ?? ""), "accepted");
});

test("rejects and logs every code of an account whose codes cannot be read", async (t) => {
  const { ports, owner, code, recoveryCodes } = await withCodes(t);
  const damaged = { ...(await owner()), codes: "{" };
  for (const entered of [code(), recoveryCodes[0] ?? ""]) {
    assert.equal(await checkCode(ports, damaged, entered), "rejected");
  }
  assert.deepEqual(
    ports.log.lines.map(({ level }) => level),
    ["error", "error"],
  );
});

test("does not accept the sealed secret of another account", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const { codes = "" } = await owner();
  const guest = await add(ports.store, "guest");
  await ports.store.replaceExtra(guest.id, "codes", undefined, codes);
  assert.equal(await checkCode(ports, { ...guest, codes }, code()), "rejected");
});

test("rejects every code if the store cannot use it up", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const store = { findUser: ports.store.findUser };
  assert.equal(await checkCode({ ...ports, store }, await owner(), code()), "rejected");
});
