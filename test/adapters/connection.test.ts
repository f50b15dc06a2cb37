import assert from "node:assert/strict";
import { test } from "node:test";
import { frameworks } from "./frameworks.ts";
import { type RunningAdapter, startApp } from "./running.ts";

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
    const form = { username: "x", password: "x" };
    await app.send("/login", { form, from, ...(headers && { headers }) });
  }
}

/** The addresses whose sign-ins were above the limit. */
const limited = ({ log }: RunningAdapter): readonly unknown[] =>
  log.flatMap(({ message, fields }) =>
    message === "sign-in rate-limited" ? [fields.address] : [],
  );

for (const framework of frameworks) {
  test(`${framework.name}: counts sign-in attempts by the remote address`, async (t) => {
    const app = await startApp(t, framework);
    app.addAccount();
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.2");
    await sendAttempts(app, 1, "127.0.0.3");
    assert.deepEqual(limited(app), ["127.0.0.2"]);
  });

  test(`${framework.name}: takes the remote address from X-Forwarded-For of a trusted proxy`, async (t) => {
    const app = await startApp(t, framework, { hosts: { trustedProxies: ["127.0.0.9"] } });
    app.addAccount();
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.9", (attempt) => `203.0.113.${attempt}`);
    await sendAttempts(app, ATTEMPTS + 1, "127.0.0.9", () => "198.51.100.7");
    assert.deepEqual(limited(app), ["198.51.100.7"]);
  });
}
