import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import type { UserId } from "../../../src/db/records.ts";
import { addKey, revokeKey } from "../../../src/features/keys/manage-keys.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { keyPorts } from "../../identity/key-services.ts";

test("adds a key for a year, of which only the hash is stored", async (t) => {
  const { add, owner, store, clock, recorded } = await keyPorts(t);
  const leftOut = { lifetime: null as never };
  const { key, text } = await add({ name: `  ${"n".repeat(255)}`, ...leftOut });
  const createdAt = new Date(clock.now());
  const expiresAt = new Date(clock.now() + 365 * 86_400_000);
  const { id } = key;
  const expected = { id, userId: owner.id, name: "n".repeat(255), hash: digestText(text) };
  assert.deepEqual(await store.keys.listOf(owner.id), [{ ...expected, createdAt, expiresAt }]);
  assert.equal("expiresAt" in (await add({ lifetime: "never" })).key, false);
  assert.ok(!JSON.stringify([key, recorded]).includes(text.slice(9)));
  const events = recorded.map(({ type, summary }) => [type, summary]);
  assert.deepEqual(events, Array(2).fill(["key_add", "Added a key to owner"]));
});

test("refuses a key without a name, with what is no host, or one too many", async (t) => {
  const { add, owner, store, clock } = await keyPorts(t);
  const ports = { store, clock, record: () => {} };
  const kindOf = async (fields: object) =>
    (await addKey(ports, owner, { name: "feeds", ...fields })).kind;
  for (const name of ["", " \n"]) assert.equal(await kindOf({ name }), "name-missing");
  for (const name of ["a\0b", "a\nb", "a\u202eb", "a\u2028b", "\ud800", "ä".repeat(128)])
    assert.equal(await kindOf({ name }), "name-invalid", JSON.stringify(name));
  for (const host of ["", "*", "a.example.test:80", "https://a.example.test", "a/b", "a b"])
    for (const hosts of [[host], ["a.example.test", host]])
      assert.equal(await kindOf({ hosts }), "host-invalid", host);
  for (const hosts of [[], undefined, null])
    assert.equal(await kindOf({ hosts }), "host-invalid", "it would open every host");
  assert.equal(await kindOf({ hosts: [null] }), "host-invalid", "not for the host null");
  for (const lifetime of [0, -5, "60"])
    await assert.rejects(kindOf({ lifetime }), { code: "invalid_option" });
  const { key } = await add({ hosts: ["A.example.test", "a.example.test.", "[::1]"] });
  assert.deepEqual(key.hosts, ["a.example.test", "[::1]"]);
  for (let i = 1; i < 100; i += 1) await add();
  assert.equal(await kindOf({}), "too-many");
});

test("revokes a key once for its user or an operator, and no key of another user", async (t) => {
  const { add, store, owner, credentialCache } = await keyPorts(t);
  const [own, { key }, { key: last }] = [await add(), await add(), await add()];
  const recorded: unknown[] = [];
  const ports = { store, credentialCache, record: (event: unknown) => recorded.push(event) };
  const guest = { id: "guest" as UserId, username: "guest" };
  assert.equal(await revokeKey(ports, key.id, guest), "no-key");
  assert.deepEqual([(await store.keys.listOf(owner.id)).length, recorded], [3, []]);
  const client = { remoteAddress: "192.0.2.1" };
  assert.equal(await revokeKey(ports, own.key.id, owner, client), "revoked");
  for (const outcome of ["revoked", "no-key"])
    assert.equal(await revokeKey(ports, key.id), outcome);
  t.mock.method(store.users, "find", async () => undefined);
  assert.equal(await revokeKey(ports, last.id), "revoked", "its user is removed in the meantime");
  assert.deepEqual(recorded, [
    createAuditEvent("key_revoke", { user: owner, client }),
    createAuditEvent("key_revoke", { user: owner }),
  ]);
});
