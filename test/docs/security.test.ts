import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptRule } from "../../src/identity/attempt-limiter.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/identity/session-token.ts";
import { text } from "./pages.ts";

test("the threat model states the limits of sign-ins and sessions that the code has", () => {
  const stated: readonly (readonly [section: string, fact: RegExp])[] = [
    ["Limits on guessing", new RegExp(`any ${attemptRule.windowMs / 1_000} seconds`)],
    ["Limits on guessing", new RegExp(attemptRule.maxTracked.toLocaleString("en"))],
    ["Limits on guessing", /No account is ever locked/],
    ["Session lifetime", new RegExp(`\\*\\*${SESSION_LIFETIME_SECONDS / 86_400} days`)],
    ["Session lifetime", /Any number at once/],
    ["Ways to sign in", /`\/login`[\s\S]*setup[\s\S]*AUTH_SECRET[\s\S]*user password/],
  ];
  for (const [section, fact] of stated) {
    const [, rest = ""] = text("docs/threat-model.md").split(`\n## ${section}\n`);
    assert.match(rest.split("\n## ")[0] ?? "", fact);
  }
});
