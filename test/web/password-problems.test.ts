import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startConfiguredApp } from "../support/app.ts";
import { changeForm, OWNER, startConfigured } from "../support/gate.ts";
import { alertsIn, assertNothingInline, fieldNamed } from "../support/markup.ts";
import { folderWith } from "../support/pages.ts";
import { assertProblem, type Problem } from "../support/problems.ts";

type Fields = Readonly<Record<string, string>>;

const RIGHT: Fields = changeForm(OWNER.password, "n-8Ry-long");
const ALL = Object.keys(RIGHT);

/** One of two missing fields alone: `setup-problems.test.ts`. */
const problems: readonly (Problem & {
  readonly what: string;
  readonly flaws: Fields;
})[] = [
  {
    what: "neither password",
    flaws: { current_password: "", new_password: "" },
    ...{ status: 422, fields: ["current_password", "new_password"] },
    message: "all fields are required",
  },
  {
    what: "a wrong current password",
    flaws: { current_password: "w-1Aw" },
    ...{ status: 422, fields: ["current_password"] },
    message: "current password is incorrect",
  },
  {
    what: "two different new passwords",
    flaws: { confirm_password: "c-9Sz-long" },
    ...{ status: 422, fields: ["new_password", "confirm_password"] },
    message: "new passwords do not match",
  },
  {
    what: "too short a new password",
    flaws: { new_password: "s-7Qx", confirm_password: "s-7Qx" },
    ...{ status: 422, fields: ["new_password"] },
    message: "password must be at least 8 characters",
  },
];

async function signedIn(t: TestContext) {
  const { gate, session } = await startConfigured(t);
  const change = (flaws: Fields, headers: Fields = {}) =>
    gate.send("/account/password", { session, headers, form: { ...RIGHT, ...flaws } });
  return { gate, session, change };
}

for (const { what, flaws, ...problem } of problems) {
  test(`a password change with ${what} returns the form, with one message, at the field, and no password`, async (t) => {
    const { change } = await signedIn(t);
    const answer = await change(flaws);
    assertProblem(answer, problem, ALL);
    assert.deepEqual([answer.location, answer.cookies], [undefined, []]);
    assertNothingInline(answer.body);
    for (const name of ALL) assert.equal(fieldNamed(answer.body, name).value, undefined, name);
    for (const typed of Object.values({ ...RIGHT, ...flaws })) {
      assert.ok(typed === "" || !answer.body.includes(typed), typed);
    }
  });
}

test("returns the error page if a custom template omits the message", async (t) => {
  const pagesDir = await folderWith(t, { "home.eta": "<p>own</p>" });
  const { gate, session } = await startConfigured(t, { pagesDir });
  assert.equal((await gate.send("/", { session })).body, "<p>own</p>");
  const form = { ...RIGHT, current_password: "wrong" };
  const { status, body } = await gate.send("/account/password", { session, form });
  assert.equal(status, 422);
  assert.deepEqual(alertsIn(body), ["current password is incorrect"]);
  assert.doesNotMatch(body, /own<|<form/);
});

test("a failed change returns the plain error page without a home page", async (t) => {
  const { app, session } = await startConfiguredApp(t, { homePath: null });
  for (const { flaws, message, status: expected } of problems) {
    const form = { ...RIGHT, ...flaws };
    const { status, body } = await app.send("/account/password", { session, form });
    assert.equal(status, expected);
    assert.deepEqual(alertsIn(body), [message]);
    assert.doesNotMatch(body, /<form|<input/);
  }
});
