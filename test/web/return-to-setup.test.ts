import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { fieldNamed } from "../support/markup.ts";

const BACK = "https://app.example.test/page?a=b&c=%20d#e";
const SETUP_LOCATION = `/setup?return_to=${encodeURIComponent(BACK)}`;

const startWithDomain = (t: TestContext): Promise<RunningGate> =>
  startGate(t, {
    publicUrl: "https://auth.example.test",
    cookieDomain: "example.test",
    postLoginLocation: "/home",
  });

test("a sign-in before the first account passes the return target to the setup page", async (t) => {
  const gate = await startWithDomain(t);
  assert.equal((await gate.signIn({ return_to: BACK })).location, SETUP_LOCATION);
  assert.equal((await gate.signIn({ return_to: "https://evil.example/" })).location, "/setup");
  assert.equal((await gate.signIn()).location, "/setup");
});

for (const target of [BACK, "/page", "https://example.test/"]) {
  test(`setup with the return target ${target} redirects there and signs in`, async (t) => {
    const gate = await startWithDomain(t);
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, return_to: target } });
    assert.deepEqual([answer.status, answer.location], [303, target]);
    assert.equal((await gate.send("/", { session: answer.session })).status, 200);
  });
}

for (const target of [
  ...["https://evil.example/", "//evil.example", "/\\evil.example", "https://evilexample.test/"],
  ...["https://app.example.test@evil.example/", "javascript:alert(1)", "", "/page\r\nX-Evil: 1"],
]) {
  test(`setup with the return target ${JSON.stringify(target)} redirects to the default location`, async (t) => {
    const gate = await startWithDomain(t);
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, return_to: target } });
    assert.deepEqual([answer.status, answer.location], [303, "/home"]);
    assert.equal(answer.headers["x-evil"], undefined);
  });
}

test("a refused setup does not redirect and keeps the return target in its form", async (t) => {
  const gate = await startWithDomain(t);
  const form = { ...SETUP_FORM, confirm: "another", return_to: BACK };
  const refused = await gate.send("/setup", { form });
  assert.deepEqual([refused.status, refused.location], [422, undefined]);
  assert.equal(fieldNamed(refused.body, "return_to").value, BACK.replace("&", "&amp;"));
  assert.equal(
    (
      await gate.send("/setup", { form: { ...form, return_to: "https://evil.example/" } })
    ).body.includes("evil"),
    false,
  );
});

test("setup redirects only to the sign-in page once an account exists", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  const form = { ...SETUP_FORM, return_to: "https://evil.example/" };
  assert.equal((await gate.send("/setup", { form })).location, "/login");
  const query = `?return_to=${encodeURIComponent("https://evil.example/")}`;
  assert.equal((await gate.send(`/setup${query}`)).location, "/login");
});
