import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutageLog } from "../../src/db/outage-log.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";

const away = new Unavailable("store_unavailable", "no answer", 2, { cause: new Error("refused") });
const busy = new Unavailable("store_busy", "locked", 2);

function watched() {
  const clock = fakeClock();
  const log = recordingLog();
  const outages = createOutageLog(clock, log);
  return {
    log,
    /** An operation that fails, or that is answered. */
    ask(failure: Error | undefined, afterMs = 0): void {
      clock.advance(afterMs);
      if (failure === undefined) outages.answered("users.any", 0);
      else outages.failed("users.any", 0, failure);
    },
    lines: () => log.lines.map(({ message, fields }) => [message, fields]),
  };
}

const AWAY = ["the database is away", { reason: "no answer", cause: "refused" }];

test("logs once that the database is away, and once that it is back, with the time between", () => {
  const { ask, lines } = watched();
  ask(undefined);
  ask(away, 999);
  assert.deepEqual(lines(), []);
  for (let n = 0; n < 100; n += 1) {
    ask(away, 1 + n);
    assert.deepEqual(lines(), [AWAY]);
  }
  ask(undefined, 1_000);
  ask(undefined);
  const back = ["the database is back", { seconds: 6 }];
  assert.deepEqual(lines(), [AWAY, back]);
  ask(away, 1_000);
  assert.deepEqual(lines(), [AWAY, back, AWAY]);
});

test("logs that the database is away if the first request fails", () => {
  const { ask, lines } = watched();
  ask(new Unavailable("store_unavailable", "no answer", 2));
  assert.deepEqual(lines(), [["the database is away", { reason: "no answer" }]]);
});

test("a database that answers others, is busy or has a fault is not away", () => {
  const { ask, lines } = watched();
  for (let n = 0; n < 100; n += 1) {
    ask(undefined, 500);
    ask(away, 400);
  }
  for (const failure of [busy, new Error("a fault")]) ask(failure, 60_000);
  assert.deepEqual(lines(), []);
  ask(away);
  assert.deepEqual(lines(), [AWAY]);
});
