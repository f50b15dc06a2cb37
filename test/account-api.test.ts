import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Auth, type AuthOptions, createAuth, fetchRequest } from "../src/index.ts";
import { signInAs } from "../src/testing/index.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

const CLIENT = { remoteAddress: "203.0.113.9" };
const PASSWORD = "correct horse battery";

async function anApp(t: TestContext, options: Partial<AuthOptions> = {}) {
  const store = await openStore(t);
  const open = (): Auth => {
    const auth = createAuth({ store, secret: SECRET, log: recordingLog(), ...options });
    t.after(() => auth.close());
    return auth;
  };
  const auth = open();
  const guarded = async (cookie: string, of = auth) => {
    const headers = new Headers({ cookie });
    return (await of.currentUser(headers))?.username;
  };
  return { auth, open, guarded, store };
}

async function added(auth: Auth, username: string, groups: readonly string[] = []) {
  const outcome = await auth.users.add({ username, password: PASSWORD, groups });
  assert.ok(outcome.kind === "added");
  return outcome.user;
}

async function signIn(auth: Auth, username: string, password: string) {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ username, password }).toString();
  const request = new Request("http://localhost/login", { method: "POST", headers, body });
  const { headers: sent } = await auth.adapter.answer(fetchRequest(request, CLIENT));
  return sent.Location;
}

test("adds, finds, lists, renames and removes accounts", async (t) => {
  const { auth } = await anApp(t);
  const { users } = auth;
  const ann = await added(auth, "ann", ["family"]);
  const ben = await added(auth, "ben");
  assert.deepEqual(await users.find(ann.id), { ...ann, groups: ["family"] });
  assert.equal((await users.findByUsername("ben"))?.id, ben.id);
  assert.equal(await users.find("unknown"), undefined);
  const names = [];
  for await (const { username } of users.list()) names.push(username);
  assert.deepEqual(names.sort(), ["ann", "ben"]);
  const again = await users.add({ username: "ben", password: PASSWORD });
  assert.deepEqual(again, { kind: "username-taken" });
  assert.equal(await users.rename(ben.id, "ann"), "username-taken");
  assert.equal(await users.rename(ben.id, "bea"), "renamed");
  assert.equal(await users.setGroups(ann.id, ["no spaces"]), "groups-invalid");
  assert.equal(await users.setPassword("unknown", PASSWORD), "no-user");
  assert.equal(await users.remove(ben.id), "removed");
  assert.equal(await users.remove(ann.id), "last-user");
});

test("a change counts at once for the guards of the process", async (t) => {
  const { auth, guarded } = await anApp(t);
  await added(auth, "owner");
  const ann = await added(auth, "ann");
  const session = await auth.sessions.create(ann.id);
  assert.ok(session);
  assert.equal(await guarded(session.cookie), "ann");
  await auth.users.rename(ann.id, "anna");
  assert.equal(await guarded(session.cookie), "anna");
  assert.equal(await auth.sessions.end(session.id), "ended");
  assert.equal(await auth.sessions.end(session.id), "no-session");
  assert.equal(await guarded(session.cookie), undefined);
  const other = await auth.sessions.create(ann.id);
  assert.equal((await auth.sessions.list(ann.id)).length, 1);
  assert.equal(await auth.sessions.endAll(ann.id), "ended");
  assert.equal(await guarded(String(other?.cookie)), undefined);
  const last = await auth.sessions.create(ann.id);
  assert.equal(await guarded(String(last?.cookie)), "anna");
  assert.equal(await auth.sessions.endForEveryone(), 2);
  assert.equal(await guarded(String(last?.cookie)), undefined);
  assert.equal(await auth.sessions.create("unknown"), undefined);
});

test("manages an account that has ended, but gives it no session and no key", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { auth, store } = await anApp(t);
  const { users, sessions, keys } = auth;
  await added(auth, "owner");
  const adding = await users.add({ username: "temp", endsAt: new Date(Date.now() + 1_000) });
  assert.ok(adding.kind === "added" && keys);
  const { id } = adding.user;
  const [key, session] = [await keys.add(id, { name: "feeds" }), await sessions.create(id)];
  assert.ok(key.kind === "added" && session);
  t.mock.timers.tick(1_000);
  const found = await users.findByUsername("temp");
  assert.deepEqual([await users.find(id), found?.id], [found, id]);
  assert.equal(await sessions.end(session.id), "ended");
  assert.equal(await keys.revoke(key.key.id), "revoked");
  assert.deepEqual(await keys.add(id, { name: "more" }), { kind: "no-user" });
  assert.equal(await sessions.create(id), undefined);
  assert.equal(await users.setPassword(id, PASSWORD), "reset");
  assert.equal(await signIn(auth, "temp", PASSWORD), "/login?error=1");
  assert.equal(await users.remove(id), "removed");
  assert.deepEqual(await users.add({ username: "Temp" }), { kind: "username-used" });
  assert.equal(await users.forgetName("owner"), "username-taken");
  assert.equal(await users.forgetName("TEMP"), "forgotten");
  assert.equal(await users.forgetName("temp"), "no-name");
  await added(auth, "temp");
  await auth.close();
  const types = (await store.log.newest({ limit: 6 })).map(({ type }) => type).reverse();
  const managed = ["session_end", "key_revoke", "user_password", "user_remove"];
  managed.push("name_forget", "user_add");
  assert.deepEqual(types, managed);
});

