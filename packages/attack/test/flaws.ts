import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attack } from "../src/attack.ts";
import { attackNamed, attackSampleServer } from "./run-attack.ts";
import type { SampleServerOptions } from "./sample-server.ts";

/** A server with one flaw, and the finding that the attack must report. */
export interface Flaw {
  readonly attack: string;
  readonly what: string;
  /** By default, all that the attack runs over. */
  readonly versions?: Attack["versions"];
  readonly server: SampleServerOptions;
  readonly finding: RegExp;
}

class Found extends Error {}

/** Ends with that finding: what the attack would send then is sent to a server without a flaw too. */
export const endingAt = (attack: Attack, finding: RegExp): Attack => ({
  ...attack,
  async run(target, tally) {
    const findings: string[] = [];
    const endIfFound = (): void => {
      if (finding.test(findings.join("\n"))) throw new Found();
    };
    await attack.run(target, {
      tried() {
        endIfFound();
        tally.tried();
      },
      gotThrough(what) {
        tally.gotThrough(what);
        findings.push(target.address.http2 === undefined ? what : `over HTTP/2: ${what}`);
        endIfFound();
      },
    });
  },
});

export function testFlaws(flaws: readonly Flaw[]): void {
  for (const { attack: name, what, server, finding, versions } of flaws) {
    const attack = attackNamed(name);
    const wanted: Attack = versions === undefined ? attack : { ...attack, versions };
    test(`${name} detects a server that ${what}`, async (t) => {
      const { outcome, findings } = await attackSampleServer(t, endingAt(wanted, finding), server);
      assert.equal(outcome, "got-through");
      assert.match(findings.join("\n"), finding);
    });
  }
}
