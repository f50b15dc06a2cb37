import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { countOf } from "../support/database.ts";
import { startGate } from "../support/gate.ts";
import { fieldNamed } from "../support/markup.ts";
import { assertProblem } from "../support/problems.ts";

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

const MISSING = "username and password are required";

const problems = [
  ["a wrong token", { token: "wrong" }, 403, ["token"], "invalid setup token"],
  ["no username", { username: "" }, 422, ["username"], MISSING],
  ["no password", { password: "" }, 422, ["password"], MISSING],
  ["neither", { username: "", password: "", confirm: "" }, 422, ["username", "password"], MISSING],
  ["two passwords", { confirm: "c-9Sz" }, 422, ["password", "confirm"], "passwords do not match"],
] as const;

for (const [what, flaws, status, fields, message] of problems) {
  test(`a setup with ${what} returns the form with one message`, async (t) => {
    const gate = await startGate(t, { domainSetupCommand: process.execPath });
    await writeFile(gate.setupTokenFile, "s3cret");
    const answer = await gate.send("/setup", { form: { ...RIGHT, ...flaws } });
    assertProblem(answer, { status, fields, message }, ALL);
    assert.deepEqual([answer.location, answer.cookies], [undefined, []]);
    assert.equal(countOf(gate.databaseFile, "latchkey_users"), 0);
    const typed: Fields = { ...ESCAPED, token: "s3cret", ...flaws };
    for (const name of ["token", "username", "domain"] as const) {
      assert.equal(fieldNamed(answer.body, name).value, typed[name] || undefined, name);
    }
    for (const name of ["password", "confirm"]) {
      assert.equal(fieldNamed(answer.body, name).value, undefined);
    }
    assert.doesNotMatch(answer.body, /p-8Ry|c-9Sz/);
  });
}
