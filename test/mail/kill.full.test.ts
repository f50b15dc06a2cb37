import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { SMTPServerOptions } from "smtp-server";
import { createSeals } from "../../src/identity/seals.ts";
import { createOutbox } from "../../src/mail/outbox.ts";
import { send } from "../support/client.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const MESSAGES = 80;
/** A gate has this many attempts at the same time. */
const AT_ONCE = 5;

/** When a gate is killed: before it sends the message, before the server answers, or after. */
const MOMENTS = ["recipient", "content", "reply"] as const;
type Moment = (typeof MOMENTS)[number];

/** The mail server of one gate. It calls `reach` at each moment of each message. */
interface Watched {
  readonly server: MailServer;
  reach: (moment: Moment) => Promise<void>;
}

async function startWatchedServer(t: TestContext): Promise<Watched> {
  const options: SMTPServerOptions = {
    onRcptTo(_address, _session, done) {
      void watched.reach("recipient").then(() => done());
    },
    onData(stream, session, done) {
      watched.server.take(stream, session, () => {
        // The server has the message now, and the gate does not know.
        void watched.reach("content").then(() => {
          done();
          void watched.reach("reply");
        });
      });
    },
  };
  const watched: Watched = {
    server: await startMailServer(t, options),
    reach: async () => {},
  };
  return watched;
}

const idOf = (source: string): string =>
  /^Message-ID: <([\da-f]+)@example\.org>/im.exec(source)?.[1] ?? "";

/**
 * What is guaranteed: each message arrives at least once. It arrives again only if a gate was killed
 * between the moment at which the mail server had taken it and the moment at which the database had
 * noted this, with the same Message-ID. This can be the case for the attempts that run at the kill,
 * and for nothing else.
 */
test("gates that are killed again and again lose no message, and repeat only what was in flight", async (t) => {
  const postgres = await sharedPostgres();
  const url = await postgres.newStoreDatabase();
  const store = await openStoreAt(t, url);
  const watched = [await startWatchedServer(t), await startWatchedServer(t)];
  const dataDirs = [await tempDir(t), await tempDir(t)];
  const startGate = (number: number) =>
    startServe(t, {
      ...{ DATABASE_URL: url, AUTH_SECRET: SECRET, SETUP_TOKEN: "off" },
      DATA_DIR: dataDirs[number] ?? "",
      SMTP_URL: watched[number]?.server.url ?? "",
      MAIL_FROM: "home@example.org",
      PUBLIC_URL: "https://home.example.org",
    });
  const first = await startGate(0);
  await send(`${first.url}/setup`, { form: SETUP_FORM });
  assert.equal((await send(`${first.url}/login`, { form: OWNER })).location, "/");
  first.child.kill("SIGTERM");
  await first.ended;

  const clock = { now: () => Date.now() };
  const outbox = createOutbox({ store, clock, seals: createSeals(SECRET) });
  for (let number = 0; number < MESSAGES; number += 1)
    await outbox.queue({
      to: `person-${number}@example.org`,
      locale: "en",
      message: { kind: "test" },
    });
  const readUnsent = async (): Promise<ReadonlySet<string>> => {
    const rows = await runSql(url, "SELECT id FROM latchkey_outbox WHERE sent_at IS NULL");
    return new Set(rows.map(({ id }) => String(id)));
  };
  /** Resolves when nothing is due: what is left waits for the leases of gates that were killed. */
  const waitUntilIdle = async (signal: AbortSignal): Promise<"idle" | "over"> => {
    while (!signal.aborted) {
      const due = `SELECT id FROM latchkey_outbox WHERE due_at <= ${Date.now()} LIMIT 1`;
      if ((await runSql(url, due)).length === 0) return "idle";
      await pause(100);
    }
    return "over";
  };
  const queued = await readUnsent();
  assert.equal(queued.size, MESSAGES);

  /** How often a message was in flight at a kill: taken, and not noted. */
  const inFlight = new Map<string, number>();
  let kills = 0;
  /** A gate from its start to its kill, or to its stop if nothing is due before. */
  const live = async (own: Watched, number: number, round: number): Promise<void> => {
    const moment = MOMENTS[(round + number) % MOMENTS.length];
    const takenBefore = own.server.received.length;
    const killed = Promise.withResolvers<void>();
    let left = 1 + ((round * 7 + number * 5) % 9);
    own.reach = async (at) => {
      if (at === moment) left -= 1;
      if (left > 0) return;
      // The server answers nothing more until the gate is dead.
      (await gate).child.kill("SIGKILL");
      await (await gate).ended;
      killed.resolve();
    };
    const gate = startGate(number);
    const over = new AbortController();
    const idle = waitUntilIdle(over.signal);
    const outcome = await Promise.race([killed.promise.then(() => "killed"), idle]);
    own.reach = async () => {};
    over.abort();
    await idle;
    if (outcome === "killed") kills += 1;
    // The kill may come at the same moment, so this gate can have messages in flight too.
    else (await gate).child.kill("SIGTERM");
    await (await gate).ended;
    const unsent = await readUnsent();
    const taken = own.server.received.slice(takenBefore).map(({ source }) => idOf(source));
    const repeatable = taken.filter((id) => unsent.has(id));
    assert.ok(repeatable.length <= AT_ONCE, `${repeatable.length} in flight`);
    for (const id of repeatable) inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
  };

  for (let round = 0; (await readUnsent()).size > 0; round += 1) {
    assert.ok(round < 100, "the messages become fewer");
    await Promise.all(watched.map((own, number) => live(own, number, round)));
    // No gate runs, so no attempt does: the leases of the killed gates run out now, not in minutes.
    await runSql(url, "UPDATE latchkey_outbox SET due_at = 0 WHERE due_at IS NOT NULL");
  }

  const received = watched.flatMap(({ server }) => server.received);
  const copies = Map.groupBy(received, ({ source }) => idOf(source));
  assert.deepEqual(new Set(copies.keys()), queued, "each message arrives");
  for (const [id, all] of copies) {
    assert.ok(all.length <= 1 + (inFlight.get(id) ?? 0), `${id} was noted, and sent again`);
    assert.equal(new Set(all.map(({ to }) => to.join())).size, 1, "to the same person");
  }
  assert.ok(kills >= 4, `${kills} kills`);
  assert.ok(received.length > MESSAGES, "some were in flight, or this shows nothing");
  t.diagnostic(`${kills} kills, ${received.length - MESSAGES} of ${inFlight.size} repeated`);
});
