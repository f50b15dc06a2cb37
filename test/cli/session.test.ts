import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getCodesPurpose } from "../../src/features/codes/check-code.ts";
import { rememberDevice } from "../../src/features/codes/remembered-devices.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { insertMany } from "../support/database.ts";
import { SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { places } from "./user/either.ts";
import { type OpenPlace, sqlitePlace } from "./user/place.ts";

const HOUR_MS = 3_600_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
const STRANGE = "\u001b[2Jg\u009bu\nest\u202e";

/** Three sessions of the owner, of which one has expired, and one of another account. */
async function scene(t: TestContext, open: OpenPlace) {
  const place = await open(t, "owner", STRANGE);
  const users = await place.accounts();
  const add = async (id: string, username: string, usedHoursAgo: number, hoursLeft = 9) => {
    const userId = users[username]?.id;
    assert.ok(userId);
    const at = (hours: number): Date =>
      new Date(Math.floor(Date.now() / 1e3) * 1e3 + hours * HOUR_MS);
    const session = {
      id,
      userId,
      createdAt: at(-30),
      usedAt: at(-usedHoursAgo),
      expiresAt: at(hoursLeft),
      address: "192.0.2.1",
      device: "Firefox on Linux",
    };
    await place.store.sessions.insert(session);
    return session;
  };
  const sessions = [
    await add("a", "owner", 2),
    await add("b", "owner", 1),
    await add("c", STRANGE, 0),
    await add("d", "owner", 3, -1),
  ] as const;
  const run = (...args: readonly string[]) => outputOf(["session", ...args], { env: place.env });
  return { place, sessions, run };
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: session list shows the unexpired sessions of one or all users`, async (t) => {
    const { run, sessions } = await scene(t, open);
    const [, b] = sessions;
    const idsIn = (text: string) => text.replaceAll(/.*(?=.$)|\n/gm, "");
    assert.match(idsIn(await run("list")), /^(bac|cba)$/);
    assert.equal(idsIn(await run("list", "owner")), "ba");
    const [first = ""] = (await run("list", "owner", "--json")).split("\n");
    const { userId: _, ...rest } = b;
    assert.deepEqual(JSON.parse(first), {
      ...JSON.parse(JSON.stringify(rest)),
      type: "session",
      username: "owner",
    });
  });

  test(`${kind}: session end ends one session and logs it`, async (t) => {
    const { run, place, sessions } = await scene(t, open);
    assert.equal(await run("end", "a"), 'Ended the session "a".\n');
    const ended = sessions.map(({ id }) => place.store.sessions.hasEnded(id));
    assert.deepEqual(await Promise.all(ended), [true, false, false, false]);
    assert.deepEqual(await place.entries(), ["cli session_end: Ended a session of owner"]);
    const again = await failureOf(["session", "end", "a"], { env: place.env });
    assert.equal(again, 'there is no session or remembered device "a"');
  });

  test(`${kind}: remembered devices are listed and end like sessions`, async (t) => {
    const place = await open(t, "owner");
    const { store } = place;
    const { owner: user } = await place.accounts();
    assert.ok(user);
    const seals = createSeals(SECRET);
    const secret = seals.seal(Buffer.from("key"), getCodesPurpose(user.id));
    const codes = { secret, lastStep: 0, recovery: [], wrong: 0 };
    await store.codes.begin(user.id, "mark");
    await store.codes.turnOn(user.id, "mark", codes);
    const clock = { now: () => Date.now() };
    const [events, log] = [{ record: () => {} }, recordingLog()];
    const ports = { seals, clock, events, log, store };
    for (const userAgent of [FIREFOX, FIREFOX])
      await rememberDevice(ports, { user, codes }, { remoteAddress: "192.0.2.1", userAgent });
    const list = async (name: readonly string[], AUTH_SECRET = SECRET) => {
      const env = { ...place.env, AUTH_SECRET };
      const lines = (await outputOf(["session", "list", ...name, "--json"], { env })).trim();
      return lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line));
    };
    const [first, second] = await list(["owner"]);
    assert.deepEqual([first.type, first.device], ["device", "Firefox on Linux"]);
    const run = (...args: readonly string[]) => outputOf(args, { env: place.env });
    const ended = await run("session", "end", "--", first.id);
    assert.equal(ended, `Forgot the remembered device "${first.id}".\n`);
    assert.deepEqual(await list([]), [second]);
    await run("user", "sign-out", "--all");
    assert.deepEqual(await list([]), [], "the next sign-in asks for a code");
    assert.deepEqual(await list(["owner"], "another secret"), [second], "listed all the same");
    assert.ok(
      (await place.entries()).includes("cli device_remove: Forgot a remembered device of owner"),
    );
  });
}

test("session list names an unknown user, and prints no control characters", async (t) => {
  const { run, place } = await scene(t, sqlitePlace);
  const refusal = await failureOf(["session", "list", "nobody"], { env: place.env });
  assert.match(refusal, /there is no user "nobody"/);
  for (const args of [["list"], ["list", "--json"]]) {
    assert.doesNotMatch(await run(...args), /[^\n\P{Cc}]/u);
  }
});

test("session list says if it does not list all sessions of a user", async (t) => {
  const { place } = await scene(t, sqlitePlace);
  const rows = "SELECT n || id, id, 0, 0, 9e12, '', '', NULL, NULL FROM latchkey_users, numbers";
  insertMany(`${place.env.DATA_DIR}/latchkey.db`, 1, 999, `INSERT INTO latchkey_sessions ${rows}`);
  const { stdout, stderr } = await runCommand(["session", "list", "owner"], { env: place.env });
  assert.equal(stdout.match(/\n/g)?.length, 1_000);
  assert.equal(stderr, 'latchkey: listing only 1000 sessions of "owner"\n');
});
