import { isSignedIn, requireAccount, type Target } from "./target.ts";

/** How long the guard may take while the server is flooded. */
const MAX_MEDIAN_MS = 500;
const MAX_MS = 3_000;

/**
 * Sends requests with a session to the guard while the work runs, and returns the problem if there
 * is one. A problem must show twice, because other load on the machine can cause it once.
 */
export async function guardProblemDuring(
  target: Target,
  work: () => Promise<void>,
): Promise<string | undefined> {
  const { token } = await requireAccount(target);
  const first = problemIn(await guardDuring(target, token, work));
  return first && problemIn(await guardDuring(target, token, work));
}

interface GuardLoad {
  readonly times: readonly number[];
  readonly refused: number;
}

async function guardDuring(
  target: Target,
  token: string,
  work: () => Promise<void>,
): Promise<GuardLoad> {
  const times: number[] = [];
  let refused = 0;
  let over = false;
  const askGuard = async (): Promise<void> => {
    do {
      const startedAt = performance.now();
      if (!(await isSignedIn(target, `session=${token}`))) refused += 1;
      times.push(performance.now() - startedAt);
    } while (!over);
  };
  const end = (): void => {
    over = true;
  };
  // If the guard requests fail, the signal stops the work too.
  const outer = target.signal;
  const failed = new AbortController();
  target.signal = AbortSignal.any([failed.signal, ...(outer === undefined ? [] : [outer])]);
  const guarding = askGuard().catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  const [guarded, worked] = await Promise.allSettled([guarding, work().finally(end)]);
  target.signal = outer;
  if (guarded.status === "rejected") throw guarded.reason;
  if (worked.status === "rejected") throw worked.reason;
  return { times, refused };
}

function problemIn({ times, refused }: GuardLoad): string | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const longest = sorted.at(-1) ?? 0;
  if (refused > 0) return `the guard rejected the session ${refused} times`;
  if (median > MAX_MEDIAN_MS) return `the guard took ${Math.round(median)} ms (median)`;
  if (longest > MAX_MS) return `the guard took ${Math.round(longest)} ms (longest)`;
  return undefined;
}
