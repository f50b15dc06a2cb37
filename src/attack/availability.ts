import { accountOf, isSignedIn, type Target } from "./target.ts";

/** While somebody floods the server, somebody signed in should hardly notice. */
const MEDIAN_MS = 500;
const LONGEST_MS = 3_000;

/**
 * Asks the guard again and again, with a session, for as long as the work goes on, and says what
 * was wrong with that. All of it is done twice where something was: a machine that is busy with
 * something else is not so both times.
 */
export async function troubleDuring(
  target: Target,
  work: () => Promise<void>,
): Promise<string | undefined> {
  const { token } = await accountOf(target);
  const first = problemIn(await guardDuring(target, token, work));
  return first && problemIn(await guardDuring(target, token, work));
}

interface Asked {
  readonly times: readonly number[];
  readonly refused: number;
}

async function guardDuring(
  target: Target,
  token: string,
  work: () => Promise<void>,
): Promise<Asked> {
  const times: number[] = [];
  let refused = 0;
  let over = false;
  const ask = async (): Promise<void> => {
    do {
      const startedAt = performance.now();
      if (!(await isSignedIn(target, `session=${token}`))) refused += 1;
      times.push(performance.now() - startedAt);
    } while (!over);
  };
  const end = (): void => {
    over = true;
  };
  // Neither goes on behind the other's back where one of them fails.
  const outer = target.signal;
  const failed = new AbortController();
  target.signal = AbortSignal.any([failed.signal, ...(outer === undefined ? [] : [outer])]);
  const asked = ask().catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  const [asking, working] = await Promise.allSettled([asked, work().finally(end)]);
  target.signal = outer;
  if (asking.status === "rejected") throw asking.reason;
  if (working.status === "rejected") throw working.reason;
  return { times, refused };
}

function problemIn({ times, refused }: Asked): string | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const longest = sorted.at(-1) ?? 0;
  if (refused > 0) return `a session was refused ${refused} times meanwhile`;
  if (median > MEDIAN_MS) return `the guard took ${Math.round(median)} ms in the middle`;
  if (longest > LONGEST_MS) return `the guard took ${Math.round(longest)} ms once`;
  return undefined;
}
