import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import type { MessageName } from "../../src/web/pages/words/en.ts";
import { locales, wordsIn } from "../../src/web/pages/words.ts";
import { startApp } from "../support/app.ts";
import type { Sending } from "../support/client.ts";
import { countOf } from "../support/database.ts";
import { startGate } from "../support/gate.ts";
import { alertsIn, fieldNamed } from "../support/markup.ts";
import { assertProblem, type Problem } from "../support/problems.ts";

type Fields = Readonly<Record<string, string>>;

const RIGHT: Fields = {
  token: "s3cret",
  username: "Zoë <b>",
  password: "p-8Ry",
  confirm: "p-8Ry",
  domain: 'home."x".org',
};
const ESCAPED: Fields = { username: "Zoë &lt;b&gt;", domain: "home.&quot;x&quot;.org" };
const ALL = ["token", "username", "password", "confirm", "domain"];

const problems: readonly (Problem & {
  readonly what: string;
  readonly flaws: Fields;
  readonly text: MessageName;
})[] = [
  {
    what: "a wrong token",
    flaws: { token: "wrong" },
    ...{ status: 403, text: "invalidSetupToken", fields: ["token"] },
    message: "invalid setup token",
  },
  {
    what: "no token",
    flaws: { token: "" },
    ...{ status: 403, text: "invalidSetupToken", fields: ["token"] },
    message: "invalid setup token",
  },
  {
    what: "no username",
    flaws: { username: "" },
    ...{ status: 422, text: "usernameOrPasswordMissing", fields: ["username"] },
    message: "username and password are required",
  },
  {
    what: "no password",
    flaws: { password: "" },
    ...{ status: 422, text: "usernameOrPasswordMissing", fields: ["password"] },
    message: "username and password are required",
  },
  {
    what: "neither username nor password",
    flaws: { username: "", password: "", confirm: "" },
    ...{ status: 422, text: "usernameOrPasswordMissing", fields: ["username", "password"] },
    message: "username and password are required",
  },
  {
    what: "two different passwords",
    flaws: { confirm: "c-9Sz" },
    ...{ status: 422, text: "passwordsDiffer", fields: ["password", "confirm"] },
    message: "passwords do not match",
  },
];

async function startWithSetupToken(t: TestContext) {
  const gate = await startGate(t, { domainSetupCommand: process.execPath });
  await writeFile(gate.setupTokenFile, "s3cret");
  const setUp = (flaws: Fields, sending: Sending = {}) =>
    gate.send("/setup", { ...sending, form: { ...RIGHT, ...flaws } });
  return { gate, setUp };
}

for (const { what, flaws, ...problem } of problems) {
  test(`a setup with ${what} returns the form, with one message, at the field`, async (t) => {
    const { gate, setUp } = await startWithSetupToken(t);
    const answer = await setUp(flaws);
    assertProblem(answer, problem, ALL);
    assert.deepEqual([answer.location, answer.cookies], [undefined, []]);
    assert.equal(countOf(gate.databaseFile, "users"), 0);
  });

  test(`a setup with ${what} keeps the entered values except passwords`, async (t) => {
    const { setUp } = await startWithSetupToken(t);
    const { body } = await setUp(flaws);
    const typed: Fields = { ...ESCAPED, token: "s3cret", ...flaws };
    for (const name of ["token", "username", "domain"] as const) {
      assert.equal(fieldNamed(body, name).value, typed[name] || undefined, name);
    }
    for (const name of ["password", "confirm"]) {
      assert.equal(fieldNamed(body, name).value, undefined);
    }
    assert.doesNotMatch(body, /p-8Ry|c-9Sz/);
  });

  for (const locale of locales) {
    test(`a setup with ${what} shows the message in ${locale}`, async (t) => {
      const { setUp } = await startWithSetupToken(t);
      const { status, body } = await setUp(flaws, { headers: { "Accept-Language": locale } });
      assert.equal(status, problem.status);
      assert.deepEqual(alertsIn(body), [wordsIn(locale).messages[problem.text]]);
    });
  }
}

test("the returned form can be submitted again after filling in the passwords", async (t) => {
  const { gate, setUp } = await startWithSetupToken(t);
  await setUp({ confirm: "c-9Sz" });
  const answer = await setUp({});
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.equal((await gate.signIn({ username: "Zoë <b>", password: "p-8Ry" })).location, "/");
});

const MISTAKE = { form: { ...RIGHT, confirm: "x" } };

test("returns a custom page that shows the message", async (t) => {
  const setup = ({ problem }: { readonly problem?: { readonly message: string } | undefined }) =>
    `<p>own: ${problem?.message ?? "fine"}`;
  const app = await startApp(t, { pages: { setup } });
  assert.equal((await app.send("/setup")).body, "<p>own: fine");
  const { status, body } = await app.send("/setup", MISTAKE);
  assert.deepEqual([status, body], [422, "<p>own: passwords do not match"]);
});

test("returns the error page if a page function omits the message", async (t) => {
  const app = await startApp(t, { pages: { setup: () => "<p>own</p>" } });
  const { status, body } = await app.send("/setup", MISTAKE);
  assert.equal(status, 422);
  assert.deepEqual(alertsIn(body), ["passwords do not match"]);
  assert.doesNotMatch(body, /own|<form/);
});
