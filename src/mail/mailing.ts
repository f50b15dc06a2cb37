import type { NewAuditEvent } from "../audit/events.ts";
import type { NewLogEntry, Profile } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { isLocale, type Locale } from "../pages/words.ts";
import { tellFormerAddress, tellPeople } from "./notices.ts";
import type { Outbox } from "./outbox.ts";

/** Writes to people. It exists only if the installation has a mail server. */
export interface Mailing {
  readonly outbox: Outbox;
  /** Returns the language for messages to this person. */
  chooseLocale(profile: Profile | undefined): Locale;
  /** Tells people what changes in how one can sign in to their accounts. */
  tellPeople(entries: readonly NewLogEntry[]): Promise<void>;
  /** Tells the former address of an account that the account has another one now. */
  tellFormerAddress(former: Profile, event: NewAuditEvent): Promise<void>;
}

interface MailingServices {
  readonly outbox: Outbox;
  readonly store: Pick<StoreParts, "profiles" | "users" | "log">;
  readonly clock: Pick<Clock, "now">;
  readonly log: ServerLog;
  /** All pages have this language, if one is set. */
  readonly locale: Locale | undefined;
}

export function createMailing({ locale: only, ...services }: MailingServices): Mailing {
  const chooseLocale = (profile: Profile | undefined): Locale => {
    const own = profile?.locale;
    return only ?? (own !== undefined && isLocale(own) ? own : "en");
  };
  const noticeServices = { ...services, chooseLocale };
  return {
    outbox: services.outbox,
    chooseLocale,
    tellPeople: (entries) => tellPeople(noticeServices, entries),
    tellFormerAddress: (former, event) =>
      tellFormerAddress(noticeServices, former, { at: new Date(services.clock.now()), ...event }),
  };
}
