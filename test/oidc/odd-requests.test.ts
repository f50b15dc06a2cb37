import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { startProvider } from "./provider.ts";

test("a form with bytes that no header can contain is answered without a failure", async (t) => {
  const store = await openSqlite({ file: ":memory:" });
  t.after(() => store.close());
  const { send, addApp, log } = await startProvider(t, store);
  const { id, redirectUri } = await addApp();
  const query = new URLSearchParams({ client_id: id, redirect_uri: redirectUri });
  for (const path of ["/oidc/authorize", "/oidc/logout"]) {
    for (const state of ["x\r\nX-Forged: 1", "\u0000\u001b", "é#x", "a b"]) {
      const { status, headers, location } = await send(path, {
        method: "POST",
        body: `${query}&scope=openid&response_type=code&state=${state}`,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      });
      assert.deepEqual([status, headers["x-forged"]], [303, undefined]);
      const sent = new URL(location ?? "", "https://auth.example.org").searchParams;
      assert.equal(sent.get("state"), state);
    }
  }
  assert.deepEqual(
    log.filter(({ level }) => level === "error"),
    [],
  );
});

test("a step of a device that another browser has begun leads to the sign-in", async (t) => {
  const store = await openSqlite({ file: ":memory:" });
  t.after(() => store.close());
  const { send, addPerson, log } = await startProvider(t, store);
  await addPerson();
  for (const method of ["GET", "HEAD"]) {
    const { status, location } = await send("/login/device/unknown", { method });
    assert.equal(status, 303);
    assert.match(location ?? "", /^\/login/);
  }
  assert.deepEqual(
    log.filter(({ level }) => level === "error"),
    [],
  );
});

test("a client without a session begins 600 sign-ins a minute, and no more rows", async (t) => {
  const store = await openSqlite({ file: ":memory:" });
  t.after(() => store.close());
  const { send, addApp, addPerson } = await startProvider(t, store);
  await addPerson();
  const { id, redirectUri } = await addApp();
  let commits = 0;
  t.after(
    store.observe({
      answered(operation) {
        if (operation === "tokens.commit") commits += 1;
      },
      failed() {},
    }),
  );
  const query = new URLSearchParams({
    ...{ client_id: id, redirect_uri: redirectUri, scope: "openid", response_type: "code" },
  });
  const begin = (address: string) =>
    send(`/oidc/authorize?${query}`, { headers: { "X-Forwarded-For": address } });
  for (let i = 0; i < 600; i += 1) assert.equal((await begin("192.0.2.1")).status, 303);
  const { status, headers } = await begin("192.0.2.1");
  assert.deepEqual([status, headers["retry-after"], commits], [429, "60", 600]);
  assert.equal((await begin("192.0.2.2")).status, 303);
});
