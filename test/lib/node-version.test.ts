import assert from "node:assert/strict";
import { test } from "node:test";

for (const [versions, refused] of [
  [{ node: "23.11.1" }, true],
  [{ node: "24.0.0" }, false],
  [{ node: "100.0.0" }, false],
  [{ node: "22.6.0", bun: "1.2.0" }, false],
  [{ node: "20.11.1", deno: "2.0.0" }, false],
] as const) {
  test(`${refused ? "refuses" : "accepts"} ${JSON.stringify(versions)}`, async (t) => {
    const { version, versions: before } = process;
    const set = (value: object) => Object.defineProperty(process, "versions", { value });
    t.after(() => set(before));
    set(versions);
    const loading = import(`../../src/lib/node-version.ts?${versions.node}`);
    const message = `Latchkey needs Node.js 24 or newer; this is ${version}`;
    if (refused) await assert.rejects(loading, { code: "node_too_old", message });
    else await loading;
  });
}
