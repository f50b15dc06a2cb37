import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { attemptRule } from "../../src/core/limits/attempt-limiter.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/core/sessions/session-token.ts";
import { at, text } from "./pages.ts";

const security = text("SECURITY.md");

test("SECURITY.md and the ASVS assessment name only existing tests", () => {
  for (const page of [security, text("docs/asvs.md")]) {
    const named = [...page.matchAll(/`((?:proof\/attack\/)?test\/[^`]+)`/g)].map(
      ([, path = ""]) => path,
    );
    assert.ok(named.length > 20, "finds tests");
    assert.deepEqual(
      named.filter((path) => !existsSync(at(path))),
      [],
    );
  }
});

/** The text below a heading. */
function section(heading: string): string {
  const [, rest] = security.split(`\n## ${heading}\n`);
  assert.ok(rest !== undefined, `there is a section "${heading}"`);
  return rest.split("\n## ")[0] ?? "";
}

test("SECURITY.md states the limits of sign-ins and sessions that the code has", () => {
  const guessing = section("Limits on guessing");
  assert.match(guessing, new RegExp(`any ${attemptRule.windowMs / 1_000} seconds`));
  assert.match(guessing, new RegExp(attemptRule.maxTracked.toLocaleString("en")));
  assert.match(guessing, /No account is ever locked/);
  const lifetime = section("Session lifetime");
  assert.match(lifetime, new RegExp(`\\*\\*${SESSION_LIFETIME_SECONDS / 86_400} days`));
  assert.match(lifetime, /Any number at once/);
  assert.match(
    section("Ways to sign in"),
    /`\/login`[\s\S]*setup[\s\S]*AUTH_SECRET[\s\S]*user password/,
  );
});
