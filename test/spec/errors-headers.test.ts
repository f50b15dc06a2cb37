import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { assertNothingInline } from "../support/markup.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function assertGuarded({ headers }: Answer): void {
  assert.deepEqual(
    {
      "cache-control": headers["cache-control"],
      "x-content-type-options": headers["x-content-type-options"],
      "referrer-policy": headers["referrer-policy"],
      "x-frame-options": headers["x-frame-options"],
    },
    {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "x-frame-options": "DENY",
    },
  );
}

const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

type Asking = (gate: RunningGate) => Promise<Answer>;

const pages: readonly { readonly status: number; readonly what: string; readonly ask: Asking }[] = [
  { status: 200, what: "login page", ask: (gate) => gate.send("/login") },
  {
    status: 200,
    what: "home page",
    ask: async (gate) => gate.send("/", { session: await gate.setUp() }),
  },
  {
    status: 403,
    what: "page for a wrong setup token",
    ask: async (gate) => {
      await writeFile(gate.setupTokenFile, "s3cret");
      return gate.send("/setup", { form: OWNER });
    },
  },
  { status: 404, what: "page for an unknown path", ask: (gate) => gate.send("/nothing") },
  {
    status: 413,
    what: "page for too large a form",
    ask: (gate) => gate.send("/login", { body: "x".repeat(70_000), headers: FORM_TYPE }),
  },
  {
    status: 500,
    what: "page for a failure",
    ask: (gate) => {
      execute(gate.databaseFile, "DROP TABLE users");
      return gate.send("/setup");
    },
  },
];

for (const { status, what, ask } of pages) {
  test(`the ${what} forbids caching, framing and sniffing, and has no inline code`, async (t) => {
    const answer = await ask(await startGate(t));
    assert.equal(answer.status, status);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(answer.headers["content-security-policy"], POLICY);
    assertGuarded(answer);
    assertNothingInline(answer.body);
    assert.doesNotMatch(answer.body, /https?:\/\//, "no other origin");
  });
}

const others: readonly { readonly what: string; readonly ask: Asking }[] = [
  { what: "guard's redirect", ask: (gate) => gate.send("/") },
  { what: "sign-out", ask: (gate) => gate.send("/logout", { form: {} }) },
  {
    what: "redirect that sets the cookie",
    ask: (gate) => gate.send("/setup", { form: { ...OWNER, confirm: OWNER.password } }),
  },
  {
    what: "failed sign-in",
    ask: async (gate) => {
      await gate.setUp();
      return gate.signIn({ password: "wrong" });
    },
  },
];

for (const { what, ask } of others) {
  test(`the ${what} is not cached and has no body`, async (t) => {
    const answer = await ask(await startGate(t));
    assert.deepEqual([answer.status, answer.body], [303, ""]);
    assertGuarded(answer);
  });
}

test("serves every page's style sheet as cacheable, since its URL contains a hash of the content", async (t) => {
  const gate = await startGate(t);
  const [, href = ""] =
    /<link rel="stylesheet" href="([^"]+)">/.exec((await gate.send("/login")).body) ?? [];
  assert.match(href, /^\/latchkey\.css\?v=[\w-]+$/);
  const sheet = await gate.send(href);
  assert.equal(sheet.status, 200);
  assert.equal(sheet.headers["content-type"], "text/css; charset=utf-8");
  assert.equal(sheet.headers["x-content-type-options"], "nosniff");
  assert.match(sheet.headers["cache-control"] ?? "", /immutable/);
});

test("the policy allows forms to redirect to a post-login location on another origin", async (t) => {
  const gate = await startGate(t, { postLoginLocation: "https://app.example.org/start" });
  const policy = (await gate.send("/login")).headers["content-security-policy"];
  assert.match(String(policy), /; form-action 'self' https:\/\/app\.example\.org;/);
});
