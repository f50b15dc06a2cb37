import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSqlite } from "../../src/stores/sqlite.ts";
import { type Answer, send } from "../support/client.ts";
import { SECRET } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const WORKER = fileURLToPath(new URL("./gate-worker.ts", import.meta.url));
const PROCESSES = 4;

const ROUNDS = 20;
/** Few enough at each process that none has to be turned away for want of a place in its queue. */
const RACERS_EACH = 64;

/** Has the worker start a gate in the folder, and answers with its address. `""` only stops it. */
type Worker = (dataDir: string) => Promise<string>;

function startWorker(t: TestContext): Worker {
  const worker = fork(WORKER, [], { env: { PATH: process.env.PATH, AUTH_SECRET: SECRET } });
  const closed = once(worker, "close");
  t.after(async () => {
    worker.kill("SIGKILL");
    await closed;
  });
  return async (dataDir) => {
    worker.send(dataDir);
    const [answer] = await Promise.race([once(worker, "message"), closed]);
    assert.equal(typeof answer, "string", "the worker has ended");
    return answer;
  };
}

const attempt = (url: string, username: string): Promise<Answer> => {
  const password = `the password of ${username}`;
  return send(`${url}/setup`, { form: { username, password, confirm: password } });
};

/** All racers at once, one after the other from one process to the next. */
function race(urls: readonly string[]): Promise<readonly Answer[]> {
  return Promise.all(
    Array.from({ length: RACERS_EACH }, (_, n) =>
      urls.map((url, process) => attempt(url, `racer-${process}-${n}`)),
    ).flat(),
  );
}

async function readBack(dataDir: string) {
  const store = await openSqlite({ file: join(dataDir, "latchkey.db"), missing: "refuse" });
  try {
    const entries = await store.readLogEntries({ afterId: 0, limit: 1_000 });
    return {
      users: await store.countUsers(),
      entries: entries.map(({ type, summary }) => ({ type, summary })),
    };
  } finally {
    store.close();
  }
}

const nameIn = ({ summary }: { readonly summary: string }): string =>
  summary.replace("Created account ", "");

test(`of ${RACERS_EACH * PROCESSES} who race for the first account at ${PROCESSES} processes exactly one gets it, ${ROUNDS} times over`, async (t) => {
  const workers = Array.from({ length: PROCESSES }, () => startWorker(t));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const dataDir = await tempDir(t);
    const urls = await Promise.all(workers.map((worker) => worker(dataDir)));
    const answers = await race(urls);

    const winners = answers.filter(({ cookies }) => cookies.length > 0);
    assert.equal(winners.length, 1, `round ${round}: one session cookie`);
    assert.deepEqual(
      winners.map(({ status, location }) => [status, location]),
      [[303, "/"]],
    );
    for (const loser of answers.filter(({ cookies }) => cookies.length === 0)) {
      assert.deepEqual([loser.status, loser.location], [303, "/login"], `round ${round}`);
    }

    const session = winners[0]?.session;
    const homes = await Promise.all(urls.map((url) => send(`${url}/`, { session })));
    await Promise.all(workers.map((worker) => worker("")));
    const { users, entries } = await readBack(dataDir);
    assert.equal(users, 1, `round ${round}: one account`);
    assert.deepEqual(
      entries.map(({ type }) => type),
      ["signup"],
      `round ${round}: one entry`,
    );
    for (const { status, body } of homes) {
      assert.equal(status, 200, "the session is good at every process");
      assert.ok(body.includes(`<strong>${entries.map(nameIn)}</strong>`), "and is the winner's");
    }
  }
});
