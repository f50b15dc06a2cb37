import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transform } from "esbuild";
import { createClient, type SessionUser } from "../../src/client/index.ts";
import type { User } from "../../src/index.ts";
import { startConfiguredApp } from "../support/app.ts";
import { OWNER } from "../support/gate.ts";

const source = readFileSync(new URL("../../src/client/index.ts", import.meta.url), "utf8");

test("the client has no imports, and takes less than 2,000 bytes", async () => {
  const { code } = await transform(source, { loader: "ts", minify: true, format: "esm" });
  assert.doesNotMatch(code, /\bimport\b/);
  assert.ok(code.includes("createClient"));
  assert.ok(code.length < 2_000, `${code.length}`);
});

test("on a server, a listener is never called, and asks nothing", async () => {
  let called = 0;
  const client = createClient();
  const stop = client.onChange(() => {
    called += 1;
  });
  stop();
  // The address has no origin, so a request would have failed.
  await assert.rejects(client.session(), TypeError);
  assert.equal(called, 0);
});

/** Does not compile if a field has another type on the server. */
const describeUser = (user: User): SessionUser => ({ ...user, groups: user.groups ?? [] });

test("describes the user as the server does", async (t) => {
  // A program can have a whole address, and sends no cookie.
  const { app } = await startConfiguredApp(t, { api: true });
  const client = createClient({ base: app.url });
  const { user, error } = await client.signIn(OWNER);
  assert.equal(error, undefined);
  const { name, guest, ...others }: SessionUser = user;
  assert.deepEqual([name, guest], [undefined, undefined]);
  const known = await app.auth.users.findByUsername("owner");
  assert.ok(known);
  assert.deepEqual(others, describeUser({ id: known.id, username: "owner", groups: ["admins"] }));
  assert.deepEqual(await client.session(), { user: null });
});
