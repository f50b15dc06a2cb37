import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import type { AuthOptions, ServerLog } from "../../src/index.ts";
import { type Meter, noMeter } from "../../src/lib/meter.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { hashText, openStore } from "../support/store.ts";
import type { Framework } from "./framework.ts";
import { frameworks } from "./frameworks.ts";
import { type RunningAdapter, startApp } from "./running.ts";

/** Frameworks take some of these for "go on". */
const THROWN: readonly unknown[] = [
  ...[null, undefined, 0, "", false, "route", "router"],
  ...[new Error("the disk is gone"), { code: "X" }, Object.create(null), Symbol("s")],
];

const SESSION = mint({ user_id: "id-owner", jti: "a".repeat(32), exp: inSeconds(600) });
const RECORD = { id: "id-owner", username: "owner", passwordHash: hashText("no hash") };

const fail = (thrown: unknown): never => {
  throw thrown;
};

const log: ServerLog = { warn: () => fail(undefined), error: () => fail(undefined) };

const meter: Meter = {
  ...noMeter,
  countSignIn: () => fail(undefined),
  hashes: {
    startWaiting: () => fail(0),
    startRunning: () => fail("route"),
    countRefused: () => fail(null),
  },
};

/** An app over a real store, two methods of which do what the test says. */
async function startFailing(t: TestContext, framework: Framework) {
  const methods = {
    any: (): unknown => Promise.resolve(true),
    findUser: (): unknown => Promise.resolve(RECORD),
  };
  const opened = await openStore(t);
  const store = {
    ...opened,
    users: { ...opened.users, any: () => methods.any() },
    sessions: { ...opened.sessions, findUser: () => methods.findUser() },
  } as AuthOptions["store"];
  const app = await startApp(t, framework, { store, meter, standalone: true, log });
  return { app, methods };
}

type Method = "any" | "findUser";
const PATHS: Readonly<Record<Method, readonly string[]>> = {
  any: ["/operation", "/forward-auth", "/login"],
  findUser: ["/operation", "/handler", "/forward-auth"],
};

const statusOf = async (app: RunningAdapter, path: string): Promise<number> =>
  (await app.send(path, { session: SESSION })).status;

for (const framework of frameworks) {
  test(`${framework.name}: no handler runs when the store and the log throw anything`, async (t) => {
    for (const method of ["any", "findUser"] as const) {
      const { app, methods } = await startFailing(t, framework);
      for (const thrown of THROWN) {
        for (const failing of [() => fail(thrown), () => Promise.reject(thrown)]) {
          methods[method] = failing;
          const answers = PATHS[method].map((path) => statusOf(app, path));
          const what = `${method}: ${String(failing)} with ${typeof thrown}`;
          assert.deepEqual(await Promise.all(answers), [500, 500, 500], what);
        }
      }
      assert.equal(app.reached(), 0);
      methods[method] = () => Promise.resolve(method === "any" ? true : RECORD);
      assert.equal(await statusOf(app, "/operation"), 200, "admitted once the store works");
    }
  });

  test(`${framework.name}: no handler runs while the store hangs, nor when it fails after the client has gone`, async (t) => {
    const { app, methods } = await startFailing(t, framework);
    for (const thrown of [undefined, "route"]) {
      const asked = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      methods.findUser = () => {
        asked.resolve();
        return held.promise;
      };
      const outgoing = request(`${app.url}/handler`, { headers: { Cookie: `session=${SESSION}` } });
      const gone = once(
        outgoing.on("error", () => {}),
        "close",
      ).catch(() => {});
      outgoing.end();
      await asked.promise;
      assert.equal(app.reached(), 0);
      outgoing.destroy();
      await gone;
      held.reject(thrown);
      methods.findUser = () => fail(thrown);
      assert.equal(await statusOf(app, "/handler"), 500);
      assert.equal(app.reached(), 0);
    }
  });
}

test("currentUser and a guard without an error page reject with an error", async (t) => {
  const [framework] = frameworks;
  assert.ok(framework);
  const { app, methods } = await startFailing(t, framework);
  const { adapter } = app.auth;
  const error = new Error("the disk is gone");
  methods.findUser = () => Promise.reject(error);
  await assert.rejects(adapter.currentUser(`session=${SESSION}`), error);
  for (const guard of [adapter.requireAuth, adapter.authMiddleware]) {
    const checking = async () => guard(`session=${SESSION}`, () => fail(undefined));
    await assert.rejects(checking, Error);
  }
});
