import { messageOf } from "../core/fault.ts";
import { type Finding, type Outcome, problem } from "./finding.ts";
import type { Installation } from "./installation.ts";

export interface Check {
  readonly name: string;
  /** The settings that the check uses: it is skipped if one of them is invalid. */
  readonly settings: readonly string[];
  /** Returns no findings if there is nothing to check. */
  look(installation: Installation): Promise<readonly Finding[]>;
}

export interface Checked {
  readonly check: string;
  readonly outcome: Outcome;
  readonly found: string;
  readonly remedy?: string;
}

/** Runs the checks in parallel, with a time limit each. A failing check does not affect others. */
export async function examine(
  checks: readonly Check[],
  installation: Installation,
  withinMs: number,
): Promise<readonly Checked[]> {
  const findings = await Promise.all(
    checks.map(async (check) => told(check.name, await bounded(check, installation, withinMs))),
  );
  return findings.flat();
}

export function told(check: string, findings: readonly Finding[]): readonly Checked[] {
  return findings.map(({ kind, ...rest }) => ({ check, outcome: kind, ...rest }));
}

async function bounded(
  check: Check,
  installation: Installation,
  withinMs: number,
): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = setTimeout(() => late.resolve([tooLate(withinMs)]), withinMs);
  try {
    return await Promise.race([check.look(installation), late.promise]);
  } catch (error) {
    return [problem(`cannot be looked at: ${messageOf(error)}`, "mend that, and run this again")];
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (withinMs: number): Finding =>
  problem(
    `is not done after ${withinMs / 1_000} seconds`,
    "see whether the disk, the network or the name service hangs, and run this again",
  );
