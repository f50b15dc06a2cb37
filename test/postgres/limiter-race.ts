import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Answer, send } from "../support/client.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import type { PostgresAccess } from "../support/postgres.ts";
import { tempDir } from "../support/temp-dir.ts";
import { gateWorkers } from "../system/gate-workers.ts";

const PROCESSES = 4;
const ATTEMPTS = 48;

export const isSignedIn = ({ location }: Answer): boolean => location === "/";

export const titleOf = (rounds: number): string =>
  `allows exactly five of ${ATTEMPTS} concurrent attempts at ${PROCESSES} processes, in ${rounds} rounds`;

/** In each round, another client signs in at all gates at once. */
export async function raceForAttempts(
  t: TestContext,
  server: PostgresAccess,
  rounds: number,
): Promise<void> {
  const DATABASE_URL = await server.newDatabase();
  const flags = { DATABASE_URL, DATA_DIR: await tempDir(t), SHARED_LIMITER: "on" };
  const urls = await gateWorkers(t, PROCESSES).start(flags);
  assert.equal((await send(`${urls[0]}/setup`, { form: SETUP_FORM })).status, 303);
  for (let round = 1; round <= rounds; round += 1) {
    const from = `127.5.0.${round}`;
    const answers = await Promise.all(
      Array.from({ length: ATTEMPTS }, (_, n) =>
        send(`${urls[n % PROCESSES]}/login`, { form: OWNER, from }),
      ),
    );
    assert.equal(answers.filter(isSignedIn).length, 5, `round ${round}`);
    const others = answers.filter((answer) => !isSignedIn(answer));
    assert.deepEqual(
      new Set(others.map(({ status, location }) => `${status} ${location}`)),
      new Set(["303 /login?error=1"]),
    );
  }
}
