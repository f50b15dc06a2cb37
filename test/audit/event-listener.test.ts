import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AuditEvent, EventListener } from "../../src/audit/event-listener.ts";
import { createEventListener } from "../../src/audit/event-listener.ts";
import { createEventLog } from "../../src/audit/event-log.ts";
import { createAuditEvent } from "../../src/audit/events.ts";
import type { User, UserId } from "../../src/db/records.ts";
import { createAuth, fetchRequest } from "../../src/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore } from "../support/store.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const CHROME = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile";

const user = (name: string): User => ({ id: `id of ${name}` as UserId, username: name });

async function listening(t: TestContext, listener: EventListener) {
  const { log: store } = await openStore(t);
  const log = recordingLog();
  const clock = fakeClock();
  const onStored = createEventListener(listener, store, log);
  const events = createEventLog(store, clock, log, { onStored });
  t.after(() => events.close());
  /** Signs in a second after the last time. */
  const signIn = (name: string, remoteAddress = "192.0.2.1", userAgent = FIREFOX): void => {
    clock.advance(1_000);
    events.record(
      createAuditEvent("signin", { user: user(name), client: { remoteAddress, userAgent } }),
    );
  };
  return { store, log, events, signIn };
}

test("passes stored entries with their facts, in order", async (t) => {
  const received: AuditEvent[] = [];
  const { store, events, signIn } = await listening(t, (event) => received.push(event));
  signIn("ann");
  events.record(createAuditEvent("password_change", { user: user("ann") }));
  events.record(createAuditEvent("signin", { client: { remoteAddress: "192.0.2.1" } }));
  await events.flush();
  const stored = await store.read({ afterId: 0, limit: 10 });
  const marks = received.map((event) => event.new);
  assert.deepEqual(marks, [true, undefined, undefined]);
  assert.deepEqual(
    received.map(({ new: _, ...facts }) => facts),
    stored.map(({ id: _, ...facts }) => facts),
  );
});

test("marks the first sign-in from an address and device, also in a batch", async (t) => {
  const received: AuditEvent[] = [];
  const { events, signIn } = await listening(t, (event) => received.push(event));
  signIn("ann");
  signIn("ann");
  signIn("ben");
  await events.flush();
  signIn("ann", "192.0.2.1", CHROME);
  signIn("ann", "192.0.2.2");
  signIn("ann");
  await events.flush();
  const marks = received.map((event) => event.new);
  assert.deepEqual(marks, [true, undefined, true, true, true, undefined]);
});

test("a listener that fails or hangs is a line, and holds up no entry", async (t) => {
  const outcomes = [
    () => Promise.reject(new Error("the webhook is gone")),
    () => {
      throw undefined;
    },
    () => new Promise(() => {}),
  ];
  const { store, log, events, signIn } = await listening(t, () => outcomes.shift()?.());
  for (const name of ["ann", "ben", "cleo", "dora"]) signIn(name);
  await events.flush();
  assert.equal((await store.read({ afterId: 0, limit: 10 })).length, 4);
  const lines = log.lines.map(({ message, fields }) => [message, fields.reason]);
  assert.deepEqual(lines, [
    ["onEvent failed", "the webhook is gone"],
    ["onEvent failed", "undefined was thrown, not an Error"],
  ]);
});

test("an entry is passed on when earlier ones cannot be read", async (t) => {
  const received: AuditEvent[] = [];
  const { store, log, events, signIn } = await listening(t, (event) => received.push(event));
  t.mock.method(store, "hasEarlier", () => Promise.reject(new Error("the disk is gone")));
  signIn("ann");
  await events.flush();
  assert.deepEqual([received.length, received[0]?.new], [1, undefined]);
  const messages = log.lines.map(({ message }) => message);
  assert.deepEqual(messages, ["earlier sign-ins not read"]);
});

test("createAuth calls onEvent, and rejects one that is not a function", async (t) => {
  const store = await openStore(t);
  const { promise, resolve } = Promise.withResolvers<AuditEvent>();
  const auth = createAuth({ store, secret: SECRET, log: recordingLog(), onEvent: resolve });
  t.after(() => auth.close());
  const form = "username=ann&password=a+long+password&confirm=a+long+password";
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const request = new Request("http://localhost/setup", { method: "POST", headers, body: form });
  assert.equal((await auth.adapter.answer(fetchRequest(request))).status, 303);
  const { type, subject } = await promise;
  assert.deepEqual([type, subject], ["signup", "ann"]);
  assert.throws(() => createAuth({ store, secret: SECRET, onEvent: "log" as never }), {
    message: "onEvent is invalid: expected a function",
  });
});
