import assert from "node:assert/strict";
import { test } from "node:test";
import type { User } from "../../src/index.ts";
import { type RunningApp, startApp } from "../support/app.ts";
import type { Answer } from "../support/client.ts";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const SETUP = { form: SETUP_FORM };

const changePassword = (app: RunningApp, session: string | undefined): Promise<Answer> => {
  const form = changeForm(OWNER.password, OWNER.password);
  return app.send("/account/password", { session, form });
};

/** The redirect locations of setup, sign-in and a password change without a Referer. */
async function readLocations(app: RunningApp): Promise<readonly (string | undefined)[]> {
  const setUp = await app.send("/setup", SETUP);
  const signedIn = await app.send("/login", { form: OWNER });
  const changed = await changePassword(app, signedIn.session);
  return [setUp, signedIn, changed].map(({ location }) => location);
}

for (const location of ["/start?tab=1", "https://app.example.org/start"]) {
  test(`setup, sign-in and change redirect to ${location}, also by function`, async (t) => {
    for (const postLoginLocation of [location, () => location]) {
      const app = await startApp(t, { postLoginLocation });
      assert.deepEqual(await readLocations(app), [location, location, location]);
      assert.deepEqual(app.log, []);
    }
  });
}

test("passes ID and name of the signed-in user to the function, no hash", async (t) => {
  const received: User[] = [];
  const app = await startApp(t, {
    postLoginLocation(user) {
      received.push(user);
      return `/home/${user.username}`;
    },
  });
  const { location, session = "" } = await app.send("/setup", SETUP);
  assert.equal(location, "/home/owner");
  await app.send("/login", { form: OWNER });
  await changePassword(app, session);
  const { user_id: id } = partsOf(session).claims;
  const user = { id, username: OWNER.username, groups: ["admins"] };
  const users = received.map((each) => ({ ...each }));
  assert.deepEqual(users, [user, user, user]);
});

for (const answer of ["", "//evil.example", "/a\r\nX: y", undefined]) {
  test(`returns the error page if the function returns ${JSON.stringify(answer)}`, async (t) => {
    // An application in plain JavaScript may return any value.
    const app = await startApp(t, { postLoginLocation: () => answer as string });
    for (const [path, sending] of [
      ["/setup", SETUP],
      ["/login", { form: OWNER }],
    ] as const) {
      const { status, location, body, cookies } = await app.send(path, sending);
      assert.deepEqual([status, location, cookies], [500, undefined, []], path);
      const shown = body.includes(">postLoginLocation must return a path or an http or https URL<");
      assert.equal(shown, path === "/setup", path);
      const { message, fields } = app.log.at(-1) ?? {};
      const code = "invalid_post_login_location";
      assert.deepEqual([message, Object(fields?.err).code], ["request failed", code]);
    }
  });
}
