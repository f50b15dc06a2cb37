import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVELOPMENT_SECRET } from "../../src/identity/session-token.ts";
import { send } from "../support/client.ts";
import { serveHere } from "../support/command.ts";
import { SETUP_FORM } from "../support/gate.ts";
import { signed } from "../support/mint.ts";
import { tempDir } from "../support/temp-dir.ts";

for (const { given, secret } of [
  { given: "a long random text", secret: "a long random text" },
  { given: "", secret: DEVELOPMENT_SECRET },
]) {
  test(`AUTH_SECRET=${JSON.stringify(given)} selects the signing secret`, async (t) => {
    const env = { AUTH_SECRET: given, DATA_DIR: await tempDir(t) };
    const gate = await serveHere(t, env);
    const { session = "" } = await send(`${gate.url}/setup`, { form: SETUP_FORM });
    const [header = "", claims = ""] = session.split(".");
    assert.equal(session, signed(header, claims, { secret }));
    const warns = gate.stdout().includes("AUTH_SECRET is not set: using the built-in development");
    assert.equal(warns, secret === DEVELOPMENT_SECRET);
  });
}
