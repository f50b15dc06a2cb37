import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { refuse } from "../support/database.ts";
import { changeForm, OWNER, SETUP_FORM, startConfigured } from "../support/gate.ts";

const NEW = "another password";
const PASSWORD_FORM = changeForm(OWNER.password, NEW);

test("shows why a new password could not be stored, and keeps the old one", async (t) => {
  const { gate, session } = await startConfigured(t);
  refuse(gate.databaseFile, "UPDATE ON latchkey_users", "no room for hashes");
  const headers = { "HX-Request": "true" };
  const answer = await gate.send("/account/password", { session, form: PASSWORD_FORM, headers });
  assert.equal(answer.status, 500);
  assert.match(answer.body, /<p class="about" role="alert">no room for hashes<\/p>/);
  assert.equal(answer.headers["hx-refresh"], undefined);
  assert.equal((await gate.signIn()).location, "/");
  const types = (await gate.logEntries(2)).map(({ type }) => type);
  assert.deepEqual(types, ["signup", "signin"]);
});

test("answers 503 with Retry-After when too many hashes are in progress", async (t) => {
  let arrived = 0;
  const bothThere = Promise.withResolvers<void>();
  const read = async () => {
    arrived += 1;
    if (arrived === 2) bothThere.resolve();
    await bothThere.promise;
    return undefined;
  };
  const app = await startApp(t, {
    signIn: { hashing: { atOnce: 1, waiting: 0 } },
    setupToken: { read, delete: async () => {} },
  });
  const answers = await Promise.all([
    app.send("/setup", { form: SETUP_FORM }),
    app.send("/setup", { form: SETUP_FORM }),
  ]);
  const [served, busy] = answers.sort((a, b) => a.status - b.status);
  assert.equal(served?.status, 303);
  assert.equal(busy?.status, 503);
  assert.match(busy?.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  assert.match(busy?.body ?? "", />the server is busy: try again in a moment</);
  assert.deepEqual(busy?.cookies, []);
  const later = await app.send("/login", { form: OWNER });
  assert.equal(later.location, "/");
});
