import { statfs } from "node:fs/promises";
import { spreadOf } from "./figures.ts";
import { type Amount, newestAt, startFor } from "./scale-fill.ts";
import { type Measure, measures } from "./scale-measures.ts";
import { type Figures, keep, tableOf } from "./scale-report.ts";
import { postgresSubject, type Subject, sqliteSubject } from "./scale-stores.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000, 5_000_000];
const ENTRIES_A_USER = 2;
/** Rows, indexes and write-ahead logs of both databases together. */
const BYTES_A_USER = 1_000;
const BYTES_AN_ENTRY = 700;
const BYTES_BESIDES = 5e9;

export interface Scale {
  /** The largest amount. */
  readonly users: number;
  readonly entries: number;
  readonly rounds: number;
}

/** Fills both stores step by step, and measures at each step what should stay constant. */
export async function benchScale(
  folder: string,
  scale: Scale,
  show: (text: string) => void,
): Promise<string> {
  const amounts = amountsUpTo(scale);
  await checkRoom(folder, amounts.at(-1) ?? { users: 0, entries: 0 }, show);
  const start = startFor(amounts.at(-1)?.entries ?? 0);
  const subjects: Subject[] = [];
  try {
    subjects.push(await sqliteSubject(folder, start), await postgresSubject(folder, start));
    const versions = await Promise.all(subjects.map((subject) => subject.version()));
    const figures = await measureAll(subjects, amounts, start, scale.rounds, show);
    if (isWhole(scale)) await keep(figures, versions);
    return tableOf(figures);
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

/** A smaller run does not replace the figures on the page. */
function isWhole({ users, entries }: Scale): boolean {
  const largest = SIZES.at(-1) ?? 0;
  return users >= largest && entries >= largest * ENTRIES_A_USER;
}

function amountsUpTo({ users, entries }: Scale): readonly Amount[] {
  const sizes = [...SIZES.filter((size) => size < users), users];
  return sizes.map((size) => ({ users: size, entries: Math.min(size * ENTRIES_A_USER, entries) }));
}

async function checkRoom(
  folder: string,
  { users, entries }: Amount,
  show: (text: string) => void,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const needed = users * BYTES_A_USER + entries * BYTES_AN_ENTRY + BYTES_BESIDES;
  const text = `needs up to ${gigabytes(needed)} in ${folder}; ${gigabytes(free)} are free`;
  if (needed > free) throw new Error(`scale ${text}`);
  show(`scale ${text}`);
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

async function measureAll(
  subjects: readonly Subject[],
  amounts: readonly Amount[],
  start: number,
  rounds: number,
  show: (text: string) => void,
): Promise<Figures> {
  const figures: Figures[number][] = [];
  let before: Amount = { users: 0, entries: 0 };
  for (const amount of amounts) {
    const began = performance.now();
    for (const subject of subjects) await subject.fill(before, amount);
    const filled = performance.now();
    figures.push(...(await measureAt(subjects, amount, start, rounds)));
    const [filling, measuring] = [filled - began, performance.now() - filled].map(seconds);
    show(
      `${amount.users} users, ${amount.entries} entries: filled in ${filling}, measured in ${measuring}`,
    );
    before = amount;
  }
  return figures;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;

interface Taken {
  readonly measure: Measure;
  readonly subject: Subject;
  readonly times: number[];
}

/** In rounds over all stores, so that a slow moment of the machine affects all of them. */
async function measureAt(
  subjects: readonly Subject[],
  amount: Amount,
  start: number,
  rounds: number,
): Promise<Figures> {
  const taken = measures.flatMap((measure) =>
    subjects.map((subject): Taken => ({ measure, subject, times: [] })),
  );
  const take = async ({ measure, subject }: Taken): Promise<number> => {
    const time = await measure.run(subject, amount, newestAt(start, amount.entries));
    await subject.removeEntriesAfter(amount.entries);
    return time;
  };
  const intoMemory = async (): Promise<void> => {
    for (const subject of subjects) await subject.intoMemory();
  };
  await intoMemory();
  for (const one of taken) {
    for (let left = one.measure.warmUps; left > 0; left -= 1) await take(one);
  }
  for (let round = 0; round < rounds; round += 1) {
    await intoMemory();
    for (const one of taken) {
      for (let left = one.measure.aRound; left > 0; left -= 1) one.times.push(await take(one));
    }
  }
  return taken.map(({ measure, subject, times }) => ({
    measure: measure.name,
    unit: measure.unit,
    store: subject.name,
    amount,
    spread: spreadOf(times),
  }));
}
