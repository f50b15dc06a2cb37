import { randomBytes } from "node:crypto";
import type { Attack, Tally } from "../attack.ts";
import { newAddress, requireAccount, signIn, type Target } from "../target.ts";

const PAIRS = 40;
/** Two medians count as different if both limits are exceeded, in two runs in a row. */
const MIN_SHARE = 0.3;
const MIN_MS = 3;

export const enumerationByTime: Attack = {
  name: "enumeration-by-time",
  about: `the time of ${PAIRS} sign-ins with a known and ${PAIRS} with an unknown username`,
  meaning: "The time that a sign-in takes reveals which usernames exist.",
  noun: "measurements",
  verb: "revealed a username",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const { username } = await requireAccount(target);
    const first = await measure(target, username, tally);
    if (!isApart(first)) return;
    // Other load on the machine rarely has the same effect twice.
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
  return apart > MIN_MS && apart > MIN_SHARE * Math.max(known, unknown);
}

/** Alternates between the two, so that other load affects both. */
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
