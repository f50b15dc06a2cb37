/** Something that leaves an entry in the log: between these two moments, if it was done at all. */
export interface Deed {
  /** Which of the processes that were started one after the other did it. */
  readonly life: number;
  readonly type: string;
  readonly summary: string;
  readonly from: number;
  readonly to: number;
  /** Whether it was answered; a process that was killed may have done it and not told. */
  readonly done: "surely" | "perhaps";
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
  /** Deeds that were answered and have no entry. */
  readonly lost: number;
  /** Of one life. */
  readonly mostLost: number;
}

/** Moments of two processes, both rounded to milliseconds. */
const SLACK_MS = 2;

/**
 * Every entry needs a deed of its own, entries stand in the order in which things were done, and
 * what is missing is the end of a life: a later deed of that life has no entry either.
 */
export function judgeLog(entries: readonly WrittenEntry[], deeds: readonly Deed[]): LogJudgement {
  const entryOf = matched(entries, deeds);
  const told = new Set(entryOf.values());
  const problems = [
    ...disorderIn(entries),
    ...entries
      .filter((entry) => !told.has(entry))
      .map((entry) => `${shown(entry)} tells of what nobody did, or tells it twice`),
    ...entries
      .filter(({ author }) => author !== "system")
      .map((entry) => `${shown(entry)} is by ${entry.author}`),
  ];
  const lost = deeds.filter((deed) => deed.done === "surely" && !entryOf.has(deed));
  const lives = [...Map.groupBy(lost, ({ life }) => life)];
  for (const [life, missing] of lives) {
    const later = [...entryOf.keys()].filter((deed) => deed.life === life);
    for (const deed of missing) {
      if (!later.some(({ from }) => from > deed.to + SLACK_MS)) continue;
      problems.push(`life ${life}: no entry "${deed.summary}", and a later one is there`);
    }
  }
  const mostLost = Math.max(0, ...lives.map(([, missing]) => missing.length));
  return { problems, lost: lost.length, mostLost };
}

function disorderIn(entries: readonly WrittenEntry[]): readonly string[] {
  return entries.flatMap((entry, place) => {
    const before = entries[place - 1];
    if (before === undefined || (before.id < entry.id && before.at <= entry.at)) return [];
    return [`${shown(entry)} comes after ${shown(before)}`];
  });
}

/** Of the deeds that an entry may tell of, it is given the one that was over first. */
function matched(
  entries: readonly WrittenEntry[],
  deeds: readonly Deed[],
): ReadonlyMap<Deed, WrittenEntry> {
  const entryOf = new Map<Deed, WrittenEntry>();
  const kinds = Map.groupBy(
    deeds.toSorted((a, b) => a.to - b.to),
    keyOf,
  );
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const deed = kinds
      .get(keyOf(entry))
      ?.find(
        (one) =>
          !entryOf.has(one) && one.from - SLACK_MS <= entry.at && entry.at <= one.to + SLACK_MS,
      );
    if (deed !== undefined) entryOf.set(deed, entry);
  }
  return entryOf;
}

const keyOf = ({ type, summary }: { readonly type: string; readonly summary: string }): string =>
  `${type} ${summary}`;

const shown = ({ id, at, summary }: WrittenEntry): string =>
  `entry ${id} "${summary}" of ${new Date(at).toISOString()}`;
