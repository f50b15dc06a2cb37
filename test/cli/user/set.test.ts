import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { places } from "./either.ts";

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: sets and shows the name and the e-mail address of a user`, async (t) => {
    const { env } = await open(t, "owner");
    const run = (...args: readonly string[]) => outputOf(["user", ...args], { env });
    const refuse = (code: number, ...args: readonly string[]) =>
      failureOf(["user", "set", ...args], { env }, code);
    const show = async () =>
      jsonLines<Record<string, unknown>>(await run("show", "owner", "--json"))[0];

    const before = await show();
    assert.deepEqual([before?.name, before?.email, before?.emailVerified], [null, null, null]);
    const set = ["set", "owner", "--name", "Ada Example", "--email", "Ada@example.org"];
    assert.equal(await run(...set, "--email-verified"), 'Set the profile of user "owner".\n');
    const { name, email, emailVerified } = (await show()) ?? {};
    assert.deepEqual([name, email, emailVerified], ["Ada Example", "Ada@example.org", true]);
    assert.match(await run("show", "owner"), /^E-mail: +Ada@example\.org \(verified\)$/m);
    await run("set", "owner", "--email-unverified");
    assert.equal((await show())?.emailVerified, false);

    assert.match(await refuse(1, "nobody", "--name", "x"), /there is no user "nobody"/);
    for (const [text, ...args] of [
      ["user set needs an option that says what to set", "owner"],
      ["exclude each other", "owner", "--email-verified", "--email-unverified"],
      ["is not accepted: write one such as", "owner", "--email", "ada"],
      ["at most 255 bytes and no control characters", "owner", "--name", "a\tb"],
    ] as const) {
      assert.ok((await refuse(2, ...args)).includes(text), text);
    }
    await run("set", "owner", "--name", "", "--email", "");
    assert.deepEqual([(await show())?.name, (await show())?.email], [null, null]);
    const missing = await refuse(2, "owner", "--email-verified");
    assert.match(missing, /there is no address to be verified: set it with --email/);
  });
}
