import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { noMeter } from "../../src/lib/meter.ts";
import { type RunningApp, startConfiguredApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER } from "../support/gate.ts";

const PROXY = "127.0.0.9";
const CONCURRENT = 40;

/** Uses a new address for each attempt, but fewer than the rate limiter tracks. */
const wrongSignIn = (app: RunningApp, host: number) => {
  const headers = { "X-Forwarded-For": `2001:db8::${(host % 5_000).toString(16)}` };
  const form = { ...OWNER, password: "wrong" };
  return app.send("/login", { form, headers, from: PROXY });
};

/** Requests that one client with a session, or one network, can send without limit. */
const floods: Readonly<
  Record<string, (app: RunningApp, session: string, n: number) => Promise<unknown>>
> = {
  "wrong password changes in one session": (app, session) =>
    app.send("/account/password", { session, form: changeForm("wrong", "12345678") }),
  "sign-ins from one IPv6 /64": (app, _session, n) => wrongSignIn(app, n),
};

for (const [what, sendOne] of Object.entries(floods)) {
  test(`sign-ins from other addresses succeed during a flood of ${what}`, async (t) => {
    const refusals: string[] = [];
    const hashes = { ...noMeter.hashes, countRefused: () => void refusals.push(what) };
    const { app, session } = await startConfiguredApp(t, {
      signIn: { hashing: { atOnce: 1, waiting: 16 } },
      meter: { ...noMeter, hashes },
      hosts: { trustedProxies: [PROXY] },
    });
    let sent = 0;
    let isOver = false;
    const flood = Array.from({ length: CONCURRENT }, async () => {
      while (!isOver) {
        sent += 1;
        await sendOne(app, session, sent);
        await pause(25);
      }
    });
    try {
      await eventually(() => refusals.length > 0 || undefined);
      for (let host = 1; host <= 5; host += 1) {
        const { status, location } = await app.send("/login", {
          form: OWNER,
          from: `127.0.1.${host}`,
        });
        assert.deepEqual([status, location], [303, "/"], `sign-in ${host}`);
      }
    } finally {
      isOver = true;
      await Promise.all(flood);
    }
  });
}
