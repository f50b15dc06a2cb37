import assert from "node:assert/strict";
import { test } from "node:test";
import type { User } from "../../../src/db/records.ts";
import { createFactorCheck } from "../../../src/identity/required-factor.ts";
import { withCodes } from "./codes-services.ts";

const REQUIRING = [["all"], ["staff", "photos"]];

test("requires a second factor of groups or of all, and never of guests", async (t) => {
  const { ports, user } = await withCodes(t);
  const { codes, passkeys } = ports.store;
  const member = { ...user, groups: ["photos"] };
  const needed = (groups: readonly string[], of: User = member) =>
    createFactorCheck(groups, { codes, passkeys })(of);
  for (const groups of REQUIRING) {
    assert.equal(await needed(groups), "required", "has codes");
    assert.equal(await needed(groups, { ...member, guest: true }), "optional");
  }
  const answers = [await needed(["staff"]), await needed(["photos"], user)];
  assert.deepEqual(answers, ["optional", "optional"]);
  await codes.turnOff(user.id);
  for (const groups of REQUIRING) assert.equal(await needed(groups), "missing");
  const key = { id: "a", userId: user.id, name: "a", key: "bytes", counter: 0 };
  await passkeys.insert({ ...key, addedAt: new Date(ports.clock.now()) }, 1);
  for (const groups of REQUIRING) assert.equal(await needed(groups), "required", "has a passkey");
});
