import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import { startConfigured } from "../../support/gate.ts";

test("user groups replaces the groups of a user, which a running gate passes on", async (t) => {
  const { gate, session } = await startConfigured(t);
  const env = { DATA_DIR: gate.dataDir };
  const shown = async () =>
    (await gate.send("/forward-auth", { session })).headers["remote-groups"];
  const becomes = (groups: string) =>
    eventually(async () => (await shown()) === groups || undefined);
  assert.equal(await shown(), "admins");
  const add = ["user", "add", "other", "--groups", "admins", "--password-stdin"];
  await outputOf(add, { env, input: "another horse\n" });
  const set = await outputOf(["user", "groups", "owner", "photos,family,photos"], { env });
  assert.equal(set, 'User "owner" has the groups family, photos.\n');
  await becomes("family,photos");
  const admitted = async (query: string) =>
    (await gate.send(`/forward-auth?${query}`, { session })).status;
  assert.deepEqual(
    [await admitted("groups=staff,family"), await admitted("groups=admins")],
    [200, 403],
  );
  assert.match(await outputOf(["user", "list"], { env }), / {2}owner {2}family,photos\n/);
  await outputOf(["user", "groups", "owner", ""], { env });
  await becomes("");
});

test("neither user groups nor user remove takes away the last administrator", async (t) => {
  const { gate } = await startConfigured(t);
  const env = { DATA_DIR: gate.dataDir };
  await outputOf(["user", "add", "other", "--password-stdin"], { env, input: "another horse\n" });
  for (const args of [
    ["groups", "owner", "family"],
    ["remove", "owner", "--yes"],
  ]) {
    const message = '"owner" is the last administrator: add another user to the group admins first';
    assert.equal(await failureOf(["user", ...args], { env }), message);
  }
  await outputOf(["user", "groups", "other", "admins"], { env });
  await outputOf(["user", "remove", "owner", "--yes"], { env });
});
