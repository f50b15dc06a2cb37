import assert from "node:assert/strict";
import { test } from "node:test";
import { attackDoor, attackNamed } from "./attacking.ts";
import type { SmallDoorOptions } from "./small-door.ts";

/** A door with one thing got wrong, and what the attack has to say of it. */
export interface Flaw {
  readonly attack: string;
  readonly what: string;
  readonly door: SmallDoorOptions;
  readonly finding: RegExp;
}

export function findsEach(flaws: readonly Flaw[]): void {
  for (const { attack, what, door, finding } of flaws) {
    test(`${attack} finds a door that ${what}`, async (t) => {
      const { outcome, findings } = await attackDoor(t, attackNamed(attack), door);
      assert.equal(outcome, "got-through");
      assert.match(findings.join("\n"), finding);
    });
  }
}
