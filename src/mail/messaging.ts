import type { NewLogEntry } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Seals } from "../identity/seals.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Locale } from "../pages/words.ts";
import { createMailing, type Mailing } from "./mailing.ts";
import { tellOperator } from "./operator-notices.ts";
import { createOutbox, type Outbox } from "./outbox.ts";

/** Writes messages to people and to the operator, as far as the installation has turned them on. */
export interface Messaging {
  /** Is `undefined` if nothing is ever sent. */
  readonly outbox: Outbox | undefined;
  readonly mailing: Mailing | undefined;
  /**
   * Queues what people and the operator are told about entries of the audit log, before the entries
   * are stored.
   *
   * @throws {Unavailable} if the store cannot take the messages now.
   */
  tell(entries: readonly NewLogEntry[]): Promise<void>;
}

interface MessagingServices {
  readonly store: Pick<StoreParts, "outbox" | "profiles" | "users" | "log">;
  readonly clock: Pick<Clock, "now">;
  readonly seals: Seals;
  readonly log: ServerLog;
}

interface MessagingOptions {
  readonly mail: "on" | "off";
  /** All pages have this language, if one is set. */
  readonly locale: Locale | undefined;
  /** Lists the events that the operator is told about. Without `NOTIFY_URL`, it is `undefined`. */
  readonly events: readonly string[] | undefined;
}

/** Creates the outbox, and what writes into it. */
export function createMessaging(
  services: MessagingServices,
  { mail, locale, events }: MessagingOptions,
): Messaging {
  const outbox = mail === "on" || events !== undefined ? createOutbox(services) : undefined;
  const mailing =
    outbox && mail === "on" ? createMailing({ ...services, outbox, locale }) : undefined;
  const operator = outbox && events && { ...services, outbox, events: new Set(events) };
  return {
    outbox,
    mailing,
    async tell(entries) {
      await mailing?.tellPeople(entries);
      if (operator) await tellOperator(operator, entries);
    },
  };
}
