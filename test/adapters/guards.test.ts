import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { OWNER } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { handled, OWN_FAULT } from "./framework.ts";
import { frameworks } from "./frameworks.ts";
import { startApp } from "./running.ts";

const UNKNOWN_USER_TOKEN = mint({ user_id: "a stranger", exp: inSeconds(600) });
const WRONG = [undefined, "", "nonsense", UNKNOWN_USER_TOKEN];

const guards = [
  { guard: "requireAuth", path: "/operation", unconfigured: "/setup" },
  { guard: "authMiddleware", path: "/handler", unconfigured: "/login" },
] as const;

for (const framework of frameworks) {
  for (const { guard, path, unconfigured } of guards) {
    test(`${framework.name}: ${guard} redirects to ${unconfigured} at first`, async (t) => {
      const app = await startApp(t, framework);
      const refuses = async (expected: string): Promise<void> => {
        for (const session of WRONG) {
          const { status, location, body, headers } = await app.send(path, { session });
          assert.deepEqual([status, location, body], [303, expected, ""]);
          assert.equal(headers["cache-control"], "no-store");
        }
      };
      await refuses(unconfigured);
      app.addAccount();
      await refuses("/login");
      assert.equal(app.reached(), 0);
    });
  }

  for (const { guard, path } of guards) {
    test(`${framework.name}: ${guard} admits a signed-in user on each request`, async (t) => {
      const app = await startApp(t, framework);
      const session = app.addAccount();
      for (const reached of [1, 2]) {
        const { status, body } = await app.send(path, { session });
        assert.deepEqual([status, body, app.reached()], [200, "for owner", reached]);
      }
    });

    test(`${framework.name}: ${guard} refuses a guest, whom currentUser tells apart`, async (t) => {
      const app = await startApp(t, framework);
      const session = app.addAccount("guest");
      execute(
        app.databaseFile,
        `UPDATE latchkey_users SET password_hash = '$guest$', groups = ',photos,'`,
      );
      const { status, body } = await app.send(path, { session });
      assert.deepEqual([status, app.reached()], [403, 0]);
      assert.match(body, /<h1>No access<\/h1>/);
      const who = JSON.parse((await app.send("/who", { session })).body);
      const expected = { id: "id-guest", username: "guest", groups: ["photos"], guest: true };
      assert.deepEqual(who, expected);
    });

    test(`${framework.name}: ${guard} with groups admits their members only`, async (t) => {
      const app = await startApp(t, framework, { guards: { onDenied: "negotiate" } });
      const shared = path === "/operation" ? "/family" : "/family-handler";
      const sessions = ["member", "guest", "other"].map((name) => app.addAccount(name));
      const inFamily =
        "UPDATE latchkey_users SET groups = ',family,photos,' WHERE username <> 'other'";
      execute(app.databaseFile, inFamily);
      execute(
        app.databaseFile,
        `UPDATE latchkey_users SET groups = ',families,' WHERE username = 'other'`,
      );
      const asGuest =
        "UPDATE latchkey_users SET password_hash = '$guest$' WHERE username = 'guest'";
      execute(app.databaseFile, asGuest);
      const page = { accept: "text/html", "sec-fetch-mode": "navigate" };
      // The second time from memory.
      for (const time of ["first", "later"]) {
        const [member, guest, other] = await Promise.all(
          sessions.map((session) => app.send(shared, { session, headers: page })),
        );
        assert.deepEqual([member?.body, guest?.body], ["for member", "for guest"], time);
        assert.equal(other?.status, 403);
        assert.match(other?.body ?? "", /<h1>No access<\/h1>/);
      }
      const call = await app.send(shared, { session: sessions[2] });
      assert.deepEqual([call.status, call.body], [403, '{"error":"no_access"}']);
      assert.equal((await app.send(shared, { headers: page })).location, "/login");
    });

    test(`${framework.name}: ${guard} logs a forged token with the address`, async (t) => {
      const app = await startApp(t, framework, { hosts: { trustedProxies: ["127.0.0.1"] } });
      app.addAccount();
      const session = mint({ user_id: "id-owner", exp: inSeconds(600) }, { secret: "another" });
      const headers = { "X-Forwarded-For": "203.0.113.9" };
      const { status, location } = await app.send(path, { session, headers });
      assert.deepEqual([status, location, app.reached()], [303, "/login", 0]);
      const address = framework.name === "Fetch" ? "unknown" : "203.0.113.9";
      assert.deepEqual(app.log, [
        { level: "warn", message: "forged session token refused", fields: { address } },
      ]);
    });

    test(`${framework.name}: ${guard} keeps concurrent users apart`, async (t) => {
      const app = await startApp(t, framework);
      const names = ["ann", "ben", "cleo"];
      const sessions = names.map((name) => app.addAccount(name));
      const rounds = [...sessions, undefined, ...sessions, ...sessions];
      const answers = await Promise.all(rounds.map((session) => app.send(path, { session })));
      const all = names.map((name) => `for ${name}`);
      const bodies = answers.map(({ body }) => body);
      assert.deepEqual(bodies, [...all, "", ...all, ...all]);
    });
  }

  test(`${framework.name}: passes an error of a guarded handler to the application`, async (t) => {
    const app = await startApp(t, framework);
    const session = app.addAccount();
    for (const time of ["first", "later"]) {
      const { status, body } = await app.send("/failing", { session });
      assert.deepEqual([status, body], [418, handled(OWN_FAULT)], time);
    }
    assert.deepEqual(app.log, []);
    assert.equal((await app.send("/failing")).location, "/login");
  });

  test(`${framework.name}: currentUser is the user without the hash, or undefined`, async (t) => {
    const app = await startApp(t, framework);
    const who = async (session?: string) => JSON.parse((await app.send("/who", { session })).body);
    assert.equal(await who(UNKNOWN_USER_TOKEN), null);
    const session = app.addAccount();
    assert.deepEqual(await who(session), { id: "id-owner", username: OWNER.username });
    for (const wrong of WRONG) assert.equal(await who(wrong), null);
  });

  test(`${framework.name}: pageHelpers reports setup, failed attempt and user`, async (t) => {
    const app = await startApp(t, framework);
    const helpers = async (query = "", session?: string) =>
      JSON.parse((await app.send(`/helpers${query}`, { session })).body);
    assert.deepEqual(await helpers(), { NeedsSetup: true, HasError: false });
    const session = app.addAccount();
    assert.deepEqual(await helpers("?error=1"), { NeedsSetup: false, HasError: true });
    assert.deepEqual(await helpers("?error=", session), {
      NeedsSetup: false,
      HasError: false,
      CurrentUser: { id: "id-owner", username: OWNER.username },
    });
  });
}
