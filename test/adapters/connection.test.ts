import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { OWNER } from "../support/gate.ts";
import { bases, frameworks } from "./frameworks.ts";
import { type RunningAdapter, SETUP_FORM, startApp } from "./running.ts";

const ATTEMPTS = 5;

/** Attempts with a wrong name, each with a header of its own where one is given. */
async function attempts(
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

/** Ends the event log, and answers with the addresses that were turned away. */
async function turnedAway(app: RunningAdapter): Promise<readonly string[]> {
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
  test(`${framework.name}: sign-in attempts count by the address they come from`, async (t) => {
    const app = await startApp(t, framework);
    app.addAccount();
    await attempts(app, ATTEMPTS + 1, "127.0.0.2");
    await attempts(app, 1, "127.0.0.3");
    assert.deepEqual(await turnedAway(app), ["Rate limited login from 127.0.0.2"]);
  });

  test(`${framework.name}: X-Forwarded-For of just anybody is not believed`, async (t) => {
    const app = await startApp(t, framework, { trustedProxies: ["127.0.0.9"] });
    app.addAccount();
    await attempts(app, ATTEMPTS + 1, "127.0.0.2", (attempt) => `203.0.113.${attempt}`);
    assert.deepEqual(await turnedAway(app), ["Rate limited login from 127.0.0.2"]);
  });

  test(`${framework.name}: X-Forwarded-For of a trusted proxy tells who it is`, async (t) => {
    const app = await startApp(t, framework, { trustedProxies: ["127.0.0.9"] });
    app.addAccount();
    await attempts(app, ATTEMPTS + 1, "127.0.0.9", (attempt) => `203.0.113.${attempt}`);
    await attempts(app, ATTEMPTS + 1, "127.0.0.9", () => "198.51.100.7");
    assert.deepEqual(await turnedAway(app), ["Rate limited login from 198.51.100.7"]);
  });

  for (const base of bases) {
    test(`${framework.name}, ${base === "" ? "no base path" : base}: the cookie is Secure where the request came over TLS`, async (t) => {
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
