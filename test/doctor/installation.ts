import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Check, Finding, Findings } from "../../src/doctor/check.ts";
import { type Installation, openInstallation } from "../../src/doctor/installation.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";

export interface Case {
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
  readonly url?: string;
  readonly now?: number;
}

export function installation({ env = {}, envFile, url, now }: Case): Installation {
  const reading = readSettings({ env, flags: {}, envFile });
  assert.deepEqual(reading.problems, []);
  return openInstallation({
    settings: reading.settings,
    secretFiles: reading.secretFiles,
    url: url === undefined ? undefined : new URL(url),
    now: () => now ?? Date.now(),
  });
}

export const findings = async ({ run }: Check, given: Case): Promise<readonly Finding[]> =>
  [(await run(installation(given))) ?? []].flat();

/** The same installation, as if reached at another address. */
export function under(address: string, visited: Installation): Installation {
  const url = new URL(address);
  return {
    ...visited,
    url,
    async visitSite() {
      const site = await visited.visitSite();
      return site && { ...site, url };
    },
  };
}

/** Runs the command in each remedy. */
export async function applyRemedies(found: readonly Finding[]): Promise<void> {
  for (const finding of found) {
    const remedy = "remedy" in finding ? finding.remedy : "";
    const [command] = /\b(rm|mv -n|chmod) [^;]+/.exec(remedy) ?? [];
    assert.ok(command !== undefined, remedy);
    await promisify(execFile)("sh", ["-c", command]);
  }
}

type Expected = readonly [outcome: Finding["outcome"], about: RegExp, remedy?: RegExp];

/** Runs a check, and compares its findings. */
export const assertCheck = async (
  check: Check,
  given: Case,
  ...expected: readonly Expected[]
): Promise<void> => assertFound(await findings(check, given), ...expected);

/** Compares findings in order by outcome, text and remedy. */
export function assertFound(given: Findings, ...expected: readonly Expected[]): void {
  const found = [given ?? []].flat();
  assert.deepEqual(
    found.map(({ outcome }) => outcome),
    expected.map(([outcome]) => outcome),
    JSON.stringify(found),
  );
  for (const [at, [, about, remedy = /./]] of expected.entries()) {
    const finding = found[at];
    assert.match(finding?.found ?? "", about);
    if (finding !== undefined && finding.outcome !== "ok") assert.match(finding.remedy, remedy);
  }
}
