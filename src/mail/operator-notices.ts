import { refusals } from "../audit/event-patterns.ts";
import type { Delivery, DeliveryKind, NewLogEntry } from "../db/records.ts";
import { getErrorMessage, Unavailable } from "../lib/fault.ts";
import { digestText } from "../lib/random-text.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { getEntryId } from "./entry-id.ts";
import { createDelivery, type DeliveryServices, type Outbox } from "./outbox.ts";

/** Describes an entry of the audit log as the operator gets it, in the form of Standard Webhooks. */
export interface OperatorNotice {
  readonly type: string;
  /** Says when it happened, in ISO 8601. */
  readonly timestamp: string;
  readonly data: Omit<NewLogEntry, "type" | "at">;
}

/** Lists the types that the operator wants. */
interface WantedEvents {
  readonly events: ReadonlySet<string>;
}

export interface OperatorServices extends WantedEvents {
  readonly outbox: Pick<Outbox, "queueWork">;
  readonly log: ServerLog;
}

/**
 * Clients that try again cause the same refusal again and again, so the operator is told of one in
 * each period of this length.
 */
const REFUSAL_PERIOD_MS = 600_000;

const KIND = "webhook" satisfies DeliveryKind;

/**
 * Tells the operator about entries of the audit log, before the entries are stored: so whatever is in
 * the log was also told. An entry that is passed again is told once.
 *
 * @throws {Unavailable} if the store cannot take the notices now.
 */
export async function tellOperator(
  { outbox, log, events }: OperatorServices,
  entries: readonly NewLogEntry[],
): Promise<void> {
  for (const entry of entries) {
    if (!isWanted(events, entry)) continue;
    try {
      await outbox.queueWork(KIND, toNotice(entry), createId(entry));
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      // Another entry must not wait for this one.
      const fields = { reason: getErrorMessage(error), type: entry.type };
      log.error(fields, "the operator was not told what has happened");
    }
  }
}

/** Creates the notices about entries, for a transaction that also stores the entries. */
export const createNoticeDeliveries = (
  { events, ...services }: DeliveryServices & WantedEvents,
  entries: readonly NewLogEntry[],
): readonly Delivery[] =>
  entries
    .filter((entry) => isWanted(events, entry))
    .map((entry) => createDelivery(services, KIND, toNotice(entry)));

/**
 * Returns whether the operator wants the entry. A target that has not taken a notice would not take
 * the notice about that either.
 */
const isWanted = (events: ReadonlySet<string>, { type, subject }: NewLogEntry): boolean =>
  events.has(type) && !(type === "message_lost" && subject === KIND);

/** Refusals of one type and account within the period have the same ID, also on other instances. */
function createId(entry: NewLogEntry): string {
  const { type, userId, at } = entry;
  const same = refusals.has(type)
    ? [type, userId, Math.floor(at.getTime() / REFUSAL_PERIOD_MS)]
    : getEntryId(entry);
  return digestText(JSON.stringify([KIND, same]));
}

const toNotice = ({ type, at, ...data }: NewLogEntry): OperatorNotice => ({
  type,
  timestamp: at.toISOString(),
  data,
});
