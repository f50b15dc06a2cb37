import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { assertNothingInline } from "../support/markup.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const GUARDED = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
};

type Asking = (gate: RunningGate) => Promise<Answer>;

const pages: readonly (readonly [status: number, what: string, ask: Asking])[] = [
  [200, "login page", (gate) => gate.send("/login")],
  [200, "launcher", async (gate) => gate.send("/apps", { session: await gate.setUp() })],
  ...["profile", "sign-in", "devices", "keys", "history"].map(
    (name): readonly [number, string, Asking] => [
      ...([200, `page of the account ${name}`] as const),
      async (gate) => gate.send(`/account/${name}`, { session: await gate.setUp() }),
    ],
  ),
  [
    500,
    "page for a failure",
    (gate) => {
      execute(gate.databaseFile, "DROP TABLE latchkey_users");
      return gate.send("/setup");
    },
  ],
];

for (const [status, what, ask] of pages) {
  test(`the ${what} forbids caching, framing and sniffing, and has no inline code`, async (t) => {
    const answer = await ask(await startGate(t));
    assert.equal(answer.status, status);
    assert.partialDeepStrictEqual(answer.headers, GUARDED);
    assertNothingInline(answer.body);
    assert.doesNotMatch(answer.body, /https?:\/\//, "no other origin");
  });
}
