import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createHandoff, takeHandoff } from "../../../src/features/domains/handoff.ts";
import { endOtherSessions, endSession } from "../../../src/features/sessions/manage-sessions.ts";
import { signOut } from "../../../src/features/sessions/sign-out.ts";
import { createRandomText, digestText } from "../../../src/lib/random-text.ts";
import { accountWithSessions, CLIENT, idOf } from "../../identity/session-services.ts";

const DAY_MS = 86_400_000;
const HOST = "photos.other.test";
const RECEIVER = { host: HOST, browser: digestText("the cookie of the browser that began") };

async function scene(t: TestContext) {
  const account = await accountWithSessions(t);
  const { ports } = account;
  const own = await account.start();
  const known = ports.tokens.verify(own);
  assert.ok(typeof known === "object");
  const token = { ...known, factors: 2 } as const;
  return {
    ...account,
    own,
    token,
    endOthers: () => endOtherSessions(ports, account.user, token, CLIENT),
    give: async () =>
      (await createHandoff(ports, token, RECEIVER)) ?? assert.fail("too many codes"),
    take: (code: string, receiver = RECEIVER) => takeHandoff(ports, code, receiver, CLIENT),
    listed: () => ports.store.sessions.listOf(account.user.id, new Date(ports.clock.now()), 9),
  };
}

test("gives the host a session of its own, which counts from the sign-in and ends with it", async (t) => {
  const { ports, user, token, give, take, listed } = await scene(t);
  ports.clock.advance(DAY_MS);
  const taken = await take(await give());
  assert.deepEqual(ports.tokens.verify(taken?.text ?? ""), {
    ...{ ...token, id: taken?.id, host: HOST },
    ...{ issuedAt: token.issuedAt, expiresAt: token.expiresAt },
  });
  assert.notEqual(taken?.id, token.id);
  const session = (await listed()).find(({ id }) => id === taken?.id);
  assert.equal(session?.host, HOST);
  assert.equal(session?.userId, user.id);
  assert.deepEqual(session?.createdAt, new Date(token.issuedAt));
  assert.deepEqual(session?.expiresAt, new Date(token.expiresAt));
});

test("keeps the hash of a random code, once", async (t) => {
  const { ports, give, take } = await scene(t);
  const insert = t.mock.method(ports.store.sessions, "insertHandoff");
  const codes = [await give(), await give()];
  for (const [i, code] of codes.entries()) {
    assert.match(code, /^[\w-]{43}$/);
    const row = insert.mock.calls[i]?.arguments[0];
    assert.equal(row?.id, digestText(code));
    assert.doesNotMatch(JSON.stringify(row), new RegExp(code));
    assert.ok(await take(code));
    assert.equal(await take(code), undefined, "again");
  }
  assert.notEqual(codes[0], codes[1]);
  assert.notEqual(createRandomText(), createRandomText());
});

test("gives one session for one code that eight take at once", async (t) => {
  const { give, take, listed } = await scene(t);
  const code = await give();
  const taken = await Promise.all(Array.from({ length: 8 }, () => take(code)));
  assert.equal(taken.filter((token) => token !== undefined).length, 1);
  assert.equal((await listed()).length, 2);
});

const others = {
  "another host": { ...RECEIVER, host: "wiki.other.test" },
  "another browser": { ...RECEIVER, browser: digestText("another cookie") },
  "a browser that did not begin": { ...RECEIVER, browser: digestText("") },
  "the hash of the cookie as the cookie": { ...RECEIVER, browser: digestText(RECEIVER.browser) },
  "a text of another length": { ...RECEIVER, browser: "" },
};
for (const [whom, receiver] of Object.entries(others)) {
  test(`gives nothing to ${whom}, and then nothing to the right one`, async (t) => {
    const { give, take, listed } = await scene(t);
    const code = await give();
    assert.equal(await take(code, receiver), undefined);
    assert.equal(await take(code), undefined, "the code has been seen by somebody else");
    assert.equal((await listed()).length, 1);
  });
}

test("gives nothing for a code that is unknown, a hash, or a minute old", async (t) => {
  const { ports, give, take } = await scene(t);
  const [code, late] = [await give(), await give()];
  for (const other of ["", "x", digestText(code), `${code}=`, `${code} `, code.slice(0, -1)]) {
    assert.equal(await take(other), undefined);
  }
  ports.clock.advance(59_999);
  assert.ok(await take(code));
  ports.clock.advance(1);
  assert.equal(await take(late), undefined);
});

type Scene = Awaited<ReturnType<typeof scene>>;
const ends: Readonly<Record<string, (account: Scene) => unknown>> = {
  "its session has signed out": ({ ports, own }) => signOut(ports, [own], CLIENT),
  "its session has signed out, which the store does not know yet": ({ ports, own }) => {
    Object.assign(ports.store.sessions, { end: () => Promise.reject(new Error("full disk")) });
    return signOut(ports, [own], CLIENT);
  },
  "its session was ended": ({ ports, user, own }) => endSession(ports, user, idOf(own), CLIENT),
  "all sessions were ended": ({ endOthers }) => endOthers(),
  "its session has expired": ({ ports }) => ports.clock.advance(1_000),
};
for (const [what, end] of Object.entries(ends)) {
  test(`gives nothing after ${what}`, async (t) => {
    const account = await scene(t);
    const { ports, token, give, take } = account;
    ports.clock.advance(token.expiresAt - ports.clock.now() - 1_000);
    const code = await give();
    await end(account);
    assert.equal(await take(code), undefined);
  });
}

test("gives nothing for an account that was removed", async (t) => {
  const { ports, user, give, take } = await scene(t);
  const removed = await give();
  await ports.store.users.insert({ username: "another", passwordHash: user.passwordHash });
  assert.equal(await ports.store.users.remove(user.id), "removed");
  assert.equal(await take(removed), undefined);
});

test("ends the session of the host with all sessions, whatever comes between", async (t) => {
  const { ports, endOthers, give, take, isSignedIn } = await scene(t);
  const before = (await take(await give()))?.text ?? "";
  assert.equal(await isSignedIn(before), true);
  const code = await give();
  // The end of all comes after the last look at the user, and before the row.
  const insert = ports.store.sessions.insert;
  t.mock.method(ports.store.sessions, "insert", async (...given: Parameters<typeof insert>) => {
    await endOthers();
    await insert(...given);
  });
  const between = (await take(code))?.text ?? "";
  assert.deepEqual([await isSignedIn(before), await isSignedIn(between)], [false, false]);
});

test("gives no token if its session cannot be recorded", async (t) => {
  const { ports, give, take } = await scene(t);
  const code = await give();
  t.mock.method(ports.store.sessions, "insert", () => Promise.reject(new Error("disk full")));
  await assert.rejects(take(code), /disk full/);
});

test("gives a session 60 codes a minute, whatever others have asked for", async (t) => {
  const { ports, token, give } = await scene(t);
  const insert = t.mock.method(ports.store.sessions, "insertHandoff");
  for (let n = 0; n < 60; n += 1) await give();
  assert.equal(await createHandoff(ports, token, RECEIVER), undefined);
  assert.equal(insert.mock.callCount(), 60, "a refused code costs no statement");
  assert.ok(await createHandoff(ports, { ...token, id: "of-another-session" }, RECEIVER));
  ports.clock.advance(60_001);
  assert.ok(await give());
});
