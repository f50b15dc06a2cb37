import assert from "node:assert/strict";
import { test } from "node:test";
import { honoAuth } from "../../src/adapters/hono.ts";
import { Unavailable } from "../../src/core/fault.ts";
import { createAuth } from "../../src/index.ts";
import { startApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore } from "../support/store.ts";

test("a page sets no cookie of its own", async (t) => {
  const app = await startApp(t);
  const { session } = await app.send("/setup", {
    form: { username: "owner", password: "correct horse", confirm: "correct horse" },
  });
  for (const page of [await app.send("/login"), await app.send("/", { session })]) {
    assert.deepEqual([page.status, page.cookies], [200, []]);
  }
});

for (const [what, cause] of [
  ["with its cause", new Error("another process writes")],
  ["without a cause", undefined],
] as const) {
  test(`a temporary failure returns 503 and logs a warning, ${what}`, async (t) => {
    const failing = () => Promise.reject(new Unavailable("store_busy", "busy", 7, { cause }));
    const log = recordingLog();
    const store = { ...(await openStore(t)), hasUsers: failing };
    const auth = createAuth({ store, secret: SECRET, log });
    t.after(() => auth.close());
    const answer = await honoAuth(auth).routes.request("/login?token=not-for-the-log");
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "7"]);
    const [line, ...others] = log.lines;
    const { requestId, ...details } = line?.fields ?? {};
    const because = cause === undefined ? {} : { cause: cause.message };
    assert.deepEqual([line?.level, line?.message, others], ["warn", "request put off", []]);
    assert.deepEqual(details, { reason: "busy", ...because, method: "GET", path: "/login" });
    assert.equal(requestId, answer.headers.get("x-request-id"));
  });
}

for (const fault of [new Unavailable("store_busy", "busy", 7), new Error("broken")]) {
  test(`a custom error page gets the data that is available without the ${fault.message} store`, async (t) => {
    const failing = () => Promise.reject(fault);
    const auth = createAuth({
      ...{ store: { ...(await openStore(t)), hasUsers: failing }, secret: SECRET },
      log: recordingLog(),
      pages: { error: (page) => `${page.NeedsSetup} ${page.HasError} ${page.CurrentUser}` },
    });
    t.after(() => auth.close());
    const textOf = async (path: string): Promise<string> =>
      (await honoAuth(auth).routes.request(path)).text();
    assert.equal(await textOf("/login"), "false false undefined");
    assert.equal(await textOf("/login?error=1"), "false true undefined");
  });
}

test("only pages with the script for passkeys let it send requests", async (t) => {
  const app = await startApp(t);
  const localhost = { Host: new URL(app.url).host.replace("127.0.0.1", "localhost") };
  const page = async (path: string, session?: string): Promise<boolean> => {
    const { headers } = await app.send(path, { session, headers: localhost });
    return /(^|; )connect-src 'self'(;|$)/.test(String(headers["content-security-policy"]));
  };
  assert.deepEqual([await page("/setup"), await page("/nothing")], [false, false]);
  const form = { ...OWNER, confirm: OWNER.password };
  const { session } = await app.send("/setup", { form });
  assert.deepEqual([await page("/login"), await page("/", session)], [false, true]);
  const atAddress = await app.send("/", { session });
  assert.doesNotMatch(String(atAddress.headers["content-security-policy"]), /connect-src/);
  execute(app.databaseFile, "UPDATE users SET passkeys = '[]'");
  await eventually(async () => (await page("/login")) || undefined);
});
