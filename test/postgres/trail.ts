import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";

/** Each denied client leaves a log entry, whether or not the database answers. */
export interface Visitors {
  /** Each client tries once more. */
  tryAgain(): Promise<void>;
  /** The expected summaries of their entries, in order. */
  readonly summaries: readonly string[];
}

/** Clients who have used up their attempts. */
export async function visitorsAt(gate: RunningGate, count: number): Promise<Visitors> {
  const addresses = Array.from({ length: count }, (_, n) => `127.2.0.${n + 1}`);
  const attempt = async (from: string): Promise<void> => {
    const { status, location } = await gate.signIn({ password: "wrong" }, { from });
    assert.deepEqual([status, location], [303, "/login?error=1"]);
  };
  for (let attempts = 0; attempts < 5; attempts += 1) await Promise.all(addresses.map(attempt));
  return {
    async tryAgain() {
      for (const from of addresses) await attempt(from);
    },
    summaries: addresses.map((from) => `Rate limited login from ${from}`),
  };
}

/** Waits for the last of those entries, and asserts that all exist once and in order. */
export async function assertWritten(url: string, expected: readonly string[]): Promise<void> {
  const entries = await eventually(async () => {
    const all = await logOf(url);
    return all.some(({ summary }) => summary === expected.at(-1)) ? all : undefined;
  }, 20_000);
  const limited = entries.filter(({ type }) => type === "signin_rate_limited");
  const summaries = limited.map(({ summary }) => summary);
  assert.deepEqual(summaries, expected);
  const times = entries.map(({ at }) => at);
  const sorted = times.toSorted((a, b) => a - b);
  assert.deepEqual(times, sorted, "in the order of the events");
}

/** Asserts the number of entries of the type once all are written. */
export async function assertCount(url: string, type: string, count: number): Promise<void> {
  const written = async () => (await logOf(url)).filter((entry) => entry.type === type).length;
  await eventually(async () => (await written()) >= count || undefined, 20_000);
  assert.equal(await written(), count);
}

async function logOf(url: string) {
  const rows = await runSql(url, "SELECT at, type, summary FROM latchkey_log ORDER BY id");
  return rows.map(({ at, type, summary }) => ({ at: Number(at), type, summary }));
}

const MAX_RECOVERY_MS = 5_000;

/** The gate has recovered once a sign-in succeeds. */
export async function untilRecovered(
  gate: RunningGate,
  password: string = OWNER.password,
): Promise<void> {
  let attempt = 0;
  await eventually(async () => {
    attempt += 1;
    const from = `127.3.0.${attempt % 255}`;
    return (await gate.signIn({ password }, { from })).location === "/" || undefined;
  }, MAX_RECOVERY_MS);
}
