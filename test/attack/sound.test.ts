import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../../src/attack/attacks.ts";
import { attackDoor } from "./attacking.ts";

for (const attack of attacks) {
  test(`${attack.name} finds nothing at a door that is written right`, async (t) => {
    const { outcome, findings, tried } = await attackDoor(t, attack, { setupToken: "the token" });
    assert.deepEqual([outcome, findings], ["passed", []]);
    assert.ok(tried > 0);
  });
}
