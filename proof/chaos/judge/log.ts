/** An action that adds a log entry between the two times, if it was done at all. */
export interface LoggedAction {
  /** The number of the process that did it. */
  readonly life: number;
  readonly type: string;
  readonly summary: string;
  readonly from: number;
  readonly to: number;
  /** Whether it was acknowledged. A killed process may have done it without a response. */
  readonly done: "acknowledged" | "unknown";
}

export interface WrittenEntry {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
}

export interface LogJudgement {
  readonly problems: readonly string[];
  /** Acknowledged actions without an entry. */
  readonly lost: number;
  /** The most lost actions of one process. */
  readonly maxLost: number;
}

/** The times come from two processes, both rounded to milliseconds. */
const SLACK_MS = 2;

/**
 * Every entry needs its own action, entries are in order, and only the last entries of a process may
 * be missing: no later action of the same process may have an entry.
 */
export function judgeLog(
  entries: readonly WrittenEntry[],
  actions: readonly LoggedAction[],
): LogJudgement {
  const entryOf = matched(entries, actions);
  const logged = new Set(entryOf.values());
  const problems = [
    ...disorderIn(entries),
    ...entries
      .filter((entry) => !logged.has(entry))
      .map((entry) => `${shown(entry)} has no action, or repeats one`),
    ...entries
      .filter(({ author }) => author !== "system")
      .map((entry) => `${shown(entry)} has the author ${entry.author}`),
  ];
  const lost = actions.filter((action) => action.done === "acknowledged" && !entryOf.has(action));
  const lives = [...Map.groupBy(lost, ({ life }) => life)];
  for (const [life, missing] of lives) {
    const later = [...entryOf.keys()].filter((action) => action.life === life);
    for (const action of missing) {
      if (!later.some(({ from }) => from > action.to + SLACK_MS)) continue;
      problems.push(`process ${life}: no entry "${action.summary}", but a later one exists`);
    }
  }
  const maxLost = Math.max(0, ...lives.map(([, missing]) => missing.length));
  return { problems, lost: lost.length, maxLost };
}

function disorderIn(entries: readonly WrittenEntry[]): readonly string[] {
  return entries.flatMap((entry, index) => {
    const before = entries[index - 1];
    if (before === undefined || (before.id < entry.id && before.at <= entry.at)) return [];
    return [`${shown(entry)} comes after ${shown(before)}`];
  });
}

/** Matches each entry with the action that ended first among those it fits. */
function matched(
  entries: readonly WrittenEntry[],
  actions: readonly LoggedAction[],
): ReadonlyMap<LoggedAction, WrittenEntry> {
  const entryOf = new Map<LoggedAction, WrittenEntry>();
  const kinds = Map.groupBy(
    actions.toSorted((a, b) => a.to - b.to),
    keyOf,
  );
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const action = kinds
      .get(keyOf(entry))
      ?.find(
        (one) =>
          !entryOf.has(one) && one.from - SLACK_MS <= entry.at && entry.at <= one.to + SLACK_MS,
      );
    if (action !== undefined) entryOf.set(action, entry);
  }
  return entryOf;
}

const keyOf = ({ type, summary }: { readonly type: string; readonly summary: string }): string =>
  `${type} ${summary}`;

const shown = ({ id, at, summary }: WrittenEntry): string =>
  `entry ${id} "${summary}" of ${new Date(at).toISOString()}`;
