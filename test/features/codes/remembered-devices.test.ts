import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { renewRecoveryCodes } from "../../../src/features/codes/manage-codes.ts";
import {
  DEVICE_LIFETIME_SECONDS,
  forgetDevice,
  listDevices,
} from "../../../src/features/codes/remembered-devices.ts";
import { type SignInAttempt, signIn } from "../../../src/features/sign-in/sign-in.ts";
import { createAttemptLimiter } from "../../../src/identity/attempt-limiter.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { OWNER, SECRET } from "../../support/gate.ts";
import { addTo, newFile, openStore } from "../../support/store.ts";
import { CLIENT, withCodes } from "./codes-services.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";

/** An account with codes on, and a device that it has remembered. */
async function scene(t: TestContext, file?: string) {
  const { ports: all, user, ...codes } = await withCodes(t, file);
  const ports = {
    ...all,
    signInLimiter: { attempt: (_: string): "allowed" | "denied" => "allowed" },
  };
  const attemptOn =
    (given: typeof ports) =>
    (fields: Partial<SignInAttempt> = {}) =>
      signIn(given, { ...OWNER, ...CLIENT, userAgent: FIREFOX, ...fields });
  const attempt = attemptOn(ports);
  const outcome = await attempt({ code: codes.code(), remembersDevice: true });
  assert.ok(outcome.kind === "signed-in");
  assert.equal(outcome.token.factors, 2);
  const { device = "" } = outcome;
  const kind = async (fields: Partial<SignInAttempt> = { device }) => (await attempt(fields)).kind;
  return { ports, user, ...codes, attempt, attemptOn, kind, device };
}

test("asks for no code on a remembered device, for 30 days from then on", async (t) => {
  const { ports, user, attempt, kind, device } = await scene(t);
  assert.match(device, /^[\w-]{43}$/);
  const rows = JSON.stringify(await ports.store.transfer.readRows("devices", "", 9));
  assert.ok(!rows.includes(device), "only its hash is stored");
  const again = await attempt({ device, remembersDevice: true });
  assert.ok(again.kind === "signed-in");
  assert.equal(again.device, undefined, "its time is not prolonged");
  assert.equal(again.token.factors, 2);
  const [listed] = await listDevices(ports, user.id);
  assert.deepEqual([listed?.id, listed?.device], [digestText(device), "Firefox on Linux"]);
  ports.clock.advance(DEVICE_LIFETIME_SECONDS * 1_000 - 1);
  assert.equal(await kind(), "signed-in");
  ports.clock.advance(1);
  assert.equal(await kind(), "rejected");
  assert.deepEqual(await listDevices(ports, user.id), []);
});

test("remembers no device without a right code, or unless it is asked to", async (t) => {
  const { ports, attempt, code } = await scene(t);
  const remembersDevice = true;
  for (const entered of ["", "abc", code()])
    assert.equal((await attempt({ code: entered, remembersDevice })).kind, "rejected", entered);
  ports.clock.advance(60_000);
  const unasked = await attempt({ code: code() });
  assert.ok(unasked.kind === "signed-in" && unasked.device === undefined);
  await addTo(ports.store, "guest");
  const passwords = { ...ports.passwords, verify: async () => true };
  const guest = { ...OWNER, ...CLIENT, username: "guest", remembersDevice };
  const plain = await signIn({ ...ports, passwords }, guest);
  assert.ok(plain.kind === "signed-in" && plain.device === undefined, "codes are off");
  assert.equal((await ports.store.transfer.readRows("devices", "", 9)).length, 1);
});

test("does the same for a wrong password with and without a remembered device", async (t) => {
  const { ports, device, attemptOn } = await scene(t);
  const calls: string[] = [];
  const find = t.mock.method(ports.store.devices, "find");
  const verify = t.mock.method(ports.passwords, "verify");
  const open = (...given: Parameters<typeof ports.seals.open>) => {
    calls.push("opened");
    return ports.seals.open(...given);
  };
  const signInLimiter = createAttemptLimiter(ports.clock);
  const attempt = attemptOn({ ...ports, signInLimiter, seals: { ...ports.seals, open } });
  for (const fields of [{ password: "wrong" }, { username: "nobody" }])
    for (const text of [device, "x"])
      assert.deepEqual(await attempt({ ...fields, device: text }), { kind: "rejected" });
  assert.deepEqual([find.mock.callCount(), verify.mock.callCount(), calls], [4, 4, []]);
  assert.equal((await attempt({ device })).kind, "signed-in");
  assert.equal((await attempt({ device })).kind, "rate-limited", "also on a remembered device");
});

test("does not take the device of another account, or a text that is not one", async (t) => {
  const { ports, user, device, kind } = await scene(t);
  const row = await ports.store.devices.find(digestText(device), new Date(0));
  assert.ok(row);
  const guest = await addTo(ports.store, "guest");
  await ports.store.devices.insert({ ...row, id: digestText("theirs"), userId: guest.id });
  for (const one of ["theirs", row.id, `${device}A`, "", device.toLowerCase()])
    assert.equal(await kind({ device: one }), "rejected", one);
  assert.equal(await forgetDevice(ports, guest, row.id, CLIENT), "no-device");
  assert.equal(await kind(), "signed-in");
  assert.equal(await forgetDevice(ports, user, row.id, CLIENT), "forgotten");
  assert.equal(await forgetDevice(ports, user, row.id, CLIENT), "no-device");
  assert.equal(await kind(), "rejected");
  const types = (await ports.writtenEntries()).map((entry) => entry.split(":")[0]);
  assert.deepEqual(types, ["codes_on", "signin", "device_add", "signin", "device_remove"]);
});

