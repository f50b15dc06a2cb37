import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { fieldNamed } from "../support/markup.ts";

const BACK = "https://app.door.test/page?a=b&c=%20d#e";
const KEPT = `/setup?return_to=${encodeURIComponent(BACK)}`;
const SETUP_FORM = { ...OWNER, confirm: OWNER.password };

const startDoor = (t: TestContext): Promise<RunningGate> =>
  startGate(t, {
    publicUrl: "https://auth.door.test",
    cookieDomain: "door.test",
    postLoginLocation: "/home",
  });

test("a sign-in that comes before the first account carries the way back to the setup", async (t) => {
  const gate = await startDoor(t);
  assert.equal((await gate.signIn({ return_to: BACK })).location, KEPT);
  assert.equal((await gate.signIn({ return_to: "https://evil.example/" })).location, "/setup");
  assert.equal((await gate.signIn()).location, "/setup");
});

for (const target of [BACK, "/page", "https://door.test/"]) {
  test(`setup with the way back ${target} leads exactly there, signed in`, async (t) => {
    const gate = await startDoor(t);
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, return_to: target } });
    assert.deepEqual([answer.status, answer.location], [303, target]);
    assert.equal((await gate.send("/", { session: answer.session })).status, 200);
  });
}

for (const target of [
  ...["https://evil.example/", "//evil.example", "/\\evil.example", "https://evildoor.test/"],
  ...["https://app.door.test@evil.example/", "javascript:alert(1)", "", "/page\r\nX-Evil: 1"],
]) {
  test(`setup with the way back ${JSON.stringify(target)} leads where setup usually leads`, async (t) => {
    const gate = await startDoor(t);
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, return_to: target } });
    assert.deepEqual([answer.status, answer.location], [303, "/home"]);
    assert.equal(answer.headers["x-evil"], undefined);
  });
}

test("a setup that is refused leads nowhere, and the form keeps the way back for the next try", async (t) => {
  const gate = await startDoor(t);
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

test("once there is an account, the setup leads to the sign-in and nowhere else", async (t) => {
  const gate = await startDoor(t);
  await gate.setUp();
  const form = { ...SETUP_FORM, return_to: "https://evil.example/" };
  assert.equal((await gate.send("/setup", { form })).location, "/login");
  const query = `?return_to=${encodeURIComponent("https://evil.example/")}`;
  assert.equal((await gate.send(`/setup${query}`)).location, "/login");
});
