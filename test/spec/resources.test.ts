import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { changeForm, startGate } from "../support/gate.ts";

test("the data folder and the server log contain no password", async (t) => {
  const gate = await startGate(t);
  const typed = ["first-pass-7Qx", "wrong-pass-8Ry", "second-pass-9Sz"] as const;
  const [first, wrong, second] = typed;
  const session = await gate.setUp({ username: "findable-name", password: first });
  await gate.signIn({ username: "findable-name", password: first });
  await gate.signIn({ username: "findable-name", password: wrong });
  await gate.send("/account/password", {
    session,
    form: changeForm(first, second),
  });
  await gate.logEntries(3);

  const running = await contentOf(gate.dataDir);
  await gate.stop();
  const everything = running + (await contentOf(gate.dataDir)) + JSON.stringify(gate.serverLog);
  // Proves that the search works.
  assert.ok(everything.includes("findable-name"));
  for (const password of typed) {
    const bytes = Buffer.from(password);
    for (const form of ["latin1", "utf16le", "hex", "base64"] as const) {
      const written = form === "utf16le" ? Buffer.from(password, form) : bytes;
      const text = written.toString(form === "utf16le" ? "latin1" : form).replace(/=+$/, "");
      assert.ok(!everything.includes(text), `${password} as ${form}`);
    }
  }
});

async function contentOf(folder: string): Promise<string> {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), "latin1")));
  return contents.join("\n");
}
