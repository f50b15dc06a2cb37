import assert from "node:assert/strict";
import { test } from "node:test";
import { attackNamed, attackSampleServer } from "./run-attack.ts";
import type { SampleServerOptions } from "./sample-server.ts";

/** A server with one flaw, and the finding that the attack must report. */
export interface Flaw {
  readonly attack: string;
  readonly what: string;
  readonly server: SampleServerOptions;
  readonly finding: RegExp;
}

export function testFlaws(flaws: readonly Flaw[]): void {
  for (const { attack, what, server, finding } of flaws) {
    test(`${attack} detects a server that ${what}`, async (t) => {
      const { outcome, findings } = await attackSampleServer(t, attackNamed(attack), server);
      assert.equal(outcome, "got-through");
      assert.match(findings.join("\n"), finding);
    });
  }
}
