import type { Attack, Need, Tally } from "./attack.ts";
import { Skipped, Undecided } from "./errors.ts";
import { closeShared, type HttpVersion } from "./http/http2.ts";
import { NoResponse } from "./http/wire.ts";
import type { Target } from "./target.ts";

/** Whether the server withstood the attack, failed, could not be judged, or was not attacked. */
export type Outcome = "passed" | "got-through" | "skipped" | "undecided";

export interface Result {
  readonly attack: Attack;
  readonly outcome: Outcome;
  readonly tried: number;
  /** What got through, without duplicates, or the reason for a skipped or undecided attack. */
  readonly findings: readonly string[];
  readonly milliseconds: number;
}

export interface RunOptions {
  readonly attacks: readonly Attack[];
  readonly granted: ReadonlySet<Need>;
  /** The time limit for all attacks together. */
  readonly withinMs: number;
  readonly started?: (attack: Attack, number: number) => void;
  readonly finished?: (result: Result) => void;
}

/** Runs one attack after the other. */
export async function runAttacks(target: Target, options: RunOptions): Promise<readonly Result[]> {
  const endsAt = performance.now() + options.withinMs;
  const results: Result[] = [];
  for (const [index, attack] of options.attacks.entries()) {
    options.started?.(attack, index + 1);
    const missing = (Object.keys(needHints) as readonly Need[]).find(
      (need) => attack.needs.includes(need) && !options.granted.has(need),
    );
    const result: Result =
      missing === undefined
        ? await runOne(target, attack, endsAt - performance.now())
        : { attack, outcome: "skipped", tried: 0, findings: [needHints[missing]], milliseconds: 0 };
    results.push(result);
    options.finished?.(result);
  }
  return results;
}

/** What an attack needs before it runs, one phrase for each need. */
export const listNeeds = ({ needs }: Attack): readonly string[] =>
  needs.map((need) => needHints[need]);

/** The hint for each missing need. The strongest need comes first, and is the one reported. */
const needHints: Readonly<Record<Need, string>> = {
  "server-access": "needs a server that the test starts itself (npm run proof -- attack)",
  fresh: "needs a local server without an account (--fresh)",
  disturb: "would use up this address's sign-in attempts or disturb other users (--disturb)",
  account: "needs an account (--username)",
  clients: "needs clients of OpenID Connect (--clients)",
  echo: "needs an app behind the proxy that shows the headers it receives (--echo)",
};

const versionsOf = ({ versions = ["1.1"] }: Attack): readonly HttpVersion[] => versions;

/** With less time than this, no response can arrive. */
const MIN_MS = 5;

async function runOne(target: Target, attack: Attack, leftMs: number): Promise<Result> {
  const startedAt = performance.now();
  const findings = new Set<string>();
  let tried = 0;
  const tallyOver = (version: HttpVersion): Tally => ({
    tried: () => {
      tried += 1;
    },
    gotThrough: (what) => void findings.add(version === "2" ? `over HTTP/2: ${what}` : what),
  });
  const ended = (outcome: Outcome, reasons: readonly string[]): Result => {
    const milliseconds = Math.round(performance.now() - startedAt);
    return { attack, outcome, tried, findings: reasons, milliseconds };
  };
  if (leftMs < MIN_MS) return ended("undecided", ["no time left"]);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), leftMs);
  target.signal = controller.signal;
  const { address, versions } = target;
  try {
    const offered = versions.filter((one) => versionsOf(attack).includes(one));
    if (offered.length === 0) throw new Skipped("the server does not offer HTTP/2");
    for (const version of offered) {
      target.address = version === "2" ? { ...address, http2: {} } : address;
      await attack.run(target, tallyOver(version));
    }
  } catch (error) {
    // A finding counts even if the attack fails afterwards.
    if (findings.size === 0) return ended(...reasonOf(error, controller.signal));
  } finally {
    clearTimeout(timer);
    target.signal = undefined;
    await closeShared(target.address);
    target.address = address;
  }
  if (findings.size > 0) return ended("got-through", [...findings]);
  return tried > 0 ? ended("passed", []) : ended("undecided", ["nothing could be tried"]);
}

function reasonOf(error: unknown, signal: AbortSignal): readonly [Outcome, readonly string[]] {
  if (signal.aborted) return ["undecided", ["the time limit was reached"]];
  if (error instanceof Skipped) return ["skipped", [error.message]];
  if (error instanceof Undecided) return ["undecided", [error.message]];
  if (error instanceof NoResponse) return ["undecided", [`the server: ${error.message}`]];
  throw error;
}