test("lists and forgets devices, and removes the second factors of an account", async (t) => {
  const { auth, guarded, store } = await anApp(t);
  const { sessions, factors } = auth;
  assert.ok(factors && store.codes && store.devices);
  const { id: userId } = await added(auth, "ann");
  const codes = { secret: "sealed elsewhere", lastStep: 0, recovery: [], wrong: 0 };
  const turnOn = async () => {
    await store.codes?.begin(userId, "mark");
    assert.ok(await store.codes?.turnOn(userId, "mark", codes));
  };
  await turnOn();
  const at = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
  const device = { id: "one", userId, ...at, device: "Firefox on Linux", boundTo: "" };
  await store.devices.insert(device);
  assert.deepEqual(await sessions.devices(userId), [device]);
  assert.equal(await sessions.end("one"), "forgotten");
  assert.equal(await sessions.end("one"), "no-session");
  const results = [await factors.turnOffCodes(userId), await factors.turnOffCodes(userId)];
  assert.deepEqual(results, ["off", "already-off"]);
  await turnOn();
  const session = await sessions.create(userId);
  assert.equal(await guarded(String(session?.cookie)), "ann");
  assert.equal(await factors.removeAll(userId), "ended");
  assert.equal(await guarded(String(session?.cookie)), undefined);
  assert.equal(await factors.turnOffCodes(userId), "already-off");
  assert.ok((await auth.users.find(userId))?.sessionsFrom);
  assert.equal(await factors.removeAll("unknown"), "no-user");
  assert.equal(await factors.turnOffCodes("unknown"), "no-user");
});

test("a created session has the client of its request and a log entry", async (t) => {
  const { auth, store } = await anApp(t);
  const { id } = await added(auth, "ann");
  const request = fetchRequest(
    new Request("https://app.example.org/callback", { headers: { "X-Forwarded-Proto": "https" } }),
    CLIENT,
  );
  const session = await auth.sessions.create(id, request);
  const [line = ""] = session?.setCookies ?? [];
  assert.match(line, /^session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/);
  const [listed] = await auth.sessions.list(id);
  assert.deepEqual([listed?.id, listed?.address], [session?.id, "203.0.113.9"]);
  await auth.close();
  const entries = await store.log.read({ afterId: 0, limit: 9 });
  const told = entries.map(({ type, author, address }) => [type, author, address]);
  assert.deepEqual(told, [
    ["user_add", "system", undefined],
    ["signin", "system", "203.0.113.9"],
  ]);
});

test("an account without a password cannot sign in by one until it is set", async (t) => {
  const { auth } = await anApp(t);
  await added(auth, "owner");
  const outcome = await auth.users.add({ username: "ann" });
  assert.ok(outcome.kind === "added");
  for (const tried of ["", "$unset$", PASSWORD]) {
    assert.equal(await signIn(auth, "ann", tried), "/login?error=1");
  }
  assert.equal(await auth.users.setPassword(outcome.user.id, PASSWORD), "reset");
  assert.equal(await signIn(auth, "ann", PASSWORD), "/");
});

test("adds the first account even if the setup token cannot be deleted", async (t) => {
  const setupToken = {
    read: async () => "t",
    delete: () => Promise.reject(new Error("read-only")),
  };
  const log = recordingLog();
  const { auth, store } = await anApp(t, { setupToken, log });
  await added(auth, "owner");
  await auth.close();
  assert.equal((await store.log.newest({ limit: 1 }))[0]?.type, "user_add");
  const message = "cannot delete the used setup token";
  assert.partialDeepStrictEqual(log.lines, [{ message, fields: { reason: "read-only" } }]);
});

test("makes, lists and revokes one-time links", async (t) => {
  const { auth } = await anApp(t);
  const { links } = auth;
  assert.ok(links);
  const expiresAt = new Date(Date.now() + 60_000);
  const wanted = { purpose: "invite", usesLeft: 1, expiresAt } as const;
  await added(auth, "owner");
  const made = await links.make(wanted);
  assert.ok(made.kind === "made");
  const opened = async () => {
    const request = new Request(`http://localhost/link/${made.token}`);
    return (await auth.adapter.answer(fetchRequest(request, CLIENT))).status;
  };
  assert.equal(await opened(), 200);
  const listed = [];
  for await (const { id } of links.list()) listed.push(id);
  assert.deepEqual(listed, [made.link.id]);
  assert.equal(await links.revoke(made.link.id), "revoked");
  assert.equal(await opened(), 404);
});

