import { createAuditEvent, type NewAuditEvent } from "../audit/events.ts";
import type { Delivery, DeliveryKind } from "../db/records.ts";
import type { Store, StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage, getErrorReason, Unavailable } from "../lib/fault.ts";
import { startLoop } from "../lib/loop.ts";
import type { OutboxMeter } from "../lib/meter.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { GiveUp } from "./give-up.ts";
import type { Mail } from "./mail.ts";
import type { Outbox } from "./outbox.ts";

/** Sends what the outbox contains. */
export interface OutboxQueue {
  /** Lets the attempts that run end, for three seconds at most. */
  stop(): Promise<void>;
}

/**
 * Does what a delivery asks for. It rejects if another attempt may succeed, and with a `GiveUp` if
 * not.
 */
export type Deliver = (content: unknown, delivery: Delivery, stop: AbortSignal) => Promise<void>;

export interface OutboxQueueServices {
  readonly store: Pick<StoreParts, "outbox"> & Pick<Store, "observe">;
  readonly clock: Pick<Clock, "now">;
  readonly outbox: Pick<Outbox, "open">;
  readonly log: ServerLog;
  readonly meter: OutboxMeter;
  readonly record: (event: NewAuditEvent) => unknown;
  /** A kind that this installation has not turned on waits until it expires. */
  readonly deliver: Readonly<Partial<Record<DeliveryKind, Deliver>>>;
}

/** Other processes, such as commands, write messages too. */
const CHECK_EVERY_MS = 5_000;
/** These many attempts run at the same time. */
const AT_ONCE = 5;
/** If the process dies during an attempt, another one tries again after this time. */
const LEASE_MS = 300_000;
const STOP_WITHIN_MS = 3_000;

const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 3_600_000;

/**
 * Starts the queue. Each attempt is claimed by one instance, and failed ones are tried again.
 *
 * A message is sent again only if the process ends after the mail server has taken it and before
 * this is noted, or if the database is away for longer than the lease. Both messages have the same
 * ID.
 */
export function startOutboxQueue(
  given: OutboxQueueServices,
  { stopWithinMs = STOP_WITHIN_MS } = {},
): OutboxQueue {
  const services = { ...given, unnoted: new Map<string, number>() };
  const { store, log } = services;
  const stopping = new AbortController();
  const loop = startLoop(0, async (stop) => {
    try {
      await sendDue(services, stop, stopping.signal);
      await store.outbox.removeExpired(new Date(services.clock.now()));
      const { waiting, oldest } = await store.outbox.readState();
      services.meter.watchWaiting(waiting, oldest);
    } catch (error) {
      // An outage of the database is logged where queries run.
      if (!(error instanceof Unavailable))
        log.error({ reason: getErrorMessage(error) }, "cannot send what is in the outbox");
    }
    return CHECK_EVERY_MS;
  });
  const wakeOn = (operation: string): void => {
    if (operation === "outbox.insert" || operation === "outbox.replace") loop.wake();
  };
  const stopObserving = store.observe({ answered: wakeOn, failed: wakeOn });
  return {
    async stop() {
      stopObserving();
      const ended = loop.stop();
      await Promise.race([ended, pause(stopWithinMs)]);
      stopping.abort();
      await ended;
      // An outage at this moment is logged where queries run.
      await noteAllSent(services).catch(() => {});
    },
  };
}

interface RunningQueue extends OutboxQueueServices {
  /**
   * Maps the IDs of what was sent, and could not be noted yet, to the number of attempts. It must
   * not be sent again.
   */
  readonly unnoted: Map<string, number>;
}

/**
 * Notes what was sent. This happens before anything is claimed, so that after an outage of the
 * database no instance sends it again, unless the outage is longer than the lease.
 */
async function noteAllSent(services: RunningQueue): Promise<void> {
  for (const [id, tries] of services.unnoted) await noteSent(services, id, tries);
}

async function noteSent(
  { store, clock, unnoted }: RunningQueue,
  id: string,
  tries: number,
): Promise<void> {
  await store.outbox.note(id, { tries, sentAt: new Date(clock.now()) });
  unnoted.delete(id);
}

/** Sends what is due, until nothing is due or the queue stops. */
async function sendDue(
  services: RunningQueue,
  stop: AbortSignal,
  abort: AbortSignal,
): Promise<void> {
  const { store, clock } = services;
  while (!stop.aborted) {
    await noteAllSent(services);
    const now = clock.now();
    const again = new Date(now + LEASE_MS);
    const due = await store.outbox.claimDue(new Date(now), again, AT_ONCE);
    if (due.length === 0) return;
    const attempts = await Promise.allSettled(
      due.map((delivery) => sendOne(services, delivery, abort)),
    );
    for (const attempt of attempts) if (attempt.status === "rejected") throw attempt.reason;
  }
}

async function sendOne(
  services: RunningQueue,
  delivery: Delivery,
  abort: AbortSignal,
): Promise<void> {
  const { clock, outbox, deliver, meter, unnoted } = services;
  const { id, kind, expiresAt } = delivery;
  const tries = delivery.tries + 1;
  const content = outbox.open(delivery);
  try {
    const run = deliver[kind];
    // No instance ran for a long time, or none had the setting.
    if (expiresAt.getTime() <= clock.now()) throw new GiveUp("it has waited for too long");
    // The setting may come back before the delivery expires.
    if (run === undefined) throw new Error(`this instance has no setting for ${kind}`);
    if (content === undefined) throw new GiveUp("the secret has changed");
    await run(content, delivery, abort);
  } catch (error) {
    // The lease runs out, and another instance or the next start tries again.
    if (!abort.aborted) await noteFailure(services, { ...delivery, tries }, content, error);
    return;
  }
  unnoted.set(id, tries);
  meter.countSent(kind);
  await noteSent(services, id, tries);
}

/** Notes why an attempt failed, and when the next one is due. */
async function noteFailure(
  { store, clock, log, meter, record }: OutboxQueueServices,
  delivery: Delivery,
  content: unknown,
  error: unknown,
): Promise<void> {
  const { id, kind, tries } = delivery;
  const problem = shortenProblem(getErrorReason(error));
  const next = clock.now() + Math.min(FIRST_RETRY_MS * 3 ** (tries - 1), MAX_RETRY_MS);
  const isLast = error instanceof GiveUp || next >= delivery.expiresAt.getTime();
  const dueAt = isLast ? undefined : new Date(next);
  await store.outbox.note(id, { tries, dueAt, problem });
  meter.countFailed(kind);
  log.warn({ kind, reason: problem, tries }, isLast ? "message given up" : "message not sent yet");
  if (isLast) record(createAuditEvent("message_lost", { name: describeRecipient(kind, content) }));
}

const MAX_PROBLEM_CHARACTERS = 250;

/**
 * Returns one line of what a mail server says, which may be anything. Each character has at most
 * four bytes, so that it fits into its column.
 */
const shortenProblem = (reason: string): string =>
  [...reason.toWellFormed().replace(/[\s\p{Cc}]+/gu, " ")]
    .slice(0, MAX_PROBLEM_CHARACTERS)
    .join("");

/** Says for the log of the operator who has not got a message. */
function describeRecipient(kind: DeliveryKind, content: unknown): string {
  const { to } = (content ?? {}) as Partial<Mail>;
  return kind === "mail" && to !== undefined ? to : kind;
}
