import { type Attack, CannotTell, LeftOut, type Need, type Tally } from "./attack.ts";
import type { Target } from "./target.ts";
import { NoAnswer } from "./wire.ts";

export type Outcome = "passed" | "got-through" | "left-out" | "undecided";

export interface Result {
  readonly attack: Attack;
  readonly outcome: Outcome;
  readonly tried: number;
  /** What got through, each once, or why there is no answer. */
  readonly findings: readonly string[];
  readonly milliseconds: number;
}

export interface Running {
  readonly attacks: readonly Attack[];
  readonly granted: ReadonlySet<Need>;
  /** All of it ends after that time. */
  readonly withinMs: number;
  readonly started?: (attack: Attack, number: number) => void;
  readonly finished?: (result: Result) => void;
}

/** Tries one attack after the other. */
export async function runAttacks(target: Target, running: Running): Promise<readonly Result[]> {
  const endsAt = performance.now() + running.withinMs;
  const results: Result[] = [];
  for (const [at, attack] of running.attacks.entries()) {
    running.started?.(attack, at + 1);
    const missing = (Object.keys(wanting) as readonly Need[]).find(
      (need) => attack.needs.includes(need) && !running.granted.has(need),
    );
    const result =
      missing === undefined
        ? await runOne(target, attack, endsAt - performance.now())
        : {
            attack,
            outcome: "left-out" as const,
            tried: 0,
            findings: [wanting[missing]],
            milliseconds: 0,
          };
    results.push(result);
    running.finished?.(result);
  }
  return results;
}

/** The most that is missing comes first. */
const wanting: Readonly<Record<Need, string>> = {
  workshop: "takes a server that it starts itself: npm run attack",
  fresh: "takes a server of its own: --fresh",
  disturb: "would use up this address's sign-in attempts, or disturb others: --disturb",
  account: "takes an account: --username",
};

/** Less is over before the first answer. */
const LEAST_MS = 5;

async function runOne(target: Target, attack: Attack, leftMs: number): Promise<Result> {
  const startedAt = performance.now();
  const findings = new Set<string>();
  let tried = 0;
  const tally: Tally = {
    tried: () => {
      tried += 1;
    },
    gotThrough: (what) => void findings.add(what),
  };
  const ended = (outcome: Outcome, why: readonly string[]): Result => {
    const milliseconds = Math.round(performance.now() - startedAt);
    return { attack, outcome, tried, findings: why, milliseconds };
  };
  if (leftMs < LEAST_MS) return ended("undecided", ["there was no time left for it"]);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), leftMs);
  target.signal = controller.signal;
  try {
    await attack.run(target, tally);
  } catch (error) {
    // What has got through by then has got through.
    if (findings.size === 0) return ended(...reasonOf(error, controller.signal));
  } finally {
    clearTimeout(timer);
    target.signal = undefined;
  }
  if (findings.size > 0) return ended("got-through", [...findings]);
  return tried > 0 ? ended("passed", []) : ended("undecided", ["nothing could be tried"]);
}

function reasonOf(error: unknown, signal: AbortSignal): readonly [Outcome, readonly string[]] {
  if (signal.aborted) return ["undecided", ["it took too long"]];
  if (error instanceof LeftOut) return ["left-out", [error.message]];
  if (error instanceof CannotTell) return ["undecided", [error.message]];
  if (error instanceof NoAnswer) return ["undecided", [`the server: ${error.message}`]];
  throw error;
}
