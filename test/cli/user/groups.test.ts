import assert from "node:assert/strict";
import { test } from "node:test";
import { outputOf } from "../../support/command.ts";
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
  const set = await outputOf(["user", "groups", "owner", "photos,family,photos"], { env });
  assert.equal(set, 'User "owner" has the groups family, photos.\n');
  await becomes("family,photos");
  const admitted = async (query: string) =>
    (await gate.send(`/forward-auth?${query}`, { session })).status;
  const statuses = [await admitted("groups=staff,family"), await admitted("groups=admins")];
  assert.deepEqual(statuses, [200, 403]);
  assert.match(
    await outputOf(["user", "list"], { env }),
    /^owner {2}family,photos {2}- {2}\S{36}\n$/,
  );
  await outputOf(["user", "groups", "owner", ""], { env });
  await becomes("");
});
