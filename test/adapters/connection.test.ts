import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { OWNER } from "../support/gate.ts";
import { bases, frameworks } from "./frameworks.ts";
import { type RunningAdapter, SETUP_FORM, startApp } from "./running.ts";

const ATTEMPTS = 5;

/** Sends failing sign-ins, each with its own X-Forwarded-For header if `forwardedFor` is given. */
async function sendAttempts(
  app: RunningAdapter,
  count: number,
  from: string,
  forwardedFor?: (attempt: number) => string,
): Promise<void> {
  for (let attempt = 1; attempt <= count; attempt += 1) {
    const headers = forwardedFor && { "X-Forwarded-For": forwardedFor(attempt) };
    await app.send("/login", {
      form: { username: "x", password: "x" },
      from,
      ...(headers && { headers }),
    });
  }
}

/** Closes the event log and returns the log entries about rate-limited addresses. */
async function readLimitEntries(app: RunningAdapter): Promise<readonly string[]> {
  await app.auth.close();
  const store = await openSqlite({ file: app.databaseFile });
  try {
    const type = "signin_rate_limited";
    const entries = await store.readLogEntries({ afterId: 0, limit: 100, type });
    return entries.map(({ summary }) => summary);
  } finally {
    store.close();
  }
}

for (const framework of frameworks) {
  test(`${framework.name}: counts sign-in attempts by the remote address`, async (t) => {
    const app = await startApp(t, framework);
    app.addAccount();
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.2");
    await sendAttempts(app, 1, "127.0.0.3");
    assert.deepEqual(await readLimitEntries(app), ["Rate limited login from 127.0.0.2"]);
  });

  test(`${framework.name}: takes the remote address from X-Forwarded-For of a trusted proxy`, async (t) => {
    const app = await startApp(t, framework, { trustedProxies: ["127.0.0.9"] });
    app.addAccount();
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.9", (attempt) => `203.0.113.${attempt}`);
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.9", () => "198.51.100.7");
    assert.deepEqual(await readLimitEntries(app), ["Rate limited login from 198.51.100.7"]);
  });

  for (const base of bases) {
    test(`${framework.name}, ${base === "" ? "no base path" : base}: sets a Secure cookie when the request came over TLS`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      const secure = { "X-Forwarded-Proto": "https" };
      const setUp = await app.send(`${base}/setup`, { form: SETUP_FORM, headers: secure });
      const signIn = (headers: Readonly<Record<string, string>>) =>
        app.send(`${base}/login`, { form: OWNER, headers });
      const ends = [setUp, await signIn(secure), await signIn({ "X-Forwarded-Proto": "http" })].map(
        ({ cookies }) => cookies.map((cookie) => cookie.replace(/^session=[^;]+; /, "")),
      );
      const plain = "Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000";
      assert.deepEqual(ends, [[`${plain}; Secure`], [`${plain}; Secure`], [plain]]);
    });
  }
}
