import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfiguredApp } from "../support/app.ts";
import { changeForm, OWNER, startConfigured } from "../support/gate.ts";
import { alertsIn, assertNothingInline, fieldNamed } from "../support/markup.ts";
import { assertProblem } from "../support/problems.ts";

type Fields = Readonly<Record<string, string>>;

const RIGHT: Fields = changeForm(OWNER.password, "n-8Ry-long");
const ALL = Object.keys(RIGHT);

/** One of two missing fields alone: `setup-problems.test.ts`. */
const problems: readonly (readonly [flaws: Fields, fields: readonly string[], message: string])[] =
  [
    [
      { current_password: "", new_password: "" },
      ["current_password", "new_password"],
      "all fields are required",
    ],
    [{ current_password: "w-1Aw" }, ["current_password"], "current password is incorrect"],
    [
      { confirm_password: "c-9Sz-long" },
      ["new_password", "confirm_password"],
      "new passwords do not match",
    ],
    [
      { new_password: "s-7Qx", confirm_password: "s-7Qx" },
      ["new_password"],
      "password must be at least 8 characters",
    ],
  ];

for (const [flaws, fields, message] of problems) {
  test(`a password change answered "${message}" returns the form`, async (t) => {
    const { gate, session } = await startConfigured(t);
    const form = { ...RIGHT, ...flaws };
    const answer = await gate.send("/account/password", { session, form });
    assertProblem(answer, { status: 422, fields, message }, ALL);
    assert.deepEqual([answer.location, answer.cookies], [undefined, []]);
    assertNothingInline(answer.body);
    for (const name of ALL) assert.equal(fieldNamed(answer.body, name).value, undefined, name);
    for (const typed of Object.values(form)) {
      assert.ok(typed === "" || !answer.body.includes(typed), typed);
    }
  });
}

test("a failed change returns the plain error page without a home page", async (t) => {
  const { app, session } = await startConfiguredApp(t, { homePath: null });
  for (const [flaws, , message] of problems) {
    const form = { ...RIGHT, ...flaws };
    const { status, body } = await app.send("/account/password", { session, form });
    assert.equal(status, 422);
    assert.deepEqual(alertsIn(body), [message]);
    assert.doesNotMatch(body, /<form|<input/);
  }
});
