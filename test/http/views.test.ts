import assert from "node:assert/strict";
import { test } from "node:test";
import { honoAuth } from "../../src/adapters/hono.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { startApp } from "../support/app.ts";
import { openAuth } from "../support/auth.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { SETUP_FORM } from "../support/gate.ts";

for (const [what, cause] of [
  ["with its cause", new Error("another process writes")],
  ["without a cause", undefined],
] as const) {
  test(`a temporary failure returns 503 and logs a warning, ${what}`, async (t) => {
    const any = () => Promise.reject(new Unavailable("store_busy", "busy", 7, { cause }));
    const { auth, log } = await openAuth(t, {}, { any });
    const answer = await honoAuth(auth).routes.request("/login?token=not-for-the-log");
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "7"]);
    const [line, ...others] = log;
    const { requestId, ...details } = line?.fields ?? {};
    const because = cause === undefined ? {} : { cause: cause.message };
    assert.deepEqual([line?.level, line?.message, others], ["warn", "request put off", []]);
    assert.deepEqual(details, { reason: "busy", ...because, method: "GET", path: "/login" });
    assert.equal(requestId, answer.headers.get("x-request-id"));
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
  const { session } = await app.send("/setup", { form: SETUP_FORM });
  assert.deepEqual([await page("/login"), await page("/account/sign-in", session)], [false, true]);
  const atAddress = await app.send("/account/sign-in", { session });
  assert.doesNotMatch(String(atAddress.headers["content-security-policy"]), /connect-src/);
  const passkey =
    "INSERT INTO latchkey_passkeys SELECT 'a', id, 'Phone', 'key', 0, 0, NULL FROM latchkey_users";
  execute(app.databaseFile, passkey);
  await eventually(async () => (await page("/login")) || undefined);
});
