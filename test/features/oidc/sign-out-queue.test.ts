import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { App, Grant, SignOut, StoredUser } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import { createAppDirectory } from "../../../src/features/apps/app-directory.ts";
import {
  noteEnds,
  type SignOutServices,
  sendDue,
  startSignOutQueue,
} from "../../../src/features/oidc/sign-out-queue.ts";
import { readSigningKeys, type SigningJwk } from "../../../src/features/oidc/signing-keys.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { parseJsonObject } from "../../../src/lib/json.ts";
import { addTo, hashText } from "../../db/suite/samples.ts";
import { openStore } from "../../support/store.ts";

const NOW = Date.UTC(2031, 0, 1);
const ISSUER = "https://auth.example.org";
const URL_OF_APP = "https://photos.example.org/back-channel";
const NEVER = new AbortController().signal;

interface World {
  readonly store: Store;
  readonly user: StoredUser;
  readonly services: SignOutServices;
  readonly sent: { url: string; token: string }[];
  /** The app answers like this. */
  app: "acknowledges" | "is-away";
  now: number;
}

const photos: App = {
  id: "photos",
  name: "Photos",
  groups: ["family"],
  clientType: "confidential",
  redirects: "https://photos.example.org/callback",
  backchannelUrl: URL_OF_APP,
  createdAt: new Date(NOW),
};

/** A person who has signed in to an app that wants to know the end. */
async function startWorld(t: TestContext, fields: Partial<Grant> = {}): Promise<World> {
  const store = await openStore(t);
  await addTo(store, "owner", "insertFirst");
  const added = await store.users.insert({
    username: "ada",
    passwordHash: hashText("hash"),
    groups: ["family"],
  });
  const user = added && (await store.users.find(added.id));
  assert.ok(user);
  assert.equal(await store.apps.insert(photos), true);
  const sent: World["sent"] = [];
  const clock = { now: () => world.now, monotonic: () => world.now };
  const seals = createSeals("a secret that is only used in this test");
  let keys: Promise<readonly SigningJwk[]> | undefined;
  const world: World = {
    store,
    user,
    sent,
    app: "acknowledges",
    now: NOW,
    services: {
      store,
      clock,
      appDirectory: createAppDirectory(store.apps, { monotonic: () => world.now }),
      log: { warn: () => {}, error: () => {} },
      issuer: ISSUER,
      readKeys() {
        keys ??= readSigningKeys({ store, clock, seals, record: () => {} });
        return keys;
      },
      async send(url, token) {
        sent.push({ url, token });
        if (world.app === "is-away") throw new Error("the app answered 503");
      },
    },
  };
  await signInToApp(world, "grant", fields);
  return world;
}

async function signInToApp({ store, user }: World, id: string, fields: Partial<Grant>) {
  const grant: Grant = {
    id,
    userId: user.id,
    appId: "photos",
    sessionId: "session",
    sid: "sid of the session",
    validUpTo: NOW / 1_000,
    factors: 1,
    content: "{}",
    createdAt: new Date(NOW),
    expiresAt: new Date(NOW + 86_400_000),
    ...fields,
  };
  const { appId, userId, sid, expiresAt } = grant;
  const signOut: SignOut = { id, appId, userId, sid, url: URL_OF_APP, tries: 0, expiresAt };
  assert.equal(await store.grants.insert(grant, signOut), true);
}

async function runQueue({ services }: World): Promise<void> {
  await noteEnds(services);
  await sendDue(services, NEVER);
}

const endSession = ({ store, user, now }: World) =>
  store.sessions.end(
    {
      id: "session",
      userId: user.id,
      createdAt: new Date(NOW),
      usedAt: new Date(NOW),
      expiresAt: new Date(NOW + 86_400_000),
      address: "",
      device: "",
    },
    new Date(now),
  );

const ends: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  "the session": endSession,
  "all sessions": ({ store, user }) => store.users.endSessions(user.id, NOW / 1_000 + 60),
  "the sessions of everybody": ({ store }) => store.users.endAllSessions(NOW / 1_000 + 60),
  "the account": ({ store, user }) => store.users.remove(user.id),
  "the group": ({ store, user }) => store.users.setGroups(user.id, []),
  "the app": ({ store }) => store.apps.remove("photos"),
  "the access by a group of the app": ({ store }) =>
    store.apps.change("photos", (app) => ({ ...app, groups: ["others"] })),
  "the access by a second factor": ({ store }) =>
    store.apps.change("photos", (app) => ({ ...app, factors: 2 })),
  "the access to an app that is turned off": ({ store }) =>
    store.apps.change("photos", (app) => ({ ...app, off: 1 })),
  "the consent": ({ store, user }) => store.consents.remove("photos", user.id),
  "the time of the session": async (world) => {
    world.now = NOW + 86_400_000;
  },
};

for (const [what, end] of Object.entries(ends)) {
  test(`the end of ${what} is sent to the app once`, async (t) => {
    const world = await startWorld(t);
    await runQueue(world);
    assert.deepEqual(world.sent, [], "nothing has ended yet");
    await end(world);
    // Another process has changed it, and this one has read all apps at most a second ago.
    world.now += 1_000;
    await runQueue(world);
    await runQueue(world);
    assert.deepEqual(
      world.sent.map(({ url }) => url),
      [URL_OF_APP],
    );
    const [told] = await world.store.signOuts.list({ userId: world.user.id }, 9);
    assert.deepEqual([told?.tries, told?.dueAt], [1, undefined]);
    assert.ok(told?.acknowledgedAt);
  });
}