test("makes, lists and revokes keys, which the guards of the process notice at once", async (t) => {
  const { auth } = await anApp(t, { guards: { keys: true } });
  const { keys } = auth;
  assert.ok(keys);
  const { id } = await added(auth, "ann");
  assert.deepEqual(await keys.add("unknown", { name: "feeds" }), { kind: "no-user" });
  const made = await keys.add(id, { name: "feeds", hosts: ["localhost"], lifetime: 60 });
  assert.ok(made.kind === "added");
  assert.equal(made.key.expiresAt?.getTime(), made.key.createdAt.getTime() + 60_000);
  await keys.add(id, { name: "backup" });
  const headers = { authorization: `Bearer ${made.text}` };
  const request = fetchRequest(new Request("http://localhost/feed", { headers }), CLIENT);
  const admitted = async () =>
    (await auth.adapter.requireAuth(undefined, () => request, headers.authorization)).kind;
  assert.equal(await admitted(), "admitted");
  const listed = (await keys.list(id)).map(({ name }) => name);
  assert.deepEqual(listed.sort(), ["backup", "feeds"]);
  assert.equal(await keys.revoke(made.key.id), "revoked");
  assert.equal(await admitted(), "refused");
});

test("refuses what plain JavaScript can pass by mistake", async (t) => {
  const { auth } = await anApp(t);
  const { id } = await added(auth, "ann");
  const anyone = (fields: object) => auth.users.add({ username: "ben", ...fields });
  for (const fields of [{ username: 5 }, { endsAt: "2030-01-31" }, { endsAt: 0 }]) {
    await assert.rejects(anyone(fields), { code: "invalid_option" });
  }
  const key = { name: "feeds", lifetime: "30d" as never };
  await assert.rejects(async () => auth.keys.add(id, key), { code: "invalid_option" });
  const link = { purpose: "invite", usesLeft: 1, expiresAt: new Date() } as const;
  const wrong = [{ expiresAt: "tomorrow" }, { usesLeft: 1.5 }, { purpose: "guests" }] as never[];
  for (const fields of [...wrong, { guestSeconds: 1e300 }]) {
    const making = async () => auth.links.make({ ...link, ...fields });
    await assert.rejects(making, { code: "invalid_option" });
  }
});

test("signInAs makes the account once, sets its groups, and signs it in", async (t) => {
  const { auth, open, guarded, store } = await anApp(t);
  const cookies = await Promise.all(
    Array.from({ length: 8 }, () => signInAs(auth, "ann", { groups: ["family"] })),
  );
  for (const cookie of cookies) assert.equal(await guarded(cookie, open()), "ann");
  const user = await store.users.findByName("ann");
  assert.deepEqual([user?.passwordHash, user?.groups], ["$unset$", ["family"]]);
  const refused = { code: "invalid_option" };
  await assert.rejects(signInAs(auth, "ann", { groups: ["no spaces"] }), refused);
  await assert.rejects(signInAs(auth, ""), refused);
});

test("signInAs refuses in production", async (t) => {
  const { auth, store } = await anApp(t);
  t.mock.property(process, "env", { ...process.env, NODE_ENV: "production" });
  await assert.rejects(signInAs(auth, "ann"), { code: "test_only" });
  assert.equal(await store.users.any(), false);
});

test("adds, finds, changes and removes apps with their secrets and icons", async (t) => {
  const { auth, store } = await anApp(t);
  const { apps } = auth;
  const redirects = ["https://photos.test/callback"];
  const added = await apps.add({ name: "Photos", redirects, groups: ["family"] });
  assert.ok(added.kind === "added" && added.secret);
  assert.deepEqual(await apps.list(), [added.app]);
  assert.deepEqual(await apps.add({ name: "Photos" }), { kind: "id-taken", id: "photos" });
  const second = await apps.addSecret("photos");
  assert.ok(second.kind === "made");
  const image = Buffer.from("<svg/>");
  assert.deepEqual(await apps.setIcon("photos", "dark", image), { kind: "set" });
  const found = await apps.find("photos");
  const { app } = added;
  assert.deepEqual(found, { ...app, secrets: found?.secrets, icons: ["dark"] });
  assert.equal(found?.secrets.length, 2);
  assert.equal(await apps.revokeSecret("photos"), "revoked");
  assert.equal(await apps.revokeSecret("photos"), "only-one");
  assert.equal(await apps.removeIcon("photos", "dark"), "removed");
  const changed = await apps.change("photos", { groups: [], section: undefined, factors: 2 });
  assert.deepEqual(changed, { kind: "changed", secret: undefined });
  const plain = { ...app, groups: [], factors: 2 };
  assert.deepEqual(await apps.list(), [plain]);
  const refused = await apps.change("photos", { url: "photos.test" });
  assert.deepEqual(refused, { kind: "url-invalid", value: "photos.test", problem: "not-a-url" });
  assert.equal(await apps.remove("photos"), "removed");
  assert.deepEqual([await apps.list(), await apps.find("photos")], [[], undefined]);
  await auth.close();
  const types = (await store.log.newest({ limit: 20 })).map(({ type }) => type).reverse();
  assert.deepEqual(types, [
    ...["app_add", "app_secret", "app_secret", "app_change", "app_secret_revoke"],
    ...["app_change", "app_change", "app_remove"],
  ]);
});
