import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../src/attacks.ts";
import { attackSampleServer } from "./run-attack.ts";

for (const attack of attacks) {
  test(`${attack.name} finds nothing on a correct server`, async (t) => {
    const { outcome, findings, tried } = await attackSampleServer(t, attack, {
      setupToken: "the token",
    });
    assert.deepEqual([outcome, findings], ["passed", []]);
    assert.ok(tried > 0);
  });
}
