/**
 * `npm run proof -- attack`: starts two gates and runs every attack against them. With a number after
 * it, that many seconds are the time limit, for a slow machine.
 */
import type { Attack, Need } from "../src/attack.ts";
import { attacks } from "../src/attacks.ts";
import { findTarget } from "../src/find.ts";
import type { OidcClient } from "../src/oidc/setup.ts";
import { isClean, resultLines, summaryOf } from "../src/report.ts";
import { type Result, runAttacks } from "../src/run.ts";
import { type FreshGateOptions, startFreshGate } from "./fresh-gate.ts";

const MAX_SECONDS = Number(process.argv[2] ?? 150);

/** Attacks that the settings of the second gate do not affect: run on the first gate only. */
const FIRST_GATE_ONLY = new Set([
  "enumeration-by-time",
  "log-forging",
  "request-smuggling",
  "heavy-bodies",
  "slow-bodies",
  "oversized-headers",
  "unread-pipelines",
  "page-headers",
]);

const apps: readonly OidcClient[] = [
  ...(["photos", "files", "family"] as const).map((id) => ({
    ...{ id, secret: "made" },
    redirect: `https://${id}.example.test/callback`,
    signOutRedirect: `https://${id}.example.test/signed-out`,
    ...(id === "family" && { group: "family" }),
  })),
  { id: "phone", redirect: "http://127.0.0.1:4321/callback" },
];

const gates: Readonly<Record<string, FreshGateOptions>> = {
  "a gate with default settings": { setupToken: "none", settings: {}, known: {} },
  "a gate with a setup token, a trusted proxy, a shared cookie, other domains, assertions and apps":
    {
      apps,
      setupToken: "required",
      settings: {
        TRUSTED_PROXIES: "127.0.0.9",
        PUBLIC_URL: "https://auth.example.test",
        COOKIE_DOMAIN: "example.test",
        RETURN_DOMAINS: "other.test,*.third.test",
        LIMIT_IPV6_PREFIX: "64",
        ASSERTIONS: "on",
      },
      known: {
        otherUrls: ["https://example.test"],
        publicUrl: "https://auth.example.test",
        proxy: { address: "127.0.0.9", ipv6Prefix: 64 },
        handoffHosts: ["photos.other.test", "wiki.third.test"],
      },
    },
};

const everything: ReadonlySet<Need> = new Set([
  "account",
  "clients",
  "disturb",
  "fresh",
  "server-access",
]);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function attackGate(
  options: FreshGateOptions,
  which: readonly Attack[],
  withinMs: number,
): Promise<readonly Result[]> {
  await using gate = await startFreshGate(options);
  const { url, access, clients } = gate;
  const target = await findTarget({ url, guarded: [], fresh: true, access, clients });
  const results = await runAttacks(target, {
    attacks: which,
    granted: everything,
    withinMs,
    finished: (result) => resultLines(result).forEach(print),
  });
  print(`\n${summaryOf(results, target.attempts)}\n`);
  return results;
}

if (!(MAX_SECONDS > 0)) throw new Error("the argument must be a number of seconds");
const endsAt = performance.now() + MAX_SECONDS * 1_000;
const names = Object.keys(gates);
print(`running ${attacks.length} attacks on ${names.length} gates, for ${MAX_SECONDS} s at most`);
const results: Result[] = [];
for (const [index, [name, options]] of Object.entries(gates).entries()) {
  print(`\n${name}:`);
  const which =
    index === 0 ? attacks : attacks.filter((attack) => !FIRST_GATE_ONLY.has(attack.name));
  results.push(...(await attackGate(options, which, endsAt - performance.now())));
}
process.exitCode = isClean(results) ? 0 : 1;
