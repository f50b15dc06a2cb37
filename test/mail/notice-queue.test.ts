import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createAuditEvent, type NewAuditEvent } from "../../src/audit/events.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { createMessaging } from "../../src/mail/messaging.ts";
import { readNotifyTarget } from "../../src/mail/notify-target.ts";
import type { OperatorNotice } from "../../src/mail/operator-notices.ts";
import { startOutboxQueue } from "../../src/mail/outbox-queue.ts";
import { sendNotice } from "../../src/mail/webhook.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { type NoticeServer, startNoticeServer, verifyNotice } from "../support/notice-server.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore } from "../support/store.ts";

const KEY = "a signing secret of 24 bytes";

interface Scene {
  readonly server: NoticeServer;
  readonly store: SqliteStore;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof recordingLog>;
  readonly recorded: readonly NewAuditEvent[];
  /** Sends what is due at this moment, and returns how many attempts succeeded and failed. */
  sendDue(): Promise<{ readonly sent: number; readonly failed: number }>;
}

const DAY_MS = 86_400_000;
const WITHIN_MS = 50;

/** One notice in a real outbox, for a real server. */
async function start(
  t: TestContext,
  answer: (response: ServerResponse, number: number) => void,
): Promise<Scene> {
  const server = await startNoticeServer(t, answer);
  const store = await openStore(t);
  const clock = fakeClock();
  const log = recordingLog();
  const recorded: NewAuditEvent[] = [];
  const services = { store, clock, log, seals: createSeals(SECRET) };
  const all = { mail: "off", locale: undefined, events: ["user_add"] } as const;
  const { outbox, tell } = createMessaging(services, all);
  assert.ok(outbox);
  await tell([{ at: new Date(clock.now()), ...createAuditEvent("user_add", { name: "bob" }) }]);
  const reading = readNotifyTarget(`http://hidden:hidden@127.0.0.1:${server.port}/hidden`, KEY);
  assert.ok(reading.kind === "target");
  return {
    ...{ server, store, clock, log, recorded },
    async sendDue() {
      const counts = { sent: 0, failed: 0 };
      const checked = Promise.withResolvers<void>();
      const queue = startOutboxQueue({
        ...services,
        outbox,
        record: (event) => recorded.push(event),
        meter: {
          countSent() {
            counts.sent += 1;
          },
          countFailed() {
            counts.failed += 1;
          },
          watchWaiting: () => checked.resolve(),
        },
        deliver: {
          webhook: (content, { id }, stop) =>
            sendNotice(reading.target, "Home", content as OperatorNotice, {
              ...{ id, now: clock.now(), stop, withinMs: WITHIN_MS },
            }),
        },
      });
      await checked.promise;
      await queue.stop();
      return counts;
    },
  };
}

const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "an answer 500": (response) => void response.writeHead(500).end(),
  "a dropped connection": (response) => void response.destroy(),
  "a redirect": (response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
  // It never comes, so the outcome does not depend on the speed of the machine.
  "an answer that does not come": () => {},
};

for (const [what, fail] of Object.entries(failures)) {
  test(`repeats a notice after ${what}, with the same ID and another time`, async (t) => {
    const scene = await start(t, (response, number) =>
      number < 3 ? fail(response) : response.end(),
    );
    const { clock, server, sendDue } = scene;
    assert.deepEqual(await sendDue(), { sent: 0, failed: 1 });
    clock.advance(9_999);
    assert.deepEqual(await sendDue(), { sent: 0, failed: 0 }, "not yet");
    clock.advance(1);
    assert.deepEqual(await sendDue(), { sent: 0, failed: 1 });
    clock.advance(29_999);
    assert.deepEqual(await sendDue(), { sent: 0, failed: 0 }, "not yet");
    clock.advance(1);
    assert.deepEqual(await sendDue(), { sent: 1, failed: 0 });
    clock.advance(DAY_MS);
    assert.deepEqual(await sendDue(), { sent: 0, failed: 0 }, "it was sent");
    const notices = server.received;
    assert.equal(notices.length, 3);
    for (const notice of notices) {
      const { type, data } = await verifyNotice(notice, KEY);
      assert.deepEqual([type, notice.path], ["user_add", "/hidden"]);
      assert.deepEqual(data, { summary: "Added account bob", author: "system", subject: "bob" });
    }
    assert.equal(new Set(notices.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.deepEqual(
      notices.map(
        ({ headers }) => Number(headers["webhook-timestamp"]) - Date.UTC(2030, 0) / 1_000,
      ),
      [0, 10, 40],
    );
    assert.deepEqual(scene.recorded, []);
    assertNoSecret(scene);
  });
}

test("does not repeat a notice after 410, and says so in both logs", async (t) => {
  const scene = await start(t, (response) => void response.writeHead(410).end());
  const { clock, server, store, log, recorded, sendDue } = scene;
  assert.deepEqual(await sendDue(), { sent: 0, failed: 1 });
  assert.deepEqual(await store.outbox.readState(), { waiting: 0, oldest: undefined });
  clock.advance(DAY_MS);
  assert.deepEqual(await sendDue(), { sent: 0, failed: 0 });
  assert.equal(server.received.length, 1);
  const reason = `127.0.0.1:${server.port} answered 410`;
  assert.deepEqual(log.lines, [
    { level: "warn", message: "message given up", fields: { kind: "webhook", reason, tries: 1 } },
  ]);
  assert.deepEqual(
    recorded.map(({ type, summary }) => `${type}: ${summary}`),
    ["message_lost: Gave up sending a message: webhook"],
  );
  assertNoSecret(scene);
});

test("gives up after a day, and that causes no other notice", async (t) => {
  const scene = await start(t, (response) => void response.writeHead(500).end());
  const { clock, recorded, sendDue } = scene;
  let failed = 0;
  for (let hour = 0; hour < 30; hour += 1) {
    failed += (await sendDue()).failed;
    clock.advance(3_600_000);
  }
  assert.equal(failed, 24);
  assert.deepEqual(
    recorded.map(({ type, subject }) => [type, subject]),
    [["message_lost", "webhook"]],
  );
});

function assertNoSecret({ log, recorded }: Scene): void {
  assert.doesNotMatch(JSON.stringify([log.lines, recorded]), /hidden|a signing secret|v1,/);
}