test("follows a change of the signing secret, and ends without it", async (t) => {
  const { ports, user, attemptOn, device, recoveryCodes } = await scene(t);
  for (const [seals, kind] of [
    [createSeals("the next secret", [SECRET]), "signed-in"],
    [createSeals("the next secret"), "rejected"],
  ] as const)
    assert.equal((await attemptOn({ ...ports, seals })({ device })).kind, kind);
  const unreadable = { ...ports, seals: createSeals("the next secret") };
  assert.equal((await listDevices(unreadable, user.id)).length, 1, "it may count elsewhere");
  const [code = ""] = recoveryCodes;
  const outcome = await attemptOn(unreadable)({ code, remembersDevice: true });
  assert.ok(outcome.kind === "signed-in" && outcome.device === undefined);
  assert.deepEqual(ports.log.lines, []);
  await ports.store.codes.turnOff(user.id);
  assert.deepEqual(await listDevices(unreadable, user.id), []);
});

type Scene = Awaited<ReturnType<typeof scene>>;

/** After each of them, the account signs in differently. */
const changes: Readonly<Record<string, (one: Scene) => Promise<unknown>>> = {
  "the end of all sessions": ({ ports, user }) => ports.store.users.endSessions(user.id, 1),
  "another password": async ({ ports, user }) => {
    const next = await ports.passwords.hash(OWNER.password);
    await ports.store.users.replaceHash(user.id, user.passwordHash, next);
  },
  "a link for a new password": async ({ ports, user }) => {
    const expiresAt = new Date(ports.clock.now() + 60_000);
    const link = { id: "l", tokenHash: "l", purpose: "reset", userId: user.id, expiresAt } as const;
    await ports.store.links.insert({ ...link, usesLeft: 1 });
    const account = { username: user.username, passwordHash: user.passwordHash };
    const used = await ports.store.links.use({ ...link, usesLeft: 1 }, account, new Date(0));
    assert.notEqual(used, "gone");
  },
  "new recovery codes": ({ ports, user }) => renewRecoveryCodes(ports, user, CLIENT),
  "codes that are off and on again": async ({ ports, user, codes }) => {
    const before = await codes();
    assert.ok(before);
    await ports.store.codes.turnOff(user.id);
    await ports.store.codes.begin(user.id, "mark");
    const secret = ports.seals.seal(Buffer.alloc(20), `one-time codes of ${user.id}`);
    await ports.store.codes.turnOn(user.id, "mark", { ...before, secret });
  },
};

for (const [what, change] of Object.entries(changes)) {
  test(`forgets devices after ${what}, also one that is just being remembered`, async (t) => {
    const file = await newFile(t);
    const one = await scene(t, file);
    const { ports, user, kind, attemptOn, code } = one;
    ports.clock.advance(60_000);
    // The change is made on another instance, between the check of the code and the new row.
    const { devices } = await openStore(t, file);
    const racing = {
      ...devices,
      async insert(...given: Parameters<typeof devices.insert>) {
        await change(one);
        await devices.insert(...given);
      },
    };
    const raced = await attemptOn({ ...ports, store: { ...ports.store, devices: racing } })({
      ...{ code: code(), remembersDevice: true },
    });
    assert.ok(raced.kind === "signed-in" && raced.device !== undefined);
    for (const device of [one.device, raced.device])
      assert.equal(await kind({ device }), "rejected");
    assert.deepEqual(await listDevices(ports, user.id), []);
  });
}

test("keeps devices when a code is used or a password hash is renewed", async (t) => {
  const { ports, kind, attempt, attemptOn, code, recoveryCodes } = await scene(t);
  ports.clock.advance(60_000);
  const isOutdated = () => true;
  const outdated = attemptOn({ ...ports, passwords: { ...ports.passwords, isOutdated } });
  const renewed = await outdated({ code: code(), remembersDevice: true });
  assert.ok(renewed.kind === "signed-in" && renewed.device !== undefined);
  assert.equal((await attempt({ code: recoveryCodes[0] ?? "" })).kind, "signed-in");
  assert.equal(await kind({ device: renewed.device }), "signed-in");
});

test("signs in without remembering the device if the store fails", async (t) => {
  const { ports, user, attemptOn, code } = await scene(t);
  ports.clock.advance(60_000);
  const insert = () => Promise.reject(new Error("the disk is full"));
  const devices = { ...ports.store.devices, insert };
  const attempt = attemptOn({ ...ports, store: { ...ports.store, devices } });
  const outcome = await attempt({ code: code(), remembersDevice: true });
  assert.ok(outcome.kind === "signed-in" && outcome.device === undefined);
  const fields = { userId: user.id, reason: "the disk is full" };
  const message = "a device was not remembered";
  assert.deepEqual(ports.log.lines, [{ level: "warn", message, fields }]);
});
