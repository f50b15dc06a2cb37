/**
 * Starts gates of its own and tries every attack on them: `npm run attack`. A machine that is slow
 * or busy can be given more seconds than the usual ones: `npm run attack -- 300`.
 */
import type { Attack, Need } from "../src/attack/attack.ts";
import { attacks } from "../src/attack/attacks.ts";
import { findTarget } from "../src/attack/find.ts";
import { type Result, runAttacks } from "../src/attack/run.ts";
import { isClean, linesOf, summaryOf } from "../src/cli/attack-report.ts";
import { DEVELOPMENT_SECRET } from "../src/core/session-token.ts";
import { type FreshGateOptions, startFreshGate } from "./fresh-gate.ts";

const WITHIN_SECONDS = Number(process.argv[2] ?? 110);

/** What settings do not change is tried on the first gate only. */
const ONCE = new Set([
  "enumeration-by-time",
  "log-forging",
  "request-smuggling",
  "heavy-bodies",
  "slow-bodies",
  "page-headers",
]);

const gates: Readonly<Record<string, FreshGateOptions>> = {
  "a gate as it comes": { setupToken: "none", settings: {}, ownHosts: [] },
  "a gate with a setup token, behind a proxy, shared by a domain": {
    setupToken: "asked for",
    settings: {
      TRUSTED_PROXIES: "127.0.0.9",
      PUBLIC_URL: "https://auth.door.test",
      COOKIE_DOMAIN: "door.test",
    },
    ownHosts: ["door.test"],
  },
};

const everything: ReadonlySet<Need> = new Set(["account", "disturb", "fresh", "workshop"]);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function attackGate(
  options: FreshGateOptions,
  which: readonly Attack[],
  withinMs: number,
): Promise<readonly Result[]> {
  await using gate = await startFreshGate(options);
  const { url, workshop } = gate;
  const known = [DEVELOPMENT_SECRET];
  const target = await findTarget({
    url,
    guarded: [],
    knownSecrets: known,
    fresh: true,
    workshop,
  });
  const results = await runAttacks(target, {
    attacks: which,
    granted: everything,
    withinMs,
    finished: (result) => linesOf(result).forEach(say),
  });
  say(`\n${summaryOf(results, target.attempts)}\n`);
  return results;
}

if (!(WITHIN_SECONDS > 0)) throw new Error("how many seconds may it take?");
const endsAt = performance.now() + WITHIN_SECONDS * 1_000;
const names = Object.keys(gates);
say(`${attacks.length} attacks on ${names.length} gates, in ${WITHIN_SECONDS} s at most`);
const results: Result[] = [];
for (const [at, [name, options]] of Object.entries(gates).entries()) {
  say(`\n${name}:`);
  const which = at === 0 ? attacks : attacks.filter((attack) => !ONCE.has(attack.name));
  results.push(...(await attackGate(options, which, endsAt - performance.now())));
}
process.exitCode = isClean(results) ? 0 : 1;
