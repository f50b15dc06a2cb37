import { randomBytes } from "node:crypto";
import type { Attack, Tally } from "./attack.ts";
import { accountOf, newAddress, signIn, type Target } from "./target.ts";

const PAIRS = 40;
/** Medians that lie further apart than that, both in a row, can be told by somebody who measures. */
const SHARE = 0.3;
const LEAST_MS = 3;

export const enumerationByTime: Attack = {
  name: "enumeration-by-time",
  about: `how long ${PAIRS} known and ${PAIRS} unknown usernames take: medians apart by a third count`,
  meaning: "The time that a sign-in takes tells which usernames exist.",
  noun: "measurements",
  verb: "told a known name from an unknown one",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const { username } = await accountOf(target);
    const first = await measure(target, username, tally);
    if (!isApart(first)) return;
    // A machine that is busy with something else does not do the same thing twice.
    const second = await measure(target, username, tally);
    if (!isApart(second) || first.known > first.unknown !== second.known > second.unknown) return;
    tally.gotThrough(
      `known ${second.known.toFixed(1)} ms, unknown ${second.unknown.toFixed(1)} ms`,
    );
  },
};

interface Medians {
  readonly known: number;
  readonly unknown: number;
}

function isApart({ known, unknown }: Medians): boolean {
  const apart = Math.abs(known - unknown);
  return apart > LEAST_MS && apart > SHARE * Math.max(known, unknown);
}

/** One of each in turn, so that whatever else happens meets both. */
async function measure(target: Target, username: string, tally: Tally): Promise<Medians> {
  const times = { known: [] as number[], unknown: [] as number[] };
  let from = "";
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (pair % 2 === 0) from = await newAddress(target);
    const password = randomBytes(8).toString("hex");
    const nobody = randomBytes(8).toString("hex").slice(0, username.length);
    times.known.push(await timeOf(target, { username, password }, from));
    times.unknown.push(await timeOf(target, { username: nobody, password }, from));
    tally.tried();
  }
  return { known: median(times.known), unknown: median(times.unknown) };
}

async function timeOf(
  target: Target,
  form: Readonly<Record<string, string>>,
  from: string,
): Promise<number> {
  const startedAt = performance.now();
  await signIn(target, form, { from });
  return performance.now() - startedAt;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
