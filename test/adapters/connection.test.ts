import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER } from "../support/gate.ts";
import { frameworks } from "./frameworks.ts";
import { type RunningAdapter, startApp } from "./running.ts";

const ATTEMPTS = 5;

/** The addresses whose sign-ins were above the limit. */
const limited = ({ log }: RunningAdapter): readonly unknown[] =>
  log.flatMap(({ message, fields }) =>
    message === "sign-in rate-limited" ? [fields.address] : [],
  );

for (const framework of frameworks) {
  test(`${framework.name}: counts sign-ins by the address that counts`, async (t) => {
    const app = await startApp(t, framework, { hosts: { trustedProxies: ["127.0.0.9"] } });
    app.addAccount();
    const send = (from: string, forwardedFor: string) =>
      app.send("/login", { form: OWNER, from, headers: { "X-Forwarded-For": forwardedFor } });
    for (let attempt = 1; attempt <= ATTEMPTS + 1; attempt += 1) {
      await send("127.0.0.9", `203.0.113.${attempt}`);
      await send("127.0.0.9", "198.51.100.7");
      await send("127.0.0.2", `203.0.113.${attempt}`);
    }
    assert.deepEqual(limited(app), ["198.51.100.7", "127.0.0.2"]);
  });
}
