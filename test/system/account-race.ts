import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { LogReader } from "../../src/core/log/log-reader.ts";
import { type Answer, send } from "../support/client.ts";
import { type Flags, gateWorkers } from "./gate-workers.ts";

export interface Race {
  readonly processes: number;
  /** At most 64, which fit into the hash queue of a process. */
  readonly racersEach: number;
  readonly rounds: number;
}

export const SHORT_RACE: Race = { processes: 2, racersEach: 8, rounds: 2 };
export const LONG_RACE: Race = { processes: 4, racersEach: 64, rounds: 20 };

export const titleOf = ({ processes, racersEach, rounds }: Race): string =>
  `exactly one of ${racersEach * processes} concurrent setups at ${processes} gates creates the account, in ${rounds} rounds`;

/** An empty store that the gates of one round share. */
export interface Course {
  readonly flags: Flags;
  /** The number of accounts. */
  countUsers(): Promise<number> | number;
  /** Must be closed after use. */
  openLog(): Promise<LogReader & { close(): unknown }>;
}

/** In each round, all racers try to create the first account of a new store; exactly one must succeed. */
export async function raceForAccount(
  t: TestContext,
  { processes, racersEach, rounds }: Race,
  newCourse: () => Promise<Course>,
): Promise<void> {
  const gates = gateWorkers(t, processes);
  for (let round = 1; round <= rounds; round += 1) {
    const course = await newCourse();
    const urls = await gates.start(course.flags);
    const session = winningSession(await race(urls, racersEach), `round ${round}`);
    const homes = await Promise.all(urls.map((url) => send(`${url}/`, { session })));
    await gates.stop();

    assert.equal(await course.countUsers(), 1, `round ${round}: one account`);
    const [entry, ...others] = await entriesOf(course);
    assert.deepEqual([entry?.type, others], ["signup", []], `round ${round}: one entry`);
    const winner = entry?.summary.replace("Created account ", "");
    for (const { status, body } of homes) {
      assert.equal(status, 200, "the session is valid at every process");
      assert.ok(
        body.includes(`<p>Signed in as ${winner}</p>`),
        "the session belongs to the winner",
      );
    }
  }
}

/** Starts all racers at once, spread over the processes. */
function race(urls: readonly string[], racersEach: number): Promise<readonly Answer[]> {
  return Promise.all(
    Array.from({ length: racersEach }, (_, n) =>
      urls.map((url, process) => attempt(url, `racer-${process}-${n}`)),
    ).flat(),
  );
}

/** Retries after a 503, since the database can be slow on a busy machine. */
async function attempt(url: string, username: string): Promise<Answer> {
  const password = `the password of ${username}`;
  const form = { username, password, confirm: password };
  const first = await send(`${url}/setup`, { form });
  return first.status === 503 ? send(`${url}/setup`, { form }) : first;
}

function winningSession(answers: readonly Answer[], round: string): string | undefined {
  const winners = answers.filter(({ cookies }) => cookies.length > 0);
  assert.equal(winners.length, 1, `${round}: one session cookie`);
  assert.deepEqual(
    winners.map(({ status, location }) => [status, location]),
    [[303, "/"]],
  );
  for (const loser of answers.filter(({ cookies }) => cookies.length === 0)) {
    assert.deepEqual([loser.status, loser.location], [303, "/login"], round);
  }
  return winners[0]?.session;
}

async function entriesOf(course: Course) {
  const log = await course.openLog();
  try {
    return await log.readLogEntries({ afterId: 0, limit: 1_000 });
  } finally {
    await log.close();
  }
}
