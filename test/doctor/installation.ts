import assert from "node:assert/strict";
import type { Check } from "../../src/doctor/check.ts";
import type { Finding } from "../../src/doctor/finding.ts";
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
  assert.equal(reading.kind, "settings", JSON.stringify(reading));
  return openInstallation({
    settings: reading.settings,
    secretFiles: reading.secretFiles,
    url: url === undefined ? undefined : new URL(url),
    now: () => now ?? Date.now(),
  });
}

export const findings = (check: Check, given: Case): Promise<readonly Finding[]> =>
  check.look(installation(given));

/** The same installation, as if reached at another address. */
export function under(address: string, visited: Installation): Installation {
  const url = new URL(address);
  return {
    ...visited,
    url,
    async site() {
      const site = await visited.site();
      return site && { ...site, url };
    },
  };
}

/** Compares findings in order by kind, text and remedy. */
export function assertFound(
  found: readonly Finding[],
  ...expected: readonly (readonly [kind: Finding["kind"], about: RegExp, remedy?: RegExp])[]
): void {
  assert.deepEqual(
    found.map(({ kind }) => kind),
    expected.map(([kind]) => kind),
    JSON.stringify(found),
  );
  for (const [at, [, about, remedy]] of expected.entries()) {
    const finding = found[at];
    assert.match(finding?.found ?? "", about);
    if (remedy !== undefined && finding !== undefined && "remedy" in finding) {
      assert.match(finding.remedy, remedy);
    }
    assert.equal(finding !== undefined && "remedy" in finding, finding?.kind !== "ok");
  }
}
