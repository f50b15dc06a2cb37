import { messageOf } from "../core/fault.ts";
import { broken, type Finding, type Outcome } from "./finding.ts";
import type { Patient } from "./patient.ts";

export interface Check {
  readonly name: string;
  /** Those that it looks at: with a wrong one among them it would be about something else. */
  readonly settings: readonly string[];
  /** Nothing where there is nothing to look at. */
  look(patient: Patient): Promise<readonly Finding[]>;
}

export interface Checked {
  readonly check: string;
  readonly outcome: Outcome;
  readonly found: string;
  readonly remedy?: string;
}

/** Each for itself and within its time: what fails or hangs keeps no other from its findings. */
export async function examine(
  checks: readonly Check[],
  patient: Patient,
  withinMs: number,
): Promise<readonly Checked[]> {
  const findings = await Promise.all(
    checks.map(async (check) => told(check.name, await bounded(check, patient, withinMs))),
  );
  return findings.flat();
}

export function told(check: string, findings: readonly Finding[]): readonly Checked[] {
  return findings.map(({ kind, ...rest }) => ({ check, outcome: kind, ...rest }));
}

async function bounded(
  check: Check,
  patient: Patient,
  withinMs: number,
): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = setTimeout(() => late.resolve([tooLate(withinMs)]), withinMs);
  try {
    return await Promise.race([check.look(patient), late.promise]);
  } catch (error) {
    return [broken(`cannot be looked at: ${messageOf(error)}`, "mend that, and run this again")];
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (withinMs: number): Finding =>
  broken(
    `is not done after ${withinMs / 1_000} seconds`,
    "see whether the disk, the network or the name service hangs, and run this again",
  );
