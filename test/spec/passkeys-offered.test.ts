import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startApp, startConfiguredApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { openStore } from "../support/store.ts";

const AT = "1970-01-01T00:00:00.000Z";
const NAMED = { Host: "localhost" };
const ADDRESS = { Host: "127.0.0.1" };

/** An app whose pages show only what is offered, and whose account has passkeys with these IDs. */
async function appWith(
  t: TestContext,
  ids: readonly string[],
  options: Parameters<typeof startApp>[1] = {},
) {
  const { app, session } = await startConfiguredApp(t, {
    ...options,
    pages: {
      signInMethods: ({ passkeys: section }) => JSON.stringify(section ?? null),
      login: ({ offersPasskeys }) => `${offersPasskeys}`,
    },
  });
  for (const id of ids) {
    const passkey = `SELECT '${id}', id, 'Phone', '', 0, 0, NULL FROM latchkey_users`;
    execute(app.databaseFile, `INSERT INTO latchkey_passkeys ${passkey}`);
  }
  return {
    app,
    methods: async (headers: { Host: string }) =>
      JSON.parse((await app.send("/account/sign-in", { session, headers })).body),
    login: async (headers: { Host: string }) => (await app.send("/login", { headers })).body,
  };
}

test("lists the passkeys of the account with the time of their last use", async (t) => {
  const { methods, app } = await appWith(t, ["a", "b"]);
  execute(app.databaseFile, "UPDATE latchkey_passkeys SET used_at = 1 WHERE id = 'b'");
  const { list } = await methods(NAMED);
  assert.partialDeepStrictEqual(list, [
    { id: "a", name: "Phone", added: { at: AT } },
    { id: "b", name: "Phone", added: { at: AT }, used: { at: "1970-01-01T00:00:00.001Z" } },
  ]);
  assert.equal(list[0].used, undefined);
});

test("adds passkeys at a host name only, and leaves out an empty list elsewhere", async (t) => {
  const none = await appWith(t, []);
  assert.deepEqual(await none.methods(NAMED), {
    ...{ list: [], canAdd: true },
    ...{ newName: "Unknown device", maxName: 60 },
  });
  assert.equal(await none.methods(ADDRESS), null);
  const one = await appWith(t, ["a"]);
  const { list, canAdd } = await one.methods(ADDRESS);
  assert.deepEqual([list.length, canAdd], [1, false]);
});

test("offers the sign-in by passkey at a host name, once an account has one", async (t) => {
  const one = await appWith(t, ["a"]);
  await eventually(async () => (await one.login(NAMED)) === "true" || undefined);
  assert.equal(await one.login(ADDRESS), "false");
  assert.equal(await (await appWith(t, [])).login(NAMED), "false");
});

test("offers no passkey that an account has if the app turns passkeys off", async (t) => {
  const off = await appWith(t, ["a"], {
    signIn: { passkeys: false },
  });
  assert.deepEqual([await off.login(NAMED), await off.methods(NAMED)], ["false", null]);
});

test("offers no passkey while the store cannot be asked", async (t) => {
  const store = await openStore(t);
  t.mock.method(store.passkeys, "any", () => Promise.reject(new Error("away")));
  const app = await startApp(t, {
    store,
    pages: { login: (it) => `${it.offersPasskeys}` },
  });
  assert.equal((await app.send("/login", { headers: NAMED })).body, "false");
});

test("offers passkeys and codes while the store cannot be asked", async (t) => {
  const store = await openStore(t);
  t.mock.method(store.codes, "any", () => Promise.reject(new Error("away")));
  t.mock.method(store.passkeys, "any", async () => true);
  const app = await startApp(t, {
    store,
    pages: { login: (it) => `${it.asksCode} ${it.offersPasskeys}` },
  });
  assert.equal((await app.send("/login", { headers: NAMED })).body, "true true");
});
