import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { outputOf } from "../support/command.ts";
import { changeForm, OWNER, startConfigured } from "../support/gate.ts";
import { activityOf, elements } from "../support/markup.ts";

const en = getWords("en");
const CREATED = "Account owner was created";

test("shows the newest ten log entries immediately, newest first, with their times", async (t) => {
  const { gate, session } = await startConfigured(t);
  const form = changeForm(OWNER.password, OWNER.password);
  await gate.send("/account/password", { session, form });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await gate.signIn({ password: "wrong" }, { from: "127.0.0.9" });
  }
  await gate.signIn();
  const { body } = await gate.send("/account/history", { session });
  const activity = activityOf(body);
  assert.deepEqual(activity, ["owner signed in", en.events.password_change("owner"), CREATED]);
  assert.ok(body.includes(`<h2>${en.recentActivity}</h2>`));
  const [created] = await gate.logEntries(1);
  assert.deepEqual(elements(body, "time").at(-1), { datetime: created?.at.toISOString() });
  assert.match(body, / UTC<\/time>/);
  for (let change = 1; change <= 9; change += 1) {
    await gate.send("/account/password", { session, form });
  }
  const newest = activityOf((await gate.send("/account/history", { session })).body);
  assert.deepEqual([newest.length, newest.at(-1)], [10, "owner signed in"]);
});

test("shows users their own entries only, also after a rename", async (t) => {
  const { gate, session } = await startConfigured(t);
  const env = { DATA_DIR: gate.dataDir };
  const input = "a good password";
  const run = (...args: readonly string[]) => outputOf(["user", ...args], { env, input });
  const activityIn = async (signedIn = ""): Promise<readonly string[]> =>
    activityOf((await gate.send("/account/history", { session: signedIn })).body);

  await run("add", "guest", "--password-stdin");
  const guest = await gate.signIn({ username: "guest", password: input });
  const own = ["guest signed in", "Account guest was added"];
  assert.deepEqual(await activityIn(guest.session), own);
  assert.deepEqual(await activityIn(session), [CREATED]);

  await run("rename", "guest", "visitor");
  assert.deepEqual((await activityIn(guest.session)).slice(1), own);
  await run("forget-name", "guest");
  await run("add", "guest", "--password-stdin");
  const namesake = await gate.signIn({ username: "guest", password: input });
  assert.deepEqual(await activityIn(namesake.session), own);
  await run("remove", "guest", "--yes");
  await run("forget-name", "guest");
  await run("add", "guest", "--password-stdin");
  const recreated = await gate.signIn({ username: "guest", password: input });
  assert.deepEqual(await activityIn(recreated.session), own);
});