test("an account that the app admits again gets another grant, whose end is sent too", async (t) => {
  const world = await startWorld(t);
  const { store, user } = world;
  await store.users.setGroups(user.id, []);
  await runQueue(world);
  await store.users.setGroups(user.id, ["family"]);
  assert.equal(await store.grants.findCurrent("grant", new Date(NOW)), undefined);
  assert.equal(await store.grants.findOfSession("session", "photos"), undefined);
  await signInToApp(world, "another grant", {});
  await runQueue(world);
  assert.equal(world.sent.length, 1);
  await endSession(world);
  await runQueue(world);
  assert.equal(world.sent.length, 2);
});

for (const [what, before] of Object.entries({
  "that was added": (store: Store) => store.apps.remove("photos"),
  "whose groups were changed": (store: Store) =>
    store.apps.change("photos", (app) => ({ ...app, groups: ["others"] })),
})) {
  test(`a sign-in to an app ${what} within the last second has not ended`, async (t) => {
    const world = await startWorld(t);
    const { store, services } = world;
    await before(store);
    await services.appDirectory.read();
    await runQueue(world);
    world.sent.length = 0;
    await store.apps.remove("photos");
    await store.apps.insert(photos);
    await signInToApp(world, "another grant", {});
    await runQueue(world);
    assert.deepEqual(world.sent, []);
  });
}

test("a grant that outlives the session ends with all sessions, and not with its own", async (t) => {
  const world = await startWorld(t, { offline: 1 });
  await endSession(world);
  await runQueue(world);
  assert.deepEqual(world.sent, []);
  await world.store.users.endSessions(world.user.id, NOW / 1_000 + 60);
  await runQueue(world);
  assert.equal(world.sent.length, 1);
});

test("the token names the session and is signed with the key of the app", async (t) => {
  const world = await startWorld(t);
  await endSession(world);
  await runQueue(world);
  const [header = "", claims = "", signature = ""] = (world.sent[0]?.token ?? "").split(".");
  const key = (await world.services.readKeys()).find(({ alg }) => alg === "RS256");
  assert.ok(key);
  assert.deepEqual(decode(header), { alg: "RS256", typ: "logout+jwt", kid: key.kid });
  const { iat, exp, jti, ...others } = decode(claims);
  assert.deepEqual(others, {
    iss: ISSUER,
    sub: world.user.id,
    aud: "photos",
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    sid: "sid of the session",
  });
  assert.deepEqual([iat, exp], [NOW / 1_000, NOW / 1_000 + 120]);
  assert.match(String(jti), /^[\w-]{36}$/);
  assert.ok(isSigned(key, `${header}.${claims}`, signature));
});

const decode = (part: string) =>
  parseJsonObject(Buffer.from(part, "base64url").toString("utf8")) ?? {};

const isSigned = ({ kid: _, ...jwk }: SigningJwk, text: string, signature: string): boolean =>
  verify(
    "sha256",
    Buffer.from(text),
    createPublicKey({ key: { ...jwk }, format: "jwk" }),
    Buffer.from(signature, "base64url"),
  );

test("an app that is away is asked again, with growing pauses, and at last no more", async (t) => {
  const world = await startWorld(t);
  world.app = "is-away";
  await endSession(world);
  const pauses: number[] = [];
  for (;;) {
    await runQueue(world);
    const [state] = await world.store.signOuts.list({ appId: "photos" }, 9);
    assert.equal(state?.problem, "the app answered 503");
    if (state.dueAt === undefined) break;
    pauses.push((state.dueAt.getTime() - world.now) / 1_000);
    const asked = world.sent.length;
    world.now = state.dueAt.getTime() - 1;
    await runQueue(world);
    assert.equal(world.sent.length, asked, "not before its time");
    world.now = state.dueAt.getTime();
  }
  assert.deepEqual(
    pauses,
    [...pauses].sort((first, second) => first - second),
  );
  assert.ok(pauses.reduce((sum, seconds) => sum + seconds, 0) > 86_400, "for more than a day");
});

test("an app that comes back is told", async (t) => {
  const world = await startWorld(t);
  world.app = "is-away";
  await endSession(world);
  await runQueue(world);
  world.app = "acknowledges";
  world.now += 1_000;
  await runQueue(world);
  const [state] = await world.store.signOuts.list({ appId: "photos" }, 9);
  assert.deepEqual([state?.tries, state?.problem], [2, undefined]);
  assert.ok(state?.acknowledgedAt);
});

test("one of two instances sends, even if both look at the same time", async (t) => {
  const world = await startWorld(t);
  await endSession(world);
  await Promise.all([runQueue(world), runQueue(world), runQueue(world)]);
  assert.equal(world.sent.length, 1);
});

test("an end in this process is sent without waiting for the next look", async (t) => {
  const world = await startWorld(t);
  const told = Promise.withResolvers<string>();
  const queue = startSignOutQueue({
    ...world.services,
    send: async (url) => told.resolve(url),
  });
  t.after(() => queue.stop());
  await endSession(world);
  assert.equal(await told.promise, URL_OF_APP);
});

test("a queue that stops during a request leaves it to the next one", async (t) => {
  const world = await startWorld(t);
  const began = Promise.withResolvers<void>();
  const queue = startSignOutQueue({
    ...world.services,
    send: (_url, _token, stop) => {
      began.resolve();
      return new Promise((_, reject) => {
        stop.addEventListener("abort", () => reject(new Error("stopped")));
      });
    },
  });
  await endSession(world);
  await began.promise;
  await queue.stop();
  await runQueue(world);
  assert.deepEqual(world.sent, [], "the lease has not run out");
  world.now += 60_000;
  await runQueue(world);
  assert.equal(world.sent.length, 1);
});
