import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { Unavailable } from "../../src/core/fault.ts";
import { type Auth, createAuth } from "../../src/index.ts";
import type { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { SECRET } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { type RecordingLog, recordingLog } from "../support/recording-log.ts";
import { hashText, openStore } from "../support/store.ts";

const GUARDS = ["requireAuth", "authMiddleware"] as const;

interface Guarded {
  readonly auth: Auth;
  readonly log: RecordingLog;
  readonly session: string;
  /** How often the protected handler ran. */
  reached(): number;
  get(session?: string): Promise<Response>;
}

/** Creates an application with one protected handler, one account and a session for it. */
async function createGuarded(
  t: TestContext,
  guard: (typeof GUARDS)[number],
  change: (store: SqliteStore) => Partial<SqliteStore> = () => ({}),
): Promise<Guarded> {
  const store = await openStore(t);
  const owner = await store.insertFirstUser({ username: "owner", passwordHash: hashText("hash") });
  const log = recordingLog();
  const auth = createAuth({ store: { ...store, ...change(store) }, secret: SECRET, log });
  t.after(() => auth.close());
  let reached = 0;
  const app = new Hono();
  app.get("/protected", honoAuth(auth)[guard], (c) => {
    reached += 1;
    return c.text(`for ${c.var.user.username}`);
  });
  return {
    auth,
    log,
    session: mint({ user_id: owner?.id, exp: inSeconds(60) }),
    reached: () => reached,
    get: async (session) =>
      app.request(
        "/protected",
        session === undefined ? {} : { headers: { Cookie: `session=${session}` } },
      ),
  };
}

for (const guard of GUARDS) {
  test(`${guard} admits a signed-in user and passes the user to the handler`, async (t) => {
    const app = await createGuarded(t, guard);
    for (let i = 0; i < 2; i += 1) {
      const answer = await app.get(app.session);
      assert.equal(await answer.text(), "for owner");
    }
  });

  test(`${guard} redirects all other clients to the sign-in page with a response that is not cached`, async (t) => {
    const app = await createGuarded(t, guard);
    for (const session of [undefined, "", "forged", `${app.session}x`]) {
      const answer = await app.get(session);
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get("Location"), "/login");
      assert.equal(answer.headers.get("Cache-Control"), "no-store");
    }
    assert.equal(app.reached(), 0);
  });

  test(`${guard} returns the error page when the user lookup fails`, async (t) => {
    const findUser = () => Promise.reject(new Error("the disk is on fire"));
    const app = await createGuarded(t, guard, () => ({ findUser }));
    const answer = await app.get(app.session);
    assert.equal(answer.status, 500);
    assert.match(await answer.text(), /the disk is on fire/);
    assert.equal(app.reached(), 0);
    assert.ok(
      app.log.lines.some(({ level, message }) => level === "error" && message === "request failed"),
    );
    assert.ok(
      !JSON.stringify(app.log.lines).includes(app.session),
      "the log does not contain the token",
    );
  });

  test(`${guard} returns 503 with Retry-After when the store is busy`, async (t) => {
    const cause = new Error("another process writes");
    const findUser = () => Promise.reject(new Unavailable("store_busy", "busy", 7, { cause }));
    const app = await createGuarded(t, guard, () => ({ findUser }));
    const answer = await app.get(app.session);
    assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "7"]);
    assert.equal(app.reached(), 0);
    const [line] = app.log.lines;
    assert.deepEqual([line?.level, line?.message], ["warn", "request put off"]);
    const { requestId, ...told } = line?.fields ?? {};
    assert.equal(typeof requestId, "string");
    const { message } = cause;
    assert.deepEqual(told, { reason: "busy", cause: message, method: "GET", path: "/protected" });
  });
}

test("requireAuth fails closed when the account check fails; authMiddleware skips that check", async (t) => {
  const change = () => ({ hasUsers: () => Promise.reject(new Error("cannot look")) });
  const operation = await createGuarded(t, "requireAuth", change);
  assert.equal((await operation.get(operation.session)).status, 500);
  assert.equal(operation.reached(), 0);
  const handler = await createGuarded(t, "authMiddleware", change);
  assert.equal((await handler.get(handler.session)).status, 200);
});

test("without an account, requireAuth redirects to the setup page and authMiddleware to the sign-in page", async (t) => {
  const change = () => ({ hasUsers: async () => false, findUser: async () => undefined });
  for (const [guard, location] of [
    ["requireAuth", "/setup"],
    ["authMiddleware", "/login"],
  ] as const) {
    const app = await createGuarded(t, guard, change);
    const answer = await app.get(app.session);
    assert.deepEqual([answer.status, answer.headers.get("Location")], [303, location]);
  }
});

test("passes errors of the protected handler to the application", async (t) => {
  const { auth, session, log } = await createGuarded(t, "requireAuth");
  const app = new Hono();
  app.get("/failing", honoAuth(auth).requireAuth, () => {
    throw new Error("the application's");
  });
  app.onError((error, c) => c.text(`handled: ${error.message}`, 418));
  const answer = await app.request("/failing", { headers: { Cookie: `session=${session}` } });
  assert.deepEqual([answer.status, await answer.text()], [418, "handled: the application's"]);
  assert.deepEqual(log.lines, []);
});
