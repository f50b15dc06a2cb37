import assert from "node:assert/strict";
import { test } from "node:test";
import { expressAuth } from "../../src/adapters/express.ts";
import { fastifyAuth } from "../../src/adapters/fastify.ts";
import { fetchAuth } from "../../src/adapters/fetch.ts";
import { honoAuth } from "../../src/adapters/hono.ts";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { PasswordHash, User } from "../../src/db/records.ts";
import { asksForFactor } from "../../src/http/refusals.ts";
import { createAuth, fetchRequest } from "../../src/index.ts";
import { getErrorMessage } from "../../src/lib/fault.ts";
import { openAuth } from "../support/auth.ts";
import { optionsWith } from "../support/options.ts";

test("a guard takes a list of groups that accounts can have, and nothing else", async (t) => {
  const auth = createAuth(optionsWith());
  t.after(() => auth.close());
  const guards = [honoAuth(auth), expressAuth(auth), fastifyAuth(auth)].flatMap(
    ({ requireAuth, authMiddleware }) => [requireAuth, authMiddleware],
  );
  type Wrapper = (...given: readonly unknown[]) => unknown;
  const wrappers = [nodeAuth(auth), fetchAuth(auth)].flatMap(
    ({ requireAuth, authMiddleware }) => [requireAuth, authMiddleware] as unknown as Wrapper[],
  );
  const handler = () => new Response("opened");
  const making = (given: unknown): readonly (() => unknown)[] => [
    () => auth.adapter.requireAuth.only(given as never),
    () => auth.adapter.authMiddleware.only(given as never),
    ...guards.map((guard) => () => guard(given as never)),
    ...wrappers.map((guard) => () => guard(handler, given)),
  ];
  const wrongNames = [["Family"], ["family", "Family"], ["family,photos"], [""], [null]];
  for (const groups of [[], "family", ...wrongNames, [["family"]], undefined, null]) {
    for (const make of making({ groups }))
      assert.throws(make, { code: "invalid_option", message: /groups: \["family"\]/ });
  }
  for (const wrong of [undefined, null, "family", ["family"], 0, false, {}]) {
    for (const make of making(wrong))
      assert.throws(make, { code: "invalid_option", message: /groups: \["family"\]/ });
  }
  const inherited = Object.create({ groups: ["family"] });
  for (const make of making(inherited)) assert.throws(make, { code: "invalid_option" });
  for (const unknown of ["group", "Groups", "users", "factor"]) {
    const isMeant = unknown.toLowerCase().startsWith("group");
    const message = `${unknown} is not an option${isMeant ? ": did you mean groups?" : ""}`;
    for (const make of making({ groups: ["family"], [unknown]: ["admins"] }))
      assert.throws(make, { code: "invalid_option", message });
  }
  for (const make of making({ groups: ["family"] })) assert.ok(make());
  for (const wrong of [undefined, null, { groups: ["family"] }]) {
    for (const guard of wrappers)
      assert.throws(() => guard(wrong), { code: "invalid_option", message: /a handler/ });
  }
});

test("a list of groups that changes later changes no guard", async (t) => {
  const { auth, store } = await openAuth(t);
  const groups = ["admins"];
  const home = fetchAuth(auth).requireAuth(() => new Response("opened"), { groups });
  groups.push("family");
  const passwordHash = "x" as PasswordHash;
  const user = await store.users.insert({ username: "ann", passwordHash, groups: ["family"] });
  const { cookie = "" } = (await auth.sessions.create(user?.id ?? "")) ?? {};
  const request = new Request("http://localhost/", { headers: { cookie } });
  assert.equal((await home(request)).status, 403);
});

test("a handler cannot change the user or the groups that other requests get", async (t) => {
  const { auth, store } = await openAuth(t, { guards: { keys: true } });
  const passwordHash = "x" as PasswordHash;
  const user = await store.users.insert({ username: "ann", passwordHash, groups: ["family"] });
  assert.ok(user);
  const { cookie = "" } = (await auth.sessions.create(user.id)) ?? {};
  const added = await auth.keys.add(user.id, { name: "feeds" });
  assert.ok(added?.kind === "added");
  const bySession = { headers: { cookie } };
  const byKey = { headers: { authorization: `Bearer ${added.text}` } };
  const { requireAuth, currentUser, pageHelpers } = fetchAuth(auth);
  const seen: unknown[] = [];
  const evil = requireAuth((_request, given) => {
    seen.push(given);
    (given.groups as string[]).push("admins");
    return new Response("changed");
  });
  const admins = requireAuth(() => new Response("opened"), { groups: ["admins"] });
  for (const kind of [bySession, byKey, bySession, byKey]) {
    const request = new Request("http://localhost/", kind);
    await assert.rejects(evil(request), TypeError);
    assert.equal((await admins(request)).status, 403);
  }
  const request = new Request("http://localhost/", bySession);
  seen.push(await currentUser(request), (await pageHelpers(request)).CurrentUser, user);
  seen.push(await auth.users.find(user.id), await auth.users.findByUsername("ann"));
  for await (const one of auth.users.list()) seen.push(one);
  const adding = await auth.users.add({ username: "ben", password: "12345678", groups: ["a"] });
  assert.ok(adding.kind === "added");
  seen.push(adding.user);
  assert.equal(seen.length, 11);
  for (const one of seen as User[]) {
    assert.ok(Object.isFrozen(one) && Object.isFrozen(one.groups));
    assert.equal(one.groups?.length, 1);
  }
});

for (const path of ["/auth/login", "/auth/setup"]) {
  test(`a guard that is asked for ${path} fails once, without a loop`, async (t) => {
    const { auth, log } = await openAuth(t, { basePath: "/auth" });
    const request = fetchRequest(new Request(`http://localhost${path}?return_to=/a`));
    for (const guard of [auth.adapter.requireAuth, auth.adapter.authMiddleware]) {
      const result = await guard(undefined, () => request);
      assert.ok(result.kind === "refused");
      assert.deepEqual([result.answer.status, result.answer.headers.Location], [500, undefined]);
    }
    const reason = `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`;
    const reasons = log.map(({ fields }) => getErrorMessage(fields.err));
    assert.deepEqual(reasons, [reason, reason]);
  });
}

test("a second factor is asked for by factor=2 alone", () => {
  for (const [query, asks] of [
    ["?factor=2", true],
    ["?x=1&factor=2", true],
    ["?factor=1", false],
    ["?factor=", false],
    ["", false],
  ] as const) {
    const request = fetchRequest(new Request(`http://localhost/login${query}`));
    assert.equal(asksForFactor(request), asks, query);
  }
});
